"""From ``kernels/forward.py`` an editor finds every stage: by import statements, some of them within functions, and by nothing else."""

import ast
from pathlib import Path

from paths import REPO
from step_models import builds_of_steps

ROOT = "newtonish.kernels"


def path_of(name: str) -> Path:
    """File of a module of the package, which may be its folder's ``__init__.py``."""
    place = REPO / "kernels" / Path(*name.removeprefix(ROOT).strip(".").split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def imported(name: str) -> set[str]:
    """Modules of the package that the statements of a file import, those within functions included."""
    found = set()
    for node in ast.walk(ast.parse(path_of(name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {module for module in found if module.startswith(f"{ROOT}.") and path_of(module).exists()}


def reached(start: str) -> set[str]:
    """Every module that can be reached from one by imports."""
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imported(name)
    return seen


def test_imports_lead_from_the_table_of_contents_to_every_kernel_of_a_step():
    kernels = {build.module.name.split(".lanes")[0] for build in builds_of_steps()}
    fused = {f"{ROOT}.fused.{path.stem}" for path in (REPO / "kernels" / "fused").glob("*.py")} - {f"{ROOT}.fused.__init__"}
    assert fused < kernels  # the models of the test have a use for each
    assert kernels <= reached(f"{ROOT}.forward")
    assert f"{ROOT}.inverse" in reached(f"{ROOT}.inverse") - reached(f"{ROOT}.forward")  # the walk does not find everything


def test_stages_define_no_kernels_themselves():
    """Otherwise importing ``forward`` would register them for models that have no use for them."""
    stages = [path for path in (REPO / "kernels").rglob("stage.py")]
    assert len(stages) >= 9
    for path in stages:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        decorated = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.decorator_list]
        assert not decorated, path


def test_no_module_is_named_by_a_string():
    for path in (REPO / "kernels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", None) or node.names[0].name
                assert module.split(".")[0] != "importlib", path
            elif isinstance(node, ast.Call):
                assert getattr(node.func, "id", "") != "__import__", path
