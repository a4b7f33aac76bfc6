"""The packaged humanoid is a good citizen: loads in MuJoCo, stands, and survives random controls."""

import itertools

import mujoco
import numpy as np
import pytest

from newtonish.assets import asset_path

SERVOS = 13


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(asset_path()))


def warnings_of(data: mujoco.MjData) -> int:
    return sum(entry.number for entry in data.warning)


def test_sizes(model: mujoco.MjModel) -> None:
    assert (model.nq, model.nv, model.nu, model.nbody, model.ngeom) == (28, 27, 21, 14, 21)
    assert model.opt.timestep == 0.005
    assert np.isclose(model.body_mass.sum(), 22.5, atol=0.5)


def test_boxes_never_meet_boxes(model: mujoco.MjModel) -> None:
    boxes = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_BOX)
    assert len(boxes) == 2
    for one, two in itertools.combinations(boxes, 2):
        assert not model.geom_contype[one] & model.geom_conaffinity[two]
        assert not model.geom_contype[two] & model.geom_conaffinity[one]


@pytest.mark.parametrize("key", ["stand", "squat"])
def test_keyframes_are_held(model: mujoco.MjModel, key: str) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    mujoco.mj_forward(model, data)
    assert all(contact.dist > -1e-3 for contact in data.contact)
    height = data.qpos[2]
    mujoco.mj_step(model, data, nstep=400)
    assert abs(data.qpos[2] - height) < 0.04
    assert 1.0 - 2.0 * (data.qpos[4] ** 2 + data.qpos[5] ** 2) > 0.98
    assert warnings_of(data) == 0


def test_random_controls_stay_calm(model: mujoco.MjModel) -> None:
    random = np.random.default_rng(3)
    low, high = model.actuator_ctrlrange.T
    for _ in range(2):
        data = mujoco.MjData(model)
        for _ in range(100):
            data.ctrl[:] = random.uniform(low, high)
            mujoco.mj_step(model, data, nstep=10)
            assert np.abs(data.qvel).max() < 60.0
        assert warnings_of(data) == 0
        assert -0.05 < data.qpos[2] < 1.5


def test_left_and_right_mirror(model: mujoco.MjModel) -> None:
    names = [model.actuator(index).name for index in range(model.nu)]
    for name in names:
        if name.startswith("left_"):
            twin = model.actuator(name.replace("left_", "right_"))
            np.testing.assert_array_equal(model.actuator(name).ctrlrange, twin.ctrlrange)
            np.testing.assert_array_equal(model.actuator(name).gainprm, twin.gainprm)
    assert (model.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE).sum() == SERVOS
