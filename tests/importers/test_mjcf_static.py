"""``fusestatic`` and ``discardvisual`` leave the bodies, geoms and inertias that MuJoCo's compiler leaves."""

import mujoco
import pytest
from device_arrays import compare

from newtonish import ModelBuilder
from newtonish.errors import ImporterError

NESTED = """<body name="a" pos="1 0 0"><joint name="ja"/><geom name="a0" size=".1"/><site name="sa0"/>
 <body name="a1" pos="0 0 1" euler="30 0 0"><geom name="a10" size=".1"/><site name="sa1"/><camera name="c1"/><light name="l1" dir="0 1 0"/>
  <body name="a11" pos="0 1 0" euler="0 20 0"><joint name="j11"/><geom name="a110" size=".1 .1 .2" type="box"/></body>
  <geom name="a10b" size=".1 .2" type="capsule" pos="1 1 1" euler="1 2 3"/><frame euler="0 0 4"><geom name="f0" size=".1"/></frame>
  <body name="a12" pos="0 1 0"><geom name="a120" size=".1"/></body></body>
 <geom name="a0b" size=".2"/><site name="sa2"/><body name="a2"><joint name="j2"/><geom name="a20" size=".3"/></body></body>"""
TWO = """<body name="a" pos="1 0 0" {0}><joint name="ja"/><geom name="a0" size=".1"/>
 <body name="b" pos="0 .2 1" euler="10 20 30" {1}><geom name="b0" size=".1 .2 .3" type="box" {2}/><site name="s"/></body></body>
 <body name="q" pos="3 0 0"><joint name="jq"/><geom name="q0" size=".3"/></body>"""
PLAIN = TWO.format("", "", "")
PARENT = '<body name="a"><joint/>{}<body name="b" pos=".1 .2 .3" euler="10 20 30">{}</body></body>'
FULL = '<inertial mass="2" pos=".1 0 .1" fullinertia="1 1.2 1.3 .1 .2 .3"/>'
EGG = '<geom size=".3 .2 .1" type="ellipsoid" pos=".3 0 .1" euler="1 2 3"/>'
SEEN = 'contype="0" conaffinity="0"'

FUSED = {
    "nested bodies and frames": (NESTED, ""),
    "all static": (NESTED.replace('<joint name="ja"/>', ""), ""),
    "plain": (PLAIN, ""),
    "another site sensor": (PLAIN, "<sensor><gyro site='s'/></sensor>"),
    "named geom": (PLAIN, "<sensor><framepos objtype='geom' objname='b0'/></sensor>"),
    "exclude of the parent": (PLAIN, "<contact><exclude body1='a' body2='q'/></contact>"),
    "equal gravcomp": (TWO.format('gravcomp="1"', 'gravcomp="1"', ""), ""),
    "fuse auto": (TWO.format("", 'fuse="auto"', ""), ""),
    "a wind without a fluid": (PLAIN, "<option wind='1 0 0'/>"),
    "no mass in a fluid": (TWO.format("", "", 'mass="0"'), "<option density='2'/>"),
    "bounds": (PLAIN, "<compiler boundmass='50'/>"),
    "total mass": (PLAIN, "<compiler settotalmass='10'/>"),
    "from geoms": (PLAIN, "<compiler inertiafromgeom='true'/>"),
    "written and derived": (PARENT.format(FULL, EGG), ""),
    "derived and written": (PARENT.format(EGG, FULL), ""),
    "nothing and written": (PARENT.format("", FULL), ""),
    "derived and derived": (PARENT.format(EGG, EGG * 2), ""),
    "derived three times": (PARENT.format(EGG, EGG + "<body pos='.3 .4 .5' euler='3 5 7'>" + EGG + "</body>"), ""),
    "aligned": (PARENT.format(EGG, EGG).replace("<joint/>", "<freejoint/>"), "<compiler alignfree='true'/>"),
    "groups": (PARENT.format(EGG, EGG + '<geom size=".2" group="4"/>'), "<compiler inertiagrouprange='0 2'/>"),
    "mesh": (
        PARENT.format(EGG, '<geom type="mesh" mesh="m" pos="0 1 0"/>'),
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 2" scale=".2 .3 .1"/></asset>',
    ),
}  # fmt: skip
KEPT = {
    "force sensor": (PLAIN, "<sensor><force site='s'/></sensor>"),
    "torque sensor": (PLAIN, "<sensor><torque site='s'/></sensor>"),
    "frame sensor": (PLAIN, "<sensor><framepos objtype='xbody' objname='b'/></sensor>"),
    "subtree": (PLAIN, "<sensor><subtreecom body='b'/></sensor>"),
    "contact sensor": (PLAIN, "<sensor><contact subtree1='b'/></sensor>"),
    "exclude": (PLAIN, "<contact><exclude body1='b' body2='q'/></contact>"),
    "weld": (PLAIN, "<equality><weld body1='b'/></equality>"),
    "adhesion": (PLAIN, "<actuator><adhesion body='b' ctrlrange='0 1'/></actuator>"),
    "tuple": (PLAIN, "<custom><tuple name='t'><element objtype='body' objname='b'/></tuple></custom>"),
    "fuse false": (TWO.format("", 'fuse="false"', ""), ""),
    "other gravcomp": (TWO.format("", 'gravcomp="1"', ""), ""),
    "fluid": (PLAIN, "<option viscosity='1'/>"),
    "ellipsoid in a fluid": (TWO.format("", "", 'mass="0" fluidshape="ellipsoid"'), "<option density='1'/>"),
    "bounds from geoms": (PLAIN, "<compiler inertiafromgeom='true' boundmass='50'/>"),
    "inertia bound from geoms": (PLAIN, "<compiler inertiafromgeom='true' boundinertia='5'/>"),
}
SEEN_ONLY = {
    "inertia stays": (PARENT.format(f'<geom size=".1 .2 .3" type="box" {SEEN}/><geom size=".1"/>', EGG.replace("/>", SEEN + "/>")), ""),
    "all seen": (f'<body><joint/><geom size=".1" pos="1 2 3" {SEEN}/></body>', ""),
    "no mass": (f'<body><joint/><geom size=".1" mass="0" {SEEN}/><geom size=".2"/></body>', "<compiler inertiafromgeom='true'/>"),
    "named": (f'<body><joint/><geom size=".1" name="v" {SEEN}/><geom size=".2"/></body>', "<sensor><framepos objtype='geom' objname='v'/></sensor>"),
    "paired": (f'<body><joint/><geom size=".1" name="v" {SEEN}/></body><geom name="w" size="1"/>', "<contact><pair geom1='v' geom2='w'/></contact>"),
    "wrapped": (f'<body><joint/><geom size=".1" name="v" {SEEN}/><site name="s"/></body><site name="t" pos="1 1 1"/>',
                "<tendon><spatial><site site='s'/><geom geom='v'/><site site='t'/></spatial></tendon>"),
    "fluid shape": (f'<body><joint/><geom size=".1" fluidshape="ellipsoid" {SEEN}/></body>', "<option density='1'/>"),
    "of a material": (f'<body><joint/><geom size=".1" material="m"/><geom size=".1" material="n" {SEEN}/></body>',
                      "<asset><material name='m' rgba='1 0 0 1'/><material name='n' rgba='0 1 0 1'/></asset>"),
}  # fmt: skip


def written(tmp_path, body: str, rest: str, what: str) -> tuple:
    path = tmp_path / "model.xml"
    path.write_text(f'<mujoco><compiler {what}/>{rest}<worldbody><geom name="w0" type="plane" size="9 9 1"/>{body}</worldbody></mujoco>')
    return path, mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize("name", FUSED)
def test_static_bodies_become_part_of_their_parent(name, tmp_path, device):
    path, compiled = written(tmp_path, *FUSED[name], 'fusestatic="true"')
    assert not any(compiled.body(i).name in ("b", "a1", "a12") for i in range(compiled.nbody))
    compare(path, device)


@pytest.mark.parametrize("name", KEPT)
def test_a_static_body_that_matters_stays(name, tmp_path, device):
    path, compiled = written(tmp_path, *KEPT[name], 'fusestatic="true"')
    assert compiled.body("b").id
    compare(path, device)


@pytest.mark.parametrize("name", SEEN_ONLY)
@pytest.mark.parametrize("fuse", ["", ' fusestatic="true"'])
def test_geoms_that_are_only_seen_go(name, fuse, tmp_path, device):
    path, _ = written(tmp_path, *SEEN_ONLY[name], 'discardvisual="true"' + fuse)
    compare(path, device)


@pytest.mark.parametrize("models", [FUSED, KEPT])
def test_without_the_options_every_body_and_geom_stays(models, tmp_path, device):
    path, _ = written(tmp_path, *next(iter(models.values())), "")
    compare(path, device)


def test_inertia_that_geoms_alone_may_give_is_not_taken_with_them():
    text = (
        f'<mujoco><compiler discardvisual="true" inertiafromgeom="true"/><worldbody><body name="a"><joint/><geom size=".1" {SEEN}/></body></worldbody></mujoco>'
    )
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ImporterError, match=r"discardvisual, of geoms that weigh.*set inertiafromgeom to 'auto'"):
        ModelBuilder().add_mjcf(text)


@pytest.mark.parametrize(("geom", "fine"), [('contype="0" conaffinity="0"', True), ("", False), ('contype="0" conaffinity="0" fluidshape="ellipsoid"', False)])
def test_what_is_discarded_need_not_be_there(geom: str, fine: bool) -> None:
    """Visual meshes are often not shipped: MuJoCo asks for files of what stays only."""
    file = f"""<mujoco><compiler discardvisual="true"/><asset><mesh name="m" file="gone.stl"/><mesh name="unused" file="gone too.stl"/></asset>
      <worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size=".1"/><geom type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>"""
    builder = ModelBuilder()
    if fine:
        assert mujoco.MjModel.from_xml_string(file).ngeom == 1
        builder.add_mjcf(file)
        assert builder.shape_count == 1
        return
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(file)
    with pytest.raises(ImporterError, match=r"mesh 'm': .*gone\.stl") as caught:
        builder.add_mjcf(file)
    assert "unused" not in str(caught.value)
