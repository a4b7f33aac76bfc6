"""Small models in which each attribute of the vocabulary is written once, and a value for it that must change what is compiled.

``HOSTS`` has a model for each kind of element; ``@`` is where the attribute goes. ``VALUES`` has the values that are not made by type, also
with words of the host that they need in their place.
"""

from __future__ import annotations

from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.schema import Attribute

TREE = """<worldbody><geom name="floor" type="plane" size="1 1 .1"/><site name="s3"/><body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/>
<geom name="g" type="ellipsoid" size=".1 .2 .3"/><site name="s" pos=".1 0 0"/><camera name="c"/>
<body name="b" pos="0 0 .5"><joint name="h2" type="slide"/><geom name="g2" type="box" size=".1 .1 .2"/><site name="s2" pos="0 .1 0"/>
<body name="d" pos="0 0 .5"><joint name="q" type="ball"/><geom name="g3" size=".1"/><site name="s4" pos="0 .1 0"/>
<body name="e" pos="0 0 .4"><joint name="q2" type="ball"/><geom name="g5" size=".1"/></body></body></body></body>
<body name="f" pos="3 0 0"><freejoint/><geom name="g4" size=".2"/></body></worldbody>"""
TETRA = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"'
SURFACE = f'{TETRA} face="0 2 1 0 1 3 0 3 2 1 2 3"'
ASSETS = f"""<asset><texture name="tex" type="2d" builtin="flat" width="2" height="2"/><texture name="tex2" builtin="flat" width="2"/><material name="mat" rgba="1 0 0 1"/><mesh name="m" {SURFACE}/>
<mesh name="m2" {SURFACE} scale="2 1 1"/><hfield name="hf" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 0 0"/></asset>"""
CLASSES = """<default><default class="k"><geom size=".4" type="sphere" friction=".3"/><site size=".4"/><joint damping=".7"/><camera fovy="33"/><light pos="0 0 7"/>
<mesh scale="3 1 1"/><pair margin=".3"/><equality solref=".1 1"/><tendon stiffness="7"/><material rgba="0 1 0 1"/><texture rgb1="1 0 0"/>
<general gear="7"/><motor gear="7"/><position kp="7"/></default></default>"""
TENDONS = """<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed><fixed name="t2"><joint joint="h2" coef="2"/></fixed></tendon>"""
ACTUATORS = """<actuator><motor name="u" joint="h"/><motor name="u2" joint="h2"/></actuator>"""


def scene(section: str, *others: str) -> str:
    """A model with the usual bodies, assets and classes."""
    return "".join(("<mujoco>", CLASSES, ASSETS, TREE, *others, section, "</mujoco>"))


def in_body(element: str) -> str:
    """A model with an element in a body of its own."""
    return scene(f'<worldbody><body name="x" pos="0 3 1"><joint name="hx"/><geom name="gx" size=".1"/>{element}</body></worldbody>')


def driven(element: str) -> str:
    return scene(f"<actuator>{element}</actuator>", TENDONS)


def sensed(element: str) -> str:
    return scene(f"<sensor>{element}</sensor>", TENDONS, ACTUATORS)


def tied(element: str) -> str:
    return scene(f"<equality>{element}</equality>", TENDONS)


HOSTS: dict[str, str] = {
    "mujoco": f"<mujoco @>{TREE}</mujoco>",
    "compiler": scene("<compiler @/>"),
    "lengthrange": scene("<compiler><lengthrange @/></compiler>"),
    "option": scene("<option @/>"),
    "flag": scene("<option><flag @/></option>"),
    "size": scene("<size @/>"),
    "statistic": scene("<statistic @/>"),
    "global": scene("<visual><global @/></visual>"), "quality": scene("<visual><quality @/></visual>"),
    "headlight": scene("<visual><headlight @/></visual>"), "map": scene("<visual><map @/></visual>"),
    "scale": scene("<visual><scale @/></visual>"), "rgba": scene("<visual><rgba @/></visual>"),
    "default": '<mujoco><default><default class="k"><geom size=".4"/></default></default><worldbody><geom class="k"/></worldbody></mujoco>',
    "default_equality": scene("<equality><joint joint1='h' joint2='h2'/></equality>").replace("<default>", "<default><equality @/>"),
    "default_tendon": scene(TENDONS).replace("<default>", "<default><tendon @/>"),
    "mesh": scene(f'<asset><mesh name="x" {SURFACE} @/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="x"/></body></worldbody>'),
    "hfield": scene('<asset><hfield name="x" nrow="2" ncol="3" size="1 1 1 1" elevation="0 1 0 0 1 0" @/></asset><worldbody><geom type="hfield" hfield="x"/></worldbody>'),
    "skin": scene('<asset><skin name="x" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2" @><bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></asset>'),
    "bone": scene('<asset><skin name="x" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/><bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1" vertweight="1 1" @/></skin></asset>'),
    "texture": scene('<asset><texture name="x" builtin="checker" type="2d" width="4" height="4" @/></asset>'),
    "material": scene('<asset><material name="x" @/></asset><worldbody><geom size=".1" material="x"/></worldbody>'),
    "layer": scene('<asset><material name="x"><layer texture="tex" role="rgb" @/></material></asset>'),
    "body": scene('<worldbody><body name="x" pos="0 3 1" @><joint name="hx"/><geom name="gx" size=".1"/></body></worldbody>'),
    "frame": scene('<worldbody><frame name="x" @><geom size=".1"/></frame></worldbody>'),
    "replicate": scene('<worldbody><replicate count="2" offset="1 0 0" @><geom name="r" size=".1"/></replicate></worldbody>'),
    "inertial": scene('<worldbody><body pos="0 3 1"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5" @/></body></worldbody>'),
    "joint": scene('<worldbody><body pos="0 3 1"><joint name="x" @/><geom size=".1" pos=".3 .2 0"/></body></worldbody>'),
    "freejoint": scene('<worldbody><body pos="0 3 1"><freejoint name="x" @/><geom size=".1" pos=".3 .2 0"/></body></worldbody>'),
    "geom": in_body('<geom name="x" type="ellipsoid" size=".1 .2 .3" @/>'),
    "site": in_body('<site name="x" type="ellipsoid" size=".1 .2 .3" @/>'),
    "camera": in_body('<camera name="x" @/>'), "light": in_body('<light name="x" @/>'),
    "pair": scene('<contact><pair geom1="g" geom2="g4" @/></contact>'), "exclude": scene('<contact><exclude body1="a" body2="f" @/></contact>'),
    "spatial": scene('<tendon><spatial name="x" @><site site="s"/><site site="s2"/></spatial></tendon>'),
    "fixed": scene('<tendon><fixed name="x" @><joint joint="h" coef="1"/></fixed></tendon>'),
    "wrap_site": scene('<tendon><spatial><site site="s"/><site site="s2" @/></spatial></tendon>'),
    "wrap_geom": scene('<tendon><spatial><site site="s3"/><geom geom="g3" @/><site site="s"/></spatial></tendon>'),
    "pulley": scene('<tendon><spatial><site site="s"/><site site="s2"/><pulley divisor="2" @/><site site="s"/><site site="s2"/></spatial></tendon>'),
    "wrap_joint": scene('<tendon><fixed><joint joint="h" coef="1" @/></fixed></tendon>'),
    "connect": tied('<connect body1="a" anchor=".1 .2 .3" @/>'), "weld": tied('<weld body1="a" @/>'),
    "eq_joint": tied('<joint joint1="h" @/>'), "eq_tendon": tied('<tendon tendon1="t" @/>'),
    "general": driven('<general joint="h" @/>'), "motor": driven('<motor joint="h" @/>'), "position": driven('<position joint="h" @/>'),
    "velocity": driven('<velocity joint="h" @/>'), "intvelocity": driven('<intvelocity joint="h" actrange="-1 1" @/>'),
    "orientation": driven('<orientation joint="q" kp="2" @/>'), "pid": driven('<pid joint="h" kp="3" ki="1" @/>'),
    "damper": driven('<damper joint="h" ctrlrange="0 1" @/>'), "cylinder": driven('<cylinder joint="h" @/>'),
    "muscle": driven('<muscle joint="h" lengthrange="0 1" @/>'), "adhesion": driven('<adhesion body="a" ctrlrange="0 1" @/>'),
    "dcmotor": driven('<dcmotor joint="h" motorconst=".5" resistance="2" @/>'),
    **{k: sensed(f'<{k} site="s" @/>') for k in ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")},
    **{k: sensed(f'<{k} joint="h" @/>') for k in ("jointpos", "jointvel", "jointactuatorfrc", "jointlimitpos", "jointlimitvel", "jointlimitfrc")},
    **{k: sensed(f'<{k} joint="q" @/>') for k in ("ballquat", "ballangvel")},
    **{k: sensed(f'<{k} tendon="t" @/>') for k in ("tendonpos", "tendonvel", "tendonactuatorfrc", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc")},
    **{k: sensed(f'<{k} actuator="u" @/>') for k in ("actuatorpos", "actuatorvel", "actuatorfrc")},
    **{k: sensed(f'<{k} objtype="body" objname="a" @/>') for k in (
        "framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc")},
    **{k: sensed(f'<{k} body="a" @/>') for k in ("subtreecom", "subtreelinvel", "subtreeangmom")},
    "camprojection": sensed('<camprojection site="s" camera="c" @/>').replace('<camera name="c"', '<camera name="c2" resolution="4 4"/><camera name="c" resolution="2 2"'),
    "rangefinder": sensed('<rangefinder site="s" @/>'), "insidesite": sensed('<insidesite site="s" objtype="body" objname="b" @/>'),
    "pairsense": sensed('<distance geom1="g" geom2="g4" cutoff="1" @/>'), "sensor_contact": sensed("<contact @/>"), "bare": sensed("<clock @/>"),
    "tactile": scene('<asset><mesh name="grid" builtin="sphere" params="1"/></asset><worldbody><body pos="0 5 0"><geom name="skin" type="mesh" mesh="grid"/><geom name="skin2" type="mesh" mesh="grid"/></body></worldbody><sensor><tactile geom="skin" mesh="grid" @/></sensor>'),
    "sensor_user": sensed('<user dim="2" @/>'),
    "numeric": scene('<custom><numeric name="x" size="3" data="1 2" @/></custom>'), "text": scene('<custom><text name="x" data="y" @/></custom>'),
    "tuple": scene('<custom><tuple name="x" @><element objtype="body" objname="a"/></tuple></custom>'),
    "tuple_element": scene('<custom><tuple name="x"><element objtype="body" objname="a" @/></tuple></custom>'),
    "key": scene('<keyframe><key name="x" @/></keyframe>', ACTUATORS.replace("</actuator>", '<general joint="h" dyntype="integrator"/></actuator>')).replace('<body name="f"', '<body name="mo" mocap="true"/><body name="f"'),
}  # fmt: skip

NUMBERS = (0.11, 0.23, 0.31, 0.42, 0.53, 0.61, 0.72, 0.83, 0.91, 0.97)


def plain_value(attribute: Attribute) -> str | None:
    """A value of the attribute's type that is not its default; None for text."""
    kind = attribute.type
    if kind == "s":
        return "renamed" if attribute.name == "name" else None
    if kind == "b":
        return "false" if attribute.default == "true" else "true"
    if kind in "fi":
        count = attribute.most or max(attribute.least, 1)
        return " ".join(str(n) for n in (NUMBERS[:count] if kind == "f" else range(3, 3 + count)))
    words = KEYWORDS[kind.lstrip("+")].split()
    return next((word for word in words if word != (attribute.default or words[0])), words[0])


FRAME = 'objtype="body" objname="a"'
SITES = '-joint cranksite="s" slidersite="s3" cranklength=".3"'
HIST = 'nsample="3"'
VALUES: dict[tuple[str, str], str] = {
    ("*", "class"): "k",
    ("*", "childclass"): "k",
    ("*", "site"): "s2",
    ("*", "actuator"): "u2",
    ("*", "joint"): "h2",
    ("*", "tendon"): "t2",
    ("*", "objtype"): 'objtype="geom" objname="g"',
    ("*", "objname"): "b",
    ("*", "reftype"): 'reftype="body" refname="b"',
    ("*", "refname"): 'reftype="body" refname="d"',
    ("*", "body"): "b",
    ("*", "body1"): "b",
    ("*", "body2"): "b",
    ("*", "geom1"): "g2",
    ("*", "geom2"): "g3",
    ("*", "geom"): "g2",
    ("*", "mesh"): "m2",
    ("*", "material"): "mat",
    ("*", "texture"): "tex",
    ("*", "target"): "d",
    ("*", "interp"): f'{HIST}||interp="linear"',
    ("*", "delay"): f'{HIST}||delay=".01"',
    ("*", "interval"): ".2 -.1",
    ("*", "sidesite"): "s4",
    ("*", "quat"): "1 2 3 4",
    ("*", "zaxis"): "1 2 3",
    ("*", "xyaxes"): "0 1 0 -1 0 0",
    ("*", "euler"): "10 20 30",
    ("*", "axisangle"): "1 2 3 50",
    ("*", "springyield"): 'stiffness="3"||springyield=".4"',
    ("*", "gear"): "3",
    ("*", "priority"): "3",
    ("*", "condim"): "4",
    ("*", "cone"): "elliptic",
    ("*", "solreflimit"): ".03 .9",
    ("*", "solimplimit"): ".8 .9 .01 .4 3",
    ("*", "solreffriction"): ".03 .9",
    ("*", "solimpfriction"): ".8 .9 .01 .4 3",
    ("*", "solref"): ".03 .9",
    ("*", "solimp"): ".8 .9 .01 .4 3",
    ("*", "tendon1"): "t2",
    ("*", "tendon2"): "t2",
    ("*", "joint1"): "h2",
    ("*", "joint2"): "h2",
    ("*", "camera"): "c2",
    ("ballquat", "joint"): "q2",
    ("ballangvel", "joint"): "q2",
    ("camprojection", "site"): "s2",
    ("sensor_user", "objtype"): FRAME,
    ("sensor_user", "objname"): FRAME,
    ("tuple_element", "objname"): "b",
    ("tuple_element", "objtype"): 'objtype="geom" objname="g"',
    ("insidesite", "site"): "s2",
    ("mujoco", "model"): "robot",
    ("text", "data"): "other",
    ("numeric", "size"): "4",
    ("replicate", "sep"): "-",
    ("inertial", "fullinertia"): '-diaginertia fullinertia="1 2 2.5 .1 .2 .3"',
    ("compiler", "eulerseq"): "",
    ("pulley", "divisor"): "3",
    ("general", "jointinparent"): '-joint jointinparent="q"',
    ("general", "actdim"): '-joint body="a" dyntype="user" actdim="1"||actdim="2"',
    ("rangefinder", "camera"): '-site camera="c"',
    ("sensor_contact", "site"): "s",
    ("sensor_contact", "subtree1"): "a",
    ("sensor_contact", "subtree2"): "a",
    ("pairsense", "body1"): '-geom1 body1="a"',
    ("pairsense", "body2"): '-geom2 body2="f"',
    ("sensor_contact", "reduce"): 'num="2"||reduce="mindist"',
    ("connect", "site1"): '-body1 -anchor site1="s" site2="s3"',
    ("connect", "site2"): '-body1 -anchor site1="s" site2="s2"',
    ("weld", "site1"): '-body1 site1="s" site2="s3"',
    ("weld", "site2"): '-body1 site1="s" site2="s2"',
    ("layer", "role"): "orm",
    ("geom", "surfacevel"): ".1 .2 .3",
    ("geom", "mesh"): '-type -size type="mesh" mesh="m"',
    ("geom", "hfield"): '-type -size type="hfield" hfield="hf"',
    ("site", "mesh"): '-type -size type="mesh" mesh="m"',
    ("geom", "fromto"): '-type -size type="capsule" size=".1" fromto="0 0 0 1 2 3"',
    ("site", "fromto"): '-type -size type="capsule" size=".1" fromto="0 0 0 1 2 3"',
    ("geom", "type"): "box",
    ("site", "type"): "box",
    ("geom", "fluidcoef"): 'fluidshape="ellipsoid"||fluidcoef="1 2 3 4 5"',
    ("geom", "group"): "3",
    ("camera", "focal"): 'sensorsize="1 1" focal="1 1"||focal="2 2"',
    ("camera", "focalpixel"): 'resolution="4 4" sensorsize="1 1" focal="1 1"||focalpixel="3 3"',
    ("camera", "principal"): 'sensorsize="1 1" focal="1 1"||principal=".1 .2"',
    ("camera", "sensorsize"): 'sensorsize="1 1" focal="1 1"',
    ("camera", "principalpixel"): 'resolution="4 4" sensorsize="1 1" focal="1 1"||principalpixel="1 1"',
    ("camera", "mode"): "track",
    ("camera", "fovy"): "33",
    ("mesh", "file"): "",
    ("mesh", "normal"): "",
    ("skin", "file"): "",
    ("mesh", "texcoord"): "0 0 1 0 0 1 1 1",
    ("mesh", "vertex"): "0 0 0 2 0 0 0 1 0 0 0 1",
    ("mesh", "face"): "0 2 1 0 1 3 0 3 2",
    ("mesh", "builtin"): "",
    ("mesh", "params"): "",
    ("mesh", "inertia"): "shell",
    ("mesh", "maxhullvert"): "8",
    ("mesh", "content_type"): "",
    ("hfield", "content_type"): "",
    ("hfield", "file"): "",
    ("hfield", "nrow"): '-elevation nrow="3"',
    ("hfield", "ncol"): '-elevation ncol="4"',
    ("hfield", "elevation"): "0 1 0 0 1 1",
    ("skin", "vertex"): "0 0 0 2 0 0 0 1 0",
    ("skin", "texcoord"): "0 0 1 0 0 1",
    ("skin", "face"): "0 2 1",
    ("skin", "group"): "3",
    ("bone", "vertid"): "0 2",
    ("bone", "vertweight"): "1 2",
    ("bone", "bindquat"): "0 1 0 0",
    ("bone", "body"): "d",
    ("key", "qpos"): "",
    ("key", "qvel"): "",
    ("key", "act"): "2",
    ("key", "mpos"): "1 2 3",
    ("key", "mquat"): "0 1 0 0",
    ("key", "ctrl"): "1 2 3",
    ("key", "plastic"): "",
    ("size", "nuserdata"): "3",
    ("flag", "sleep"): "enable",
    ("option", "actuatorgroupdisable"): "2",
    ("lengthrange", "interval"): "1.5",
    ("scale", "camera"): ".7",
    ("rgba", "joint"): "1 0 0 1",
    ("rgba", "actuator"): "1 0 0 1",
    ("rgba", "camera"): "1 0 0 1",
    ("default_equality", "active"): "false",
    ("light", "range"): "7",
    ("*", "limited"): 'range="-1 1"||limited="false"',
    ("*", "actuatorfrclimited"): 'actuatorfrcrange="-1 1"||actuatorfrclimited="false"',
    ("*", "actuatorfrcrange"): "-1 2",
    ("*", "range"): "-.5 .7",
    ("*", "ctrllimited"): 'ctrlrange="-1 1"||ctrllimited="false"',
    ("*", "forcelimited"): 'forcerange="-1 1"||forcelimited="false"',
    ("general", "actlimited"): 'dyntype="integrator" actrange="-1 1"||actlimited="false"',
    ("intvelocity", "actlimited"): "false",
    ("geom", "castshadow"): "false",
    ("texture", "type"): '-height type="cube"',
    ("geom", "fitscale"): '-type -size type="box" mesh="m"||fitscale=".5"',
    ("general", "tendon"): '-joint tendon="t"',
    ("general", "site"): '-joint site="s"',
    ("general", "body"): '-joint body="a"',
    ("general", "refsite"): '-joint site="s"||refsite="s2"',
    ("general", "slidersite"): f'{SITES}||slidersite="s2"',
    ("general", "cranksite"): f'{SITES}||cranksite="s2"',
    ("dcmotor", "controller"): 'input="pos"||controller="1 2 3"',
    ("body", "mocap"): "",
    ("site", "class"): '-size -type class="k"',
    ("layer", "texture"): "tex2",
    ("fixed", "springlength"): ".1 .2",
    ("spatial", "springlength"): ".1 .2",
    ("wrap_geom", "geom"): "g4",
    ("wrap_site", "site"): "s4",
}
"""(kind, attribute) -> the value, or attributes as they are written (``-name`` takes one of the host's away); before ``||`` stands what the host
needs as well. ``*`` is every kind. Empty values are made in ``OTHER_HOSTS`` or shown elsewhere."""

OFF = ["constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl", "warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp", "autoreset", "nativeccd", "island", "multiccd"]  # fmt: skip
VALUES |= {("flag", name): "disable" for name in OFF}


def _pair(text: str, before: str, after: str) -> tuple[str, str]:
    """A text with one part in two forms."""
    assert before in text, before
    return text, text.replace(before, after)


_MOCAP = '<mujoco><worldbody><body name="x" pos="0 3 1"><geom name="gx" size=".1"/></body></worldbody></mujoco>'
_PARTS = '<mujoco><compiler {}/><worldbody><body><freejoint/><geom size=".1" group="1" pos="1 0 0"/><body><geom size=".3" group="2" euler="0 0 1"/></body></body></worldbody></mujoco>'
_INERTIAL = '<mujoco><compiler {}/><worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size=".1"/></body></worldbody></mujoco>'
_IMPOSSIBLE = (
    '<mujoco><compiler balanceinertia="true" {}/><worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body></worldbody></mujoco>'
)
_TURNED = '<mujoco><compiler {}/><worldbody><body euler="20 30 40"><joint/><geom size=".1"/></body></worldbody></mujoco>'

OTHER_HOSTS: dict[tuple[str, str], tuple[str, str]] = {
    ("body", "mocap"): _pair(_MOCAP, 'pos="0 3 1"', 'pos="0 3 1" mocap="true"'),
    ("compiler", "eulerseq"): (_TURNED.format(""), _TURNED.format('eulerseq="zyx"')),
    ("compiler", "angle"): (_TURNED.format(""), _TURNED.format('angle="radian"')),
    ("compiler", "fusestatic"): (_PARTS.format(""), _PARTS.format('fusestatic="true"')),
    ("compiler", "boundmass"): (_PARTS.format(""), _PARTS.format('boundmass="1000"')),
    ("compiler", "alignfree"): (_PARTS.format("").replace("<body><geom", '<geom size=".2" pos="0 2 0"/><body><geom').replace("<body><geom size=\".3\" group=\"2\" euler=\"0 0 1\"/></body>", ""),
                                _PARTS.format('alignfree="true"').replace("<body><geom", '<geom size=".2" pos="0 2 0"/><body><geom').replace("<body><geom size=\".3\" group=\"2\" euler=\"0 0 1\"/></body>", "")),
    ("compiler", "inertiagrouprange"): (_PARTS.format(""), _PARTS.format('inertiagrouprange="1 2"').replace('group="2"', 'group="1"').replace('group="1" pos', 'group="1" pos')),
    ("compiler", "inertiafromgeom"): (_INERTIAL.format(""), _INERTIAL.format('inertiafromgeom="true"')),
    ("compiler", "balanceinertia"): (_IMPOSSIBLE.format("").replace('diaginertia="1 1 3"', 'diaginertia="1 1 1"'), _IMPOSSIBLE.format("")),
    ("body", "fuse"): (_PARTS.format('fusestatic="true"'), _PARTS.format('fusestatic="true"').replace("<body><geom", '<body fuse="false"><geom')),
    ("mesh", "builtin"): _pair('<mujoco><asset><mesh name="m" builtin="sphere" params="1"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', "sphere", "hemisphere"),
    ("mesh", "params"): _pair('<mujoco><asset><mesh name="m" builtin="sphere" params="1"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', 'params="1"', 'params="2"'),
    ("mesh", "name"): _pair(f'<mujoco><asset><mesh name="m" {SURFACE}/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', '="m"', '="n"'),
    ("material", "name"): _pair('<mujoco><asset><material name="m"/></asset><worldbody><geom size="1" material="m"/></worldbody></mujoco>', '="m"', '="n"'),
    ("default", "class"): (
        '<mujoco><default><geom size=".3"/><default class="k"><geom size=".4"/></default></default><worldbody><geom/></worldbody></mujoco>',
        '<mujoco><default><geom size=".3"/><default class="k"><geom size=".4"/></default></default><worldbody><geom class="k"/></worldbody></mujoco>'),
}  # fmt: skip
"""Models without and with an attribute, where the usual host does not do."""

ELSEWHERE: dict[tuple[str, str], str] = {
    ("mesh", "file"): "test_mjcf_shapes.py", ("mesh", "content_type"): "test_mjcf_pictures.py", ("skin", "file"): "test_mjcf_pictures.py",
    ("hfield", "file"): "test_mjcf_hfields.py", ("hfield", "content_type"): "test_mjcf_hfields.py",
    **{("texture", name): "test_mjcf_pictures.py" for name in (
        "file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback", "content_type", "gridsize", "gridlayout", "hflip", "vflip",
        "nchannel", "embed")},
    ("compiler", "meshdir"): "test_mjcf_shapes.py", ("compiler", "texturedir"): "test_mjcf_pictures.py", ("compiler", "assetdir"): "test_mjcf_shapes.py",
    ("compiler", "strippath"): "test_mjcf_limits.py", ("compiler", "coordinate"): "test_mjcf_errors.py: refused", ("compiler", "fitaabb"): "test_mjcf_shapes.py",
    ("compiler", "conflict"): "test_mjcf_compose.py", ("hfield", "name"): "names of heightfields stay in the file", ("frame", "name"): "only attach refers to it: test_mjcf_compose.py",
    ("default_tendon", "name"): "not allowed in default", ("default_tendon", "class"): "not allowed in default",
    **{("key", name): "test_mjcf_load.py" for name in ("qpos", "qvel", "plastic")}, **{(kind, "inheritrange"): "test_mjcf_servos.py" for kind in ("general", "position", "intvelocity", "pid")},
    **{("model", name): "test_mjcf_compose.py" for name in ("name", "file")},
    **{("attach", name): "test_mjcf_compose.py" for name in ("model", "body", "frame", "prefix")},
    **{pair: "test_mjcf_fields.py" for pair in (
        ("extension_plugin", "plugin"), ("instance", "name"), ("config", "key"), ("config", "value"), ("plugin_ref", "plugin"), ("plugin_ref", "instance"))},
}  # fmt: skip
"""Attributes whose effect is shown by another test: they need files."""
