"""DC motors, PID servos and servos of orientations in MJCF: every field of the compiled model against MuJoCo's."""

import warnings

import mujoco
import numpy as np
import pytest

from newtonish import ModelBuilder
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import convert
from newtonish.errors import ImporterError

BODIES = """
<site name="fixed" pos="0.1 0.2 0.3" euler="0.3 0.2 -0.4"/>
<body pos="0 0 1"><joint name="h" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="0.2 0 0"/>
 <body pos="0.4 0 0"><joint name="b" type="ball" damping="0.1"/>
  <geom type="capsule" size="0.08" fromto="0 0 0 0.3 0.1 0"/><site name="tip" pos="0.3 0 0" euler="0.2 0.1 0.5"/>
  <body pos="0.3 0.1 0"><joint name="s" type="slide" axis="1 0 0" range="-1 1" damping="1"/><geom size="0.04" pos="0.1 0 0"/></body>
 </body></body>"""
MOTOR = 'motorconst="0.5" resistance="2"'
PLAIN = [
    '<pid joint="h" kp="3" kv="2" ki="1.3" imax="0.05" slewmax="20" input="pos vel ff" posrange="-1 1" velrange="-2 2" ffrange="-1 1"/>',
    '<pid joint="h"/><pid joint="s" dampratio="1" inheritrange="0.9" forcerange="-3 3"/><pid joint="b" dampratio="1" gear="1 1 0"/>',
    '<pid joint="h" input="vel" velrange="-2 2"/><pid joint="h" input="vel ff" ctrlrange="-1 1" velrange="-2 2"/>',
    '<pid joint="h" slewmax="2"/><pid joint="h" imax="2"/>',
    '<orientation joint="b" kp="3" dampratio="0.7" ctrlrange="-1 1" forcerange="0 2"/><motor joint="h" ctrlrange="-1 1"/>',
    '<orientation site="tip" refsite="fixed" kp="3" kv="0.2" input="quat" ctrlrange="-1 1"/><position joint="h" kp="2" dampratio="1"/>',
    '<orientation site="tip" refsite="fixed" kp="3" dampratio="0.5"/>',
    '<general joint="b" gaintype="so3" biastype="so3" dyntype="integrator" actrange="-1 1" gainprm="2" biasprm="0 -2 -0.3" gear="2 1 0"/>',
    f'<dcmotor joint="h" {MOTOR} inductance="0.1 5" ctrlrange="-1 1"/><dcmotor joint="h" {MOTOR} inductance="0 0.01" saturation="0 4 100"/>',
    '<dcmotor joint="h" nominal="12 1 100"/><dcmotor joint="h" motorconst="0.5" nominal="12 1 100"/><dcmotor joint="h" resistance="3" nominal="12 1 100"/>'
    '<dcmotor joint="h" motorconst="0.5 0.3" nominal="12 1 100"/><dcmotor joint="h" motorconst="0 0.3" resistance="1"/>',
    *(f'<dcmotor joint="h" {MOTOR} thermal="{t}"/>' for t in ("2 30", "2 30 100", "0 30 60", "2 0 60 0.01 25 20", "0 0 0 0.01 25 20")),
    *(f'<dcmotor joint="h" {MOTOR} saturation="{t}"/>' for t in ("1", "1 2", "0 2", "0 2 3")),
    f'<dcmotor joint="h" {MOTOR} cogging="1 2.5" lugre="1 2 3 1 0.1"/><dcmotor joint="h" {MOTOR} lugre="0 2 3" cogging="0 2"/>',
    f'<dcmotor joint="h" {MOTOR} input="pos vel ff voltage" controller="1 2 3 4 5 6" ctrlrange="-1 1"/><dcmotor joint="h" {MOTOR} input="vel ff" controller="0 0 1 3"/>',
    '<dcmotor joint="h" motorconst="0" input="none" resistance="2" lugre="1 2 3 1 0.1"/><motor joint="h"/>',
    '<general joint="h" gaintype="affine" input="vel"/><general joint="h" input="pressure"/><general joint="h" input="pos"/>',
    '<general joint="h" gaintype="pid" biastype="affine" dyntype="pid" dynprm="0 8" gainprm="1.5" biasprm="0.1 -2 -0.3" input="pos vel ff" velrange="-1 1" ffrange="-2 2"/>',
    '<general joint="h" gaintype="user" biastype="user" dyntype="user" actdim="3"/><motor joint="h"/>',
]  # fmt: skip
CLASSES = [
    (f'<dcmotor {MOTOR} inductance="0.1" saturation="2" input="pos" controller="1 2" thermal="2 30" cogging="1 2" lugre="1 2 .1 .2 .3"/>',
     '<dcmotor class="c" joint="h"/><motor class="c" joint="h"/><position class="c" joint="h"/>'),
    (f'<dcmotor {MOTOR} inductance="0.1" saturation="2" input="pos" controller="1 2"/>',
     '<dcmotor class="c" joint="h" saturation="0" inductance="0"/><dcmotor class="c" joint="h" nominal="12 1 100" controller="3"/>'),
    ('<pid kp="3" dampratio="1" ki="2" imax="3" slewmax="4" input="pos"/>',
     '<pid class="c" joint="h" kv="3"/><pid class="c" joint="h" ki="0"/><general class="c" joint="h" input="pos vel"/>'),
    ('<pid kp="3" input="pos"/>', '<general class="c" joint="h" gaintype="fixed"/><general class="c" joint="h" input=""/>'),
    ('<position kp="3" kv="1" ctrlrange="-1 1"/>', '<pid class="c" joint="h"/><orientation class="c" joint="b"/><position class="c" joint="h"/>'),
    ('<general gaintype="pid" biastype="affine" biasprm="0 -4 -2" gainprm="3" dynprm="1 2" dyntype="pid"/>', '<pid class="c" joint="h"/>'),
    ('<orientation kp="3" kv="2" input="quat"/>', '<orientation class="c" joint="b"/><orientation class="c" joint="b" input="expmap"/>'),
    ('<general gaintype="affine" gainprm="1 2 -3"/>', '<position class="c" joint="h"/><damper class="c" joint="h" ctrlrange="0 1"/><motor class="c" joint="h"/>'),
]  # fmt: skip
SENSORS = '<sensor><actuatorpos actuator="o"/><actuatorvel actuator="o"/><actuatorfrc actuator="o"/><clock/></sensor>'
KEYS = "<keyframe><key name='a' time='1'/></keyframe>"


def both(actuators: str, head: str = ""):
    text = f"""<mujoco><compiler angle="radian"/>{head}<worldbody>{BODIES}</worldbody><actuator>{actuators}</actuator>{KEYS}</mujoco>"""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return convert(builder.finalize(device="cpu")), mujoco.MjModel.from_xml_string(text)


def compare(ours, theirs) -> None:
    for size in ("nu", "na", "nactuator", "nout", "nJmom"):
        assert getattr(ours, size) == getattr(theirs, size), size
    for name in FIELDS:
        if name.startswith(("actuator_", "key_", "sensor_")) and not name.endswith("user"):
            tolerance = 1e-5 if name in ("actuator_acc0", "actuator_biasprm", "actuator_length0") else 1e-7
            mine, other = np.asarray(getattr(ours, name), float), np.asarray(getattr(theirs, name), float)
            np.testing.assert_allclose(mine, other, tolerance, tolerance, err_msg=name)


@pytest.mark.parametrize("actuators", PLAIN)
def test_fields(actuators: str) -> None:
    compare(*both(actuators))


def test_sensors_of_three_outputs() -> None:
    ours, theirs = both('<orientation name="o" joint="b"/>' + f"</actuator>{SENSORS}<actuator>")
    compare(ours, theirs)
    assert ours.nsensordata == theirs.nsensordata == 10


def test_key_controls_count_every_control() -> None:
    text = '<pid joint="h"/><orientation joint="b" input="quat"/><motor joint="h"/>'
    key = '</actuator><keyframe><key ctrl="1 2 3 4 5 6 7"/></keyframe><actuator>'
    compare(*both(text + key))


@pytest.mark.parametrize("declared, actuators", CLASSES)
def test_classes(declared: str, actuators: str) -> None:
    compare(*both(actuators, f'<default><default class="c">{declared}</default></default>'))


REFUSED = [
    '<pid joint="h" input="ff" slewmax="1"/>', '<pid joint="h" kv="1" dampratio="1"/>', '<pid joint="h" input="voltage"/>',
    '<pid joint="h" input="vel pos"/>', '<pid joint="h" imax="-1" ki="1"/>', '<pid joint="h" ki="-1"/>', '<orientation site="tip" kp="3"/>',
    '<orientation joint="h"/>', '<orientation joint="b" forcerange="-1 1"/>', '<dcmotor joint="h" motorconst="0.5"/>',
    '<dcmotor joint="h" resistance="0.5"/>', f'<dcmotor joint="h" {MOTOR} inductance="-0.1"/>', f'<dcmotor joint="h" {MOTOR} thermal="2"/>',
    f'<dcmotor joint="h" {MOTOR} thermal="0 0 60"/>', f'<dcmotor joint="h" {MOTOR} controller="1"/>',
    '<dcmotor joint="h" motorconst="-1 2" resistance="2"/>', f'<dcmotor joint="h" {MOTOR} input="pos none"/>',
    '<general joint="b" gaintype="so3" biastype="so3" gainprm="2" biasprm="0 -1"/>', '<general joint="h" gaintype="pid" biastype="affine"/>',
]  # fmt: skip


@pytest.mark.parametrize("actuators", REFUSED)
def test_what_mujoco_refuses_is_refused_with_a_place(actuators: str) -> None:
    text = f"<mujoco><worldbody>{BODIES}</worldbody><actuator>\n{actuators}</actuator></mujoco>"
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ImporterError, match=r":\d+:\d+: .*got .*; allowed: "):
        ModelBuilder().add_mjcf(text)
