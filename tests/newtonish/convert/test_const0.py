"""Constants of qpos0 and index structures from MuJoCo's own tables, against what MuJoCo derived from them."""

import mujoco
import numpy as np
import pytest
from paths import shared_model

from newtonish.common.compiled_fields import FIELDS
from newtonish.convert.actuators import apply_damping_ratio, joint_actuators
from newtonish.convert.const0 import const0
from newtonish.convert.sparsity import sparsity
from newtonish.convert.statistics import statistics
from newtonish.convert.trees import frame_flags, simple_bodies, tree_tables
from newtonish.errors import ModelError

FILES = [
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
    "dm_humanoid/22_humanoids.xml",
]

ZOO = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 2 .1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body name="box" pos="0 1 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/></body>
    <body name="cart" pos="0 2 1" quat="1 .2 0 0"><joint type="slide" axis="1 0 0" armature=".1"/><joint type="slide" axis="0 1 0"/>
      <geom size=".1"/></body>
    <body name="pendulum" pos="0 3 1"><joint type="ball" pos="0 0 .2" armature=".01"/><geom type="capsule" size=".05 .2"/>
      <body name="arm" pos=".3 0 0" quat="1 0 .3 0"><joint name="bend" axis="1 2 3" ref=".4"/>
        <geom type="ellipsoid" size=".1 .2 .3" pos="0 .1 0"/>
        <body name="tip" pos="0 0 .4"><geom type="cylinder" size=".05 .2" euler="10 20 30"/><site pos="0 0 .5"/></body></body></body>
    <body name="post" pos="1 0 0"><geom type="box" size=".1 .1 .1"/><body name="lid"><joint type="hinge" axis="0 0 1"/><geom size=".1"/></body></body>
    <body name="hand" mocap="true" pos="2 0 0"><geom size=".05"/></body>
  </worldbody>
  <actuator><motor joint="bend" gear="3"/><position joint="bend" kp="2" kv=".1" gear="2"/></actuator>
</mujoco>
"""

RATIOS = """
<mujoco>
  <worldbody>
    <body><joint name="a" armature=".01"/><geom size=".1"/>
      <body pos="1 0 0"><joint name="b" type="ball"/><geom type="box" size=".1 .2 .3" pos=".1 .2 0"/></body></body>
  </worldbody>
  <actuator>
    <position joint="a" kp="3" dampratio=".7" gear="4" armature=".02"/>
    <position joint="b" kp="5" dampratio="1" gear="1 2 3"/>
  </actuator>
</mujoco>
"""


def tables(model: mujoco.MjModel, worlds: int = 1) -> dict[str, np.ndarray]:
    """MuJoCo's arrays in the form of the conversion's tables: floats with a leading axis of worlds."""
    result = {}
    for name, (code, _) in FIELDS.items():
        value = np.array(getattr(model, name))
        result[name] = np.repeat(value[None], worlds, axis=0) if code == "f" else value
    return result


def load(name: str) -> mujoco.MjModel:
    """A model of the shared folder, or the zoo of joints."""
    if name == "zoo":
        return mujoco.MjModel.from_xml_string(ZOO)
    return mujoco.MjModel.from_xml_path(str(shared_model(name)))


@pytest.mark.parametrize("name", ["zoo", *FILES])
def test_derived_constants_equal_mujocos(name: str) -> None:
    model = load(name)
    t = tables(model)
    derived = const0(t)
    length, stat = statistics(t, derived)
    for field, value in {**derived, **length}.items():
        if field in FIELDS:
            np.testing.assert_allclose(value[0], getattr(model, field), rtol=1e-8, atol=1e-8, err_msg=field)
    assert derived["_meaninertia"][0] == pytest.approx(model.stat.meaninertia, rel=1e-9)
    assert stat["meansize"] == pytest.approx(model.stat.meansize, rel=1e-9)
    assert stat["meanmass"] == pytest.approx(model.stat.meanmass, rel=1e-9)


def test_center_and_extent_equal_mujocos() -> None:
    model = load("zoo")
    t = tables(model)
    _, stat = statistics(t, const0(t))
    assert stat["extent"] == pytest.approx(model.stat.extent)
    np.testing.assert_allclose(stat["center"], model.stat.center, atol=1e-9)


@pytest.mark.parametrize("name", ["zoo", *FILES])
def test_structures_equal_mujocos(name: str) -> None:
    model = load(name)
    t = tables(model)
    found = {**sparsity(t), **frame_flags(t), **simple_bodies(t)}
    if not np.any(model.actuator_trntype > 1):
        found |= tree_tables(t, np.zeros(model.nbody, dtype=int))
    for field, value in found.items():
        if name == "zoo" and field == "tree_sleep_policy":
            continue
        np.testing.assert_array_equal(value, getattr(model, field), err_msg=field)


def test_unequal_worlds_have_their_own_constants() -> None:
    """Each world of a batch equals MuJoCo's constants for that world's masses."""
    model = load("zoo")
    t = tables(model, worlds=3)
    oracles = []
    for world, factor in enumerate((1.0, 2.0, 0.5)):
        other = load("zoo")
        other.body_mass[:] *= factor
        other.body_inertia[:] *= factor
        other.dof_armature[:] *= 1.0 + world
        mujoco.mj_setConst(other, mujoco.MjData(other))
        oracles.append(other)
        for field in ("body_mass", "body_inertia", "dof_armature"):
            t[field][world] = getattr(other, field)
    derived = const0(t)
    for world, other in enumerate(oracles):
        for field in ("dof_invweight0", "body_invweight0", "dof_M0", "body_subtreemass", "actuator_acc0"):
            np.testing.assert_allclose(derived[field][world], getattr(other, field), rtol=1e-8, err_msg=field)


def test_a_joint_without_inertia_is_named() -> None:
    t = tables(load("zoo"))
    t["body_mass"][:, 1] = 0.0
    t["body_inertia"][:, 1] = 0.0
    with pytest.raises(ModelError, match=r"dof 0.*not positive definite.*mass and inertia"):
        const0(t)


def test_damping_ratio_and_actuator_armature_equal_mujocos() -> None:
    """A servo's damping ratio is resolved with the inertia its force meets, through gear, ball joints and armature."""
    model = mujoco.MjModel.from_xml_string(RATIOS)
    t = tables(model, worlds=2)
    t["actuator_biasprm"][..., 2] = (0.7, 1.0)
    t["actuator_biasprm"][1, 0, 2] = 1.4
    t |= const0(t)
    for name in ("dof_M0", "dof_invweight0", "actuator_acc0"):
        np.testing.assert_allclose(t[name][1], getattr(model, name), rtol=1e-9, err_msg=name)
    bias = apply_damping_ratio(t)["actuator_biasprm"]
    np.testing.assert_allclose(bias[0], model.actuator_biasprm, rtol=1e-9)
    assert bias[1, 0, 2] == pytest.approx(2.0 * model.actuator_biasprm[0, 2])
    np.testing.assert_array_equal(joint_actuators(t)["jnt_actuatorid"], model.jnt_actuatorid)
