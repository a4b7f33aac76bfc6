"""Every sensor of MuJoCo 4.0."""

from features.table import ARM, BALL, GROUND, Feature, model

_WORLD = (
    GROUND
    + BALL
    + ARM
    + (
        '<camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 0 1"/><site name="zone" type="box" size=".5 .5 .5" pos="0 0 1"/>'
        '<body pos="-1 0 1"><joint name="socket" type="ball" limited="true" range="0 90"/><geom name="swing" size=".1" pos=".3 0 0"/></body>'
    )
)
_TAIL = (
    '<tendon><spatial name="t" limited="true" range="0 .5"><site site="world"/><site site="elbow"/><site site="hand"/></spatial></tendon>'
    '<actuator><motor name="m" joint="shoulder"/></actuator>'
)
_ON_SITE = ("accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "rangefinder")
_FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
_SENSORS = {
    "touch": '<touch site="ball"/>',
    **{name: f'<{name} site="hand"/>' for name in _ON_SITE},
    "rangefinder of a camera": '<rangefinder camera="eye" data="dist point normal"/>',
    "camprojection": '<camprojection site="hand" camera="eye"/>',
    **{name: f'<{name} joint="shoulder"/>' for name in ("jointpos", "jointvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "jointactuatorfrc")},
    **{name: f'<{name} tendon="t"/>' for name in ("tendonpos", "tendonvel", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc", "tendonactuatorfrc")},
    **{name: f'<{name} actuator="m"/>' for name in ("actuatorpos", "actuatorvel", "actuatorfrc")},
    **{name: f'<{name} joint="socket"/>' for name in ("ballquat", "ballangvel")},
    **{name: f'<{name} objtype="site" objname="hand"/>' for name in (*_FRAMES, "framelinacc", "frameangacc")},
    **{f"{name} with a frame of reference": f'<{name} objtype="site" objname="hand" reftype="body" refname="upper"/>' for name in _FRAMES},
    "frame of a camera": '<framepos objtype="camera" objname="eye"/><framequat objtype="camera" objname="eye"/>',
    **{name: f'<{name} body="upper"/>' for name in ("subtreecom", "subtreelinvel", "subtreeangmom")},
    "insidesite": '<insidesite site="zone" objtype="body" objname="lower"/>',
    "distance": '<distance geom1="ball" geom2="lower" cutoff="3"/>',
    "normal": '<normal geom1="ball" geom2="lower" cutoff="3"/>',
    "fromto": '<fromto geom1="ball" geom2="lower" cutoff="3"/>',
    "contact": '<contact geom1="ground" geom2="ball" data="found force dist pos normal" num="2" reduce="mindist"/>',
    "contact (net force)": '<contact body1="ball" data="found force torque pos" reduce="netforce"/>',
    "e_potential": "<e_potential/>",
    "e_kinetic": "<e_kinetic/>",
    "clock": "<clock/>",
    "user": '<user dim="3" objtype="site" objname="hand"/>',
    "cutoff": '<framelinvel objtype="site" objname="hand" cutoff=".01"/>',
    "delay and interval": '<jointpos joint="shoulder" delay=".004" nsample="4" interval=".004"/>',
}
_TOUCH_MESH = '<mesh name="pad" builtin="plate" params="4 3" scale=".2 .2 .1"/>'
FEATURES = [Feature("Sensors", name, model(_WORLD, option="magnetic='.1 .2 -.5'", tail=f"{_TAIL}<sensor>{text}</sensor>")) for name, text in _SENSORS.items()]
FEATURES.append(
    Feature(
        "Sensors",
        "tactile",
        model(
            '<geom name="ground" type="plane" size="5 5 .1"/><body name="pad" pos="0 0 .09" euler="4 3 0"><freejoint/>'
            '<geom type="box" size=".2 .2 .1"/><geom name="pad" type="mesh" mesh="pad" contype="0" conaffinity="0"/></body>',
            head=f"<asset>{_TOUCH_MESH}</asset>",
            tail='<sensor><tactile geom="pad" mesh="pad" cutoff=".5"/></sensor>',
        ),
    )
)
