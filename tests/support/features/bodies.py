"""Joints, bodies, passive forces, tendons."""

from features.table import ARM, BALL, GROUND, Feature, model

_SPAN = "Joints and bodies"
_JOINTS = {
    "free": "<freejoint/>",
    "ball": "<joint type='ball' damping='.1' pos='0 .1 0'/>",
    "slide": "<joint type='slide' axis='1 0 1' damping='.1'/>",
    "hinge": "<joint type='hinge' axis='1 0 1' pos='.1 0 0'/>",
    "several in a body": "<joint axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint axis='0 0 1' pos='0 .1 0'/>",
    "stiffness, springref": "<joint axis='0 1 0' stiffness='3' springref='20'/>",
    "polynomial stiffness": "<joint axis='0 1 0' stiffness='3 2 5' springref='20'/>",
    "damping": "<joint axis='0 1 0' damping='.4'/>",
    "polynomial damping": "<joint axis='0 1 0' damping='.4 .2 .1'/>",
    "springdamper": "<joint axis='0 1 0' springdamper='.3 1.1'/>",
    "springyield (elasto-plastic)": "<joint axis='0 1 0' stiffness='3' springref='40' springyield='.5'/>",
    "armature": "<joint axis='0 1 0' armature='.2'/>",
    "frictionloss": "<joint axis='0 1 0' frictionloss='.3'/>",
    "limits of a hinge": "<joint axis='0 1 0' limited='true' range='-1 1' margin='1'/>",
    "limits of a slide": "<joint type='slide' axis='0 0 1' limited='true' range='-.001 .001' margin='.01'/>",
    "limits of a ball": "<joint type='ball' limited='true' range='0 1'/>",
    "ref": "<joint axis='0 1 0' ref='30' stiffness='2' springref='10'/>",
}


def _one(joint: str, **more: str) -> str:
    return model(f"<body name='b' pos='0 0 1' {more.pop('body', '')}>{joint}<geom type='box' size='.1 .2 .05' pos='.2 .05 0'/></body>", **more)


JOINTS = [Feature(_SPAN, name, _one(joint)) for name, joint in _JOINTS.items()]
JOINTS += [
    Feature(_SPAN, "gravcomp", _one("<joint axis='0 1 0'/>", body="gravcomp='.7'")),
    Feature(_SPAN, "mocap", model(f"<body mocap='true' pos='.6 .1 .2'><geom size='.05'/></body>{BALL}")),
    Feature(_SPAN, "inertial", model("<body pos='0 0 1'><joint axis='0 1 0'/><inertial pos='.1 0 .1' mass='2' fullinertia='1 2 2 .1 .2 .3'/></body>")),
    Feature(_SPAN, "keyframe", _one("<joint axis='0 1 0'/>", tail="<keyframe><key qpos='.4' qvel='2'/></keyframe>")),
    Feature(_SPAN, "replicate", model("<replicate count='3' offset='.5 0 0'><body pos='0 0 .1'><freejoint/><geom size='.1'/></body></replicate>" + GROUND)),
    Feature(
        _SPAN,
        "attach",
        model(
            "<body name='arm' pos='0 0 1'><joint axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body><frame pos='.5 0 0' euler='0 0 30'><attach body='arm' prefix='b_'/></frame>"
        ),
    ),
]

_FREE = "<body pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .05' {}/></body>"
PASSIVE = [
    Feature("Passive forces", "fluid: inertia box", model(_FREE.format(""), option="density='1.2' viscosity='.1' wind='1 2 0'")),
    Feature("Passive forces", "fluid: ellipsoid", model(_FREE.format("fluidshape='ellipsoid'"), option="density='1.2' viscosity='.1' wind='1 2 0'")),
    Feature("Passive forces", "spring, damper, gravity of a tree", model(ARM)),
]

_TENDON = "Tendons"
_SITES = "<site site='world'/><site site='elbow'/><site site='hand'/>"
_SPHERE = ARM.replace(
    '<site name="world"/>',
    '<site name="world" pos="-.2 0 1.3"/><geom name="wrap" type="sphere" size=".1" pos="0 0 1.2" contype="0" conaffinity="0"/><site name="side" pos="0 0 1.4"/><site name="inside" pos="0 0 1.2"/>',
)
_TENDONS = {
    "fixed": ("<fixed name='t' stiffness='3'><joint joint='shoulder' coef='.5'/><joint joint='elbow' coef='-1'/></fixed>", ARM),
    "spatial": (f"<spatial name='t' stiffness='30'>{_SITES}</spatial>", ARM),
    "pulley": (
        "<spatial name='t' stiffness='30'><site site='world'/><site site='elbow'/><pulley divisor='2'/><site site='elbow'/><site site='hand'/></spatial>",
        ARM,
    ),
    "wrap around a sphere": ("<spatial name='t' stiffness='30'><site site='world'/><geom geom='wrap'/><site site='elbow'/></spatial>", _SPHERE),
    "wrap with a side site": (
        "<spatial name='t' stiffness='30'><site site='world'/><geom geom='wrap' sidesite='side'/><site site='elbow'/></spatial>",
        _SPHERE,
    ),
    "inverse wrap (side site inside)": (
        "<spatial name='t' stiffness='30'><site site='world'/><geom geom='wrap' sidesite='inside'/><site site='elbow'/></spatial>",
        _SPHERE,
    ),
    "wrap around a cylinder": (
        "<spatial name='t' stiffness='30'><site site='world'/><geom geom='wrap' sidesite='side'/><site site='elbow'/></spatial>",
        _SPHERE.replace('type="sphere" size=".1"', 'type="cylinder" size=".1 .3" euler="90 0 0"'),
    ),
    "springlength dead band": (f"<spatial name='t' stiffness='30' springlength='.1 .2'>{_SITES}</spatial>", ARM),
    "damping": (f"<spatial name='t' damping='3'>{_SITES}</spatial>", ARM),
    "polynomial stiffness and damping": (f"<spatial name='t' stiffness='30 3 2' damping='3 1 1' springlength='.1'>{_SITES}</spatial>", ARM),
    "springyield (elasto-plastic)": (f"<spatial name='t' stiffness='30' springlength='.1' springyield='.5'>{_SITES}</spatial>", ARM),
    "frictionloss": (f"<spatial name='t' frictionloss='3'>{_SITES}</spatial>", ARM),
    "limits": (f"<spatial name='t' limited='true' range='0 .5'>{_SITES}</spatial>", ARM),
    "armature": (f"<spatial name='t' armature='.3'>{_SITES}</spatial>", ARM),
}
TENDONS = [Feature(_TENDON, name, model(world, tail=f"<tendon>{text}</tendon>")) for name, (text, world) in _TENDONS.items()]
TENDONS.append(
    Feature(
        _TENDON,
        "actuatorfrcrange",
        model(ARM, tail=f"<tendon><spatial name='t' actuatorfrcrange='-.5 .5'>{_SITES}</spatial></tendon><actuator><motor tendon='t' gear='9'/></actuator>"),
    )
)

FEATURES = [*JOINTS, *PASSIVE, *TENDONS]
