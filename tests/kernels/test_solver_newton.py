"""The Newton solver: against MuJoCo's solution, and against the laws that a solution must satisfy."""

import mujoco
import numpy as np
import pytest
import warp as wp
from constraint_rigs import filled, states, zoo
from oracle import SOLVER
from paths import shared_model

from newtonish.common.enums import ConstraintState, ConstraintType, DisableBit, SolverType
from newtonish.kernels.constraint.contact_force import contact_force
from newtonish.kernels.constraint.stage import make_constraint
from newtonish.kernels.solver.stage import refine, solve

MODELS = (
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
)
ZOOS = [(cone, condim, impratio) for cone in ("pyramidal", "elliptic") for condim in (1, 3, 4, 6) for impratio in (1.0, 10.0)]


def solved(mjm, mjds, device="cpu"):
    m, d = filled(mjm, mjds, device)
    make_constraint(m, d)
    solve_by_newton(m, d)
    return m, d


def solve_by_newton(m, d) -> None:
    """With the last steps, which on a GPU are a kernel of their own."""
    solve(m, d, SolverType.NEWTON)
    refine(m, d, SolverType.NEWTON)


def near(name: str, ours: np.ndarray, theirs: np.ndarray, world: int, tolerance: float = SOLVER) -> None:
    """Norm of the difference, relative to the norm of MuJoCo's (at least 1)."""
    error, scale = np.linalg.norm(ours - theirs), max(1.0, np.linalg.norm(theirs))
    assert error <= tolerance * scale, f"{name}, world {world}: error {error:.3g} of norm {scale:.3g}"


def cost(mjm, mjd, qacc: np.ndarray) -> float:
    """The solver's objective, by MuJoCo, in float64."""
    value = np.zeros(1)
    Jaref = np.asarray(mjd.efc_J).reshape(mjd.nefc, mjm.nv) @ qacc - mjd.efc_aref
    mujoco.mj_constraintUpdate(mjm, mjd, Jaref, value, 0)
    Ma = np.zeros(mjm.nv)
    mujoco.mj_mulM(mjm, mjd, Ma, qacc)
    return float(value[0]) + 0.5 * float((Ma - mjd.qfrc_smooth) @ (qacc - mjd.qacc_smooth))


def compare(mjm, mjds, d) -> None:
    for world, mjd in enumerate(mjds):
        nefc = mjd.nefc
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)
        near("qfrc_constraint", d.qfrc_constraint.numpy()[world], mjd.qfrc_constraint, world)
        near("qacc_warmstart", d.qacc_warmstart.numpy()[world], mjd.qacc, world)
        Ma = np.zeros(mjm.nv)
        mujoco.mj_mulM(mjm, mjd, Ma, mjd.qacc)
        near("Ma", d.sol.Ma.numpy()[world], Ma, world)
        if nefc:
            best, ours = cost(mjm, mjd, mjd.qacc), cost(mjm, mjd, d.qacc.numpy()[world].astype(np.float64))
            assert ours - best <= 1e-6 * max(1.0, abs(best)), f"world {world}: cost {ours} above {best}"
        assert 0 <= d.solver_niter.numpy()[world] <= 20


@pytest.mark.parametrize("path", MODELS)
def test_solution_of_real_models_is_that_of_mujoco(path, device):
    mjm = mujoco.MjModel.from_xml_path(str(shared_model(path)))
    mjds = states(mjm)
    _, d = solved(mjm, mjds, device)
    compare(mjm, mjds, d)


@pytest.mark.parametrize(("cone", "condim", "impratio"), ZOOS)
def test_solution_of_every_kind_of_contact(cone, condim, impratio, device):
    mjm = zoo(cone, condim, impratio)
    mjds = states(mjm)
    m, d = solved(mjm, mjds, device)
    compare(mjm, mjds, d)
    for world, mjd in enumerate(mjds):
        near("efc_force", d.efc.force.numpy()[world, : mjd.nefc], mjd.efc_force, world)
    check_laws(m, d, mjm.nv)
    check_contact_forces(mjm, mjds, m, d)


def check_laws(m, d, nv: int) -> None:
    """Equation of motion, and force, bound and state of every row, from our own arrays alone."""
    for w in range(d.nworld):
        nefc = int(d.nefc.numpy()[w])
        J, force = d.efc.J.numpy()[w, :nefc, :nv].astype(np.float64), d.efc.force.numpy()[w, :nefc]
        kind, state = d.efc.type.numpy()[w, :nefc], d.efc.state.numpy()[w, :nefc]
        D, loss = d.efc.D.numpy()[w, :nefc], d.efc.frictionloss.numpy()[w, :nefc]
        Jaref = J @ d.qacc.numpy()[w] - d.efc.aref.numpy()[w, :nefc]
        near("J'f", d.qfrc_constraint.numpy()[w], J.T @ force, w, 1e-5)
        smooth = d.qfrc_smooth.numpy()[w]
        assert np.linalg.norm(d.sol.Ma.numpy()[w] - smooth - J.T @ force) <= 1e-4 * (1.0 + np.linalg.norm(smooth))
        quadratic = state == ConstraintState.QUADRATIC
        scale = 1.0 + np.abs(force).max(initial=0.0)
        assert np.abs(force + D * Jaref)[quadratic].max(initial=0.0) <= 1e-3 * scale
        assert not force[state == ConstraintState.SATISFIED].any()
        friction = kind == ConstraintType.FRICTION_DOF
        assert (np.abs(force[friction]) <= loss[friction]).all()
        assert (np.abs(force[(state == ConstraintState.LINEARNEG) | (state == ConstraintState.LINEARPOS)]) > 0.0).all()
        push = (kind >= ConstraintType.LIMIT_JOINT) & (kind != ConstraintType.CONTACT_ELLIPTIC)
        assert (force[push] >= 0.0).all()
        check_cones(d, w, force)


def check_cones(d, w: int, force: np.ndarray) -> None:
    """Elliptic contact forces lie in the friction cone."""
    for c in range(int(d.ncon.numpy()[w])):
        first, dim = int(d.contact.efc_address.numpy()[w, c]), int(d.contact.dim.numpy()[w, c])
        if first < 0 or dim == 1 or d.efc.type.numpy()[w, first] != ConstraintType.CONTACT_ELLIPTIC:
            continue
        f, mu = force[first : first + dim], d.contact.friction.numpy()[w, c, : dim - 1]
        assert np.linalg.norm(f[1:] / mu) <= f[0] * (1.0 + 1e-4) + 1e-5


def check_contact_forces(mjm, mjds, m, d) -> None:
    """``contact_force`` in both frames, of every slot of every world and of slots that do not exist."""
    slots = d.nworld * d.nconmax
    ids = wp.array(np.arange(-1, slots + 1), dtype=int, device=d.device)
    results = []
    for to_world in (False, True):
        force = wp.zeros(slots + 2, dtype=wp.spatial_vector, device=d.device)
        contact_force(m, d, ids, to_world, force)
        host = force.numpy()
        assert not host[0].any() and not host[-1].any()
        results.append(host[1:-1].reshape(d.nworld, d.nconmax, 6))
    for world, mjd in enumerate(mjds):
        assert not results[0][world, mjd.ncon :].any()
        for c in range(mjd.ncon):
            wrench, R = np.zeros(6), mjd.contact.frame[c].reshape(3, 3)
            mujoco.mj_contactForce(mjm, mjd, c, wrench)
            near("wrench", results[0][world, c], wrench, world)
            near("world wrench", results[1][world, c], np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]]), world)


def test_a_world_without_rows_takes_the_unconstrained_acceleration(device):
    mjm = zoo("elliptic", 3)
    mjm.dof_frictionloss[:] = 0.0
    mjm.jnt_limited[:] = 0
    mjds = states(mjm)
    assert mjds[-1].nefc == 0 and mjds[0].nefc > 0
    _, d = solved(mjm, mjds, device)
    compare(mjm, mjds, d)
    assert d.qacc.numpy()[-1].tobytes() == d.qacc_smooth.numpy()[-1].tobytes()
    assert d.solver_niter.numpy()[-1] == 0 and not d.qfrc_constraint.numpy()[-1].any()


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_solution_is_its_own_best_start(cone, device):
    mjm = zoo(cone, 4)
    mjds = states(mjm)
    m, d = solved(mjm, mjds, device)
    first, cold = d.qacc.numpy().copy(), d.solver_niter.numpy().copy()
    solve_by_newton(m, d)
    assert (d.solver_niter.numpy() <= 1).all() and cold[0] > 1
    for world in range(d.nworld):
        near("qacc", d.qacc.numpy()[world], first[world], world, 1e-5)
    m.opt.disableflags |= int(DisableBit.WARMSTART)
    solve_by_newton(m, d)
    assert (d.solver_niter.numpy()[:-1] > 1).all()
    compare(mjm, mjds, d)


def test_a_bad_start_is_not_used(device):
    mjm = zoo("elliptic", 3)
    mjds = states(mjm)
    for mjd in mjds:
        mjd.qacc_warmstart[:] = 1e6
    _, d = solved(mjm, mjds, device)
    compare(mjm, mjds, d)


def test_number_of_iterations_is_obeyed(device):
    mjm = zoo("pyramidal", 3)
    mjds = states(mjm)
    m, d = filled(mjm, mjds, device)
    make_constraint(m, d)
    d.qacc_warmstart.zero_()
    costs = []
    for m.opt.iterations in (0, 1, 2, 50):
        d.qacc_warmstart.zero_()
        solve_by_newton(m, d)
        assert (d.solver_niter.numpy() <= m.opt.iterations).all()
        costs.append([cost(mjm, mjd, d.qacc.numpy()[w].astype(np.float64)) for w, mjd in enumerate(mjds)])
    assert (np.diff(costs, axis=0) <= 1e-6 * (1.0 + np.abs(costs[-1]))).all() and costs[0][0] > costs[-1][0]


def test_worlds_do_not_depend_on_their_neighbours_by_one_bit(device):
    mjm = zoo("elliptic", 6)
    mjds = states(mjm)
    results = []
    for order in ([0, 1, 2, 3], [3, 0, 2, 1], [2, 2, 1, 0]):
        m, d = filled(mjm, [mjds[i] for i in order], device)
        if order[0] == 2:  # a broken neighbour
            broken = d.qvel.numpy()
            broken[0] = np.nan
            d.qvel.assign(broken)
        make_constraint(m, d)
        solve_by_newton(m, d)
        results.append({i: d.qacc.numpy()[w].tobytes() for w, i in enumerate(order)})
    assert all(results[0][i] == results[1][i] for i in range(4))
    assert all(results[0][i] == results[2][i] for i in range(3))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("ls_iterations", [1, 2, 5])
def test_a_short_line_search_still_leads_to_the_solution(cone, ls_iterations, device):
    mjm = zoo(cone, 3)
    mjm.opt.disableflags |= int(DisableBit.WARMSTART)
    mjds = states(mjm)
    mjm.opt.ls_iterations = ls_iterations
    m, d = filled(mjm, mjds, device)
    make_constraint(m, d)
    solve_by_newton(m, d)
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)


def test_contacts_of_bodies_without_translational_inverse_weight(device):
    """A hinge through the centre of mass leaves none, and MuJoCo's row is then 1e15 times as stiff as the others.

    float32 cannot hold both in one Hessian: the accelerations must still be MuJoCo's.
    """
    wheel = '<body pos="{x} 0 0"><joint axis="0 1 0" damping="0.01"/><geom type="box" size="{s} 0.1 0.1"/></body>'
    xml = f"""<mujoco><worldbody>{wheel.format(x=0, s=0.3)}{wheel.format(x=0.55, s=0.28)}
      <body pos="0 0 0.195"><freejoint/><geom type="sphere" size="0.1" mass="0.1"/></body></worldbody></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    assert mjm.body_invweight0[1:3, 0].max() < 1e-20
    mjds = [mujoco.MjData(mjm) for _ in range(3)]
    for world, mjd in enumerate(mjds):
        mjd.qpos[:2] = (0.01 * world, -0.02 * world)
        mjd.qvel[:] = 0.1 * np.random.default_rng(world).standard_normal(mjm.nv)
        mujoco.mj_forward(mjm, mjd)
        assert mjd.efc_D.max() > 1e14 > 1e12 * mjd.efc_D.min()
    _m, d = solved(mjm, mjds, device)
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)


def test_balls_on_wheels_without_translational_inverse_weight(device):
    """Residuals of the wheels' contacts move by whole roundings, in which the rest of the cost along a line is lost.

    Neither may the iteration go on for that, nor end with the balls where it got stuck.
    """
    wheel = '<body pos="{x} 0 0"><joint axis="0 1 0" damping="0.01"/><geom type="box" size="{s} 0.1 0.1"/></body>'
    ball = '<body pos="{x} 0 0.195"><freejoint/><geom type="sphere" size="0.1" mass="{m}"/></body>'
    xml = f"""<mujoco><worldbody>{wheel.format(x=0, s=0.3)}{wheel.format(x=0.55, s=0.29)}
      {ball.format(x=0.1, m=0.3)}{ball.format(x=0.4, m=0.1)}</worldbody></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    mjds = [mujoco.MjData(mjm) for _ in range(300)]
    rng = np.random.default_rng(0)
    for mjd in mjds:
        mjd.qpos[:2] = rng.uniform(-0.1, 0.1, 2)
        mjd.qvel[:] = 0.3 * rng.standard_normal(mjm.nv)
        mujoco.mj_forward(mjm, mjd)
    _m, d = solved(mjm, mjds, device)
    assert d.solver_niter.numpy().max() < 15  # of 100
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)


def test_boxes_that_turn_within_each_other_take_few_iterations(device):
    """384 rows of bodies without translational inverse weight: the slope along a direction does not change within a tread of its stairs."""
    mjm = mujoco.MjModel.from_xml_path(str(shared_model("converter_tests/tests/data/joint_limits.xml")))
    mjds = [mujoco.MjData(mjm) for _ in range(100)]
    rng = np.random.default_rng(0)
    for mjd in mjds:
        mjd.qpos[:] = 0.01 * rng.standard_normal(mjm.nv)
        mjd.qvel[:] = 0.005 * rng.standard_normal(mjm.nv)
        mujoco.mj_forward(mjm, mjd)
        mjd.qacc_warmstart[:] = rng.standard_normal(mjm.nv)
    _m, d = solved(mjm, mjds, device)
    assert d.solver_niter.numpy().max() < 15  # of 100
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)


def test_contacts_of_small_bodies_without_translational_inverse_weight(device):
    """Two knobs of millimetres, hinged at their centres, pressed into each other by motors: the smaller, the less does a force at the surface move."""
    knob = '<body pos="{x} 0 0"><joint name="{name}" axis="0 1 0" armature="1e-9"/><geom type="box" size="0.003 0.001 0.001" condim="1"/></body>'
    xml = f"""<mujoco><option timestep="0.0005"/><worldbody>{knob.format(x=0, name="a")}{knob.format(x=0.0057, name="b")}</worldbody>
      <actuator><motor joint="a"/><motor joint="b"/></actuator></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    assert mjm.body_invweight0[1:, 0].max() < 1e-16
    mjds = [mujoco.MjData(mjm) for _ in range(3)]
    for world, mjd in enumerate(mjds):
        mjd.qpos[:] = (0.02 * (world + 1), -0.03 * (world + 1))
        mjd.ctrl[:] = (1e-6 * (world + 1), -2e-6)
        mujoco.mj_forward(mjm, mjd)
        assert mjd.ncon > 0 and mjd.efc_D.max() > 1e14
    _m, d = solved(mjm, mjds, device)
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)


def test_limits_of_small_tendons_without_inverse_weight(device):
    """Tendons that a dead centre holds in the reference pose, on cranks of millimetres."""
    crank = """<body pos="{x} 0 0"><joint name="{name}" axis="0 1 0" armature="1e-9"/><geom type="box" size="0.003 0.001 0.001"/>
      <site name="{name}" pos="0.003 0 0"/></body><site name="{name}_ground" pos="{end} 0 0"/>"""
    line = '<spatial limited="true" range="0 0.0069"{more}><site site="{name}"/><site site="{name}_ground"/></spatial>'
    xml = f"""<mujoco><option timestep="0.0005"><flag contact="disable"/></option>
      <worldbody>{crank.format(x=0, name="a", end=0.01)}{crank.format(x=0.05, name="b", end=0.06)}</worldbody>
      <tendon>{line.format(name="a", more="")}{line.format(name="b", more=' frictionloss="1e-5"')}</tendon></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    assert mjm.tendon_invweight0.max() < 1e-16
    mjds = [mujoco.MjData(mjm) for _ in range(3)]
    for world, mjd in enumerate(mjds):
        mjd.qpos[:] = (0.2 + 0.1 * world, -0.4 - 0.2 * world)
        mjd.qvel[:] = (1.0 + world, -2.0)
        mujoco.mj_forward(mjm, mjd)
        assert mjd.nefc == 3 and mjd.efc_D.max() > 1e14
    _m, d = solved(mjm, mjds, device)
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)
