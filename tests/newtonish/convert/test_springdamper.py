"""Springs and dampers given by a time constant and a damping ratio: MuJoCo's compiler as the oracle."""

import mujoco
import numpy as np
import pytest

from newtonish import ModelBuilder, SolverMuJoCo
from newtonish.convert import convert
from newtonish.errors import ImporterError

XML = """
<mujoco>
  <worldbody>
    <body pos="0 0 1"><joint springdamper="0.5 0.3" stiffness="100" damping="0.5" armature="0.1"/>
      <geom type="box" size=".05 .1 .2" pos="0 0 -.2"/>
      <body pos="0 0 -.4"><joint type="ball" springdamper="0.2 1"/><geom type="capsule" size=".04 .2" pos="0 0 -.2"/>
        <body pos="0 0 -.4"><joint type="slide" damping="2"/><joint axis="1 0 0" springdamper="0 0"/>
          <geom size=".05" pos=".1 0 0"/></body></body></body>
    <body pos="1 0 1"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


def test_stiffness_and_damping_follow_from_the_inertia():
    mjm = mujoco.MjModel.from_xml_string(XML)
    builder = ModelBuilder()
    builder.add_mjcf(XML)
    ours = convert(builder.finalize(device="cpu"))
    assert mjm.jnt_stiffness[0] != 100 and mjm.dof_damping[1] > 0
    np.testing.assert_allclose(ours.jnt_stiffness, mjm.jnt_stiffness, rtol=1e-6)
    np.testing.assert_allclose(ours.dof_damping, mjm.dof_damping, rtol=1e-6)


def test_worlds_of_different_masses_have_their_own():
    one = ModelBuilder()
    one.add_mjcf(XML)
    many = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(many)
    many.replicate(one, 2)
    model = many.finalize(device="cpu")
    mass, inertia = model.body_mass.numpy(), model.body_inertia.numpy()
    mass[4:] *= 3.0
    inertia[4:] *= 3.0
    model.body_mass.assign(mass)
    model.body_inertia.assign(inertia)
    batched = convert(model).batched
    assert batched["jnt_stiffness"].shape[0] == 2
    assert (batched["jnt_stiffness"][1, :2] > 1.05 * batched["jnt_stiffness"][0, :2]).all()
    assert (batched["dof_damping"][1, 1:4] > 1.05 * batched["dof_damping"][0, 1:4]).all()


def test_half_a_springdamper_is_refused():
    with pytest.raises(ImporterError, match=r"springdamper: got \[0.2, 0.0\]; allowed: two numbers above zero"):
        ModelBuilder().add_mjcf(XML.replace('springdamper="0.2 1"', 'springdamper="0.2 0"'))
