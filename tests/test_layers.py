"""Who may import whom: the layers of docs/architecture.md, checked by reading every import statement.

Each layer lists what it may use of this package and which third-party packages it may use. Imports inside functions
and under ``TYPE_CHECKING`` count as well; the few that are meant stand in ``LATE`` with their reason.
"""

import ast
import sys
from enum import EnumMeta
from pathlib import Path

import pytest
from paths import REPO

from newtonish.common import enums

ROOTS = {"newtonish": "newtonish", "kernels": "newtonish.kernels", "importers": "newtonish.importers"}

COMMON = "newtonish.common"
"""What every layer may import."""

ORACLES = {"mujoco", "mujoco_warp", "newton"}
ORACLE_FILE = "newtonish.cli.bench.peers"
NATIVE_FILE = "newtonish.solver.native"
"""What gives scripts MuJoCo's own objects where MuJoCo is installed (docs/decisions/113.md)."""

ERRORS, MEMORY, COLLECTOR, FILES = "newtonish.errors", "newtonish.memory", "newtonish.collector", "newtonish.files"
VERBOSITY, ARGUMENTS = "newtonish.verbosity", "newtonish.arguments"

LAYERS: dict[str, tuple[set[str], set[str] | None]] = {
    # layer: (own layers it may import, third-party packages it may import; None = any but the oracles)
    "newtonish.kernels": (set(), {"warp", "numpy"}),
    COMMON: (set(), {"numpy"}),
    "newtonish.errors": (set(), set()),
    "newtonish.collector": (set(), set()),
    "newtonish.files": (set(), set()),
    ARGUMENTS: ({ERRORS}, {"numpy"}),
    "newtonish.memory": ({ERRORS}, {"warp"}),
    "newtonish.verbosity": (set(), {"warp"}),
    "newtonish.assets": (set(), set()),
    "newtonish.model": ({"newtonish.diagnostics", ERRORS, COLLECTOR, VERBOSITY, ARGUMENTS}, {"warp", "numpy", "scipy", "trimesh", "coacd"}),
    "newtonish.namespaces": ({"newtonish.model.attributes", "newtonish.model.enums", ERRORS}, {"warp", "numpy"}),
    "newtonish.importers": (
        {"newtonish.model", "newtonish.namespaces", "newtonish.mjcf.language", "newtonish.diagnostics", ERRORS, ARGUMENTS, FILES},
        {"warp", "numpy", "lxml", "PIL", "trimesh", "scipy", "pxr"},
    ),
    "newtonish.diagnostics": ({ERRORS}, set()),
    "newtonish.mjcf.language": ({"newtonish.diagnostics", "newtonish.files", ERRORS}, {"numpy", "lxml"}),
    "newtonish.mjcf": (
        {"newtonish.diagnostics", "newtonish.mjcf.language", ERRORS, ARGUMENTS, FILES},
        {"numpy", "lxml"},
    ),
    "newtonish.convert": (
        {"newtonish.model", "newtonish.namespaces", ERRORS},
        {"warp", "numpy", "scipy", "trimesh"},
    ),
    "newtonish.exporters": (
        {"newtonish.convert", "newtonish.namespaces", "newtonish.importers.mjcf", "newtonish.mjcf.language", "newtonish.diagnostics", ERRORS, FILES, MEMORY},
        {"numpy", "lxml", "PIL"},
    ),
    "newtonish.exporters.usd": (
        {
            "newtonish.exporters",
            "newtonish.convert",
            "newtonish.namespaces",
            "newtonish.importers",
            "newtonish.mjcf.language",
            "newtonish.diagnostics",
            "newtonish.model",
            ERRORS,
            FILES,
        },
        {"numpy", "pxr"},
    ),
    "newtonish.mjw": ({"newtonish.kernels", ERRORS, ARGUMENTS, MEMORY, COLLECTOR, VERBOSITY, FILES}, {"warp", "numpy"}),
    "newtonish.physics": ({"newtonish.mjcf", "newtonish.mjw", "newtonish.kernels.structs", ERRORS}, {"warp", "numpy"}),
    "newtonish.solver": (
        {"newtonish.model", "newtonish.namespaces", "newtonish.convert", "newtonish.mjw", "newtonish.kernels", ERRORS, ARGUMENTS, COLLECTOR},
        {"warp", "numpy"},
    ),
    "newtonish.collide": (
        {"newtonish.model", "newtonish.convert", "newtonish.mjw", "newtonish.kernels", "newtonish.solver", ERRORS},
        {"warp", "numpy"},
    ),
    "newtonish.tuning": ({"newtonish.convert", "newtonish.mjw", ERRORS, FILES}, {"warp", "numpy", "cmaes", "pxr"}),
    "newtonish.identification": (
        {"newtonish.mjw", "newtonish.mjcf", "newtonish.exporters", "newtonish.importers.urdf.read", "newtonish.model.sources", ERRORS, FILES},
        {"numpy", "pxr", "scipy", "cmaes"},
    ),
    "newtonish.distributed": ({"newtonish.mjw", ERRORS, FILES}, {"warp", "numpy", "ray"}),
    "newtonish.solvers": ({"newtonish.solver"}, set()),
    "newtonish.interop": ({"newtonish.mjw", ERRORS}, {"warp", "numpy", "torch", "jax"}),
    "newtonish.envs": (
        {"newtonish.mjw", "newtonish.assets", ERRORS, ARGUMENTS, COLLECTOR},
        {"warp", "numpy", "gymnasium", "stable_baselines3", "rsl_rl", "tensordict", "torch"},
    ),
    "newtonish.viewer.scene": (
        {"newtonish.model", "newtonish.namespaces", "newtonish.convert", "newtonish.solver", "newtonish.mjw", ERRORS},
        {"numpy", "scipy"},
    ),
    "newtonish.viewer.errors": ({ERRORS}, set()),
    "newtonish.viewer.draw": ({"newtonish.viewer.scene", "newtonish.viewer.errors"}, {"numpy", "pyglet"}),
    "newtonish.viewer.web": ({"newtonish.viewer", "newtonish.mjw", ERRORS, FILES}, {"numpy", "PIL", "rich", "trimesh", "viser"}),
    "newtonish.viewer": (
        {
            "newtonish.tuning",
            "newtonish.model",
            "newtonish.namespaces",
            "newtonish.importers",
            "newtonish.exporters",
            "newtonish.solver",
            "newtonish.mjw",
            ERRORS,
            FILES,
        },
        {"warp", "numpy", "PIL", "imageio_ffmpeg", "rerun"},
    ),
    "newtonish.cli": ({"newtonish"}, None),
    "newtonish.__main__": ({"newtonish.cli"}, set()),
    "newtonish": ({"newtonish"}, set()),
}

LATE: dict[tuple[str, str], str] = {
    ("newtonish.model", "newtonish.importers"): "ModelBuilder.add_mjcf and add_urdf are the importers' front doors",
    ("newtonish.model", "newtonish.kernels"): "the surface of a distance field is made of the function that collides",
    ("newtonish.model", "newtonish.collide"): "Model.collide is the collision pipeline's front door",
    ("newtonish.mjw", "newtonish.model"): "load() builds a model from a file",
    ("newtonish.mjw", "newtonish.importers"): "load() tells URDF from MJCF",
    ("newtonish.mjw", "newtonish.exporters"): "load() reads archives of compiled arrays",
    ("newtonish.mjw", "newtonish.convert"): "load() converts what it has built; hulls are made for meshes that collide",
    ("newtonish.mjcf", "newtonish.physics"): "mjcf.Physics is the simulation's front door, as in PyMJCF",
    ("newtonish.solver", "newtonish.exporters"): "the constructor's save_to_mjcf",
}
"""Upward imports that are allowed inside a function only, so that importing the lower layer never loads the upper."""


def sources() -> list[tuple[str, Path]]:
    """Import name and path of every file of the library."""
    found = []
    for top, root in ROOTS.items():
        for path in sorted((REPO / top).rglob("*.py")):
            parts = path.relative_to(REPO / top).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            found.append((".".join((root, *parts)), path))
    return found


def layer_of(name: str) -> str:
    """The most specific layer that a module belongs to."""
    return max((key for key in LAYERS if name == key or name.startswith(key + ".")), key=len)


def imports(path: Path) -> list[tuple[str, int, bool]]:
    """Every imported module with its line and whether the import stands inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    late = {id(node) for function in ast.walk(tree) if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) for node in ast.walk(function)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.extend((alias.name, node.lineno, id(node) in late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                found.append(("." * node.level + (node.module or ""), node.lineno, id(node) in late))
            else:
                # `from newtonish import mjw` names a module; `from newtonish.errors import problem` does not.
                extend = node.module in ("newtonish", "newtonish.common", "newtonish.model", "newtonish.kernels", "newtonish.importers")
                names = [f"{node.module}.{alias.name}" for alias in node.names] if extend else [node.module]
                found.extend((name, node.lineno, id(node) in late) for name in names)
    return found


def allowed(name: str, module: str, late: bool) -> bool:
    """Whether the file ``name`` may import ``module``."""
    own, foreign = LAYERS[layer_of(name)]
    top = module.split(".")[0]
    if top == "newtonish":
        home = layer_of(name)
        if home != "newtonish" and (module == home or module.startswith(home + ".")):
            return True
        if any(module == entry or module.startswith(entry + ".") for entry in (COMMON, *own)):
            return True
        return late and (home, layer_of(module)) in LATE
    if top in ORACLES:
        return late and (name == ORACLE_FILE or (name, top) == (NATIVE_FILE, "mujoco"))
    return top in sys.stdlib_module_names or foreign is None or top in foreign


@pytest.mark.parametrize(("name", "path"), sources(), ids=lambda value: value if isinstance(value, str) else "")
def test_imports_follow_the_layers(name: str, path: Path) -> None:
    wrong = [f"{path.relative_to(REPO)}:{line}: {name} imports {module}" for module, line, late in imports(path) if not allowed(name, module, late)]
    assert not wrong, "\n".join(wrong)


def test_the_rules_bite() -> None:
    assert allowed("newtonish.kernels.smooth.crb", "newtonish.kernels.math.world", late=False)
    assert not allowed("newtonish.kernels.smooth.crb", "newtonish.model.enums", late=False)
    assert not allowed("newtonish.kernels.smooth.crb", "newtonish.errors", late=True)
    assert not allowed("newtonish.kernels.smooth.crb", "scipy.linalg", late=False)
    assert not allowed("newtonish.model.builder", "newtonish.convert", late=False)
    assert not allowed("newtonish.model.builder", "newtonish.importers.mjcf", late=False)
    assert allowed("newtonish.model.builder", "newtonish.importers.mjcf", late=True)
    assert not allowed("newtonish.convert.bodies", "newtonish.kernels.constants", late=False)
    assert allowed("newtonish.convert.bodies", "newtonish.common.enums", late=False)
    assert not allowed("newtonish.common.frames", "warp", late=True)
    assert not allowed("newtonish.common.frames", "newtonish.errors", late=True)
    assert not allowed("newtonish.cli.bench.command", "mujoco", late=True)
    assert not allowed("newtonish.cli.bench.peers", "mujoco", late=False)
    assert allowed("newtonish.cli.bench.peers", "mujoco", late=True)
    assert allowed("newtonish.solver.native", "mujoco", late=True)
    assert not allowed("newtonish.solver.native", "mujoco", late=False)
    assert not allowed("newtonish.solver.native", "mujoco_warp", late=True)
    assert not allowed("newtonish.solver.converted", "mujoco", late=True)
    assert not allowed("newtonish.model.builder", ".enums", late=False)


def test_bare_folder_names_are_never_imported() -> None:
    for root in ("newtonish", "kernels", "importers", "tests", "examples"):
        for path in (REPO / root).rglob("*.py"):
            bare = [module for module, _, _ in imports(path) if module.split(".")[0] in ("kernels", "importers")]
            assert not bare, f"{path}: {bare}"


def test_no_import_hides_in_a_string() -> None:
    """``importlib`` may load an oracle only where the rule allows it by name."""
    for name, path in sources():
        if name == ORACLE_FILE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
                "import_module",
                "__import__",
            ):
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        assert argument.value.split(".")[0] not in ORACLES, f"{path}:{node.lineno}"


OWN_NUMBERS = {
    "newtonish.convert.actuators": "Newton's numbers of transmissions",
    "newtonish.convert.targets": "Newton's numbers of transmissions",
    "newtonish.convert.tendons": "kinds of tendons in Newton's tables",
    "newtonish.cli.bench.peer_newton": "Newton's numbers of joints",
}
"""Files with numbers that are not MuJoCo's, though some of them are equal by name."""


def restated(tree: ast.Module) -> list[str]:
    """Names that a file gives to numbers which ``newtonish.common.enums`` has under the same name."""
    known = {(member.name, int(member)) for kind in vars(enums).values() if isinstance(kind, EnumMeta) for member in kind}
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs += list(zip(target.elts, value.elts, strict=True)) if both else [(target, value)]
    found = []
    for name, number in pairs:
        if isinstance(name, ast.Name) and isinstance(number, ast.Constant) and type(number.value) is int:
            word = name.id.strip("_")
            member, _, kind = word.rpartition("_")
            typed = {(each.name, int(each)) for each in getattr(enums, f"{kind.capitalize()}Type", ())}  # PULLEY_WRAP is of WrapType
            if {(word, number.value), (word.partition("_")[2], number.value)} & known or (member, number.value) in typed:
                found.append(f"{name.id} = {number.value}")
    return found


def enumerations(tree: ast.Module) -> dict[str, set[tuple[str, int]]]:
    """Members by name and number of each class of a file, where the number stands in the text."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith(("Enum", "Flag")) for base in node.bases):
            members = [(line.targets[0], line.value) for line in node.body if isinstance(line, ast.Assign)]
            found[node.name] = {
                (name.id, value.value)
                for name, value in members
                if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, int)
            }
    return found


ENUMS = "newtonish.common.enums"
SHARED_MEMBERS = 3
"""Members that two enumerations may not have in common by name and number; fewer are chance."""


def shared_members(files: dict[str, ast.Module]) -> list[str]:
    """Enumerations that have members of another one typed again; those of ``newtonish.common.enums`` follow MuJoCo's, some of which do."""
    every = [(f"{file}:{name}", members) for file, tree in files.items() for name, members in enumerations(tree).items()]
    pairs = [(one, other) for i, (one, a) in enumerate(every) for other, b in every[:i] if len(a & b) >= SHARED_MEMBERS]
    return [f"{one} ~ {other}" for one, other in pairs if not (one.startswith(ENUMS) and other.startswith(ENUMS))]


def test_enumerations_are_not_restated() -> None:
    for name, path in sources():
        if name not in OWN_NUMBERS:
            found = restated(ast.parse(path.read_text(encoding="utf-8")))
            assert not found, f"{path.relative_to(REPO)}: {', '.join(found)}: import newtonish.common.enums"
    assert restated(ast.parse("WRAP_JOINT, FREE, PULLEY_WRAP = 1, 0, 2")) == ["WRAP_JOINT = 1", "FREE = 0", "PULLEY_WRAP = 2"]


def test_enumerations_share_no_members() -> None:
    """An enumeration that has numbers of another one refers to them."""
    files = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in sources()}
    assert not shared_members(files)
    again = ast.parse("class Light(IntEnum):\n    SPOT = 0\n    DIRECTIONAL = 1\n    POINT = 2\n    NEW = 9")
    assert shared_members(files | {"again": again}) == ["again:Light ~ newtonish.viewer.scene.enums:LightType"]


def test_the_smallest_denominator_has_a_name() -> None:
    for name, path in sources():
        if name != "newtonish.common.constants":
            numbers = [node.lineno for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant) and node.value == 1e-15]
            assert not numbers, f"{path.relative_to(REPO)}:{numbers}: write MINVAL of newtonish.common.constants"


LATE_IN_MJW = {
    ("from_file", "newtonish.model.sources"), ("from_file", "newtonish.model.builder"), ("from_file", "newtonish.convert"),
    ("from_file", "newtonish.exporters.archive"), ("from_file", "newtonish.importers.urdf.read"), ("from_file", "newtonish.importers.urdf.extension"),
    ("tables.hulls", "newtonish.convert.hulls"), ("constants", "newtonish.convert.const0"), ("constants", "newtonish.convert"),
    ("constants", "newtonish.convert.cameras"),
}  # fmt: skip
"""What ``newtonish.mjw`` imports from above, inside functions; nothing is added to it: what both need goes into ``newtonish.common``."""


def test_no_new_late_imports_in_mjw() -> None:
    found = set()
    for name, path in sources():
        if layer_of(name) == "newtonish.mjw":
            found |= {
                (name.removeprefix("newtonish.mjw."), module)
                for module, _, late in imports(path)
                if late and (layer_of(name), layer_of(module) if module.startswith("newtonish") else "") in LATE
            }
    assert found == LATE_IN_MJW
