"""MJCF through importer, builder, Model and conversion, against MuJoCo's compiler on the same file, field by field."""

import warnings
from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from paths import OWN, shared_model

import newtonish
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import CompiledModel, convert

FILES = [
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
    "rubik_cube/cube_3x3x3.xml",
    "sensor_zoo/sensor.xml",
]
TENDONS = ["fixed_tendons.xml", "tendon_zoo.xml"]
CAMERA_SENSORS = ["sensor_zoo/sensor.xml"]  # left out; test_sensors.py compares the others

ZOO = """
<mujoco>
  <compiler angle="degree" autolimits="true"/>
  <option timestep="0.003" gravity="0 1 -9" integrator="implicitfast" impratio="4"><flag contact="disable" energy="enable"/></option>
  <worldbody>
    <geom name="floor" type="plane" size="1 2 .1" pos="0 0 -1" condim="1" friction=".7 .01 .002" solref=".03 .9"/>
    <body name="free" pos="0 0 1" quat="1 .1 0 0"><freejoint name="root"/><geom name="g0" size=".1" margin=".02" gap=".01"/>
      <body name="mixed" pos=".3 0 .1" euler="10 20 30">
        <joint name="h" type="hinge" axis="1 1 0" pos=".1 0 0" range="-30 60" ref="10" armature=".1"/>
        <joint name="s" type="slide" axis="0 0 1" pos="0 .1 0" ref=".2" springref=".5" stiffness="3" range="-1 1" solreflimit=".01 1" margin=".1"/>
        <joint name="h2" type="hinge" axis="0 1 0" pos="0 0 .3" damping=".4" frictionloss=".2" solimpfriction=".8 .9 .01 .5 2"/>
        <geom name="g1" type="capsule" fromto="0 0 0 .2 .3 .1" size=".05" contype="2" conaffinity="3" priority="1" solmix="2"/>
        <geom name="g2" type="box" size=".1 .2 .3" pos="0 0 .4" quat="1 0 .4 0"/>
        <site name="mark" pos=".1 0 0" euler="0 0 90" size=".02 .03 .04" type="box"/>
        <body name="xyz" pos="0 0 .5"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0" range="-20 20"/><joint name="z" axis="0 0 1"/>
          <geom name="g3" type="ellipsoid" size=".1 .2 .3"/>
          <body name="limb" pos=".3 0 0"><joint name="swing" type="ball" range="0 40" pos="0 0 .1" damping=".1"/>
            <geom name="g4" type="cylinder" size=".05 .2" density="500"/>
            <body name="welded" pos="0 0 .2" euler="0 45 0"><geom name="g5" size=".04" mass=".2"/></body></body></body></body></body>
    <body name="slider" pos="2 0 1"><joint name="p" type="slide" axis="1 0 0"/><joint name="q" type="slide" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="2" diaginertia=".1 .2 .15"/><geom name="g6" size=".1"/></body>
    <body name="given" pos="3 0 1"><freejoint/><inertial pos=".1 0 0" mass="2" fullinertia=".2 .3 .4 .01 .02 .03"/><geom name="g7" size=".1"/></body>
    <body name="static" pos="4 0 0"><geom name="g8" type="box" size=".1 .1 .1"/><body name="lid"><joint name="lid" axis="0 0 1"/><geom name="g9" size=".1"/></body></body>
    <body name="hand" mocap="true" pos="5 0 0" quat="1 0 0 .5"><geom name="g10" size=".05"/></body>
  </worldbody>
  <contact><exclude body1="limb" body2="free"/><exclude body1="mixed" body2="static"/>
    <pair geom1="g9" geom2="g1" condim="4" friction="1 .9 .01 .001 .002"/><pair geom1="g6" geom2="floor" margin=".1"/></contact>
  <actuator>
    <motor name="m" joint="h" gear="3" ctrlrange="-1 2"/><velocity joint="p" kv="2"/>
    <general joint="swing" gear="1 2 3" dyntype="filter" dynprm=".1" actrange="-1 1" actlimited="true" gainprm="2"/>
    <general joint="root" gear="0 0 1 0 0 2" forcerange="-5 5"/>
  </actuator>
  <keyframe>
    <key name="a" time="2" ctrl="1 2 3 4" act=".5"/>
    <key name="b" qvel="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24" mpos="1 2 3" mquat="2 0 0 0"/>
  </keyframe>
</mujoco>
"""


def compile_both(source: str) -> tuple[CompiledModel, mujoco.MjModel]:
    """The compiled model of the project and MuJoCo's, from a path or XML text."""
    builder = newtonish.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(source)
        compiled = convert(builder.finalize(device="cpu"))
    text = source.lstrip().startswith("<")
    oracle = mujoco.MjModel.from_xml_string(source) if text else mujoco.MjModel.from_xml_path(source)
    return compiled, oracle


@pytest.mark.parametrize("name", ["zoo", *FILES, *TENDONS])
def test_every_field_equals_mujocos(name: str, compare: Callable[..., list[str]]) -> None:
    compiled, oracle = compile_both(ZOO if name == "zoo" else str(OWN / name if name in TENDONS else shared_model(name)))
    # mesh ids count meshes in order of first use, not in the order of the file's assets
    skip = ["geom_dataid", *(f for f in FIELDS if f.startswith("sensor_") and name in CAMERA_SENSORS)]
    assert not compare(compiled, oracle, skip=skip)
    assert len(compiled.geom_filter_pairs) == 0
    assert not compiled.batched


@pytest.mark.parametrize("name", ["zoo", *FILES])
def test_options_and_statistics_equal_mujocos(name: str) -> None:
    compiled, oracle = compile_both(ZOO if name == "zoo" else str(shared_model(name)))
    for field, value in vars(compiled.opt).items():
        np.testing.assert_allclose(value, getattr(oracle.opt, field), rtol=1e-6, atol=1e-12, err_msg=field)
    for field, value in vars(compiled.stat).items():
        np.testing.assert_allclose(value, getattr(oracle.stat, field), rtol=1e-5, atol=1e-6, err_msg=field)


def test_names_equal_mujocos() -> None:
    compiled, oracle = compile_both(ZOO)
    for kind in ("body", "geom", "site", "key"):
        found = getattr(compiled, f"{kind}_names")
        assert found == [getattr(oracle, kind)(i).name for i in range(len(found))]
    theirs = [oracle.joint(i).name for i in range(oracle.njnt)]
    assert [n for n, t in zip(compiled.jnt_names, theirs) if t] == [t for t in theirs if t]


def test_meshes_are_moved_into_their_inertial_frames() -> None:
    compiled, oracle = compile_both(str(shared_model("barkour_vb/scene.xml")))
    for geom in np.flatnonzero(oracle.geom_type == 7):
        ours, theirs = compiled.geom_dataid[geom], oracle.geom_dataid[geom]
        np.testing.assert_allclose(compiled.mesh_pos[ours], oracle.mesh_pos[theirs], atol=1e-6)
        assert compiled.mesh_facenum[ours] == oracle.mesh_facenum[theirs]
