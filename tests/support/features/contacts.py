"""Pairs of geoms, contact parameters, equality constraints."""

from features.table import ARM, BALL, GROUND, Feature, model

_PAIRS = "Contacts of two geoms"
_SHAPES = {
    "plane": 'type="plane" size="2 2 .1"',
    "hfield": 'type="hfield" hfield="hills"',
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".06 .1"',
    "ellipsoid": 'type="ellipsoid" size=".1 .08 .12"',
    "cylinder": 'type="cylinder" size=".08 .1"',
    "box": 'type="box" size=".1 .08 .09"',
    "mesh": 'type="mesh" mesh="tetra"',
}
_HILLS = '<hfield name="hills" nrow="5" ncol="5" size="1 1 .1 .1" elevation="0 0 1 0 0  0 1 2 1 0  1 2 3 2 1  0 1 2 1 0  0 0 1 0 0"/>'
_TETRA = '<mesh name="tetra" vertex="-.1 -.1 -.08  .1 -.1 -.08  0 .12 -.08  0 0 .1"/>'
_STATIC = ("plane", "hfield")
_TOP = {"plane": 0.0, "hfield": 0.1, "sphere": 0.1, "capsule": 0.16, "ellipsoid": 0.12, "cylinder": 0.1, "box": 0.09, "mesh": 0.06}
_UNDER = {"sphere": 0.1, "capsule": 0.15, "ellipsoid": 0.11, "cylinder": 0.12, "box": 0.12, "mesh": 0.11}


def _pair(first: str, second: str) -> str:
    """The first stands still; the second is pressed into it by two centimetres, tilted so that the nearest point is one.

    On a heightfield it has a margin of a nanometre, without which MuJoCo's depths of boxes and meshes there are too small.
    """
    assets = (_HILLS if "hfield" in (first, second) else "") + (_TETRA if "mesh" in (first, second) else "")
    margin = " margin='1e-9'" if first == "hfield" else ""
    height = round(_TOP[first] + _UNDER[second] - 0.02, 3)
    world = f"<geom {_SHAPES[first]} euler='0 0 15'/><body pos='.01 .02 {height}' euler='12 25 0'><freejoint/><geom {_SHAPES[second]}{margin}/></body>"
    return model(world, option="ccd_tolerance='1e-10'", head=f"<asset>{assets}</asset>" if assets else "")


GEOMS = [
    Feature(_PAIRS, f"{first} – {second}", _pair(first, second)) for i, first in enumerate(_SHAPES) for second in list(_SHAPES)[i:] if second not in _STATIC
]
_RING = "<extension><plugin plugin='mujoco.sdf.torus'><instance name='p'/></plugin></extension><asset><mesh name='m'><plugin instance='p'/></mesh></asset>"
_ON_MESH = "<geom type='sdf' mesh='tetra' pos='.58 .1 0'/>" + BALL
_LYING = "<body pos='0 0 -.01'><freejoint/><geom type='sdf' mesh='tetra'/></body>"
GEOMS += [
    Feature(_PAIRS, "sphere – sdf (plugin)", model("<geom type='sdf' mesh='m' pos='.14 .1 .05'><plugin instance='p'/></geom>" + BALL, head=_RING)),
    Feature(_PAIRS, "sphere – sdf (mesh)", model(_ON_MESH, head=f"<asset>{_TETRA}</asset>")),
    Feature(_PAIRS, "plane – sdf", model(GROUND + _LYING, head=f"<asset>{_TETRA}</asset>")),
    Feature(_PAIRS, "mesh – sdf", model("<geom type='mesh' mesh='tetra'/>" + _LYING, head=f"<asset>{_TETRA}</asset>")),
    Feature(_PAIRS, "hfield – sdf", model("<geom type='hfield' hfield='hills'/>" + _LYING, head=f"<asset>{_TETRA}{_HILLS}</asset>")),
]

_CONTACT = "Contact parameters"
_ON_GROUND = GROUND + BALL


def _ball(attributes: str) -> str:
    return _ON_GROUND.replace('name="ball" size=".1" friction=".8 .02 .001"', f'name="ball" size=".1" {attributes}')


def _contact(name: str, world: str, **more: str) -> Feature:
    return Feature(_CONTACT, name, model(world, **more))


PARAMETERS = [
    *(
        _contact(f"condim {c}, {cone}", _ball(f"condim='{c}' friction='.8 .02 .001'"), option=f"cone='{cone}'")
        for cone in ("pyramidal", "elliptic")
        for c in (1, 3, 4, 6)
    ),
    _contact("impratio", _ball("condim='6'"), option="cone='elliptic' impratio='10'"),
    _contact("solref: time constant, damping ratio", _ball("solref='.03 .9'")),
    _contact("solref: stiffness, damping", _ball("solref='-800 -30'")),
    _contact("solimp: five numbers", _ball("solimp='.6 .95 .02 .3 3'")),
    _contact("margin", _ball("margin='.02'")),
    _contact("gap", _ball("margin='.02' gap='.005'")),
    _contact("priority, solmix", _ball("priority='1' solmix='3' friction='.3'")),
    _contact("contype, conaffinity", _ball("contype='2' conaffinity='1'")),
    _contact("adhesion", _ball("adhesion='5' margin='.02'")),
    _contact("surfacevel", _ON_GROUND.replace('type="plane"', 'type="plane" surfacevel="1 0 0 0 0 .5"')),
    _contact(
        "pair: own parameters",
        _ON_GROUND,
        tail="<contact><pair geom1='ground' geom2='ball' condim='6' friction='.8 .5 .01 .002 .001' solref='.03 1' solreffriction='.05 1' solimp='.8 .9 .01' margin='.01' gap='.002'/></contact>",
    ),
    _contact("pair: adhesion", _ON_GROUND, tail="<contact><pair geom1='ground' geom2='ball' adhesion='4'/></contact>"),
    _contact("exclude", ARM + BALL, tail="<contact><exclude body1='upper' body2='ball'/></contact>"),
    _contact("override", _ON_GROUND, option="o_margin='.01' o_solref='.04 1' o_solimp='.5 .9 .01 .5 2' o_friction='.5 .5 .01 .01 .01'|override='enable'"),
    _contact("speculative", _ON_GROUND, option="|speculative='enable'"),
]

_TWO = (
    "<body name='a' pos='0 0 1'><freejoint/><geom size='.1' contype='0' conaffinity='0'/><site name='a' pos='.1 0 0' euler='10 0 0'/></body>"
    "<body name='b' pos='.3 0 1'><freejoint/><geom type='box' size='.1 .1 .05' contype='0' conaffinity='0'/><site name='b' pos='-.1 0 0'/></body>"
)
_TWO_TENDONS = "<tendon><fixed name='t'><joint joint='shoulder' coef='1'/></fixed><fixed name='u'><joint joint='elbow' coef='.5'/></fixed></tendon>"
_EQUALITIES = {
    "connect (bodies)": (_TWO, "<connect body1='a' body2='b' anchor='.1 0 0'/>", ""),
    "connect (sites)": (_TWO, "<connect site1='a' site2='b'/>", ""),
    "weld (bodies, relpose)": (_TWO, "<weld body1='a' body2='b' relpose='.2 .1 0 1 .1 0 0' torquescale='.5'/>", ""),
    "weld (sites, torquescale)": (_TWO, "<weld site1='a' site2='b' torquescale='2'/>", ""),
    "joint (polynomial)": (ARM, "<joint joint1='shoulder' joint2='elbow' polycoef='.1 .5 .2 .1 .05'/>", ""),
    "tendon (polynomial)": (ARM, "<tendon tendon1='t' tendon2='u' polycoef='.1 .5 .2 .1 .05'/>", _TWO_TENDONS),
    "one joint": (ARM, "<joint joint1='shoulder' polycoef='.2'/>", ""),
    "active='false'": (_TWO, "<weld body1='a' body2='b' active='false'/>", ""),
}
EQUALITIES = [
    Feature("Equality constraints", name, model(world, tail=f"{more}<equality>{text}</equality>")) for name, (world, text, more) in _EQUALITIES.items()
]

FEATURES = [*GEOMS, *PARAMETERS, *EQUALITIES]
