"""What ``put_model`` reads of a compiled model: each field once, into a record that is the same whatever the source."""

import ast
from collections import Counter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from paths import OWN
from saved import compiled

from newtonish import mjw
from newtonish.common.compiled_fields import FIELDS, SIZES
from newtonish.errors import ModelError
from newtonish.exporters.archive import read_archive, write_archive
from newtonish.mjw import record as module
from newtonish.mjw.record import OptionRecord, read_model

MODELS = ("all_sensors", "spatial_tendons", "equality_zoo", "delays")


class Counted:
    """An object that counts how often each of its attributes is read."""

    def __init__(self, base: Any, counts: Counter[str], prefix: str = "") -> None:
        self.__dict__.update(base=base, counts=counts, prefix=prefix)

    def __getattr__(self, name: str) -> Any:
        self.counts[self.prefix + name] += 1
        value = getattr(self.base, name)
        return Counted(value, self.counts, name + ".") if name in ("opt", "stat") else value


def sources(name: str) -> dict[str, Any]:
    path = OWN / f"{name}.xml"
    return {"MuJoCo": mujoco.MjModel.from_xml_path(str(path)), "ours": compiled(path)}


@pytest.mark.parametrize("name", MODELS)
def test_each_field_is_read_at_most_once(name: str) -> None:
    for kind, source in sources(name).items():
        counts: Counter[str] = Counter()
        mjw.put_model(Counted(source, counts), device="cpu")
        assert set(counts.values()) == {1}, (kind, [field for field, count in counts.items() if count > 1])
        assert {"nq", "body_mass", "opt.gravity", "stat.meaninertia"} < set(counts)


@pytest.mark.parametrize("name", MODELS)
def test_the_record_is_the_same_for_every_source(name: str, tmp_path: Path) -> None:
    both = sources(name)
    write_archive(tmp_path / "model.npz", both["ours"], name, {"mode": "none"})
    archive = read_archive(tmp_path / "model.npz").compiled
    theirs, ours, stored = (read_model(source) for source in (both["MuJoCo"], both["ours"], archive))
    for size in ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "nsensor", "ntendon", "neq", "nkey"):
        assert type(getattr(theirs, size)) is int
        assert getattr(theirs, size) == getattr(ours, size) == getattr(stored, size), size
    for field, value in vars(ours).items():
        if isinstance(value, np.ndarray):
            other = getattr(theirs, field)
            assert value.dtype == other.dtype or field.startswith("name_"), field
            np.testing.assert_array_equal(value, getattr(stored, field), err_msg=field)
    for field in ("body_parentid", "jnt_type", "geom_type", "body_mass", "dof_damping", "sensor_type"):
        np.testing.assert_allclose(getattr(ours, field), getattr(theirs, field), atol=1e-9, err_msg=field)
    for kind in ("body", "jnt", "geom", "site", "sensor", "actuator", "tendon"):
        assert ours.names_of[kind] == stored.names_of[kind], kind
        assert all(name in ("", other) for name, other in zip(theirs.names_of[kind], ours.names_of[kind], strict=True)), kind  # ours name all
    assert read_model(ours) is ours


def test_a_record_has_every_field() -> None:
    """What a source lacks is there as well, with as many entries as the model has objects."""
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "all_sensors.xml"))
    found = read_model(mjm)
    assert {"geom_gain", "geom_filter_pairs", "mesh_points"} < found.absent
    assert found.geom_gain.shape == (mjm.ngeom, 2) and (found.geom_kf == -1.0).all()
    np.testing.assert_array_equal(found.mesh_points, mjm.mesh_vert)
    assert set(SIZES) <= set(vars(found))
    assert {name for name in FIELDS if not name.startswith(module._UNREAD)} <= set(vars(found))
    assert isinstance(found.opt, OptionRecord) and found.opt.gravity.dtype == np.float64


def test_what_is_no_number_is_refused() -> None:
    source = compiled(OWN / "all_sensors.xml")
    source.body_mass = np.array(["heavy"] * source.nbody)
    with pytest.raises(ModelError, match="body_mass: got a ndarray; allowed: an array of float64"):
        mjw.put_model(source, device="cpu")
    source = compiled(OWN / "all_sensors.xml")
    del source.opt.gravity
    with pytest.raises(ModelError, match=r"opt.gravity: got nothing"):
        mjw.put_model(source, device="cpu")


def test_readers_take_the_record() -> None:
    """Nothing behind the record asks whether a field is there, or makes an array of it again."""
    folder = Path(module.__file__).parent
    for path in [*(folder / "tables").glob("*.py"), folder / "from_mjmodel.py", folder / "supported.py"]:
        if path.stem == "older_mujoco":  # works on the source, before it is a record
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name) and node.args[0].id in ("mjm", "record"):
                called = ast.unparse(node.func)
                assert called != "hasattr" and not (called == "getattr" and len(node.args) > 2), f"{path.name}:{node.lineno}: {ast.unparse(node)}"
