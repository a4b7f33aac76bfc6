"""The array-level interface: MuJoCo's arrays with the world axis first, under mujoco_warp's names.

``m = put_model(mj_model)`` or ``m, d = load(path, nworld=1024)``; ``d = make_data(m, nworld=1024)``; ``step(m, d)``.
Stage functions launch one stage on every world; ``step`` and ``forward`` run fused kernels, recorded and replayed.
"""

from newtonish.kernels.collision.stage import collision
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
    ObjType,
    OverflowType,
    SensorType,
    SolverType,
    TrnType,
)
from newtonish.kernels.forces.acceleration import fwd_acceleration
from newtonish.kernels.forces.actuation import fwd_actuation
from newtonish.kernels.forces.applied import xfrc_accumulate
from newtonish.kernels.forces.fluid import fluid
from newtonish.kernels.forces.passive import passive
from newtonish.kernels.forces.transmission import transmission
from newtonish.kernels.fused.sensor import sensor_acc, sensor_pos, sensor_vel
from newtonish.kernels.integrate.euler import euler
from newtonish.kernels.integrate.implicit import implicit
from newtonish.kernels.sensor.energy import energy_pos, energy_vel
from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.crb import crb
from newtonish.kernels.smooth.factor import factor_m
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.smooth.rne import rne
from newtonish.kernels.smooth.rne_postconstraint import rne_postconstraint
from newtonish.kernels.smooth.solve_m import mul_m, solve_m
from newtonish.kernels.smooth.subtree_vel import subtree_vel
from newtonish.kernels.solver.cg import solve_cg
from newtonish.kernels.solver.newton import solve
from newtonish.kernels.solver.noslip import noslip
from newtonish.kernels.solver.pgs import solve_pgs
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.tendon.tendon import tendon
from newtonish.mjw.data import get_data_into, make_data, put_data, reset_data, reset_data_keyframe
from newtonish.mjw.load import load
from newtonish.mjw.pipeline import forward, inverse, step, step1, step2
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
    "ObjType",
    "OverflowType",
    "SensorType",
    "SolverType",
    "TrnType",
    "check_capacity",
    "collision",
    "com_pos",
    "com_vel",
    "crb",
    "energy_pos",
    "energy_vel",
    "euler",
    "factor_m",
    "fluid",
    "forward",
    "fwd_acceleration",
    "fwd_actuation",
    "get_data_into",
    "get_num_threads",
    "implicit",
    "inverse",
    "kinematics",
    "load",
    "make_constraint",
    "make_data",
    "mul_m",
    "noslip",
    "passive",
    "put_data",
    "put_model",
    "reset_data",
    "reset_data_keyframe",
    "rne",
    "rne_postconstraint",
    "sensor_acc",
    "sensor_pos",
    "sensor_vel",
    "set_num_threads",
    "solve",
    "solve_cg",
    "solve_m",
    "solve_pgs",
    "step",
    "step1",
    "step2",
    "subtree_vel",
    "tendon",
    "transmission",
    "xfrc_accumulate",
]
