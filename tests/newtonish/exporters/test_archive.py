"""Archives of compiled arrays: what is read is what was written, and damage is found."""

import json
import zipfile

import numpy as np
import pytest
from paths import OWN
from saved import compiled

from newtonish import ImporterError, ModelBuilder, mjw
from newtonish.cli.main import main
from newtonish.common.compiled_fields import FIELDS, SIZES
from newtonish.errors import ModelError
from newtonish.exporters import archive, npz
from newtonish.exporters.archive import read_archive, write_archive


@pytest.fixture
def written(tmp_path):
    """An archive of a small model."""
    origin = compiled(OWN / "tendon_zoo.xml")
    write_archive(tmp_path / "m.npz", origin, "tendon_zoo.xml", {"mode": "none"})
    return tmp_path / "m.npz", origin


def test_everything_comes_back(written) -> None:
    path, origin = written
    found = read_archive(path)
    assert (found.source, found.length_range) == ("tendon_zoo.xml", {"mode": "none"})
    for name in FIELDS:
        assert np.array_equal(getattr(found.compiled, name), getattr(origin, name)), name
        assert getattr(found.compiled, name).dtype == getattr(origin, name).dtype, name
    assert all(np.array_equal(getattr(found.compiled, name), getattr(origin, name)) for name in ("geom_gain", "geom_kf"))
    assert vars(found.compiled).keys() == vars(origin).keys()
    assert all(getattr(found.compiled, name) == getattr(origin, name) for name in SIZES)
    assert vars(found.compiled.opt).keys() == vars(origin.opt).keys()
    for part in ("opt", "stat"):
        for name, value in vars(getattr(origin, part)).items():
            assert np.array_equal(getattr(getattr(found.compiled, part), name), value), name
    for kind in archive.KINDS:
        assert getattr(found.compiled, f"{kind}_names") == getattr(origin, f"{kind}_names")


def test_worlds_that_differ_come_back(tmp_path) -> None:
    from newtonish.convert import convert

    builder = ModelBuilder()
    for mass in (1.0, 2.0):
        one = ModelBuilder()
        one.add_mjcf(f"<mujoco><worldbody><body><freejoint/><geom size='.1' mass='{mass}'/></body></worldbody></mujoco>")
        builder.add_world(one)
    origin = convert(builder.finalize(device="cpu"))
    write_archive(tmp_path / "m.npz", origin, "", {})
    found = read_archive(tmp_path / "m.npz").compiled
    assert found.nworld == 2 and origin.batched
    assert found.batched.keys() == origin.batched.keys()
    assert all(np.array_equal(found.batched[name], value) for name, value in origin.batched.items())


def test_a_loaded_archive_steps_as_its_file_does(tmp_path, capsys) -> None:
    source = OWN / "fixed_tendons.xml"
    assert main(["convert", str(source), str(tmp_path / "m.npz")]) == 0
    states = []
    for path in (source, tmp_path / "m.npz"):
        m, d = mjw.load(path, nworld=2)
        for _ in range(5):
            mjw.step(m, d)
        states.append(np.concatenate([d.qpos.numpy(), d.qvel.numpy()], axis=1))
    assert np.array_equal(*states)
    assert m.report.source == "fixed_tendons.xml" and m.report.kept


def rewrite(path, **changes) -> None:
    """Write the archive again with another header or other arrays; None takes one away."""
    with np.load(path) as found:
        arrays = {name: found[name] for name in found.files} | changes
    with open(path, "wb") as file:
        np.savez(file, **{name: value for name, value in arrays.items() if value is not None})


def header(path, **changes) -> np.ndarray:
    with np.load(path) as found:
        text = json.loads(found["header"].tobytes().decode()) | changes
    return np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)


def test_damage_and_other_versions_are_refused(written) -> None:
    path, _ = written
    good = path.read_bytes()

    def refused(words: str) -> None:
        with pytest.raises(ImporterError, match=words) as caught:
            read_archive(path)
        assert "allowed:" in str(caught.value)
        path.write_bytes(good)

    rewrite(path, header=header(path, version=1))
    refused("version 1; allowed: 'newtonish compiled model' of version 6")
    rewrite(path, header=None)
    refused("an archive of other arrays")
    rewrite(path, header=header(path, sizes={}))
    refused("a damaged archive")
    rewrite(path, **{"model/body_mass": None})
    refused("a damaged archive .*body_mass")
    rewrite(path, **{"model/body_mass": np.zeros(3)})
    refused("a damaged archive .*body_mass: got shape")
    rewrite(path, **{"model/body_mass": np.array([object()])})
    refused("a damaged archive .*objects, which are not read")
    path.write_bytes(good[: len(good) // 2])
    refused("a damaged archive")
    at = len(good) // 2
    path.write_bytes(good[:at] + bytes(64) + good[at + 64 :])
    refused("a damaged archive")
    path.write_text("<mujoco/>")
    refused("a damaged archive")


def test_an_archive_that_claims_too_much_is_refused(written, monkeypatch) -> None:
    path, _ = written
    monkeypatch.setattr(npz, "MAX_BYTES", 1000)
    with zipfile.ZipFile(path) as members:
        assert sum(member.file_size for member in members.infolist()) > 1000
    with pytest.raises(ImporterError, match="allowed: at most"):
        read_archive(path)


def test_a_missing_archive(tmp_path) -> None:
    with pytest.raises(ImporterError, match="No such file"):
        mjw.load(tmp_path / "none.npz")


def test_a_builder_takes_no_archive(written) -> None:
    with pytest.raises((ImporterError, ModelError), match=r"newtonish\.mjw\.load"):
        ModelBuilder().add_mjcf(str(written[0]))


def test_hostile_numbers_are_refused_or_harmless() -> None:
    """A seeded part of what tests/support/hostile_numbers.py tries; a process of its own dies in place of this one."""
    from hostile_numbers import run

    for kind in ("archive", "edit", "compiled"):
        found = run(kind, 25, seed=11)
        assert (found["crashed"], found["foreign"]) == (0, 0), (kind, found)
        assert found["refused"] > 5, (kind, found)
