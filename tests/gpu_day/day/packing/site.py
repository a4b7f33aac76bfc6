"""The packages of a day as a folder on Python's path: wheels for another Python, or what is installed here; and the project's own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import tomllib

from day.places import REPO

__all__ = ["PACKAGES", "from_here", "from_wheels", "project_package", "slim", "unpack_wheels"]

PACKAGES = (
    "warp-lang", "numpy", "scipy", "trimesh", "lxml", "pillow", "rich", "markdown-it-py", "mdurl", "pygments",
    "mujoco", "mujoco-core", "mujoco-warp", "glfw", "etils", "absl-py",
    "pytest", "pytest-xdist", "execnet", "iniconfig", "pluggy", "packaging",
)  # fmt: skip
"""What the slices import, newtonish apart."""

PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64")
CPU_COMPILER = "warp/bin/warp-clang.so"
NOT_NEEDED = ("warp/tests", "warp/examples", "mujoco_warp/test_data", "numpy/**/tests", "scipy/**/tests", "**/__pycache__")


def from_wheels(site: Path, wheels: Path, packages: tuple[str, ...], python: str) -> None:
    """Fetch wheels of the versions that are installed here, for a Python such as ``3.12`` on Linux, and unpack them."""
    versions = {name: metadata.version(name) for name in packages}
    words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", python, "--implementation", "cp", "-d", str(wheels)]
    words += [word for platform in PLATFORMS for word in ("--platform", platform)]
    subprocess.run([sys.executable, "-m", "pip", *words, *(f"{name}=={number}" for name, number in versions.items())], check=True)
    unpack_wheels(site, wheels, versions)


def unpack_wheels(site: Path, wheels: Path, versions: dict[str, str]) -> None:
    """Unpack the wheels of the named versions, and no other that lies there from an older pack."""
    for name, number in versions.items():
        begin = f"{name.replace('-', '_')}-{number}-"
        found = [wheel for wheel in wheels.glob("*.whl") if wheel.name.lower().startswith(begin)]
        if len(found) != 1:
            raise SystemExit(f"{name} {number}: {len(found)} wheels in {wheels}; there has to be one, remove the others or the folder")
        with zipfile.ZipFile(found[0]) as archive:
            archive.extractall(site)
    for kind in ("purelib", "platlib"):
        for folder in site.glob(f"*.data/{kind}"):
            shutil.copytree(folder, site, dirs_exist_ok=True)
    for folder in site.glob("*.data"):
        shutil.rmtree(folder)


def from_here(site: Path, packages: tuple[str, ...]) -> None:
    """Copy packages that are installed here; they serve the same version of Python."""
    for name in packages:
        for file in metadata.files(name) or ():
            source = Path(str(file.locate()))
            if ".." not in file.parts and source.is_file() and "__pycache__" not in file.parts:
                target = site / str(file)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def project_package(site: Path) -> None:
    """Copy newtonish as an installation would lay it out: ``kernels`` and ``importers`` are parts of it there."""
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
    for name, folder in project["tool"]["setuptools"]["package-dir"].items():
        target = site.joinpath(*name.split("."))
        shutil.copytree(REPO / folder, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def slim(site: Path, with_cpu_compiler: bool) -> None:
    """Take out what no slice uses; on a GPU that is Warp's compiler for CPUs as well, without which Warp starts all the same."""
    for pattern in NOT_NEEDED:
        for folder in list(site.glob(pattern)):
            shutil.rmtree(folder, ignore_errors=True)
    if not with_cpu_compiler:
        (site / CPU_COMPILER).unlink(missing_ok=True)
