"""What programs take beside the methods of Physics: contacts, arrays by names, MuJoCo's functions, a place in dm_control."""

import sys
from types import ModuleType

import mujoco
import numpy as np
import pytest

from newtonish import mjcf
from newtonish.errors import ModelError, UnsupportedError
from newtonish.physics.functions import FUNCTIONS, Library

XML = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="box" pos="0 0 .099"><freejoint name="free"/><geom name="box" type="box" size=".1 .1 .1" pos="0 .01 .0"/>
      <body name="arm" pos="0 0 .1"><joint name="ball" type="ball" range="0 1"/><geom name="arm" size=".02" fromto="0 0 0 .2 0 0" type="capsule"/>
        <body name="hand" pos=".2 0 0"><joint name="hinge" axis="0 1 0"/><joint name="slide" type="slide"/><geom size=".03"/><site name="tip" pos=".05 0 0"/></body></body></body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>
"""


@pytest.fixture
def pair() -> tuple[mjcf.Physics, mujoco.MjModel, mujoco.MjData]:
    """A Physics and MuJoCo's model and data in the same moving state."""
    physics, model = mjcf.Physics.from_xml_string(XML), mujoco.MjModel.from_xml_string(XML)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    mujoco.mj_integratePos(model, data.qpos, 0.3 * rng.normal(size=model.nv) * (np.arange(model.nv) > 5), 1.0)
    data.qvel[:] = rng.normal(size=model.nv)
    with physics.reset_context():
        physics.data.qpos, physics.data.qvel = data.qpos, data.qvel
    mujoco.mj_forward(model, data)
    physics.forward()
    return physics, model, data


def test_contacts_are_mujocos(pair) -> None:
    physics, model, data = pair
    assert len(physics.data.contact) == data.ncon == physics.data.ncon > 3
    theirs = {tuple(np.round(c.pos, 4)): (i, c) for i, c in enumerate(data.contact)}
    assert len(theirs) == data.ncon
    force, expected = np.zeros(6), np.zeros(6)
    library = Library(mujoco)
    for i, contact in enumerate(physics.data.contact):
        j, other = theirs[tuple(np.round(contact.pos.astype(float), 4))]
        assert (contact.geom1, contact.geom2, contact.dim) == (other.geom1, other.geom2, other.dim)
        np.testing.assert_allclose([contact.dist, contact.includemargin, *contact.frame], [other.dist, other.includemargin, *other.frame], atol=1e-5)
        library.mj_contactForce(physics.model.ptr, physics.data.ptr, i, force)
        library.mj_contactForce(model, data, j, expected)
        np.testing.assert_allclose(force, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_functions_give_what_mujocos_do(pair) -> None:
    physics, model, data = pair
    library, m, d = Library(mujoco), physics.model.ptr, physics.data.ptr
    assert library.mjtJoint is mujoco.mjtJoint
    for name in ("mj_forward", "mj_kinematics", "mj_comPos", "mj_fwdPosition", "mj_subtreeVel"):
        getattr(library, name)(m, d)
        getattr(library, name)(model, data)
    for name in ("subtree_linvel", "xpos", "site_xmat"):
        np.testing.assert_allclose(getattr(physics.data, name), getattr(data, name), atol=1e-5)
    for name, number in (("mj_jacSite", 0), ("mj_jacBody", 2), ("mj_jacGeom", 3)):
        ours, theirs = np.zeros((2, 3, model.nv), dtype=np.float32), np.zeros((2, 3, model.nv))
        getattr(library, name)(m, d, *ours, number)
        getattr(library, name)(model, data, *theirs, number)
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
        getattr(library, name)(m, d, ours[1], None, number)
        np.testing.assert_array_equal(ours[0], ours[1])
    velocity = np.random.default_rng(1).normal(size=model.nv)
    library.mj_integratePos(m, physics.data.qpos, velocity, 0.7)
    library.mj_integratePos(model, data.qpos, velocity, 0.7)
    np.testing.assert_allclose(physics.data.qpos, data.qpos, atol=1e-6)
    for groups in (None, [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]):
        hits, at = [], [np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)]
        for (a, b), geom in zip(((m, d), (model, data)), at):
            given = None if groups is None else np.array(groups, dtype=np.uint8)
            hits.append(library.mj_ray(a, b, np.array([0.5, 0.5, 1.0]), np.array([0.0, 0.0, -0.5]), given, 1, -1, geom))
        assert at[0] == at[1] and hits[0] == pytest.approx(hits[1])
    assert set(FUNCTIONS) <= set(dir(mujoco))
    with pytest.raises(UnsupportedError, match="mj_inverse: got a newtonish Physics"):
        library.mj_inverse(m, d)


def test_functions_of_quaternions_take_single_precision() -> None:
    library, quat = Library(mujoco), np.zeros(4, dtype=np.float32)
    library.mju_axisAngle2Quat(quat, np.array([0.0, 0.0, 1.0]), 0.5)
    np.testing.assert_allclose(quat, [np.cos(0.25), 0, 0, np.sin(0.25)], atol=1e-7)
    assert library.mju_norm(quat) == pytest.approx(1.0)


def test_rows_go_by_names(pair) -> None:
    physics, model, data = pair
    ours, theirs = physics.named, data
    np.testing.assert_allclose(ours.data.xpos["hand"], theirs.body("hand").xpos, atol=1e-6)
    np.testing.assert_allclose(ours.data.xpos["hand", 2], theirs.body("hand").xpos[2], atol=1e-6)
    np.testing.assert_allclose(ours.data.qpos["ball"], theirs.joint("ball").qpos, atol=1e-6)
    np.testing.assert_allclose(ours.data.qvel[["slide", "free"]], [*theirs.joint("slide").qvel, *theirs.joint("free").qvel], atol=1e-6)
    np.testing.assert_array_equal(ours.model.dof_jntid.axes.row.convert_key_item(["slide", "ball"]), [10, 6, 7, 8])
    view = ours.data.site_xpos["tip"]
    ours.data.qpos["slide"] = 0.25
    physics.forward()
    mujoco.mj_kinematics(model, data)
    assert np.shares_memory(view, physics.data.site_xpos) and not np.allclose(view, data.site("tip").xpos, atol=1e-3)
    ours.model.geom_friction["box"] = 0.3
    np.testing.assert_array_equal(physics.model.geom_friction[1], np.float32(0.3))
    with pytest.raises(ModelError, match=r"named: body 'foot': got no such name; allowed: .*hand"):
        ours.data.xpos["foot"]
    with pytest.raises(AttributeError, match="named: ncon"):
        ours.data.ncon  # noqa: B018


def test_standing_in_for_pymjcf(monkeypatch) -> None:
    """A package with dm_control's layout: its mjcf is ours afterwards, its bindings take ours and MuJoCo's."""
    names = ["dm_control", "dm_control.mujoco", "dm_control.mujoco.wrapper", "dm_control.mujoco.wrapper.mjbindings"]
    made = {name: ModuleType(name) for name in [*names, f"{names[-1]}.functions"]}
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "dm_control.mjcf", None)
    monkeypatch.delitem(sys.modules, "dm_control.mjcf")
    bindings = made[names[-1]]
    bindings.mjlib = made[f"{names[-1]}.functions"].mjlib = mujoco
    assert mjcf.install_as() is mjcf and mjcf.install_as("dm_control.mjcf") is mjcf
    assert sys.modules["dm_control.mjcf"] is mjcf and made["dm_control"].mjcf is mjcf
    assert isinstance(bindings.mjlib, Library) and bindings.mjlib.mj_forward is not mujoco.mj_forward
    with pytest.raises(ModelError, match=r"install_as: name: got .mjcf.; allowed: .dm_control.mjcf."):
        mjcf.install_as("mjcf")
    monkeypatch.setitem(sys.modules, "dm_control.mjcf", made["dm_control"])
    made["dm_control"].__file__ = "x.py"
    with pytest.raises(ModelError, match=r"imported already from x.py"):
        mjcf.install_as()
