"""``replicate`` and ``attach``: our copies have the arrays, the names and the order of MuJoCo's."""

import mujoco
import pytest
from device_arrays import compare

from newtonish import ModelBuilder
from newtonish.errors import ImporterError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning", "ignore::UserWarning")

ROW = """
<body name="first"><joint name="jf"/><geom size=".1" name="gf"/><site name="sf"/></body>
<replicate count="2" offset="1 0 0" sep="_"><body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/><camera name="c"/></body></replicate>
<body name="last" pos="0 2 0"><joint name="jl"/><geom size=".1" name="gl"/><site name="sl"/></body>
"""
COPIED = [
    '<contact><pair geom1="g" geom2="gf"/></contact>',
    '<contact><exclude name="e" body1="b" body2="first"/></contact>',
    '<contact><exclude body1="b" body2="world"/></contact>',
    '<contact><exclude body1="b" body2="b"/></contact>',
    '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>',
    '<tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="jf" coef="2"/></fixed></tendon>',
    '<tendon><fixed name="t"><joint joint="jf" coef="1"/></fixed></tendon>',
    '<tendon><spatial name="t"><site site="s"/><site site="sf"/></spatial></tendon>',
    '<equality><joint joint1="j" joint2="jf"/></equality>',
    '<equality><joint joint1="j"/></equality>',
    '<equality><weld body1="b" body2="first"/></equality>',
    '<equality><weld body1="b"/><weld name="w" body1="b" body2="world"/></equality>',
    '<actuator><motor joint="jl"/><motor joint="j"/><motor joint="jf"/></actuator>',
    '<actuator><motor name="m" site="s" refsite="sf"/></actuator>',
    '<sensor><framepos objtype="body" objname="b" reftype="body" refname="first"/></sensor>',
    '<sensor><framepos objtype="body" objname="first" reftype="body" refname="b"/></sensor>',
    '<actuator><motor name="a" joint="j"/></actuator><sensor><actuatorfrc actuator="a"/><clock name="ck"/><jointpos joint="j"/><jointpos joint="jf"/></sensor>',
    '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor name="a" tendon="t"/></actuator><sensor><tendonpos tendon="t"/></sensor><equality><tendon tendon1="t"/></equality>',
    '<sensor><contact geom1="g" geom2="gf"/><contact geom1="g"/><contact/></sensor>',
    '<sensor><distance geom1="g" geom2="gf"/><user dim="2"/><user objtype="body" objname="b" dim="2"/></sensor>',
    '<sensor><insidesite site="s" objtype="body" objname="b"/><rangefinder site="s"/><camprojection site="s" camera="c"/></sensor>',
    '<keyframe><key name="k" qpos="1 2 3"/><key qvel="1 2 3 4"/></keyframe>',
]  # fmt: skip
REFUSED = [
    '<contact><pair geom1="g" geom2="gl"/></contact>',
    '<contact><exclude body1="b" body2="last"/></contact>',
    '<tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="jl" coef="1"/></fixed></tendon>',
    '<equality><weld body1="b" body2="last"/></equality>',
    '<actuator><motor name="m" site="s" refsite="sl"/></actuator>',
    '<sensor><framepos objtype="body" objname="b" reftype="body" refname="last"/></sensor>',
    '<sensor><jointpos joint="nope"/></sensor>',
]

TREES = [
    '<body><joint/><geom size=".1"/><replicate count="3" offset="1 2 3" euler="10 20 30"><geom name="a" size="1"/></replicate></body>',
    '<frame name="f" pos="0 0 1" euler="0 90 0"><replicate count="2" offset="1 2 3" euler="10 20 30"><frame name="q"><geom name="a" size="1"/></frame></replicate></frame>',
    '<replicate count="2" offset="0 1 0" euler="90 0 0"><replicate count="2" sep="-" offset="1 0 0" euler="0 90 0"><body name="b"><freejoint/><geom name="Alice" size=".1"/></body></replicate></replicate>',
    '<replicate count="11" sep="x" childclass="thick"><body><joint/><geom name="a"/><replicate count="2"><site name="s"/></replicate></body></replicate>',
    '<replicate count="0"><geom size="1"/></replicate><replicate count="1"><geom name="a" size="1"/></replicate>',
    '<frame name="f" pos="0 0 1" childclass="thick"><geom name="g"/><body name="i"><joint/><geom/></body></frame><attach frame="f" prefix="p_"/><body name="c"><geom/><attach body="i" prefix="q_"/></body>',
    '<body name="b"><joint name="j"/><geom size=".1"/><attach body="b" prefix="p_"/></body>',
    '<body name="b"><geom size="1"/><replicate count="2"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom size=".1"/></replicate></body>',
]  # fmt: skip
WRONG_TREES = [
    '<replicate count="2"><joint name="j"/></replicate>',
    '<body name="b"><geom size=".1"/><replicate count="2"><freejoint/></replicate></body>',
    '<body name="t"><geom/></body><replicate count="2"><body><geom/><camera mode="targetbody" target="t"/></body></replicate>',
    '<body name="b"><geom/></body><replicate count="2"><body name="b"><geom/></body></replicate>',
    '<body name="b_0"><geom/></body><replicate count="2" sep="_"><body name="b"><geom/></body></replicate>',
    '<attach body="no" prefix="q_"/>',
    '<attach prefix="q_"/>',
    '<body name="b"><geom/></body><attach body="b"/>',
    '<body name="b"><geom/></body><attach body="b" prefix=""/>',
    '<attach model="none" prefix="q_"/>',
    "<replicate><geom/></replicate>",
]

KID = """
<mujoco model="kid"><compiler angle="radian" autolimits="true"/><option timestep="0.005" gravity="0 0 -1"/>
<default><geom rgba="1 0 0 1" size=".2" material="red"/><default class="x"><geom size=".3"/></default></default>
<asset><material name="red" rgba="1 0 0 1"/><mesh name="wedge" vertex="0 0 0  1 0 0  0 .7 0  0 0 .4"/></asset>
<worldbody><geom name="wg"/><frame name="cf" pos="0 0 1" childclass="x"><body name="in"><joint name="j0" range="0 .5"/><geom name="gin"/></body></frame>
<body name="base"><joint name="j1" range="0 1"/><geom name="g1"/><geom type="mesh" mesh="wedge" euler="0 0 .5"/>
<body name="k"><joint name="j2" type="ball"/><geom class="x"/></body></body><site name="ws"/><body name="hand" mocap="true"/></worldbody>
<actuator><motor name="m0" joint="j0"/><motor name="m1" joint="j1"/><general name="m2" joint="j1" dyntype="integrator"/></actuator>
<sensor><clock name="ck"/><jointpos joint="j0"/></sensor>
<tendon><fixed name="t"><joint joint="j0" coef="1"/><joint joint="j1" coef="1"/></fixed></tendon>
<keyframe><key name="k" time="3" qpos=".1 .2 0 1 0 0" ctrl="1 2 3" act="4" mpos="1 2 3"/></keyframe></mujoco>
"""
OWN = '<body name="mine"><joint name="own"/><geom size=".1"/></body>'
ATTACHED = [
    ('<attach model="kid" prefix="p_"/>', ""),
    ('<attach model="kid" body="base" prefix="p_"/>' + OWN, '<keyframe><key name="a" qpos="7"/></keyframe>'),
    (OWN + '<attach model="kid" frame="cf" prefix="p_"/>', '<keyframe><key name="a" qpos="7 1"/></keyframe>'),
    ('<frame euler="0 90 0"><attach model="kid" body="base" prefix="p_"/></frame><attach model="kid" body="base" prefix="q_"/>', ""),
    ('<attach model="kid" body="base" prefix=""/>', '<default><geom size=".7"/></default>'),
    ('<replicate count="3" euler="0 0 20" sep="-"><attach model="kid" prefix="p_"/></replicate>', '<compiler eulerseq="zyx"/>'),
    ('<attach model="kid" body="base" prefix="p_"/>', '<compiler conflict="merge"/><option timestep=".001" iterations="7"/>'),
    ('<attach model="kid" body="base" prefix="p_"/>', '<compiler conflict="merge"/><option><flag gravity="disable"/></option>'),
    ('<attach model="kid" body="base" prefix="p_"/>', '<compiler conflict="error"/>'),
    ('<attach model="kid" body="base" prefix="p_"/>', '<compiler conflict="warning"/><option timestep=".001"/>'),
]  # fmt: skip
WRONG_ATTACHED = [
    ('<attach model="kid" frame="cf" prefix="p_"/><attach model="kid" body="base" prefix="p_"/>', ""),
    ('<attach model="kid" frame="cf" body="base" prefix="p_"/>', ""),
    ('<attach model="kid" body="base"/>', ""),
    ('<attach model="kid" body="cf" prefix="p_"/>', ""),
    ('<attach model="kid" body="base" prefix="p_"/>', '<compiler conflict="merge"/><option gravity="0 0 -2"/>'),
    ('<attach model="kid" body="base" prefix="p_"/>', '<compiler conflict="error"/><option timestep=".001"/>'),
    ("", '<asset><model name="gone" file="gone.xml"/></asset>'),
]


def write(folder, tree, rest="", name="model.xml"):
    path = folder / name
    classes = '<default><geom size=".4"/><default class="thick"><geom size=".2"/></default></default>' if "<default>" not in rest else ""
    path.write_text(f"<mujoco>{classes}{rest}<worldbody>{tree}</worldbody></mujoco>")
    return path


def with_kid(folder, tree, rest):
    (folder / "kid.xml").write_text(KID)
    return write(folder, tree, rest + '<asset><model name="kid" file="kid.xml"/></asset>')


def refuse(path):
    """Both refuse a file."""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(ImporterError, match=path.name):
        ModelBuilder().add_mjcf(str(path))


@pytest.mark.parametrize("rest", COPIED)
def test_what_refers_to_a_replicated_element_is_copied_as_mujoco_does(rest, tmp_path, device):
    compare(write(tmp_path, ROW, rest), device)


@pytest.mark.parametrize("rest", REFUSED)
def test_references_to_a_replicated_and_a_later_element_are_refused(rest, tmp_path):
    refuse(write(tmp_path, ROW, rest))


@pytest.mark.parametrize("tree", TREES)
def test_copies_stand_where_mujocos_stand(tree, tmp_path, device):
    compare(write(tmp_path, tree), device)


@pytest.mark.parametrize("tree", WRONG_TREES)
def test_copies_that_mujoco_refuses_are_refused(tree, tmp_path):
    refuse(write(tmp_path, tree))


@pytest.mark.parametrize(("tree", "rest"), ATTACHED)
def test_attached_models_have_mujocos_arrays(tree, rest, tmp_path, device):
    compare(with_kid(tmp_path, tree, rest), device)


@pytest.mark.parametrize(("tree", "rest"), WRONG_ATTACHED)
def test_attachments_that_mujoco_refuses_are_refused(tree, rest, tmp_path):
    refuse(with_kid(tmp_path, tree, rest))


def test_models_attach_models_in_other_folders(tmp_path, device):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "kid.xml").write_text(KID[: KID.index("<keyframe>")] + "</mujoco>")
    write(
        tmp_path / "deep",
        '<body name="arm"><joint/><geom/><attach model="kid" body="base" prefix="k_"/></body>',
        '<asset><model name="kid" file="kid.xml"/></asset>',
    )
    tree = '<attach model="arm" body="arm" prefix="l_"/><attach model="arm" prefix="r_"/>'
    compare(write(tmp_path, tree, '<asset><model name="arm" file="deep/model.xml"/></asset>', "top.xml"), device)


def test_a_model_that_attaches_itself_is_refused(tmp_path):
    path = write(tmp_path, '<attach model="me" prefix="a_"/>', '<asset><model name="me" file="model.xml"/></asset>')
    with pytest.raises(ImporterError, match="which is read already"):
        ModelBuilder().add_mjcf(str(path))


def test_too_many_copies_are_refused_before_they_are_made(tmp_path):
    inner = '<geom size=".1"/>'
    for _ in range(9):
        inner = f'<replicate count="1000">{inner}</replicate>'
    path = write(tmp_path, inner)
    with pytest.raises(ImporterError, match=r"element 'replicate': got copies of more than 200000 elements"):
        ModelBuilder().add_mjcf(str(path))


def test_the_most_copies_can_be_raised(tmp_path):
    path = write(tmp_path, '<replicate count="30"><geom size=".1"/></replicate>')
    with pytest.raises(ImporterError, match="max_elements"):
        ModelBuilder().add_mjcf(str(path), max_elements=20)
    builder = ModelBuilder()
    builder.add_mjcf(str(path), max_elements=40)
    assert builder.shape_count == 30


def test_conflicting_options_are_warned_of(tmp_path):
    path = with_kid(tmp_path, '<attach model="kid" body="base" prefix="p_"/>', "")
    with pytest.warns(UserWarning, match="option timestep"):
        ModelBuilder().add_mjcf(str(path))
