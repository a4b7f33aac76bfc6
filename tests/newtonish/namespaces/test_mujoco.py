"""The table of mujoco attributes: every row can be declared, refers to something, and has a unit."""

import pytest
import warp as wp

from newtonish import ModelBuilder, SolverMuJoCo
from newtonish.errors import ModelError
from newtonish.namespaces import looks_arrays, mujoco, user

LIBRARIES = {looks_arrays.MATERIAL, looks_arrays.SKIN, looks_arrays.LIGHT_LOOK, looks_arrays.CAMERA_LOOK, user.USER}
ENTITIES = {"body", "shape", "joint", "joint_dof", "articulation", "world", "*"}


def test_rows() -> None:
    names = [row.name for row in mujoco.MUJOCO_ATTRIBUTES]
    assert len(set(names)) == len(names)
    frequencies = {f"mujoco:{name}" for name in mujoco.MUJOCO_FREQUENCIES}
    for row in mujoco.MUJOCO_ATTRIBUTES:
        assert row.unit, row.name
        assert row.frequency in {"body", "shape", "joint_dof", "world", "once"} | frequencies, row.name
        assert not row.references or row.references in ENTITIES | frequencies | LIBRARIES, row.name


def test_registering_twice_changes_nothing() -> None:
    builder = ModelBuilder()
    mujoco.register(builder)
    before = dict(builder.custom_attributes)
    mujoco.register(builder)
    assert builder.custom_attributes == before
    assert len(before) == len(mujoco.MUJOCO_ATTRIBUTES)
    assert builder.get_custom_frequency_keys() == {f"mujoco:{name}" for name in mujoco.MUJOCO_FREQUENCIES}


def test_registering_after_bodies_were_added_is_refused() -> None:
    builder = ModelBuilder()
    builder.add_ground_plane()
    SolverMuJoCo.register_custom_attributes(builder)  # a plane of the world carries nothing
    late = ModelBuilder()
    late.add_body(mass=1.0)
    with pytest.raises(ModelError, match=r"register_custom_attributes.*1 bodies.*right after making the builder"):
        SolverMuJoCo.register_custom_attributes(late)
    builder.add_body(mass=1.0)
    SolverMuJoCo.register_custom_attributes(builder)  # nothing is missing


def test_names_in_usd() -> None:
    builder = ModelBuilder()
    mujoco.register(builder)
    names = {key: builder.custom_attributes[f"mujoco:{key}"].usd_attribute_name for key in ("condim", "impratio", "ctrl")}
    assert names == {"condim": "mjc:condim", "impratio": "mjc:option:impratio", "ctrl": "newton:mujoco:ctrl"}


def test_actuator_targets_move_with_what_they_count() -> None:
    part = ModelBuilder()
    mujoco.register(part)
    body = part.add_body(mass=1.0)
    part.add_shape_sphere(body, radius=0.1)
    for kind, target in ((0, (0, -1)), (4, (0, -1)), (3, (0, 0)), (-1, (-1, -1))):
        part.add_custom_values(**{"mujoco:actuator_trntype": kind, "mujoco:actuator_trnid": target})
    whole = ModelBuilder()
    whole.replicate(part, 2)
    model = whole.finalize("cpu")
    targets = model.mujoco.actuator_trnid.numpy().tolist()
    assert targets[4:] == [[6, -1], [1, -1], [1, 1], [-1, -1]]
    assert model.mujoco.actuator_trnid.dtype == wp.vec2i
