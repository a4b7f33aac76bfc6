"""Bodies behind fixed joints go into those in front of them: as MuJoCo fuses them, in several worlds, and with what must stay."""

import warnings

import mujoco
import numpy as np
import pytest

import newtonish
from newtonish import SolverMuJoCo
from newtonish.convert import convert
from newtonish.errors import ModelError

XML = """
<mujoco><compiler fusestatic="true"/><worldbody><geom type="plane" size="1 1 1"/>
  <body name="wall" pos="1 0 0" euler="0 0 30"><geom size=".1"/><body name="shelf" pos="0 0 .4" euler="20 0 0"><geom type="box" size=".1 .2 .3"/>
    <body name="door" pos=".2 0 0"><joint axis="0 0 1"/><geom size=".05" mass="{mass}"/></body></body></body>
  <body name="base" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/>
    <body name="mast" pos=".1 .2 .3" euler="10 20 30"><geom type="capsule" size=".05 .1" mass=".5"/>
      <body name="tip" pos="0 .3 0" euler="0 45 0"><inertial pos=".1 0 .2" mass="{mass}" diaginertia=".01 .02 .025"/><geom size=".02" mass="0"/>
        <body name="arm" pos=".2 0 0"><joint axis="0 1 0" pos=".05 0 0"/><geom size=".03" mass=".2"/></body></body></body>
    <body name="sensed" pos="0 0 .3"><geom size=".04" mass=".1"/></body></body></worldbody>
  <contact><exclude body1="sensed" body2="door"/></contact></mujoco>
"""


def builder(mass: float = 0.3, **options) -> newtonish.ModelBuilder:
    result = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(result)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result.add_mjcf(XML.format(mass=mass).replace("fusestatic", "fitaabb"), **options)  # MuJoCo alone fuses
    return result


def test_masses_and_frames_are_those_of_mujocos_fused_bodies() -> None:
    scene = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    for mass in (0.3, 0.7):
        scene.add_world(builder(mass, collapse_fixed_joints=True))
    compiled = convert(scene.finalize(device="cpu"))
    assert [name.split("/")[-1] for name in compiled.body_names] == ["world", "door", "base", "arm", "sensed"]
    for world, mass in enumerate((0.3, 0.7)):
        oracle = mujoco.MjModel.from_xml_string(
            XML.format(mass=mass).replace("<contact>", "<sensor><framepos objtype='body' objname='sensed'/></sensor><contact>")
        )
        rows = [oracle.body(name).id for name in ("world", "door", "base", "arm", "sensed")]
        assert oracle.nbody == 5
        for name in ("body_mass", "body_ipos", "body_pos"):
            np.testing.assert_allclose(compiled.world(name, world), getattr(oracle, name)[rows], atol=2e-6, err_msg=name)
        inertia = [np.sort(values, axis=-1) for values in (compiled.world("body_inertia", world), oracle.body_inertia[rows])]
        np.testing.assert_allclose(*inertia, atol=2e-6)
        places = [np.sort(np.round(p, 5), axis=0) for p in (compiled.world("geom_pos", world), oracle.geom_pos)]
        np.testing.assert_allclose(*places, atol=2e-5)


def test_the_motion_is_that_of_the_bodies_before() -> None:
    states = []
    for collapse in (False, True):
        model = builder(collapse_fixed_joints=collapse).finalize(device="cpu")
        solver, state = SolverMuJoCo(model), model.state()
        state.joint_qd.assign(np.linspace(-1, 1, model.joint_dof_count).astype(np.float32))
        for _ in range(50):
            solver.step(state, state, None, None, 0.002)
        states.append(state.joint_q.numpy()[-1:])  # the arm's angle: where the base's centre of mass is differs
        assert np.all(np.isfinite(state.joint_q.numpy()))
    np.testing.assert_allclose(*states, atol=2e-4)


def test_what_is_returned_and_what_stays() -> None:
    part = builder()
    names = [label.split("/")[-1] for label in part.body_label]
    joints = {names[child]: joint for joint, child in enumerate(part.joint_child)}
    before = part.body_count
    result = part.collapse_fixed_joints(joints_to_keep=[joints["mast"]])
    after = [label.split("/")[-1] for label in part.body_label]
    assert after == ["door", "base", "mast", "arm", "sensed"]
    assert len(result["body_remap"]) == 5 < before
    for old, new in result["body_remap"].items():
        assert names[old] == after[new]
    assert names[result["body_merged_parent"][names.index("tip")]] == "mast"
    assert result["body_merged_parent"][names.index("shelf")] == -1
    part.finalize(device="cpu")  # all checks pass
    with pytest.raises(ModelError, match=r"joints_to_keep.*'nothing'"):
        part.collapse_fixed_joints(joints_to_keep=["nothing"])


def test_actuators_on_bodies_follow_them() -> None:
    text = """<mujoco><worldbody><body name="stand"><geom size=".1"/><body name="arm" pos="0 0 1"><joint/><geom size=".1"/></body></body>
      </worldbody><actuator><adhesion body="arm" ctrlrange="0 1"/></actuator></mujoco>"""
    part = newtonish.ModelBuilder()
    part.add_mjcf(text, collapse_fixed_joints=True)
    target = part.custom_attributes["mujoco:actuator_trnid"].values[0]
    assert [label.split("/")[-1] for label in part.body_label] == ["arm"]
    np.testing.assert_array_equal(target, [0, -1])
