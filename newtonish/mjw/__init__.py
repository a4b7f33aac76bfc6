"""The array-level interface: MuJoCo's arrays with the world axis first, under mujoco_warp's names.

``m = put_model(mj_model)`` or ``m, d = load(path, nworld=1024)``; ``d = make_data(m, nworld=1024)``; ``step(m, d)``.
Stage functions launch one stage on every world; ``step`` and ``forward`` run fused kernels, recorded and replayed.
"""

from newtonish.kernels.collision.driver import collision
from newtonish.kernels.constraint.assemble import make_constraint
from newtonish.kernels.enums import (
    BiasType,
    ConeType,
    ConstraintState,
    ConstraintType,
    DisableBit,
    DynType,
    EnableBit,
    GainType,
    GeomType,
    IntegratorType,
    JointType,
    OverflowType,
    SolverType,
    TrnType,
)
from newtonish.kernels.forces.acceleration import fwd_acceleration
from newtonish.kernels.forces.actuation import fwd_actuation
from newtonish.kernels.forces.applied import xfrc_accumulate
from newtonish.kernels.forces.passive import passive
from newtonish.kernels.forces.transmission import transmission
from newtonish.kernels.integrate.euler import euler
from newtonish.kernels.integrate.implicit import implicit
from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.crb import crb
from newtonish.kernels.smooth.factor import factor_m
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.smooth.rne import rne
from newtonish.kernels.smooth.solve_m import mul_m, solve_m
from newtonish.kernels.solver.newton import solve
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.tendon.fixed import tendon
from newtonish.mjw.data import get_data_into, make_data, put_data, reset_data, reset_data_keyframe
from newtonish.mjw.load import load
from newtonish.mjw.pipeline import forward, step, step1, step2
from newtonish.mjw.put_model import put_model
from newtonish.mjw.replay import check_capacity, get_num_threads, set_num_threads

__all__ = [
    "BiasType",
    "ConeType",
    "ConstraintState",
    "ConstraintType",
    "Data",
    "DisableBit",
    "DynType",
    "EnableBit",
    "GainType",
    "GeomType",
    "IntegratorType",
    "JointType",
    "Model",
    "OverflowType",
    "SolverType",
    "TrnType",
    "check_capacity",
    "collision",
    "com_pos",
    "com_vel",
    "crb",
    "euler",
    "factor_m",
    "forward",
    "fwd_acceleration",
    "fwd_actuation",
    "get_data_into",
    "get_num_threads",
    "implicit",
    "kinematics",
    "load",
    "make_constraint",
    "make_data",
    "mul_m",
    "passive",
    "put_data",
    "put_model",
    "reset_data",
    "reset_data_keyframe",
    "rne",
    "set_num_threads",
    "solve",
    "solve_m",
    "step",
    "step1",
    "step2",
    "tendon",
    "transmission",
    "xfrc_accumulate",
]
