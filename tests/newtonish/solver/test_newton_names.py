"""Attributes of Newton's solver that scripts read, against Newton's own solver on the same models in unequal worlds."""

import mujoco
import newton
import numpy as np
import pytest
import warp as wp
from newton.solvers import SolverMuJoCo

import newtonish

XML = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
  <body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size=".1"/>
    <body name="b" pos=".3 0 0"><joint name="s" type="slide" axis="1 0 0"/><geom size=".05" pos="0 0 .1"/><geom size=".04"/></body></body>
  <body name="c" pos="1 0 1"><freejoint/><geom size=".1"/><body><joint type="ball"/><geom size=".1"/></body></body></worldbody>
  <equality><joint joint1="h" joint2="s" polycoef="0 .5 0 0 0"/></equality>
  <actuator><motor joint="s"/><position joint="h" kp="3"/></actuator></mujoco>"""
TO_PARENT = wp.transform((-0.3, 0.0, 0.0), wp.quat_identity())
MAPS = (
    "mjc_body_to_newton", "mjc_geom_to_newton_shape", "mjc_jnt_to_newton_jnt", "mjc_jnt_to_newton_dof", "mjc_dof_to_newton_dof",
    "mjc_eq_to_newton_eq", "mjc_actuator_ctrl_source", "mjc_actuator_to_newton_idx",
)  # fmt: skip


@pytest.fixture(scope="module")
def solvers():
    one = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(one)
    one.add_mjcf(XML)
    one.joint_target_ke[0], one.joint_target_mode[0] = 20.0, int(newton.JointTargetMode.POSITION)
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.replicate(one, 2)
    mass = [m * (1.0 + 0.5 * (k >= len(builder.body_mass) // 2)) for k, m in enumerate(builder.body_mass)]
    builder.body_mass[:] = mass
    model = builder.finalize(device="cpu")
    return newtonish.SolverMuJoCo(model, njmax=50, nconmax=20), SolverMuJoCo(model, njmax=50, nconmax=20)


@pytest.mark.parametrize("name", MAPS)
def test_maps_are_newtons(solvers, name: str) -> None:
    """But for welds of kinematic roots, which Newton adds behind the constraints."""
    ours, theirs = (getattr(solver, name).numpy() for solver in solvers)
    if name == "mjc_eq_to_newton_eq":
        theirs = theirs[:, : ours.shape[1]]
    np.testing.assert_array_equal(ours, theirs)


@pytest.fixture(scope="module")
def coupled():
    """Two loops, a mimic constraint, a joint with mimic data and tendons, in three worlds."""
    one = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(one)
    links = [one.add_link(mass=1.0, inertia=np.eye(3) * 0.1) for _ in range(5)]
    joints = [one.add_joint_revolute(parent=-1 if k == 0 else links[k - 1], child=link, axis=(0, 1, 0), child_xform=TO_PARENT) for k, link in enumerate(links)]
    one.add_articulation(joints)
    one.joint_mimic_joint[joints[4]], one.joint_mimic_coeffs[joints[4]] = joints[0], (0.1, 0.5)
    one.add_joint_ball(parent=-1, child=links[2])
    one.add_joint_revolute(parent=-1, child=links[3], axis=(0, 1, 0))
    one.add_joint_fixed(parent=-1, child=links[4])
    one.add_constraint_mimic(joint0=joints[1], joint1=joints[0], coef0=0.0, coef1=1.0)
    one.add_mjcf("""<mujoco><worldbody><body pos="3 0 0"><joint name="p"/><geom size=".1"/><body pos=".3 0 0"><joint name="q"/><geom size=".1"/></body></body></worldbody>
      <tendon><fixed><joint joint="p" coef="1"/></fixed><fixed><joint joint="q" coef="1"/></fixed></tendon></mujoco>""")
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.replicate(one, 3)
    model = builder.finalize(device="cpu")
    return newtonish.SolverMuJoCo(model, njmax=100, nconmax=20), SolverMuJoCo(model, njmax=100, nconmax=20)


@pytest.mark.parametrize("name", ["mjc_eq_to_newton_jnt", "mjc_eq_to_newton_mimic", "mjc_eq_to_newton_joint_mimic", "mjc_tendon_to_newton_tendon"])
def test_maps_of_couplings_are_newtons(coupled, name: str) -> None:
    ours, theirs = (getattr(solver, name).numpy() for solver in coupled)
    assert (ours >= 0).any()
    np.testing.assert_array_equal(ours, theirs[:, : ours.shape[1]])
    assert (theirs[:, ours.shape[1] :] == -1).all()  # welds of kinematic roots


def test_the_compiled_model_has_mujocos_names(solvers) -> None:
    ours, theirs = (solver.mj_model for solver in solvers)
    assert (ours.nbody, ours.nq, ours.nu) == (theirs.nbody, theirs.nq, theirs.nu)
    np.testing.assert_allclose(ours.body_mass, theirs.body_mass, rtol=1e-6)
    assert isinstance(ours, mujoco.MjModel)
    assert [ours.joint(j).name.replace("/", "_") for j in range(ours.njnt)] == [theirs.joint(j).name for j in range(theirs.njnt)]
    assert solvers[0].use_mujoco_cpu is False
    shapes = solvers[0].newton_shape_to_mjc_geom.numpy()
    geoms = solvers[0].mjc_geom_to_newton_shape.numpy()
    assert all(shapes[shape] == g for world in geoms for g, shape in enumerate(world))
