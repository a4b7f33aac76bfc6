"""Cameras in MJCF: their fields against MuJoCo's compiler, sensors that look through them, and what is wrong with them."""

import mujoco
import numpy as np
import oracle
import pytest
from mjcf_compare import load
from sensor_oracle import compare_sensors

from newtonish import ModelBuilder, mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError

INTEGERS = ("mode", "bodyid", "targetbodyid", "projection", "resolution")
FLOATS = ("sensorsize", "fovy", "intrinsic", "pos", "quat", "poscom0", "pos0", "mat0")
SENSORS = ("type", "datatype", "needstage", "objtype", "objid", "reftype", "refid", "dim", "adr", "cutoff", "noise")
FILE = """<mujoco><compiler angle="radian"/><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".3 .3 .3"/></asset>
<default><camera fovy="50" resolution="4 3"/><default class="lens"><camera sensorsize=".036 .024" focal=".03 .04"/></default></default>
<worldbody><camera name="first" pos="0 0 4" projection="orthographic" fovy="2"/><geom type="plane" size="3 3 1" pos="0 0 -1"/>
<frame pos=".1 .2 .3" euler=".1 .2 .3"><camera name="framed" class="lens" pos="0 0 3" principal=".016 .011" target="b"/></frame>
<body name="a" pos="0 0 .5"><freejoint/><geom type="box" size=".1 .2 .3"/><camera name="on" focalpixel="2 3" sensorsize=".03 .02" pos="0 0 1"/>
<body name="b" pos=".3 0 0"><joint axis="0 1 0"/><geom name="tip" type="mesh" mesh="t"/><camera mode="track" pos="1 0 0"/><camera name="com" mode="trackcom" pos="1 0 .4"/>
<site name="s" pos="0 0 .3"/></body></body>
<body name="c" pos="1 0 .5" childclass="lens"><freejoint/><geom name="round" size=".1"/><camera name="aim" mode="targetbody" target="a" principalpixel="1 2"/>
<camera name="aimcom" mode="targetbodycom" target="world" pos="0 0 1"/></body></worldbody>
<sensor><rangefinder camera="first" data="dist normal depth"/><rangefinder camera="framed" data="dist dir origin point"/><rangefinder camera="aim" cutoff="1"/>
<rangefinder camera="on"/><rangefinder site="s"/><camprojection site="s" camera="framed" noise=".1"/><camprojection site="s" camera="aim"/>
<framequat objtype="camera" objname="com"/><framepos objtype="camera" objname="com" reftype="camera" refname="aim"/>
<frameangvel objtype="camera" objname="aimcom" reftype="camera" refname="on"/><insidesite objtype="camera" objname="on" site="s"/>
<distance geom1="tip" geom2="round" cutoff="2"/><normal body1="a" geom2="round" cutoff="2"/><fromto geom1="tip" body2="c" cutoff="2"/></sensor></mujoco>"""


def test_fields_of_cameras_and_their_sensors():
    ours, theirs = convert(load(FILE).finalize(device="cpu")), mujoco.MjModel.from_xml_string(FILE)
    assert ours.ncam == theirs.ncam == 7
    for name in INTEGERS:
        assert np.array_equal(getattr(ours, f"cam_{name}"), getattr(theirs, f"cam_{name}")), name
    for name in FLOATS:
        mine, other = getattr(ours, f"cam_{name}"), getattr(theirs, f"cam_{name}")
        np.testing.assert_allclose(mine, np.asarray(other).reshape(mine.shape), 2e-6, 2e-6, err_msg=name)
    assert ours.cam_names[:2] == ["first", "framed"]
    for name in SENSORS:
        np.testing.assert_allclose(getattr(ours, f"sensor_{name}"), getattr(theirs, f"sensor_{name}"), 1e-6, err_msg=name)


def test_sensors_through_imported_cameras(device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(FILE), nworld=3, device=device)
    pair.m = mjw.put_model(convert(load(FILE).finalize(device="cpu")), device=device)
    pair.d = mjw.make_data(pair.m, 3)
    for steps in (0, 10, 40):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_sensors(pair)


def test_worlds_with_cameras_of_their_own(device):
    builder = ModelBuilder()
    for world in range(3):
        builder.begin_world()
        builder.add_mjcf(FILE.replace('fovy="2"', f'fovy="{2 + world}"').replace("0 0 4", f"0 {0.1 * world} 4"))
        builder.end_world()
    compiled = convert(builder.finalize(device="cpu"))
    assert compiled.ncam == 7 and compiled.nsensor == 14
    assert compiled.batched["cam_fovy"][:, 0].tolist() == [2.0, 3.0, 4.0]
    m = mjw.put_model(compiled, device=device)
    d = mjw.make_data(m, 3)
    mjw.forward(m, d)
    np.testing.assert_allclose(d.cam_xpos.numpy()[:, 0, 1], [0.0, 0.1, 0.2], atol=1e-6)
    for world in range(3):
        mjm = mujoco.MjModel.from_xml_string(FILE.replace('fovy="2"', f'fovy="{2 + world}"').replace("0 0 4", f"0 {0.1 * world} 4"))
        mjd = mujoco.MjData(mjm)
        mujoco.mj_forward(mjm, mjd)
        oracle.close("sensordata", d.sensordata.numpy()[world], mjd.sensordata, 1e-3, world)


WRONG = {
    "the name of a body": '<camera mode="targetbody" target="bodi"/>',
    "less than 180": '<camera fovy="180"/>',
    "a positive sensorsize": '<camera focal="1 1"/>',
    "sensorsize .0.0, 1.0.": '<camera sensorsize="0 1"/>',
    "a focal length of 0": '<camera sensorsize="1 1"/>',
    "fovy and sensorsize together": '<camera fovy="3" sensorsize="1 1" focal="1 1"/>',
    "a name that is taken": '<camera name="x"/><camera name="x"/>',
    "finite numbers": '<camera pos="0 0 inf"/>',
}


@pytest.mark.parametrize("expected", WRONG)
def test_what_is_wrong_with_a_camera_is_named(expected):
    with pytest.raises(ImporterError, match=expected):
        ModelBuilder().add_mjcf(f'<mujoco><worldbody>{WRONG[expected]}<body name="body"/></worldbody></mujoco>')


SITES = """<mujoco><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".5 .5 .5"/></asset><worldbody>
<site name="zone" type="mesh" mesh="t" pos=".1 0 0" euler="10 20 30"/><site name="ball" size=".4"/>
<body name="b" pos=".1 .1 .1"><freejoint/><geom name="g" type="mesh" mesh="t" contype="0" conaffinity="0"/><site name="in" type="mesh" mesh="t" pos="0 .1 0"/></body></worldbody>
<sensor><insidesite site="zone" objtype="geom" objname="g"/><insidesite site="zone" objtype="site" objname="in"/>
<insidesite site="ball" objtype="geom" objname="g" enclosed="true"/><insidesite site="ball" objtype="site" objname="in" enclosed="true" cutoff=".3"/>
<insidesite site="zone" objtype="body" objname="b" enclosed="true"/></sensor></mujoco>"""


def test_sites_of_meshes(device):
    ours, mjm = convert(load(SITES).finalize(device="cpu")), mujoco.MjModel.from_xml_string(SITES)
    for name in ("type", "dataid", "bodyid", "size", "pos", "quat"):
        np.testing.assert_allclose(getattr(ours, f"site_{name}"), getattr(mjm, f"site_{name}"), 1e-6, 1e-6, err_msg=name)
    for name in SENSORS:
        np.testing.assert_allclose(getattr(ours, f"sensor_{name}"), getattr(mjm, f"sensor_{name}"), 1e-6, err_msg=name)
    assert np.array_equal(ours.sensor_intprm, mjm.sensor_intprm)
    pair = oracle.from_model(mjm, nworld=3, device=device)
    pair.m, pair.d = mjw.put_model(ours, device=device), mjw.make_data(mjw.put_model(ours, device=device), 3)
    for steps in (0, 20, 60):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_sensors(pair)
