"""How far a model agrees with MuJoCo at a state, measured and not asserted: the worst difference of each stage, and why.

Contacts of general convex shapes may be chosen otherwise than MuJoCo chooses them (another point of a face, another number of
points). Where they are, and only there, MuJoCo's contacts are taken over into our arrays and everything after them is computed
again, so that what follows the contacts is verified in any case.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
import oracle
from contact_agreement import CONDITION, NORMAL, compare_contacts
from neighbourhood import Neighbourhood
from oracle import Pair

from newtonish import mjw
from newtonish.kernels import forward as pipeline
from newtonish.kernels.collision.filter import general_convex
from newtonish.kernels.sensor.stage import ACCELERATION
from newtonish.mjw.mjrows import put_contacts, put_rows

ISSUE = 2e-3  # the coarser measure: accelerations as they come, of their norm
STIFFEST = 1e6  # times the mean inertia: rows that MuJoCo makes stiffer are not compared by their stiffness
NOTHING = 1e-30  # the size of what has none, such as the inertia of a body without mass: there both sides have zeros
STILL = 1e-12  # inverse inertia of a row that moves nothing: its Jacobian is zero but for rounding, and its stiffness any number
MOMENT = ("actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind")


@dataclass
class World:
    """Agreement of one world in one state."""

    near: Neighbourhood
    errors: list[str] = field(default_factory=list)  # what lies beyond its tolerance, in the order of the stages
    notes: list[str] = field(default_factory=list)  # what is within what is allowed but not equal
    same_contacts: bool = True  # as they come, point by point
    qacc: float = np.nan  # error of the acceleration of its norm, as it comes
    verified_qacc: float = np.nan  # the same with MuJoCo's contacts, where ours were chosen otherwise
    own: float = 0.0  # what rounding the state does to MuJoCo's own acceleration, of its norm; looked for where ours is beyond ``ISSUE``


@dataclass
class State:
    """Agreement of all worlds in one state."""

    worlds: list[World]

    @property
    def agrees(self) -> bool:
        return not any(world.errors for world in self.worlds)

    @property
    def coarse(self) -> bool:
        """Agrees by the coarser measure: nothing taken over, accelerations within ``ISSUE`` of their norm."""
        return all(world.qacc <= ISSUE for world in self.worlds)


def round_states(pair: Pair) -> None:
    """Give MuJoCo the same numbers that our float32 arrays hold."""
    for mjd in pair.mjds:
        for name in ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied"):
            array = getattr(mjd, name)
            array[:] = array.astype(np.float32)
    oracle.push(pair)


def room(pair: Pair) -> dict[str, int]:
    """Capacities with which nothing is left out: what our collision found, or MuJoCo's contacts, whichever is more."""
    contacts = max(int(pair.d.ncon_needed.numpy().max(initial=0)), *(mjd.ncon for mjd in pair.mjds))
    rows = max(int(pair.d.nefc_needed.numpy().max(initial=0)), *(mjd.nefc for mjd in pair.mjds))
    return {"nconmax": contacts + 16, "njmax": rows + 10 * 16}


def measure(pair: Pair) -> State:
    """Run the forward dynamics on both sides and compare every stage of every world.

    With more contacts or rows than there was room for, a new Data is made with enough of it, and that is noted. A state on a
    threshold of MuJoCo's own, where rounding it to float32 changes which contacts and rows there are, is moved off it.
    """
    notes = run(pair)
    state = compare_worlds(pair)
    beside = [n for n, world in enumerate(state.worlds) if world.errors and Neighbourhood(pair.mjm, pair.mjds[n]).on_threshold]
    if beside:
        for number in beside:
            move_off_threshold(pair, number)
        run(pair)
        again = compare_worlds(pair)
        for number in beside:
            again.worlds[number].qacc, again.worlds[number].own = state.worlds[number].qacc, state.worlds[number].own
            again.worlds[number].notes.insert(0, f"on a threshold, compared beside it; there: {state.worlds[number].errors[0]}")
            state.worlds[number] = again.worlds[number]
    for world, note in zip(state.worlds, notes, strict=True):
        world.notes[:0] = note
    return state


def run(pair: Pair) -> list[list[str]]:
    """``forward`` on both sides, with room for all contacts and rows; what is to be noted of each world."""
    oracle.push(pair)
    oracle.forward(pair)
    full = pair.d.overflow.numpy()
    if full.any():
        full = full.copy()
        pair.d = mjw.make_data(pair.m, pair.nworld, **room(pair))
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
    return [["capacity: more contacts or rows than the default has room for"] if bits else [] for bits in full]


def move_off_threshold(pair: Pair, number: int) -> None:
    """Move a world by about a thousandth in every coordinate."""
    mjd, rng = pair.mjds[number], np.random.default_rng(number)
    mujoco.mj_integratePos(pair.mjm, mjd.qpos, 1e-3 * rng.standard_normal(pair.mjm.nv), 1.0)
    mjd.qvel[:] += 1e-3 * rng.standard_normal(pair.mjm.nv)
    round_states(pair)


def compare_worlds(pair: Pair) -> State:
    """Compare what both sides have computed."""
    worlds = [World(near=Neighbourhood(pair.mjm, mjd)) for mjd in pair.mjds]
    for number, world in enumerate(worlds):
        compare_arrays(pair, number, world, oracle.POSITION)
        compare_contacts(pair, number, world)
        world.qacc = world.verified_qacc = relative(pair.d.qacc.numpy()[number], pair.mjds[number].qacc)
        if world.qacc > ISSUE:
            world.own = max(relative(probe.qacc, pair.mjds[number].qacc) for probe in world.near.probes)
        if world.same_contacts:
            compare_after_contacts(pair, number, world)
    rounded = {number: world.errors for number, world in enumerate(worlds) if answers_to_rounded_contacts(pair, number, world)}
    if rounded or not all(world.same_contacts for world in worlds):
        take_over_contacts(pair)
        for number, world in enumerate(worlds):
            if number in rounded:
                world.notes.append(f"equal with MuJoCo's contacts, which ours are within their tolerance; as they come: {world.errors[0]}")
                world.errors = []
            if number in rounded or not world.same_contacts:
                world.verified_qacc = relative(pair.d.qacc.numpy()[number], pair.mjds[number].qacc)
                compare_after_contacts(pair, number, world)
    return State(worlds)


def answers_to_rounded_contacts(pair: Pair, number: int, world: World) -> bool:
    """Whether only the solution differs, and there are contacts that an iteration has found.

    Distances of 1e-7 m and normals of 1e-4 are what GJK and EPA can tell in float32, and MuJoCo's own are not better where surfaces are
    curved. Times a contact stiffness of 1e5 that is an acceleration. Given MuJoCo's contacts everything behind them has to agree.
    """
    behind = ("sensor", *oracle.SOLUTION)
    if (pair.mjm.actuator_trntype == mujoco.mjtTrn.mjTRN_BODY).any():  # adhesion acts along the contacts' normals
        behind += (*MOMENT, "actuator_velocity", "qfrc_actuator", "qfrc_smooth", "qacc_smooth")
    late = all(error.startswith(behind) for error in world.errors)
    return bool(world.same_contacts and world.errors and late and general_convex(pair.mjm, *pair.mjds[number].contact.geom.T).any())


def relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Norm of the difference over the norm, at least 1."""
    return float(np.linalg.norm(ours - theirs) / max(1.0, float(np.linalg.norm(theirs))))


def compare_arrays(pair: Pair, number: int, world: World, names: tuple[str, ...]) -> None:
    """Arrays of the same layout, within the tolerance of smooth quantities."""
    for name in names:
        if name != MOMENT[0]:
            ours = getattr(pair.d, name).numpy()[number].ravel().astype(np.float64)
            sizes = oracle.scales(pair.mjm, pair.mjds[number], name)
            by = np.ones(ours.size) if sizes is None else np.maximum(sizes[: ours.size], NOTHING)
            theirs = lambda mjd, name=name, by=by: np.asarray(getattr(mjd, name)).ravel()[: len(by)] / by  # noqa: E731
            check(world, name, ours / by, theirs, oracle.SMOOTH, by_entity=sizes is not None)


def compare_moments(pair: Pair, number: int, world: World) -> None:
    """Moments of actuators as dense matrices: MuJoCo stores only what is not zero."""
    d, shape = pair.d, (len(pair.mjds[number].moment_rownnz), pair.mjm.nv)
    if 0 in shape:
        return
    ours = sparse_to_dense(*(getattr(d, n).numpy()[number] for n in MOMENT), shape)
    check(world, MOMENT[0], ours, lambda mjd: sparse_to_dense(*(np.asarray(getattr(mjd, n)) for n in MOMENT), shape), oracle.SMOOTH)


def sparse_to_dense(values: np.ndarray, counts: np.ndarray, starts: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    dense = np.zeros(shape)
    for row, (start, count) in enumerate(zip(starts.tolist(), counts.tolist(), strict=True)):
        dense[row, columns[start : start + count]] = values[start : start + count]
    return dense


def check(world: World, name: str, ours: np.ndarray, theirs, tolerance: float, solved: bool = False, by_entity: bool = False) -> None:
    """Compare with ``theirs(MjData)``: an error beyond the tolerance, but a note if rounding the state does as much to MuJoCo.

    ``solved``: it depends on the solution, and MuJoCo's own may have stopped short of the minimum. ``by_entity``: each number is given in
    the size of what it belongs to; else sizes are the norm of the array.
    """
    here = np.asarray(theirs(world.near.mjd), dtype=np.float64)
    ours = np.asarray(ours, dtype=np.float64).reshape(here.shape)
    scale, error = 1.0 if by_entity else max(1.0, float(np.linalg.norm(here))), float(np.abs(ours - here).max(initial=0.0))
    if error <= tolerance * scale:
        return
    if solved:
        exact = np.asarray(theirs(world.near.exact), dtype=np.float64)
        if np.abs(ours - exact).max(initial=0.0) <= tolerance * max(1.0, float(np.linalg.norm(exact))):
            world.notes.append(f"{name}: MuJoCo stops {np.abs(here - exact).max():.2g} short of the minimum")
            return
    own = world.near.spread(theirs)
    text = f"{name}: error {error:.2g} of norm {scale:.3g} (rounding the state: {own:.1g})"
    (world.notes if error <= CONDITION * own else world.errors).append(text)


def take_over_contacts(pair: Pair) -> None:
    """MuJoCo's contacts in our arrays, and everything that depends on them recomputed."""
    grown = room(pair)
    if pair.d.nconmax < grown["nconmax"] - 16 or pair.d.njmax < grown["njmax"] - 160:
        pair.d = mjw.make_data(pair.m, pair.nworld, **grown)
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
    for number, mjd in enumerate(pair.mjds):
        put_contacts(mjd, pair.d, number)
        put_rows(pair.mjm, mjd, pair.d, number)
    pair.d.qacc_warmstart.assign(np.stack([mjd.qacc_warmstart for mjd in pair.mjds]).astype(np.float32))
    pipeline.velocity_stage(pair.m, pair.d)
    pipeline.make_constraint(pair.m, pair.d)
    pipeline.solver_stage(pair.m, pair.d)
    pipeline.sensor_stage(pair.m, pair.d, ACCELERATION)


def compare_after_contacts(pair: Pair, number: int, world: World) -> None:
    """Forces (actuators can act through contacts), rows, accelerations, constraint forces, sensors, given the same contacts."""
    mjd = pair.mjds[number]
    compare_moments(pair, number, world)
    compare_arrays(pair, number, world, oracle.VELOCITY + oracle.ACCELERATION)
    counts = {name: int(getattr(pair.d, name).numpy()[number]) for name in ("ncon", "ne", "nf", "nl", "nefc")}
    theirs = {name: int(getattr(mjd, name)) for name in counts}
    if counts != theirs:
        world.errors.append(f"rows: {counts} against MuJoCo's {theirs}")
        return
    order = oracle.row_order(pair, number)
    types = pair.d.efc.type.numpy()[number, order].tolist()
    if types != mjd.efc_type.tolist():
        world.errors.append("types of rows differ")
    jacobian = oracle.rows_of_jacobian(pair.d, number, pair.mjm.nv)[order]
    check(world, "efc_J", jacobian, lambda data: oracle.dense_jacobian(pair.mjm, data), oracle.ROWS)
    stiffest = STIFFEST * pair.mjm.stat.meaninertia
    for name in oracle.EFC:
        ours, limit = getattr(pair.d.efc, name).numpy()[number, order], stiffest if name == "D" else np.inf
        if name == "D":
            ours = np.where(mjd.efc_diagA < STILL, limit, ours)
        theirs = lambda data, name=name, limit=limit: np.minimum(getattr(data, f"efc_{name}"), limit)  # noqa: E731
        check(world, f"efc_{name}", np.minimum(ours, limit), theirs, oracle.ROWS)
    for name in oracle.SOLUTION:
        check_norm(world, name, getattr(pair.d, name).numpy()[number])
    if pair.mjm.nsensordata:
        compare_sensors(pair, number, world)


def check_norm(world: World, name: str, ours: np.ndarray) -> None:
    """An array of the solution by its norm."""
    here = np.asarray(getattr(world.near.mjd, name))
    error = relative(ours, here)
    if error <= oracle.SOLVER:
        return
    exact = np.asarray(getattr(world.near.exact, name))
    if relative(ours, exact) <= oracle.SOLVER:
        world.notes.append(f"{name}: MuJoCo stops {relative(here, exact):.2g} of its norm short of the minimum")
        return
    own = max(relative(np.asarray(getattr(probe, name)), here) for probe in world.near.probes)
    own = max(own, relative(exact, here))
    text = f"{name}: {error:.2g} of its norm {np.linalg.norm(here):.3g} (rounding the state, or stopping short: {own:.1g})"
    (world.notes if error <= CONDITION * own else world.errors).append(text)


def compare_sensors(pair: Pair, number: int, world: World) -> None:
    """Each sensor's numbers; those of accelerations and forces within the tolerance of the solver, times their own norm."""
    mjm, ours = pair.mjm, pair.d.sensordata.numpy()[number]
    for i in range(mjm.nsensor):
        at = slice(int(mjm.sensor_adr[i]), int(mjm.sensor_adr[i] + mjm.sensor_dim[i]))
        late = mjm.sensor_needstage[i] == mujoco.mjtStage.mjSTAGE_ACC
        kind = mujoco.mjtSensor(int(mjm.sensor_type[i])).name[7:].lower()
        tolerance = oracle.SOLVER if late else NORMAL if kind in ("geomnormal", "geomfromto") else 1e-4
        check(world, f"sensor {i} ({kind})", ours[at], lambda data, at=at: data.sensordata[at].copy(), tolerance, late)
