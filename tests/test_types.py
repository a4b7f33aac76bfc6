"""What editors and type checkers know: stubs are those of the tables, an install is found by mypy and pyright, ``dir`` has MuJoCo's names."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import stubs
from paths import OWN, REPO
from type_errors import CACHE

import newtonish
from newtonish import mjw

SCRIPTS = REPO / "tests" / "typing"
GOOD, WRONG = SCRIPTS / "user_script.py", SCRIPTS / "misspelt.py"


def wrong_lines() -> set[int]:
    return {number for number, line in enumerate(WRONG.read_text().splitlines(), 1) if line.endswith("# wrong")}


def installed_in_isolation(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who stands elsewhere, so that only what is installed is found."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")} | {"HOME": str(tmp_path)}


def mypy(path: Path) -> set[int]:
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(CACHE), "--check-untyped-defs", str(GOOD), str(WRONG)]
    done = subprocess.run(command, cwd=path, env=installed_in_isolation(path), capture_output=True, text=True, timeout=600)
    found = re.findall(r"(\w+)\.py:(\d+): error", done.stdout)
    assert done.stdout.strip().endswith("source files)"), done.stdout + done.stderr
    assert not [line for line in done.stdout.splitlines() if GOOD.name in line], done.stdout
    return {int(number) for name, number in found if name == WRONG.stem}


def pyright(path: Path) -> set[int]:
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(GOOD), str(WRONG)]
    done = subprocess.run(command, cwd=path, env=installed_in_isolation(path), capture_output=True, text=True, timeout=600)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [one for one in found if one["severity"] == "error"]
    assert not [one for one in errors if one["file"].endswith(GOOD.name)], errors
    return {one["range"]["start"]["line"] + 1 for one in errors}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_checkers_pass_what_is_right_and_find_what_is_misspelt(checker, tmp_path):
    assert checker(tmp_path) == wrong_lines()


@pytest.mark.parametrize("path", stubs.stubs(), ids=lambda path: path.stem)
def test_stubs_are_those_of_the_tables(path):
    """``python tests/support/stubs.py`` writes them."""
    assert path.read_text(encoding="utf-8") == stubs.stubs()[path]


def attributes_of_stub(path: Path, name: str) -> set[str]:
    """What an editor offers behind the dot, of a class of a stub."""
    (found,) = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef) and node.name == name]
    return {node.target.id for node in found.body if isinstance(node, ast.AnnAssign)}


def test_stubs_have_all_that_objects_have():
    columns, flat = REPO / "newtonish" / "model" / "columns.pyi", REPO / "kernels" / "structs" / "flat.pyi"
    builder = newtonish.ModelBuilder()
    model = builder.finalize(device="cpu")
    m, d = mjw.load(str(OWN / "mjcf_tree.xml"))
    assert {"body_mass", "joint_q", "shape_label"} <= attributes_of_stub(columns, "BuilderColumns") <= set(dir(builder))
    assert {"body_mass", "joint_X_p", "body_inv_mass", "joint_q_start"} <= attributes_of_stub(columns, "ModelColumns") - {"mujoco"} <= set(dir(model))
    for one, name in ((m, "ModelFields"), (d, "DataFields")):
        known = attributes_of_stub(flat, name)
        assert set(one.FLAT) <= known
        assert [attribute for attribute in known if not attribute.startswith("_") and not hasattr(one, attribute)] in ([], *[[a] for a in one.ATTRIBUTES])


def test_dir_shows_mujocos_names_and_not_what_launches_keep():
    m, d = mjw.load(str(OWN / "mjcf_tree.xml"))
    assert {"qpos", "qvel", "xpos", "M", "contact", "efc", "nworld"} <= set(dir(d))
    assert {"nv", "body_mass", "geom_rgba", "opt", "names"} <= set(dir(m))
    for one in (m, d):
        shown = [name for name in dir(one) if not name.startswith("__")]
        assert not set(shown) & {
            "GROUPS",
            "FLAT",
            "ATTRIBUTES",
            "set_field",
            "recordings",
            "retired",
            "room",
            "pool",
            "scratch",
            "sol",
            "further",
            "simple",
            "version",
        }
        assert not [name for name in shown if name.startswith("_")]
        assert all(hasattr(one, name) for name in shown)


def test_vectors_that_a_model_has_none_of_are_empty_arrays():
    m, _ = mjw.load(str(OWN / "mjcf_tree.xml"))
    assert m.mesh_vert.shape == m.mesh_normal.shape == (0,) and m.light_diffuse.shape == (1, 0)


def test_an_editable_install_is_a_plain_path():
    """Links within the package stand for the folders at the top, so nothing has to be computed by an import hook."""
    for name in ("kernels", "importers"):
        assert (REPO / "newtonish" / name).resolve() == REPO / name
    assert Path(newtonish.__file__).parent.name == "newtonish" and (Path(newtonish.__file__).parent / "py.typed").exists()
