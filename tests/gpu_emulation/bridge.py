"""The kernels between Newton's states and the solver's: steps of ``SolverMuJoCo`` with everything that they can report."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish import Contacts, Mesh, Model, ModelBuilder, SolverMuJoCo, eval_fk

WORLDS = 2
KINDS = ("qfrc_actuator", "qfrc_bias", "qfrc_frictionloss", "body_qdd", "body_parent_f")
# contacts a world, given: a CPU takes a step again where room that it estimated itself is short, and a GPU does not
ROOMS = {"outside": 32, "outside, short of room": 8}


def scene() -> Model:
    """Worlds of a box, and of an arm of a ball joint and a driven hinge with friction that carries a bent mesh, on a plane."""
    builder, one = ModelBuilder(), ModelBuilder()
    for each in (builder, one):
        SolverMuJoCo.register_custom_attributes(each)
    box, upper, lower = (one.add_link(label=name) for name in ("box", "upper", "lower"))
    one.add_shape_box(box, hx=0.2, hy=0.15, hz=0.1)
    one.add_shape_capsule(upper, radius=0.05, half_height=0.2)
    one.add_shape_mesh(lower, mesh=_bent())
    one.add_articulation([one.add_joint_free(box)])
    hinge = {"target_ke": 30.0, "target_kd": 1.0, "target_q": 0.6, "friction": 0.1}
    joints = [
        one.add_joint_ball(-1, upper, parent_xform=wp.transform((0.6, 0.0, 0.3), wp.quat_identity())),
        one.add_joint_revolute(upper, lower, axis=(0.0, 1.0, 0.0), parent_xform=wp.transform((0.1, 0.0, -0.301), wp.quat_identity()), **hinge),
    ]
    one.add_articulation(joints)
    builder.add_ground_plane()
    builder.replicate(one, WORLDS)
    return builder.finalize(device="cpu")


def _bent() -> Mesh:
    """Two tetrahedra that share an edge: no hull."""
    points = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [-0.1, 0, 0], [0, -0.1, 0]]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [0, 5, 4], [0, 4, 3], [4, 5, 3], [0, 3, 5]]
    return Mesh(np.array(points, dtype=np.float32), np.array(faces), compute_inertia=False)


def play(model: Model) -> dict[str, np.ndarray]:
    """Steps with contacts of the solver's own and from outside, with all reports, resets in between; every array that came of it."""
    found: dict[str, np.ndarray] = {}
    state = _start(model)
    inside, contacts = _steps_of_its_own(model, state, found)
    given = model.collide(state)
    _note("collided", given, found)
    for label, nconmax in ROOMS.items():
        _step_from_outside(model, state, given, nconmax, label, found)
    _coupled(inside, model, found)
    return found


def _step_from_outside(model: Model, state: Any, given: Contacts, nconmax: int, label: str, found: dict[str, np.ndarray]) -> None:
    """A step with contacts of the collision pipeline, of which a world takes ``nconmax`` and leaves out the others."""
    solver = SolverMuJoCo(model, use_mujoco_contacts=False, nconmax=nconmax, njmax=128)
    observables = solver.observables(["contact_f", "overflow"], contacts=given)
    after = model.state()
    solver.step(state, after, None, given, 0.002, observables=observables)
    _note(label, after, found)
    _note(f"{label} forces", observables, found)


def _coupled(solver: SolverMuJoCo, model: Model, found: dict[str, np.ndarray]) -> None:
    """What couplings with other solvers ask of this one, at a point beside each body's centre of mass."""
    number = int(model.body_count)
    kind, index, point = (
        wp.zeros(number, dtype=int, device="cpu"),
        wp.array(np.arange(number), dtype=int, device="cpu"),
        wp.full(number, wp.vec3(0.1, 0.0, 0.2), device="cpu"),
    )
    mass, inertia = wp.zeros(number, dtype=float, device="cpu"), wp.zeros(number, dtype=wp.mat33, device="cpu")
    acceleration = wp.zeros(number, dtype=wp.vec3, device="cpu")
    solver.coupling_eval_effective_mass_block(kind, index, point, mass, inertia)
    solver.coupling_eval_gravity_acceleration(acceleration, None)
    found.update({"coupled: mass": mass.numpy(), "coupled: inertia": inertia.numpy(), "coupled: gravity": acceleration.numpy()})


def _steps_of_its_own(model: Model, state: Any, found: dict[str, np.ndarray]) -> tuple[SolverMuJoCo, Contacts]:
    """Two steps, of which the second does not read the state, with a world put back in between."""
    solver = SolverMuJoCo(model, update_data_interval=2)
    contacts = Contacts(solver.get_max_contact_count(), device=model.device)
    observables = solver.observables([*KINDS, "contact_f", "overflow"], contacts=contacts)
    middle, last = model.state(), model.state()
    solver.step(state, middle, None, contacts, 0.002, observables=observables)
    _note("first step", middle, found)
    solver.reset(middle, wp.array([False, True], dtype=bool, device=model.device))
    solver.step(middle, last, None, contacts, 0.002, observables=observables)
    _note("second step", last, found)
    _note("observables", observables, found)
    solver.update_contacts(contacts)
    _note("contacts", contacts, found)
    return solver, contacts


def _start(model: Model) -> Any:
    """Everything that touches does so by a millimetre or two: the box and the mesh the plane, and in the second world the box the arm."""
    state = model.state()
    q = state.joint_q.numpy().reshape(WORLDS, -1)
    for w in range(WORLDS):
        q[w, :7] = [0.351 * w, 0.0, 0.098, 0.0, 0.0, 0.0, 1.0]
    state.joint_q.assign(q.reshape(-1))
    state.joint_qd.assign(0.3 * np.random.default_rng(0).standard_normal(state.joint_qd.shape).astype(np.float32))
    eval_fk(model, state.joint_q, state.joint_qd, state)  # contacts are looked for where bodies are
    return state


def _note(label: str, container: Any, found: dict[str, np.ndarray]) -> None:
    for name, array in vars(container).items():
        if isinstance(array, wp.array) and array.size:
            found[f"{label}: {name}"] = array.numpy().copy()
