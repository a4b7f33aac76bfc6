"""The array-level interface: MuJoCo's arrays with the world axis first, under mujoco_warp's names.

``m = put_model(mj_model)`` or ``m, d = load(path, nworld=1024)``; ``d = make_data(m, nworld=1024)``; ``step(m, d)``.
Stage functions launch one stage on every world; ``step`` and ``forward`` run fused kernels, recorded and replayed.

Names are loaded on first use (PEP 562): most of them stand for kernels that a program does not need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from newtonish.collector import paused
from newtonish.verbosity import route_warp

route_warp()
if TYPE_CHECKING:
    from newtonish.common.enums import (
        BiasType,
        BroadphaseFilter,
        BroadphaseType,
        ConDataField,
        ConeType,
        ConstraintState,
        ConstraintType,
        CtrlChart,
        CtrlInput,
        DeterminismType,
        DisableBit,
        DynType,
        EnableBit,
        GainType,
        GeomType,
        IntegratorType,
        JointType,
        Kink,
        ObjType,
        OverflowType,
        RayDataField,
        SensorType,
        SetConstGroup,
        SolverType,
        Stage,
        State,
        TrnType,
        WarningType,
    )
    from newtonish.kernels.forces.user import ActuatorInput
    from newtonish.kernels.runtime.callbacks import Callbacks as Callback
    from newtonish.kernels.structs.container import Data, Model
    from newtonish.kernels.structs.data import Contact
    from newtonish.kernels.structs.data import Efc as Constraint
    from newtonish.kernels.structs.model import Option
    from newtonish.mjw.by_name import Named
    from newtonish.mjw.casting import ray, rays
    from newtonish.mjw.checkpoints import restore, save
    from newtonish.mjw.constants import set_const, set_const_0, set_const_fixed
    from newtonish.mjw.data import make_data, reset_data, reset_data_keyframe
    from newtonish.mjw.derivatives import inverse_fd, transition_fd
    from newtonish.mjw.diagnostics import SolverCourse, solver_course, warnings, watch
    from newtonish.mjw.distance_fields import DistanceField, FieldParameters, register_field
    from newtonish.mjw.drop_in import install_as
    from newtonish.mjw.flat_contacts import ContactList, contact_list
    from newtonish.mjw.flight_replay import Flight, FlightStep, replay_flight
    from newtonish.mjw.flights import FlightRecorder, flight_recorder
    from newtonish.mjw.from_file import load
    from newtonish.mjw.from_mjmodel import put_model
    from newtonish.mjw.gradients import step_vjp, transition
    from newtonish.mjw.history import init_ctrl_history, init_sensor_history, read_ctrl, read_sensor, reset_history
    from newtonish.mjw.jacobians import jac, jac_body, jac_body_com, jac_dot, jac_geom, jac_site, jac_subtree_com
    from newtonish.mjw.length_range import set_length_range
    from newtonish.mjw.mjdata import get_data_into, put_data
    from newtonish.mjw.noise import add_sensor_noise
    from newtonish.mjw.parts import discrete, fwd_kinematics, fwd_position, fwd_velocity, rungekutta4
    from newtonish.mjw.pictures import (
        RenderContext,
        create_render_context,
        get_depth,
        get_rgb,
        get_segmentation,
        refit_bvh,
        refit_splat_bvh,
        render,
    )
    from newtonish.mjw.pipeline import forward, forward_skip, inverse, inverse_skip, step, step1, step2
    from newtonish.mjw.replay import check_capacity, get_num_threads, set_num_threads, suggest_capacity
    from newtonish.mjw.reset_origins import Reset, resets
    from newtonish.mjw.rollouts import rollout
    from newtonish.mjw.stages import (
        camlight,
        collision,
        com_pos,
        com_vel,
        contact_force,
        crb,
        energy_pos,
        energy_vel,
        euler,
        factor_m,
        fluid,
        fwd_acceleration,
        fwd_actuation,
        implicit,
        island,
        kinematics,
        make_constraint,
        mul_m,
        noslip,
        passive,
        rne,
        rne_postconstraint,
        sensor_acc,
        sensor_pos,
        sensor_vel,
        solve,
        solve_cg,
        solve_m,
        solve_pgs,
        subtree_vel,
        tendon,
        transmission,
        xfrc_accumulate,
    )
    from newtonish.mjw.states import copy_state, extract_state, get_state, set_state, state_size
    from newtonish.mjw.tangent import from_tangent, to_tangent
    from newtonish.mjw.timing import StageTimer, stage_times
    from newtonish.mjw.trajectory import Trajectory
    from newtonish.mjw.user_actuation import UserActuation, set_user_actuation

_NAMES = {
    "newtonish.common.enums": (
        "BiasType BroadphaseFilter BroadphaseType ConDataField ConeType ConstraintState ConstraintType CtrlChart CtrlInput "
        "DeterminismType DisableBit DynType EnableBit GainType GeomType IntegratorType JointType Kink ObjType OverflowType RayDataField "
        "SensorType SetConstGroup SolverType Stage State TrnType WarningType"
    ),
    "newtonish.kernels.structs.container": "Data Model",
    "newtonish.kernels.structs.data": "Contact Constraint:Efc",
    "newtonish.kernels.structs.model": "Option",
    "newtonish.kernels.runtime.callbacks": "Callback:Callbacks",
    "newtonish.mjw.by_name": "Named",
    "newtonish.mjw.checkpoints": "restore save",
    "newtonish.mjw.constants": "set_const set_const_0 set_const_fixed",
    "newtonish.mjw.flat_contacts": "ContactList contact_list",
    "newtonish.mjw.flights": "FlightRecorder flight_recorder",
    "newtonish.mjw.flight_replay": "Flight FlightStep replay_flight",
    "newtonish.mjw.data": "make_data reset_data reset_data_keyframe",
    "newtonish.mjw.derivatives": "inverse_fd transition_fd",
    "newtonish.mjw.diagnostics": "SolverCourse solver_course warnings watch",
    "newtonish.mjw.drop_in": "install_as",
    "newtonish.mjw.from_file": "load",
    "newtonish.mjw.from_mjmodel": "put_model",
    "newtonish.mjw.gradients": "step_vjp transition",
    "newtonish.mjw.history": "init_ctrl_history init_sensor_history read_ctrl read_sensor reset_history",
    "newtonish.mjw.jacobians": "jac jac_body jac_body_com jac_dot jac_geom jac_site jac_subtree_com",
    "newtonish.mjw.length_range": "set_length_range",
    "newtonish.mjw.mjdata": "get_data_into put_data",
    "newtonish.mjw.noise": "add_sensor_noise",
    "newtonish.mjw.parts": "discrete fwd_kinematics fwd_position fwd_velocity rungekutta4",
    "newtonish.mjw.pictures": ("RenderContext create_render_context get_depth get_rgb get_segmentation refit_bvh refit_splat_bvh render"),
    "newtonish.mjw.pipeline": "forward forward_skip inverse inverse_skip step step1 step2",
    "newtonish.mjw.casting": "ray rays",
    "newtonish.mjw.replay": "check_capacity get_num_threads set_num_threads suggest_capacity",
    "newtonish.mjw.reset_origins": "Reset resets",
    "newtonish.mjw.rollouts": "rollout",
    "newtonish.mjw.stages": (
        "camlight collision com_pos com_vel contact_force crb energy_pos energy_vel euler factor_m fluid "
        "fwd_acceleration fwd_actuation implicit island kinematics make_constraint mul_m noslip passive rne "
        "rne_postconstraint sensor_acc sensor_pos sensor_vel solve solve_cg solve_m solve_pgs subtree_vel tendon "
        "transmission xfrc_accumulate"
    ),
    "newtonish.mjw.states": "copy_state extract_state get_state set_state state_size",
    "newtonish.mjw.tangent": "from_tangent to_tangent",
    "newtonish.mjw.timing": "StageTimer stage_times",
    "newtonish.mjw.trajectory": "Trajectory",
    "newtonish.mjw.distance_fields": "DistanceField FieldParameters register_field",
    "newtonish.mjw.user_actuation": "UserActuation set_user_actuation",
    "newtonish.kernels.forces.user": "ActuatorInput",
}
"""Which module defines each name that is loaded on first use, there perhaps under another one, behind a colon."""

_HOME = {name: (module, own or name) for module, names in _NAMES.items() for name, _, own in (entry.partition(":") for entry in names.split())}

__all__ = [
    "ActuatorInput",
    "BiasType",
    "BroadphaseFilter",
    "BroadphaseType",
    "Callback",
    "ConDataField",
    "ConeType",
    "Constraint",
    "ConstraintState",
    "ConstraintType",
    "Contact",
    "ContactList",
    "CtrlChart",
    "CtrlInput",
    "Data",
    "DeterminismType",
    "DisableBit",
    "DistanceField",
    "DynType",
    "EnableBit",
    "FieldParameters",
    "Flight",
    "FlightRecorder",
    "FlightStep",
    "GainType",
    "GeomType",
    "IntegratorType",
    "JointType",
    "Kink",
    "Model",
    "Named",
    "ObjType",
    "Option",
    "OverflowType",
    "RayDataField",
    "RenderContext",
    "Reset",
    "SensorType",
    "SetConstGroup",
    "SolverCourse",
    "SolverType",
    "Stage",
    "StageTimer",
    "State",
    "Trajectory",
    "TrnType",
    "UserActuation",
    "WarningType",
    "add_sensor_noise",
    "camlight",
    "check_capacity",
    "collision",
    "com_pos",
    "com_vel",
    "contact_force",
    "contact_list",
    "copy_state",
    "crb",
    "create_render_context",
    "discrete",
    "energy_pos",
    "energy_vel",
    "euler",
    "extract_state",
    "factor_m",
    "flight_recorder",
    "fluid",
    "forward",
    "forward_skip",
    "from_tangent",
    "fwd_acceleration",
    "fwd_actuation",
    "fwd_kinematics",
    "fwd_position",
    "fwd_velocity",
    "get_data_into",
    "get_depth",
    "get_num_threads",
    "get_rgb",
    "get_segmentation",
    "get_state",
    "implicit",
    "init_ctrl_history",
    "init_sensor_history",
    "install_as",
    "inverse",
    "inverse_fd",
    "inverse_skip",
    "island",
    "jac",
    "jac_body",
    "jac_body_com",
    "jac_dot",
    "jac_geom",
    "jac_site",
    "jac_subtree_com",
    "kinematics",
    "load",
    "make_constraint",
    "make_data",
    "mul_m",
    "noslip",
    "passive",
    "put_data",
    "put_model",
    "ray",
    "rays",
    "read_ctrl",
    "read_sensor",
    "refit_bvh",
    "refit_splat_bvh",
    "register_field",
    "render",
    "replay_flight",
    "reset_data",
    "reset_data_keyframe",
    "reset_history",
    "resets",
    "restore",
    "rne",
    "rne_postconstraint",
    "rollout",
    "rungekutta4",
    "save",
    "sensor_acc",
    "sensor_pos",
    "sensor_vel",
    "set_const",
    "set_const_0",
    "set_const_fixed",
    "set_length_range",
    "set_num_threads",
    "set_state",
    "set_user_actuation",
    "solve",
    "solve_cg",
    "solve_m",
    "solve_pgs",
    "solver_course",
    "stage_times",
    "state_size",
    "step",
    "step1",
    "step2",
    "step_vjp",
    "subtree_vel",
    "suggest_capacity",
    "tendon",
    "to_tangent",
    "transition",
    "transition_fd",
    "transmission",
    "warnings",
    "watch",
    "xfrc_accumulate",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home module and keep it for the next use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its public names are in __all__")
    with paused():
        module, own = _HOME[name]
        value = getattr(import_module(module), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
