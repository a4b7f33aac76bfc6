"""Packing a little of what is installed, unpacking its parts in pieces with plain Python, and a slice in what was unpacked."""

import json
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import mujoco
import pytest
from day.command import main
from day.journal import read
from day.packing import parts, unpack
from day.packing.site import PACKAGES, slim, unpack_wheels
from paths import REPO

SCRIPT = "import newtonish, iniconfig; print(newtonish.__file__, iniconfig.__file__)"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packed arm: two small packages, results of few steps, kernels of its step for sm_90; in parts of half a MiB."""
    out = tmp_path_factory.mktemp("pack")
    words = [
        "--installed",
        "--packages",
        "iniconfig,pluggy",
        "--models",
        "arm",
        "--result-worlds",
        "3",
        "--steps",
        "20",
        "--without-peer",
        "--settings",
        "default;8",
    ]
    assert main(["pack", "--out", str(out), "--part-size", "0.5", *words]) == 0
    return out


def test_parts_keep_to_their_size(packed: Path) -> None:
    manifest = json.loads((packed / "parts" / unpack.MANIFEST).read_text())
    sizes = [part["bytes"] for part in manifest["parts"]]
    assert len(sizes) > 1 and all(size == 1 << 19 for size in sizes[:-1]) and 0 < sizes[-1] <= 1 << 19
    assert manifest["arch"] == 90
    kernels = [r["files"] for r in read([packed]) if r["kind"] == "kernels"]
    cubins = list((packed / "tree" / "cache").rglob("*.cubin"))
    assert len(kernels) == 2 and 4 < kernels[0] < len(cubins) < sum(kernels)  # the solver's kernels have eight lanes under both settings
    assert all(path.read_bytes()[:4] == b"\x7fELF" for path in cubins)
    assert not [path for path in (packed / "tree" / "cache").rglob("*") if path.is_file() and path.suffix not in (".cubin", ".meta")]


def test_a_slice_in_what_was_unpacked(packed: Path, tmp_path: Path) -> None:
    """Parts come one by one, to an interpreter without any packages; then its own packages and results are used."""
    pieces = sorted((packed / "parts").glob("day.tar.xz.*"))
    into = tmp_path / "there"
    script = [sys.executable, "-I", "-S", str(packed / "parts" / "unpack.py")]
    manifest = str(packed / "parts" / unpack.MANIFEST)
    for number, piece in enumerate(pieces, 1):
        done = subprocess.run([*script, str(piece), manifest, "--into", str(into)], capture_output=True, text=True, check=False)
        assert done.returncode == (0 if number == len(pieces) else 3), done.stderr
    assert "project/tests/gpu_day run devices" in done.stdout
    bare = subprocess.run([sys.executable, "-S", "-P", "-c", SCRIPT], env={"PYTHONPATH": str(into / "site")}, capture_output=True, text=True)
    assert bare.stdout.count(str(into)) == 2, bare.stderr
    out = tmp_path / "out"
    tool = [sys.executable, str(into / "project" / "tests" / "gpu_day")]
    words = ["run", "devices", "agreement", "--device", "cpu", "--models", "arm", "--out", str(out)]
    ran = subprocess.run([*tool, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, (out / "day.log").read_text()
    records = read([out])
    (machine,) = (r for r in records if r["kind"] == "machine")
    assert Path(machine["newtonish"]).is_relative_to(into / "site")
    assert records[0]["packed"] and not [r for r in records if r["kind"] == "results"]  # those that were packed
    (steps,) = (r for r in records if r["kind"] == "single steps")
    assert steps["states"] == 60 and steps["off"] == steps["other counts"] == 0
    assert (into / "cache" / steps_cache()).is_dir()


def steps_cache() -> str:
    """Warp's folder in its cache is named by its version."""
    return metadata.version("warp-lang")


def test_packed_files_are_the_repositorys(packed: Path) -> None:
    tree = packed / "tree"
    for name in ("kernels/runtime/launch.py", "tests/gpu_day/__main__.py", "newtonish/assets/arm.xml", "pyproject.toml"):
        assert (tree / "project" / name).read_bytes() == (REPO / name).read_bytes()
    assert (tree / "site" / "newtonish" / "kernels" / "runtime" / "launch.py").exists()
    model = mujoco.MjModel.from_xml_path(str(tree / "site" / "newtonish" / "assets" / "arm.xml"))
    assert model.nv == 7


def test_a_damaged_part_counts_as_missing(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "a").mkdir(parents=True)
    (tree / "a" / "noise").write_bytes(bytes(range(256)) * 50)
    (tree / "b.txt").write_text("here")
    written = parts.write(tree, tmp_path / "parts", 0.0001, {})
    assert len(written) > 2
    second = tmp_path / "parts" / written[1]["name"]
    whole = second.read_bytes()
    second.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    into = tmp_path / "into"
    assert unpack.unpack([tmp_path / "parts"], into) == [second.name] and not (into / "b.txt").exists()
    second.write_bytes(whole)
    assert unpack.unpack([second], into) == [] and (into / "b.txt").read_text() == "here"
    assert (into / "a" / "noise").read_bytes() == bytes(range(256)) * 50
    assert unpack.unpack([tmp_path / "parts"], into) == []  # once is enough


def test_unpacking_without_the_manifest_says_so(tmp_path: Path) -> None:
    (tmp_path / "day.tar.xz.00").write_bytes(b"x")
    with pytest.raises(SystemExit, match=r"day\.json"):
        unpack.unpack([tmp_path / "day.tar.xz.00"], tmp_path / "into")


def test_warps_compiler_for_cpus_stays_here(tmp_path: Path) -> None:
    for name in ("warp/bin/warp.so", "warp/bin/warp-clang.so", "warp/tests/x.py", "scipy/linalg/tests/y.py", "scipy/linalg/z.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    slim(tmp_path, with_cpu_compiler=True)
    assert (tmp_path / "warp/bin/warp-clang.so").exists() and not (tmp_path / "warp/tests").exists()
    slim(tmp_path, with_cpu_compiler=False)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"warp/bin/warp.so", "scipy/linalg/z.py"}


def test_wheels_of_the_named_versions_are_unpacked(tmp_path: Path) -> None:
    for wheel, files in (
        ("Some_Thing-1.0-py3-none-any.whl", ("old.py",)), ("some_thing-1.1-py3-none-any.whl", ("new.py", "some_thing-1.1.data/purelib/pure.py"))
    ):  # fmt: skip
        with zipfile.ZipFile(tmp_path / wheel, "w") as archive:
            for file in files:
                archive.writestr(file, "")
    unpack_wheels(tmp_path / "site", tmp_path, {"some-thing": "1.1"})
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == ["new.py", "pure.py"]
    with pytest.raises(SystemExit, match=r"some-thing 1\.2: 0 wheels"):
        unpack_wheels(tmp_path / "site", tmp_path, {"some-thing": "1.2"})


def test_what_slices_need_is_in_the_list() -> None:
    """Requirements of the packages that are packed are packed, but for those that no slice imports."""
    from packaging.requirements import Requirement

    unused = {"usd-core", "pycollada", "pyglet", "mujoco-studio", "pyopengl", "setuptools", "typing-extensions", "fsspec", "importlib-resources", "zipp"}
    names = {name.lower().replace("_", "-") for name in PACKAGES}
    wanted = set()
    for name in (*PACKAGES, "newtonish"):
        for text in metadata.requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                wanted.add(requirement.name.lower().replace("_", "-"))
    assert wanted - names <= unused, wanted - names - unused
