"""Models of Newton's own builder and importer, converted here and by Newton: the same arrays, world by world.

What differs on purpose is listed in ``OTHERWISE`` with its reason; everything else must agree.
"""

import warnings
from collections.abc import Callable

import mujoco
import newton
import numpy as np
import pytest
import warp as wp
from newton import JointTargetMode as Mode
from newton.solvers import SolverMuJoCo as NewtonSolver

from newtonish.convert import CompiledModel, convert

Shape = newton.ModelBuilder.ShapeConfig
Axis = newton.ModelBuilder.JointDofConfig

OTHERWISE = {
    "geom_rgba": "Newton's solver gives geoms no colours",
    "site_rgba": "",
    "exclude_signature": "filter pairs stay pairs of geoms here, Newton excludes bodies",
    "nexclude": "",
    "geom_contype": "Newton gives shapes of its builder masks by colours, also where a filter pair says it all",
    "geom_conaffinity": "",
    "body_contype": "",
    "body_conaffinity": "",
    "geom_gap": "Newton's gap is a distance of detection of its own pipeline (see test_pressed_fingers.py for what it does in MuJoCo)",
    "body_margin": "",
    "geom_margin": "Newton sets margins to zero where there are boxes; here they count",
    "geom_size": "half widths of an infinite plane, drawn only",
    "jnt_range": "numbers of joints without limits",
    "jnt_actfrcrange": "the same of forces",
    "jnt_actfrclimited": "Newton bounds forces by a million where there is no bound",
    "actuator_ctrlspec": "which of MuJoCo's shortcuts would have made it",
    "body_iquat": "principal axes in another order or of another sign",
    "body_inertia": "",
    "body_sameframe": "an inertia that is diagonal keeps the body's axes here, as MuJoCo's compiler leaves them",
    "eq_data": "test_loops.py and test_equalities.py compare it; Newton freezes the poses of welds",
    "jnt_solref": "of joints without limits",
}
SIMPLE = ("body_simple", "dof_simplenum", "nC", "M_rownnz", "M_rowadr", "M_colind", "mapM2M", "mapM2D", "mapD2M", "body_invweight0")
"""What follows from ``body_sameframe``."""


def inertia(rng: np.random.Generator) -> wp.mat33:
    a = rng.standard_normal((3, 3))
    moment = 0.02 * (np.eye(3) + a @ a.T)
    return wp.mat33(*(np.trace(moment) * np.eye(3) - moment).ravel())


def frame(rng: np.random.Generator, reach: float = 0.5) -> wp.transform:
    q = rng.standard_normal(4)
    return wp.transform(wp.vec3(*(reach * rng.standard_normal(3))), wp.quat(*(q / np.linalg.norm(q))))


def every_joint(weight: float = 1.0) -> newton.ModelBuilder:
    """Trees with roots of every kind, every type of joint and every mode of its drive."""
    rng = np.random.default_rng(0)
    builder = newton.ModelBuilder()
    NewtonSolver.register_custom_attributes(builder)

    def link(name: str, **more) -> int:
        com = wp.vec3(*(0.2 * rng.standard_normal(3)))
        return builder.add_link(mass=weight * float(rng.uniform(0.5, 2)), com=com, inertia=inertia(rng), label=name, **more)

    def at() -> dict[str, wp.transform]:
        return {"parent_xform": frame(rng), "child_xform": frame(rng, 0.2)}

    base, ball, slide, hinge, six, weld = (link(name) for name in ["base", "ball", "slide", "hinge", "six", "weld"])
    sliding = {"effort_limit": 9, "armature": 0.1, "friction": 0.3, "damping": 0.2, "limit_lower": -0.3, "limit_upper": 0.4}
    joints = [
        builder.add_joint_free(base),
        builder.add_joint_ball(base, ball, **at()),
        builder.add_joint_prismatic(ball, slide, axis=(0.6, 0, 0.8), target_ke=20, target_kd=2, actuator_mode=Mode.POSITION_VELOCITY, **sliding, **at()),
        builder.add_joint_revolute(base, hinge, axis=(0, 1, 0), target_ke=10 * weight, target_kd=1, actuator_mode=Mode.POSITION, **at()),
        builder.add_joint_d6(
            hinge,
            six,
            linear_axes=[Axis(axis=(1, 0, 0), target_kd=3, actuator_mode=Mode.VELOCITY), Axis(axis=(0, 0, 1))],
            angular_axes=[Axis(axis=(0, 1, 0), target_ke=2, actuator_mode=Mode.EFFORT), Axis(axis=(1, 0, 0), actuator_mode=Mode.NONE)],
            **at(),
        ),
        builder.add_joint_fixed(six, weld, **at()),
    ]
    builder.add_articulation(joints)
    first = builder.joint_qd_start[1]
    for dof in range(first, first + 3):
        builder.joint_target_ke[dof], builder.joint_target_kd[dof] = 5.0, 0.5
        builder.joint_target_mode[dof], builder.joint_effort_limit[dof] = int(Mode.POSITION), 4.0
    arm, tip = link("arm"), link("tip")
    builder.add_articulation([builder.add_joint_ball(-1, arm, **at()), builder.add_joint_revolute(arm, tip, axis=(0, 0, 1), **at())])
    stand, door = link("stand"), link("door")
    builder.add_articulation([builder.add_joint_fixed(-1, stand, parent_xform=frame(rng)), builder.add_joint_revolute(stand, door, axis=(0, 0, 1), **at())])
    locked = link("locked")
    builder.add_articulation([builder.add_joint_d6(-1, locked, parent_xform=frame(rng))])
    for body in (base, slide, hinge, six, weld, arm, door, stand, locked):
        builder.add_shape_sphere(body, radius=0.05, cfg=Shape(density=0, mu=0.3 + 0.01 * body, ke=1000 + body, kd=50, margin=0.001))
    builder.add_shape_box(base, hx=0.1, hy=0.2, hz=0.3, xform=frame(rng), cfg=Shape(density=0))
    builder.add_site(hinge, xform=frame(rng), label="mark", scale=(0.02, 0.03, 0.04))
    return builder


XML = """
<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
  <body name="a" pos="0 0 1"><freejoint/><geom size=".1"/><site name="s0" pos="0 0 .1"/>
    <body name="b" pos=".3 0 0"><joint name="h1" axis="0 1 0" range="-60 60" armature=".01" damping=".2" frictionloss=".05" stiffness="2" springref="10" ref="5" solreflimit=".01 .9"/>
      <geom name="gb" type="sphere" size=".05" mass="{mass}"/><site name="s1"/>
      <body name="c" pos=".3 0 0"><joint name="h2" axis="0 1 0" range="-60 60"/><site name="s2"/>
        <geom size=".05" condim="4" priority="2" solmix="2" solref=".01 1" solimp=".8 .9 .01 .5 2" friction=".5 .01 .001" margin=".01"/></body></body></body>
  <body name="d" pos="2 0 1"><joint name="sl" type="slide" axis="0 0 1" actuatorfrcrange="-3 3"/><geom size=".1"/><site name="s3"/></body>
  <body name="e" pos="3 0 1" gravcomp=".5"><joint name="bj" type="ball"/><geom size=".1"/></body></worldbody>
  <contact><pair geom1="gb" geom2="floor" condim="1"/></contact>
  <equality><joint joint1="h1" joint2="h2" polycoef="0 2 0 0 0"/><connect body1="b" body2="d" anchor=".1 0 0" active="false"/>
    <weld body1="c" body2="d" active="false"/><tendon tendon1="tf" active="false"/></equality>
  <tendon><fixed name="tf" range="-1 1" stiffness="{stiffness}" damping=".3"><joint joint="h1" coef="2"/><joint joint="h2" coef="-1"/></fixed>
    <spatial name="ts" width=".01"><site site="s0"/><geom geom="gb" sidesite="s1"/><site site="s2"/><pulley divisor="2"/><site site="s1"/><site site="s3"/></spatial></tendon>
  <actuator><position name="p" joint="h1" kp="{kp}" kv="3" ctrlrange="-1 1" forcerange="-5 5"/><velocity name="v" joint="h2" kv="3" ctrlrange="-2 2"/>
    <position name="r" joint="sl" kp="30" dampratio=".7"/><motor name="m" joint="sl" gear="3" ctrlrange="-1 2"/>
    <general name="t" tendon="tf" gainprm="2" biastype="affine" biasprm="0 -2 0"/><general name="si" site="s1" refsite="s0" gear="1 0 0 0 0 1"/>
    <general name="bo" body="d" gainprm="1"/><intvelocity name="iv" joint="sl" kp="3" actrange="-1 1"/>
    <muscle name="mu" tendon="ts" lengthrange="0.1 1"/></actuator></mujoco>
"""


def from_file(direct: bool, mass: float = 1.0) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    NewtonSolver.register_custom_attributes(builder)
    builder.add_mjcf(XML.format(mass=mass, stiffness=3 * mass, kp=30 * mass), ctrl_direct=direct)
    return builder


def finish(*builders: newton.ModelBuilder) -> newton.Model:
    scene = newton.ModelBuilder()
    NewtonSolver.register_custom_attributes(scene)
    scene.add_ground_plane()
    for builder in builders:
        scene.add_world(builder)
    return scene.finalize(device="cpu")


def converted_by_newton(model: newton.Model) -> mujoco.MjModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return NewtonSolver(model, use_mujoco_cpu=True, kinematic_switchable_roots=False).mj_model


class OneWorld:
    """One world of a compiled model, as if it were the only one."""

    def __init__(self, compiled: CompiledModel, world: int) -> None:
        self.compiled, self.index = compiled, world

    def __getattr__(self, name: str):
        return self.compiled.world(name, self.index)


CASES = {
    "joints": (every_joint, 2.0, ()),
    "file": (lambda mass=1.0: from_file(True, mass), 1.7, SIMPLE),
    "file with joint targets": (lambda mass=1.0: from_file(False, mass), 1.7, SIMPLE),
}


@pytest.mark.parametrize("case", CASES)
def test_every_array_is_newtons_but_for_what_is_listed(case: str, compare: Callable[..., list[str]]) -> None:
    build, other, follows = CASES[case]
    builders = build(), build(other)
    compiled = convert(finish(*builders))
    for world, builder in enumerate(builders):
        oracle = converted_by_newton(finish(builder))
        found = compare(OneWorld(compiled, world), oracle, skip=(*OTHERWISE, *follows))
        assert not [line for line in found if line.split("[")[0].split(":")[0] not in (*OTHERWISE, *follows)]
        limited = compiled.jnt_limited
        np.testing.assert_allclose(compiled.world("jnt_solref", world)[limited], oracle.jnt_solref[limited], rtol=1e-4)
    assert {"body_mass", "actuator_gainprm"} <= set(compiled.batched)


SHORT = """
<mujoco><worldbody><body pos="0 0 1"><joint name="h" axis="0 1 0" range="-60 60" {joint}/><geom size=".1" {geom}/>
  <body pos=".3 0 0"><joint name="s" type="slide"/><geom size=".05"/></body></body></worldbody>
  <tendon><fixed stiffness="2" {tendon}><joint joint="h" coef="1"/><joint joint="s" coef="1"/></fixed></tendon></mujoco>
"""


def test_one_number_of_a_pair_means_what_it_means_to_mujoco() -> None:
    """A spring's length is both ends of its range; beside a time constant the damping ratio is one."""
    given = [
        {"tendon": 'springlength="0.3"', "geom": 'solref=".013"', "joint": 'solreflimit=".03"'},
        {"tendon": 'springlength="-.5 .5"', "geom": 'solref="-900 -20"', "joint": 'solreflimit=".03 .7"'},
        {"tendon": 'springlength="-.5"', "geom": 'solref=".05"', "joint": 'solreflimit=".06"'},
        {"tendon": "", "geom": 'solref=".02"', "joint": 'solreflimit=".02 1"'},
    ]
    builders = []
    for values in given:
        builder = newton.ModelBuilder()
        NewtonSolver.register_custom_attributes(builder)
        builder.add_mjcf(SHORT.format(**values))
        builders.append(builder)
    compiled = convert(finish(*builders))
    for world, values in enumerate(given):
        oracle = mujoco.MjModel.from_xml_string(SHORT.format(**values))
        np.testing.assert_allclose(compiled.world("geom_solref", world)[1], oracle.geom_solref[0], rtol=1e-5)
        np.testing.assert_allclose(compiled.world("jnt_solref", world)[0], oracle.jnt_solref[0], rtol=1e-5)
        if world != 2:  # a length below -1 reads as a range that ends at -1
            np.testing.assert_allclose(compiled.world("tendon_lengthspring", world), oracle.tendon_lengthspring, rtol=1e-6, atol=1e-7)


def test_principal_moments_are_newtons_whatever_their_order() -> None:
    compiled, oracle = convert(finish(every_joint())), converted_by_newton(finish(every_joint()))
    np.testing.assert_allclose(np.sort(compiled.body_inertia, axis=-1), np.sort(oracle.body_inertia, axis=-1), rtol=1e-5)


def test_a_row_of_a_joint_target_lends_its_ranges_to_the_target() -> None:
    compiled = convert(finish(from_file(False), from_file(False, 1.7)))
    assert compiled.maps.actuator_source.tolist() == [0, 1, 0, 2, 2, 2, 2, 2, 2]
    assert compiled.actuator_ctrllimited.tolist()[:3] == [True, True, False]
    np.testing.assert_allclose(compiled.actuator_ctrlrange[:2], [[-1, 1], [-2, 2]])
    np.testing.assert_allclose(compiled.actuator_forcerange[0], [-5, 5])
    for world in range(2):  # a damping ratio of 0.7 at the inertia that the slide carries
        stiffness, mass = 30.0, compiled.world("dof_M0", world)[8]
        damping = -compiled.world("actuator_biasprm", world)[2, 2]
        assert damping == pytest.approx(1.4 * np.sqrt(stiffness * mass), rel=1e-5)


def test_a_row_of_a_joint_target_without_a_target_is_named() -> None:
    model = finish(from_file(False))
    modes = model.joint_target_mode.numpy()
    modes[:] = int(Mode.NONE)
    model.joint_target_mode.assign(modes)
    with pytest.warns(UserWarning, match=r"actuator 'p'.*joint target that its dof does not have"):
        convert(model)


def test_kinematic_roots_have_an_armature_that_nothing_moves() -> None:
    """Documented by Newton as an armature of 1e10; its own model of today holds such roots by a weld."""
    builder = newton.ModelBuilder()
    NewtonSolver.register_custom_attributes(builder)
    cart = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), is_kinematic=True, label="cart")
    pole = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), label="pole")
    joints = [builder.add_joint_prismatic(-1, cart, axis=(1, 0, 0), armature=3.0), builder.add_joint_revolute(cart, pole, axis=(0, 1, 0), armature=0.5)]
    builder.add_articulation(joints)
    assert convert(builder.finalize(device="cpu")).dof_armature.tolist() == [1e10, 0.5]
