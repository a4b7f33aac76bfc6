"""MuJoCo's enumerations, with MuJoCo's numbers and mujoco_warp's names."""

from enum import IntEnum, IntFlag


class JointType(IntEnum):
    FREE = 0
    BALL = 1
    SLIDE = 2
    HINGE = 3


class GeomType(IntEnum):
    PLANE = 0
    HFIELD = 1
    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7
    SDF = 8


class IntegratorType(IntEnum):
    EULER = 0
    RK4 = 1
    IMPLICIT = 2
    IMPLICITFAST = 3
    DISCRETE = 4


class ConeType(IntEnum):
    PYRAMIDAL = 0
    ELLIPTIC = 1


class SolverType(IntEnum):
    PGS = 0
    CG = 1
    NEWTON = 2


class TrnType(IntEnum):
    JOINT = 0
    JOINTINPARENT = 1
    SLIDERCRANK = 2
    TENDON = 3
    SITE = 4
    BODY = 5
    SO3 = 6


class DynType(IntEnum):
    NONE = 0
    INTEGRATOR = 1
    FILTER = 2
    FILTEREXACT = 3
    MUSCLE = 4
    DCMOTOR = 5
    PID = 6
    USER = 7


class GainType(IntEnum):
    FIXED = 0
    AFFINE = 1
    MUSCLE = 2
    DCMOTOR = 3
    SO3 = 4
    PID = 5
    USER = 6


class BiasType(IntEnum):
    NONE = 0
    AFFINE = 1
    MUSCLE = 2
    DCMOTOR = 3
    SO3 = 4
    USER = 5


class CtrlInput(IntEnum):
    """What the controls of a pid or dcmotor actuator are, in this order; bits."""

    POS = 1
    VEL = 2
    FF = 4
    VOLTAGE = 8
    NONE = 16


class CtrlChart(IntEnum):
    """How the controls of an SO3 servo give an orientation."""

    EXPMAP = 1
    QUAT = 2


class ForceLaw(IntEnum):
    """Which function computes an actuator's force and activation rates."""

    GAIN_BIAS = 0  # gain times control or activation, plus bias
    DCMOTOR = 1
    PID = 2
    SO3 = 3
    USER = 4  # functions of the caller's


class ConstraintType(IntEnum):
    EQUALITY = 0
    FRICTION_DOF = 1
    FRICTION_TENDON = 2
    LIMIT_JOINT = 3
    LIMIT_TENDON = 4
    CONTACT_FRICTIONLESS = 5
    CONTACT_PYRAMIDAL = 6
    CONTACT_ELLIPTIC = 7


class ConstraintState(IntEnum):
    SATISFIED = 0
    QUADRATIC = 1
    LINEARNEG = 2
    LINEARPOS = 3
    CONE = 4


class DisableBit(IntFlag):
    CONSTRAINT = 1
    EQUALITY = 2
    FRICTIONLOSS = 4
    LIMIT = 8
    CONTACT = 16
    SPRING = 32
    DAMPER = 64
    GRAVITY = 128
    CLAMPCTRL = 256
    WARMSTART = 512
    FILTERPARENT = 1024
    ACTUATION = 2048
    REFSAFE = 4096
    SENSOR = 8192
    MIDPHASE = 16384
    EULERDAMP = 32768
    AUTORESET = 65536
    NATIVECCD = 131072
    ISLAND = 262144
    MULTICCD = 524288


class EnableBit(IntFlag):
    OVERRIDE = 1
    ENERGY = 2
    FWDINV = 4
    INVDISCRETE = 8
    SLEEP = 16
    DIAGEXACT = 32
    IPC = 64
    SPECULATIVE = 128


class SleepPolicy(IntEnum):
    """Whether a kinematic tree may sleep; AUTO_NEVER and AUTO_ALLOWED are what AUTO becomes."""

    AUTO = 0
    AUTO_NEVER = 1
    AUTO_ALLOWED = 2
    NEVER = 3
    ALLOWED = 4
    INIT = 5


class SleepState(IntEnum):
    """Whether a body sleeps."""

    STATIC = -1
    ASLEEP = 0
    AWAKE = 1


class State(IntFlag):
    """Parts of a state, to be combined by ``|``; the order in a state vector is that of the bits."""

    TIME = 1
    QPOS = 2
    QVEL = 4
    ACT = 8
    HISTORY = 16
    WARMSTART = 32
    CTRL = 64
    QFRC_APPLIED = 128
    XFRC_APPLIED = 256
    EQ_ACTIVE = 512
    MOCAP_POS = 1024
    MOCAP_QUAT = 2048
    USERDATA = 4096
    PLUGIN = 8192
    PLASTIC = 16384
    PHYSICS = QPOS | QVEL | ACT | HISTORY | PLASTIC
    FULLPHYSICS = TIME | PHYSICS | PLUGIN
    USER = CTRL | QFRC_APPLIED | XFRC_APPLIED | EQ_ACTIVE | MOCAP_POS | MOCAP_QUAT | USERDATA
    INTEGRATION = FULLPHYSICS | USER | WARMSTART


class WarningType(IntEnum):
    """What ``warnings`` counts, in MuJoCo's order."""

    INERTIA = 0
    CONTACTFULL = 1
    CNSTRFULL = 2
    BADQPOS = 3
    BADQVEL = 4
    BADQACC = 5
    BADCTRL = 6


class SetConstGroup(IntFlag):
    """What ``set_const`` rederives."""

    NONE = 0
    FIXED = 1
    KIN0 = 2
    INERT0 = 4
    ALL = 7


class BroadphaseType(IntEnum):
    """How near pairs of geoms are found; the numbers are mujoco_warp's, whose two ways of sorting bounds are one here."""

    NXN = 0
    SAP_TILE = 1
    SAP_SEGMENTED = 2


class BroadphaseFilter(IntFlag):
    """Bounds that mujoco_warp compares before it looks for contacts; here contacts do not depend on them."""

    PLANE = 1
    SPHERE = 2
    AABB = 4
    OBB = 8


class DeterminismType(IntFlag):
    """What mujoco_warp repeats bit by bit on request; here everything is, always."""

    NONE = 0
    CONTACTS = 1
    CONSTRAINT = 2
    ATOMICS = 4
    ALL = 7


class Kink(IntFlag):
    """Why a step is not differentiable at a state, as ``transition`` and ``step_vjp`` tell for each world (docs/derivatives.md)."""

    NONE = 0
    CONTACT = 1 << 0
    """A contact begins or ends: its distance is that at which rows are made."""
    RELEASE = 1 << 1
    """The force of a limit, a contact or an edge of its friction pyramid begins or ends."""
    SLIP = 1 << 2
    """Friction of an elliptic cone reaches its border."""
    FRICTIONLOSS = 1 << 3
    """Dry friction of a joint or tendon reaches its bound."""
    LIMIT = 1 << 4
    """A limit of a joint or tendon begins or ends."""
    RANGE = 1 << 5
    """A control, an activation or a force of actuators is at an end of its range."""
    FEATURE = 1 << 6
    """A contact passes from one face, edge or vertex of a shape to another, or may be anywhere along them."""
    SPRING = 1 << 7
    """The spring of a tendon reaches an end of the lengths in which it rests."""


class OverflowType(IntFlag):
    """Which buffer of a world was too small; read from ``d.overflow``.

    Those of mujoco_warp, of which only ``NEFC``, ``BROADPHASE`` and ``NARROWPHASE`` can occur here, and ``HESSIAN``.
    """

    NONE = 0
    NEFC = 1 << 0
    NJMAX_NNZ = 1 << 1
    BROADPHASE = 1 << 2
    NARROWPHASE = 1 << 3
    CCD = 1 << 4
    HFIELD = 1 << 5
    CONTACT_MATCH = 1 << 6
    NVMAX = 1 << 7
    EPA_HORIZON = 1 << 8
    ITERATIONS = 1 << 9
    LS_ITERATIONS = 1 << 10
    TACTILE = 1 << 11
    ALL = (1 << 12) - 1
    HESSIAN = 1 << 12


class NonfiniteType(IntEnum):
    """What a step met that is not finite; read from ``d.nonfinite_origin``. What is named first here is told last."""

    NONE = 0
    QACC = 1  # of a dof
    QVEL = 2
    QPOS = 3
    ACT = 4
    EQUALITY = 5  # rows of an equality, of the friction of a dof ...
    FRICTION_DOF = 6
    FRICTION_TENDON = 7
    LIMIT_JOINT = 8
    LIMIT_TENDON = 9
    CONTACT = 10  # rows of a contact of a geom
    PAIR = 11
    GEOM = 12
    QFRC_APPLIED = 13
    XFRC_APPLIED = 14
    MOCAP_POS = 15
    MOCAP_QUAT = 16


class EqType(IntEnum):
    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3
    FLEX = 4
    FLEXVERT = 5
    FLEXSTRAIN = 6
    DISTANCE = 7


class JacobianType(IntEnum):
    DENSE = 0
    SPARSE = 1
    AUTO = 2


class ObjType(IntEnum):
    """Kinds of objects, as ``mjtObj``: those that sensors are attached to, and those that are drawn."""

    UNKNOWN = 0
    BODY = 1
    XBODY = 2
    JOINT = 3
    DOF = 4
    GEOM = 5
    SITE = 6
    CAMERA = 7
    LIGHT = 8
    MESH = 10
    SKIN = 11
    EQUALITY = 17
    TENDON = 18
    ACTUATOR = 19
    SENSOR = 20
    NUMERIC = 21
    TEXT = 22
    TUPLE = 23


class SensorType(IntEnum):
    TOUCH = 0
    ACCELEROMETER = 1
    VELOCIMETER = 2
    GYRO = 3
    FORCE = 4
    TORQUE = 5
    MAGNETOMETER = 6
    RANGEFINDER = 7
    CAMPROJECTION = 8
    JOINTPOS = 9
    JOINTVEL = 10
    TENDONPOS = 11
    TENDONVEL = 12
    ACTUATORPOS = 13
    ACTUATORVEL = 14
    ACTUATORFRC = 15
    JOINTACTFRC = 16
    TENDONACTFRC = 17
    BALLQUAT = 18
    BALLANGVEL = 19
    JOINTLIMITPOS = 20
    JOINTLIMITVEL = 21
    JOINTLIMITFRC = 22
    TENDONLIMITPOS = 23
    TENDONLIMITVEL = 24
    TENDONLIMITFRC = 25
    FRAMEPOS = 26
    FRAMEQUAT = 27
    FRAMEXAXIS = 28
    FRAMEYAXIS = 29
    FRAMEZAXIS = 30
    FRAMELINVEL = 31
    FRAMEANGVEL = 32
    FRAMELINACC = 33
    FRAMEANGACC = 34
    SUBTREECOM = 35
    SUBTREELINVEL = 36
    SUBTREEANGMOM = 37
    INSIDESITE = 38
    GEOMDIST = 39
    GEOMNORMAL = 40
    GEOMFROMTO = 41
    CONTACT = 42
    E_POTENTIAL = 43
    E_KINETIC = 44
    CLOCK = 45
    TACTILE = 46
    PLUGIN = 47
    USER = 48


class CamLightType(IntEnum):
    FIXED = 0
    TRACK = 1
    TRACKCOM = 2
    TARGETBODY = 3
    TARGETBODYCOM = 4


class DataType(IntEnum):
    """What the numbers of a sensor are; says how its cutoff acts."""

    REAL = 0
    POSITIVE = 1
    AXIS = 2
    QUATERNION = 3


class Stage(IntEnum):
    """Stage of a step after which a sensor can be evaluated."""

    NONE = 0
    POS = 1
    VEL = 2
    ACC = 3


class ConDataField(IntEnum):
    """Bits of what a contact sensor reports."""

    FOUND = 0
    FORCE = 1
    TORQUE = 2
    DIST = 3
    POS = 4
    NORMAL = 5
    TANGENT = 6
    LINVEL = 7
    ANGVEL = 8


class RayDataField(IntEnum):
    """Bits of what a rangefinder reports."""

    DIST = 0
    DIR = 1
    ORIGIN = 2
    POINT = 3
    NORMAL = 4
    DEPTH = 5


class WrapType(IntEnum):
    NONE = 0
    JOINT = 1
    PULLEY = 2
    SITE = 3
    SPHERE = 4
    CYLINDER = 5


GEOM_WRAPS = (WrapType.SPHERE, WrapType.CYLINDER)
"""What a tendon winds around."""
