"""The list of packages in pyproject.toml equals the folders on disk, and every public name can be imported."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from paths import REPO

import newtonish

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
MAPPED = {"newtonish": "newtonish", "kernels": "newtonish.kernels", "importers": "newtonish.importers"}


def folders() -> set[str]:
    """Import names of all folders that hold Python files."""
    names = set()
    for top, root in MAPPED.items():
        for file in (REPO / top).rglob("*.py"):
            parts = file.parent.relative_to(REPO / top).parts
            names.add(".".join((root, *parts)))
    return names


def test_packages_listed_are_the_folders_on_disk() -> None:
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == folders()


def test_every_package_has_an_init_file() -> None:
    assert PROJECT["tool"]["setuptools"]["package-dir"] == {"": "."}
    for name in PROJECT["tool"]["setuptools"]["packages"]:
        assert REPO.joinpath(*name.split("."), "__init__.py").is_file(), name


def test_versions_agree() -> None:
    assert PROJECT["project"]["version"] == newtonish.__version__
    changes = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changes or f"## [{newtonish.__version__}]" in changes


@pytest.mark.parametrize("name", newtonish.__all__)
def test_public_name(name: str) -> None:
    assert getattr(newtonish, name) is not None
    assert name in dir(newtonish)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Modell"):
        newtonish.Modell  # noqa: B018


def test_solver_has_newtons_path() -> None:
    assert newtonish.solvers.SolverMuJoCo is newtonish.SolverMuJoCo


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, newtonish, newtonish.cli.main; print([n for n in ('warp', 'numpy', 'lxml', 'scipy', 'rich') if n in sys.modules])"
    done = run_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["kernels", "importers"])
def test_mapped_folders_refuse_their_bare_name(name: str) -> None:
    done = run_python(f"import {name}", REPO)
    assert done.returncode != 0
    assert "ImportError" in done.stderr and f"newtonish.{name}" in done.stderr


@pytest.mark.parametrize("name", sorted(folders()))
def test_package_imports(name: str) -> None:
    importlib.import_module(name)


def test_the_version_is_that_of_the_citation() -> None:
    citation = (REPO / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {newtonish.__version__}" in citation


def test_public_checks_run_on_every_python_that_is_promised() -> None:
    promised = [line.rsplit(" ", 1)[1] for line in PROJECT["project"]["classifiers"] if ":: 3." in line]
    workflow = (REPO / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert f"python: [{', '.join(json.dumps(version) for version in promised)}]" in workflow


def test_the_newest_warp_is_tried_on_a_schedule() -> None:
    workflow = (REPO / ".github" / "workflows" / "newest.yml").read_text(encoding="utf-8")
    assert "schedule:" in workflow and ".ci/newest" in workflow
    script = REPO / ".ci" / "newest"
    assert os.access(script, os.X_OK) and "--pre warp-lang" in script.read_text(encoding="utf-8")


def test_every_dependency_has_a_lower_bound_to_test_with() -> None:
    script = REPO / ".ci" / "lowest.py"
    done = subprocess.run([sys.executable, str(script), str(REPO / "pyproject.toml")], capture_output=True, text=True, check=True)
    assert "warp-lang==1.19.*" in done.stdout and len(done.stdout.split()) == len(PROJECT["project"]["dependencies"])
