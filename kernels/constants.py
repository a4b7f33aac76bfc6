"""Numbers of MuJoCo's enumerations and a threshold of its arithmetic, as constants of kernels."""

import warp as wp

from newtonish.common import constants
from newtonish.common.enums import (
    ConeType,
    ConstraintState,
    ConstraintType,
    DisableBit,
    EqType,
    GeomType,
    JointType,
    ObjType,
    OverflowType,
    TrnType,
)

# types of geoms
PLANE = wp.constant(int(GeomType.PLANE))
HFIELD = wp.constant(int(GeomType.HFIELD))
SPHERE = wp.constant(int(GeomType.SPHERE))
CAPSULE = wp.constant(int(GeomType.CAPSULE))
ELLIPSOID = wp.constant(int(GeomType.ELLIPSOID))
CYLINDER = wp.constant(int(GeomType.CYLINDER))
BOX = wp.constant(int(GeomType.BOX))
MESH = wp.constant(int(GeomType.MESH))
SDF = wp.constant(int(GeomType.SDF))

# kinds of objects
BODY = wp.constant(int(ObjType.BODY))
XBODY = wp.constant(int(ObjType.XBODY))
GEOM = wp.constant(int(ObjType.GEOM))
SITE = wp.constant(int(ObjType.SITE))
CAMERA = wp.constant(int(ObjType.CAMERA))

# types of joints
BALL = wp.constant(int(JointType.BALL))

# what actuators act on
ON_TENDON = wp.constant(int(TrnType.TENDON))

# types of equality constraints
CONNECT = wp.constant(int(EqType.CONNECT))
WELD = wp.constant(int(EqType.WELD))

# states of constraint rows
QUADRATIC = wp.constant(int(ConstraintState.QUADRATIC))

# kinds of constraint rows
EQUALITY = wp.constant(int(ConstraintType.EQUALITY))
FRICTION_DOF = wp.constant(int(ConstraintType.FRICTION_DOF))
FRICTION_TENDON = wp.constant(int(ConstraintType.FRICTION_TENDON))
LIMIT_JOINT = wp.constant(int(ConstraintType.LIMIT_JOINT))
LIMIT_TENDON = wp.constant(int(ConstraintType.LIMIT_TENDON))
CONTACT_PYRAMIDAL = wp.constant(int(ConstraintType.CONTACT_PYRAMIDAL))
CONTACT_ELLIPTIC = wp.constant(int(ConstraintType.CONTACT_ELLIPTIC))

# options and flags
ELLIPTIC = wp.constant(int(ConeType.ELLIPTIC))
WARMSTART = wp.constant(int(DisableBit.WARMSTART))
DISABLED = wp.constant(int(DisableBit.CONTACT | DisableBit.CONSTRAINT))
PASSIVE = wp.constant(int(DisableBit.SPRING | DisableBit.DAMPER))
NARROWPHASE = wp.constant(int(OverflowType.NARROWPHASE))

# smallest denominator; components of a ray's direction below it never meet a face
MINVAL = wp.constant(constants.MINVAL)
# inertia from which on a dof counts as held
IMMOVABLE = wp.constant(constants.IMMOVABLE)
