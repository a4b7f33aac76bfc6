"""Stage functions as users call them: those of the kernels, with their arguments checked.

``step`` and ``forward`` do not pass through here: they check once and replay recorded kernels.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.common.enums import IntegratorType, SolverType
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels.collision import stage as contacts
from newtonish.kernels.constraint import contact_force as contact_forces
from newtonish.kernels.constraint import stage as constraint_rows
from newtonish.kernels.forces import acceleration, actuation, applied
from newtonish.kernels.forces import fluid as media
from newtonish.kernels.forces import passive as passive_forces
from newtonish.kernels.forces import stage as forces
from newtonish.kernels.forces import transmission as transmissions
from newtonish.kernels.forces.adhesion import adhesion
from newtonish.kernels.history.stage import insert_history, remember_tendons, settle, with_controls
from newtonish.kernels.integrate import euler as semi_implicit
from newtonish.kernels.integrate import implicit as implicit_fast
from newtonish.kernels.integrate.stage import advance
from newtonish.kernels.sensor import energy
from newtonish.kernels.sensor import stage as sensors
from newtonish.kernels.smooth import camlight as mounted
from newtonish.kernels.smooth import com, factor
from newtonish.kernels.smooth import com_vel as com_velocity
from newtonish.kernels.smooth import crb as composite
from newtonish.kernels.smooth import kinematics as positions
from newtonish.kernels.smooth import rne as newton_euler
from newtonish.kernels.smooth import rne_postconstraint as reactions
from newtonish.kernels.smooth import solve_m as mass_matrix
from newtonish.kernels.smooth import subtree_vel as subtrees
from newtonish.kernels.smooth.mul_m import products
from newtonish.kernels.solver import stage as solvers
from newtonish.kernels.sparse import islands as island_search
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.tendon import tendon as tendons
from newtonish.kernels.tendon.bias import tendon_bias
from newtonish.mjw.arguments import array_of, world_mask
from newtonish.mjw.growth import check_complete, complete
from newtonish.mjw.matching import check_options, check_pair, switch
from newtonish.mjw.tables.fluid import notice_medium


def _checked(stage: Callable[..., None]) -> Callable[..., None]:
    """``stage`` with checks of its model, its data and its further arrays (nworld, nv or more)."""
    host_fields = list(inspect.signature(stage).parameters)[2:]

    @functools.wraps(stage)
    def guarded(m: Model, d: Data, *rest: Any, **named: Any) -> None:
        _ready(stage.__name__, m, d)
        for name, array in (*zip(host_fields, rest, strict=False), *named.items()):
            _check_vectors(f"{stage.__name__}: {name}", m, d, array)
        stage(m, d, *rest, **named)

    return guarded


def _ready(name: str, m: Model, d: Data) -> None:
    """Check the pair and the options, and give ``d`` the arrays that options ask for which were set since it was made."""
    last = getattr(d, "ready", None) if isinstance(d, Data) else None
    if last is not None and last[0] is m and last[1] == (m.version, d.version):
        return
    check_pair(name, m, d)
    check_options(m)
    if d.device.is_capturing:
        check_complete(name, m, d)
        return
    notice_medium(m)
    complete(m, d)
    d.ready = (m, (m.version, d.version))


def _check_dual(name: str, d: Data) -> None:
    """Raise ModelError without the arrays of the dual problem, which most models do without."""
    if d.sol.W.shape[1] == 0 and d.njmax > 0:
        remedy = "set m.opt.solver to PGS"
        raise ModelError(problem(f"{name}: d", "no arrays of the dual problem", "data of a model whose solver is PGS, or that suppresses slip", remedy))


def _check_vectors(name: str, m: Model, d: Data, array: Any) -> None:
    """Raise ModelError unless ``array`` has at least nv floats for each world."""
    allowed = f"a float32 array of shape ({d.nworld}, {m.nv} or more) on {d.device}"
    remedy = "make it with wp.zeros of that shape"
    if not isinstance(array, wp.array):
        raise ModelError(problem(name, f"a {type(array).__name__}", allowed, remedy))
    fits = array.ndim == 2 and array.shape[0] == d.nworld and array.shape[1] >= m.nv
    if not fits or array.dtype != wp.float32 or array.device != d.device:
        given = f"an array of shape {array.shape} of {array.dtype.__name__} on {array.device}"
        raise ModelError(problem(name, given, allowed, remedy))


def _transmission(m: Model, d: Data) -> None:
    """Length and moment of each force output; those that act on a body pull at its contacts, after ``collision``.

    Reads   m.jnt, m.site, m.actuator, m.tendon; d.state.qpos, d.kin, d.com, d.ten, d.contact
    Writes  d.drive.actuator_length, moment_rownnz, moment_rowadr, moment_colind, actuator_moment
    MuJoCo  mj_transmission.
    """
    transmissions.transmission(m, d)
    adhesion(m, d)
    forces.law_transmission(m, d)


def _fwd_actuation(m: Model, d: Data) -> None:
    """Actuator velocities and forces, activation rates, generalized actuator force.

    Reads   m.opt, m.jnt, m.dof, m.actuator; d.state (ctrl, act, qvel), d.drive (after transmission), d.frc.qfrc_gravcomp
    Writes  d.drive.actuator_velocity, actuator_force, act_dot; d.frc.qfrc_actuator [N, N m]
    MuJoCo  mj_fwdActuation, and the actuator velocities of mj_fwdVelocity.
    """
    actuation.fwd_actuation(m, d)
    forces.user_forces(m, d, with_controls(m, d))
    forces.fwd_laws(m, d)


def _euler(m: Model, d: Data) -> None:
    """Advance all worlds by one time step, semi-implicitly; buffers of delays and plastic springs follow. MuJoCo: mj_Euler."""
    _before_advance(m, d)
    semi_implicit.euler(m, d)
    settle(m, d)


def _implicit(m: Model, d: Data) -> None:
    """Advance all worlds by one time step with the integrator implicit if it is the model's, else with implicitfast.

    Buffers of delays and plastic springs follow. MuJoCo: mj_implicit.
    """
    _before_advance(m, d)
    wanted = (IntegratorType.IMPLICIT, IntegratorType.IMPLICITFAST) if m.size.nfluid > 0 else (IntegratorType.IMPLICIT,)
    if m.opt.integrator in wanted:
        advance(m, d)
    else:
        implicit_fast.implicit(m, d)
    settle(m, d)


def _before_advance(m: Model, d: Data) -> None:
    """What an integrator does while the time is still that of the step's start."""
    remember_tendons(m, d)
    insert_history(m, d)
    forces.advance_laws(m, d)


for _stage in (_transmission, _fwd_actuation, _euler, _implicit):
    _stage.__name__ = _stage.__name__.removeprefix("_")

kinematics = _checked(positions.kinematics)
com_pos = _checked(com.com_pos)
camlight = _checked(mounted.camlight)


@_checked
def crb(m: Model, d: Data) -> None:
    """Composite inertia of each body and joint-space mass matrix in sparse rows.

    Reads   m.dof, m.tree, m.tendon; d.com (after com_pos), d.ten_J (after tendon, where tendons have armature)
    Writes  d.mass.crb, d.mass.M [kg, kg m, kg m^2]
    MuJoCo  mj_crb, mj_makeM.
    """
    composite.crb(m, d)
    tendons.tendon_armature(m, d)


factor_m = _checked(factor.factor_m)
transmission = _checked(_transmission)
tendon = _checked(tendons.tendon)


def collision(m: Model, d: Data, awake_prev: None = None) -> None:
    """Contacts of all geoms that may touch.

    Args:
        m: model.
        d: data, after ``kinematics``.
        awake_prev: as in mujoco_warp, for a second look after some trees woke; here that is part of the first: None.

    MuJoCo: mj_collision.
    """
    _ready("collision", m, d)
    if awake_prev is not None:
        raise UnsupportedError(
            problem("collision: awake_prev", type(awake_prev).__name__, "None: contacts of trees that wake are found along with the others", "leave it out")
        )
    contacts.collision(m, d)


def contact_force(m: Model, d: Data, contact_ids: wp.array, to_world_frame: bool, force: wp.array) -> None:
    """Force and torque of contacts, of geom 1 on geom 2, after ``solve``.

    Args:
        m: model.
        d: data.
        contact_ids: (n,) int32; contact ``c`` of world ``w`` is ``w * d.nconmax + c``.
        to_world_frame: give the components along the world's axes instead of the contact's.
        force: (n,) spatial_vector that receives force, then torque [N, N m]; zero for a contact without rows.

    MuJoCo: mj_contactForce.
    """
    _ready("contact_force", m, d)
    count = len(contact_ids) if isinstance(contact_ids, wp.array) else 0
    contact_ids = array_of("contact_force: contact_ids", d, contact_ids, wp.int32, (count,))
    force = array_of("contact_force: force", d, force, wp.spatial_vector, (count,))
    contact_forces.contact_force(m, d, contact_ids, to_world_frame, force)


@_checked
def make_constraint(m: Model, d: Data) -> None:
    """Constraint rows with their reference accelerations, after ``collision``.

    Reads   d.state, d.kin, d.com, d.ten, d.contact. Writes d.efc, d.status, and d.vel as ``com_vel`` does where there are
            equality constraints, whose rows have velocities.
    MuJoCo  mj_makeConstraint and mj_referenceConstraint.
    """
    if m.size.neq > 0:
        com_velocity.com_vel(m, d)
    constraint_rows.make_constraint(m, d)


com_vel = _checked(com_velocity.com_vel)
passive = _checked(passive_forces.passive)


def rne(m: Model, d: Data, flg_acc: bool = False) -> None:
    """Bias force; with ``flg_acc`` the force that produces ``d.qacc``, without the share of armature.

    Args:
        m: model.
        d: data, after ``com_vel``.
        flg_acc: with ``d.qacc``, and without the bias of tendons with armature.

    Reads   m.opt (gravity), m.body, m.dof, m.tree, m.tendon; d.state.qvel, d.kin, d.com, d.vel, d.ten; d.sol.qacc (flg_acc)
    Writes  d.frc.qfrc_bias [N, N m], d.vel.cacc, d.vel.cfrc
    MuJoCo  mj_rne and mj_tendonBias.
    """
    _ready("rne", m, d)
    with_acceleration = switch("rne: flg_acc", flg_acc)
    newton_euler.rne(m, d, with_acceleration)
    if not with_acceleration:
        tendon_bias(m, d)


fwd_actuation = _checked(_fwd_actuation)


def fwd_acceleration(m: Model, d: Data, factorize: bool = False) -> None:
    """Smooth force (passive - bias + actuator + applied) and smooth acceleration.

    Args:
        m: model.
        d: data, after the forces.
        factorize: factor the mass matrix first.

    Reads   d.state (qfrc_applied, xfrc_applied), d.kin.xipos, d.com, d.mass, d.frc
    Writes  d.frc.qfrc_smooth [N, N m], d.frc.qacc_smooth [m/s^2, rad/s^2]
    MuJoCo  mj_fwdAcceleration.
    """
    _ready("fwd_acceleration", m, d)
    if factorize:
        factor.factor_m(m, d)
    acceleration.fwd_acceleration(m, d)


@_checked
def solve(m: Model, d: Data) -> None:
    """Newton's method: dense, or island by island if the Jacobian is sparse. MuJoCo: mj_fwdConstraint."""
    _solve(m, d, SolverType.NEWTON)


@_checked
def solve_cg(m: Model, d: Data) -> None:
    """Conjugate gradients: dense, or island by island if the Jacobian is sparse. MuJoCo: mj_fwdConstraint."""
    _solve(m, d, SolverType.CG)


@_checked
def solve_pgs(m: Model, d: Data) -> None:
    """Projected Gauss-Seidel, whichever way the Jacobian is stored. MuJoCo: mj_fwdConstraint."""
    _check_dual("solve_pgs", d)
    _solve(m, d, SolverType.PGS)


def _solve(m: Model, d: Data, solver: SolverType) -> None:
    """Solve by ``solver``, whichever the model's is."""
    solvers.solve(m, d, solver)
    solvers.refine(m, d, solver)


@_checked
def island(m: Model, d: Data) -> None:
    """Islands of kinematic trees that rows couple: ``d.nisland``, ``d.tree_island`` and so on. MuJoCo: mj_island.

    Raises:
        ModelError: the Jacobian of ``d`` is dense.
    """
    if not d.sparse:
        remedy = "set m.opt.jacobian to SPARSE (1) before make_data"
        raise ModelError(problem("island: d", "data with a dense Jacobian", "a sparse one", remedy))
    island_search.island(m, d)


euler = _checked(_euler)
implicit = _checked(_implicit)


def solve_m(m: Model, d: Data, x: wp.array, y: wp.array, x_scratch: wp.array | None = None) -> None:
    """x = M^-1 y, after ``factor_m``.

    Args:
        m: model.
        d: data.
        x: (nworld, nv or more) float32 that receives the solution; may be ``y``.
        y: array of the same kind.
        x_scratch: taken as in mujoco_warp and not needed.

    MuJoCo: mj_solveM.
    """
    _ready("solve_m", m, d)
    for name, array in (("x", x), ("y", y)):
        _check_vectors(f"solve_m: {name}", m, d, array)
    mass_matrix.solve_m(m, d, x, y)


def mul_m(m: Model, d: Data, res: wp.array, vec: wp.array, skip: wp.array | None = None, M: wp.array | None = None) -> None:
    """res = M vec, after ``crb``.

    Args:
        m: model.
        d: data.
        res: (nworld, nv or more) float32 that receives the product; another array than ``vec``.
        vec: array of the same kind.
        skip: (nworld,) bool, worlds whose row of ``res`` stays as it is; None: none.
        M: matrix (nworld, nC) in the places of ``d.M``, to multiply by; None: ``d.M``.

    MuJoCo: mj_mulM.
    """
    _ready("mul_m", m, d)
    for name, array in (("res", res), ("vec", vec)):
        _check_vectors(f"mul_m: {name}", m, d, array)
    if skip is None and M is None:
        mass_matrix.mul_m(m, d, res, vec)
        return
    matrix = d.mass.M if M is None else array_of("mul_m: M", d, M, wp.float32, d.mass.M.shape)
    mask = wp.empty(0, dtype=wp.bool, device=d.device) if skip is None else world_mask("mul_m: skip", d, skip)
    products(m, d, matrix, res, vec, mask)


xfrc_accumulate = _checked(applied.xfrc_accumulate)
fluid = _checked(media.fluid)


@_checked
def noslip(m: Model, d: Data) -> None:
    """Suppress slip, after a solver; nothing is done where ``m.opt.noslip_iterations`` is 0. MuJoCo: mj_solNoSlip."""
    if m.opt.noslip_iterations > 0:
        solvers.noslip(m, d)


sensor_pos = _checked(sensors.sensor_pos)
sensor_vel = _checked(sensors.sensor_vel)


def sensor_acc(m: Model, d: Data, skip_rne_postconstraint: bool = False) -> None:
    """Sensors of accelerations and forces, after ``solve``.

    Args:
        m: model.
        d: data.
        skip_rne_postconstraint: accelerations and forces of bodies (``d.cacc``, ``d.cfrc_int``, ``d.cfrc_ext``) are those of
            ``rne_postconstraint`` in the present state already.

    Writes d.sensordata, d.cacc, d.cfrc_int, d.cfrc_ext. MuJoCo: mj_sensorAcc.
    """
    _ready("sensor_acc", m, d)
    sensors.sensor_acc(m, d, switch("sensor_acc: skip_rne_postconstraint", skip_rne_postconstraint))


energy_pos = _checked(energy.energy_pos)
energy_vel = _checked(energy.energy_vel)
rne_postconstraint = _checked(reactions.rne_postconstraint)
subtree_vel = _checked(subtrees.subtree_vel)
