"""Transmissions, gains, biases, activations, limits and shortcuts of actuators."""

from features.table import ARM, BALL, GROUND, Feature, model

_CRANK = (
    "<body pos='0 0 1'><joint name='crank' axis='0 1 0'/><geom size='.05' pos='.1 0 0'/><site name='crank' pos='.1 0 0'/></body>"
    "<site name='slider' pos='.4 0 1' zaxis='-1 0 0'/>"
)
_BALLJOINT = (
    "<body pos='0 0 1'><joint name='socket' type='ball' damping='.1'/><geom type='box' size='.1 .05 .2' pos='0 0 -.2'/><site name='tip' pos='0 0 -.4'/></body>"
)
_FIXED = "<tendon><fixed name='t'><joint joint='shoulder' coef='.5'/><joint joint='elbow' coef='-1'/></fixed></tendon>"


def _feature(group: str, name: str, actuator: str, world: str = ARM, tail: str = "", option: str = "") -> Feature:
    return Feature(group, name, model(world, option=option, tail=f"{tail}<actuator>{actuator}</actuator>"))


def _on(attributes: str, kind: str = "general") -> str:
    return f"<{kind} joint='shoulder' {attributes}/>"


_TRN = "Transmissions"
TRANSMISSIONS = [
    _feature(_TRN, "joint", _on("gear='3'")),
    _feature(_TRN, "joint of type ball", "<general joint='socket' gear='1 2 3'/>", _BALLJOINT),
    _feature(_TRN, "jointinparent", "<general jointinparent='socket' gear='1 2 3'/>", _BALLJOINT),
    _feature(_TRN, "tendon", "<general tendon='t' gear='2'/>", tail=_FIXED),
    _feature(_TRN, "site", "<general site='hand' gear='1 2 3 .1 .2 .3'/>"),
    _feature(_TRN, "site with refsite", "<general site='hand' refsite='elbow' gear='1 2 3 .1 .2 .3'/>"),
    _feature(_TRN, "body (adhesion)", "<adhesion body='ball' ctrlrange='0 1' gain='5'/>", GROUND + BALL),
    _feature(_TRN, "slider-crank", "<general cranksite='crank' slidersite='slider' cranklength='.35'/>", _CRANK),
    _feature(_TRN, "so3 (orientation)", "<orientation joint='socket' kp='3' kv='.1'/>", _BALLJOINT),
]
_KIND = "Gains, biases and activations"
KINDS = [
    _feature(_KIND, "gain fixed, bias none", _on("gainprm='3'")),
    _feature(_KIND, "gain affine, bias affine", _on("gaintype='affine' gainprm='3 .2 .1' biastype='affine' biasprm='.1 -2 -.3'")),
    _feature(_KIND, "dynamics integrator", _on("dyntype='integrator' actlimited='true' actrange='-1 1'")),
    _feature(_KIND, "dynamics filter", _on("dyntype='filter' dynprm='.1'")),
    _feature(_KIND, "dynamics filterexact", _on("dyntype='filterexact' dynprm='.1'")),
    _feature(_KIND, "dynamics filterexact, actearly", _on("dyntype='filterexact' dynprm='.1' actearly='true'")),
    _feature(_KIND, "muscle", "<muscle joint='shoulder' ctrllimited='true' ctrlrange='0 1' lengthrange='-1 1' force='20'/>"),
    _feature(_KIND, "muscle without lengthrange", "<muscle joint='shoulder' ctrllimited='true' ctrlrange='0 1' force='20'/>"),
    _feature(_KIND, "dcmotor", "<dcmotor joint='shoulder' motorconst='.05' resistance='2'/>"),
    _feature(_KIND, "pid", "<pid joint='shoulder' kp='5' ki='1' kv='.2'/>"),
]
_LIMIT = "Limits and options of actuators"
LIMITS = [
    _feature(_LIMIT, "ctrlrange", _on("ctrllimited='true' ctrlrange='-.2 .2'")),
    _feature(_LIMIT, "forcerange", _on("gear='5' forcelimited='true' forcerange='-.2 .2'")),
    _feature(
        _LIMIT, "joint actuatorfrcrange", _on("gear='5'"), ARM.replace('name="shoulder"', 'name="shoulder" actuatorfrclimited="true" actuatorfrcrange="-.2 .2"')
    ),
    _feature(
        _LIMIT,
        "joint actuatorgravcomp",
        _on(""),
        ARM.replace('name="shoulder"', 'name="shoulder" actuatorgravcomp="true"').replace('name="upper" pos', 'name="upper" gravcomp="1" pos', 1),
    ),
    _feature(_LIMIT, "damping and armature", _on("damping='.3' armature='.1'")),
    _feature(_LIMIT, "actuatorgroupdisable", _on("group='2'"), option="actuatorgroupdisable='2'"),
    _feature(_LIMIT, "delay", _on("delay='.006' nsample='4'")),
]
_SHORT = "Shortcuts of actuators"
SHORTCUTS = [
    _feature(_SHORT, "motor", _on("gear='2'", "motor")),
    _feature(_SHORT, "position", _on("kp='5' dampratio='1'", "position")),
    _feature(_SHORT, "position with timeconst", _on("kp='5' timeconst='.1'", "position")),
    _feature(_SHORT, "velocity", _on("kv='.4'", "velocity")),
    _feature(_SHORT, "intvelocity", _on("kp='4' actrange='-1 1'", "intvelocity")),
    _feature(_SHORT, "damper", _on("kv='.4' ctrlrange='0 1'", "damper")),
    _feature(_SHORT, "cylinder", _on("timeconst='.2' area='.1'", "cylinder")),
]
FEATURES = [*TRANSMISSIONS, *KINDS, *LIMITS, *SHORTCUTS]
