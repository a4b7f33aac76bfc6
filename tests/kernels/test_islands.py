"""The sparse Jacobian and the solvers on islands: against MuJoCo, and against the dense ones."""

import mujoco
import numpy as np
import oracle
import pytest
from constraint_rigs import filled, states, zoo
from paths import OWN

from newtonish import mjw
from newtonish.common.enums import JacobianType, OverflowType
from newtonish.errors import ModelError, NewtonishWarning

DENSE, SPARSE, AUTO = (int(kind) for kind in (JacobianType.DENSE, JacobianType.SPARSE, JacobianType.AUTO))
SOLVERS = {"Newton": mjw.solve, "CG": mjw.solve_cg, "PGS": mjw.solve_pgs}
CASES = [(cone, condim) for cone in ("pyramidal", "elliptic") for condim in (1, 3, 4, 6)]

# trees 0, 2 and 4 stand in one pile, 1 and 3 on the floor, 5 hangs free; two tendons and a weld couple others
PILE = """
<mujoco>
  <option cone="{cone}"/>
  <default><geom friction="0.7 0.02 0.003" condim="4"/></default>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="1 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="0.03 0 .297"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="2 0 .099"><joint name="a" type="slide" axis="0 0 1"/><joint name="b" type="hinge" axis="0 1 0" frictionloss=".1"/>
      <geom type="sphere" size=".1"/></body>
    <body pos="-.02 .03 .495"><freejoint/><geom type="box" size=".1 .1 .1"/>
      <body pos=".2 0 0"><joint type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".03"/></body></body>
    <body pos="0 0 3"><freejoint/><geom type="sphere" size=".1"/></body>
    <body name="p" pos="3 0 1"><joint name="c" type="slide" axis="0 0 1"/><geom type="sphere" size=".1"/></body>
    <body name="q" pos="4 0 1"><joint name="d" type="hinge" axis="0 1 0"/><joint name="e" type="hinge" axis="1 0 0"/>
      <geom type="sphere" size=".1" pos=".1 0 0"/></body>
    <body name="s" pos="5 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <tendon>
    <fixed name="t" limited="true" range="-.01 .01"><joint joint="c" coef="1"/><joint joint="d" coef=".7"/></fixed>
    <fixed name="u"><joint joint="a" coef="1"/><joint joint="e" coef="2"/></fixed>
  </tendon>
  <equality><tendon tendon1="u" tendon2="t" polycoef="0 .5 0 0 0"/><weld body1="s" body2="q"/></equality>
</mujoco>
"""


def pile(cone: str, device: str, steps: int = 30, jacobian: int = SPARSE, **capacity) -> oracle.Pair:
    def change(mjm):
        mjm.opt.jacobian, mjm.opt.tolerance, mjm.opt.ls_tolerance = jacobian, 1e-12, 1e-4

    mjm = mujoco.MjModel.from_xml_string(PILE.format(cone=cone))
    pair = oracle.from_model(mjm, 3, seed=5, change=change, device=device, **capacity)
    oracle.advance(pair, steps)
    return pair


def near(ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-3) -> None:
    error, scale = np.linalg.norm(ours - theirs), max(1.0, np.linalg.norm(theirs))
    assert error <= tolerance * scale, f"error {error:.3g} of norm {scale:.3g}"


def prepared(cone: str, condim: int, device: str, solver: str, noslip: int = 0):
    """A zoo in four unequal states, with sparse rows made and tolerances that let a solver converge."""
    mjm = zoo(cone, condim)
    mjds = states(mjm)
    mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    mjm.opt.iterations, mjm.opt.tolerance, mjm.opt.ls_iterations = 3000, 1e-12, 100
    mjm.opt.noslip_iterations, mjm.opt.noslip_tolerance = noslip, 0.0
    mjm.opt.jacobian = SPARSE
    m, d = filled(mjm, mjds, device)
    assert d.sparse
    mjw.make_constraint(m, d)
    return mjm, mjds, m, d


@pytest.mark.parametrize("name", ["equality_zoo.xml"])
def test_rows_of_every_equality_agree(name, device):
    pair = oracle.load(OWN / name, nworld=3, device=device, change=lambda mjm: setattr(mjm.opt, "jacobian", SPARSE))
    assert pair.d.sparse
    for steps in (0, 20):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_all(pair)
    assert pair.d.ne.numpy().min() > 0


@pytest.mark.parametrize(("cone", "condim"), CASES)
def test_rows_of_contacts_limits_and_friction_are_the_dense_ones(cone, condim, device):
    mjm, mjds, _m, d = prepared(cone, condim, device, "Newton")
    mjm.opt.jacobian = DENSE
    dense = filled(mjm, mjds, device)
    mjw.make_constraint(*dense)
    assert not dense[1].sparse
    for world in range(len(mjds)):
        ours, theirs = (oracle.rows_of_jacobian(data, world, mjm.nv) for data in (d, dense[1]))
        assert np.array_equal(ours, theirs)
        for field in ("type", "id", "D", "aref", "vel", "pos"):
            one, two = (getattr(data.efc, field).numpy()[world, : mjds[world].nefc] for data in (d, dense[1]))
            assert np.array_equal(one, two), field


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("cone", "condim"), CASES)
def test_every_solver_finds_the_minimum_that_mujoco_finds(cone, condim, solver, device):
    _mjm, mjds, m, d = prepared(cone, condim, device, solver)
    for start in (None, 1000.0):
        if start is not None:
            d.qacc_warmstart.fill_(start)
        SOLVERS[solver](m, d)
        for world, mjd in enumerate(mjds):
            near(d.qacc.numpy()[world], mjd.qacc)
            near(d.qfrc_constraint.numpy()[world], mjd.qfrc_constraint)
            near(d.efc.force.numpy()[world, : mjd.nefc], mjd.efc_force, 5e-3)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_slip_suppression_gives_mujocos_forces(cone, device):
    mjm, mjds, m, d = prepared(cone, 4, device, "Newton", noslip=400)
    mjw.solve(m, d)
    mjw.noslip(m, d)
    for world, mjd in enumerate(mjds):
        mujoco.mj_forward(mjm, mjd)
        near(d.qacc.numpy()[world], mjd.qacc)
        near(d.qfrc_constraint.numpy()[world], mjd.qfrc_constraint)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_islands_and_solution_of_a_pile_are_mujocos(cone, device):
    pair = pile(cone, device)
    oracle.forward(pair)
    oracle.compare_all(pair)
    d = pair.d
    for world, mjd in enumerate(pair.mjds):
        count = int(d.nisland.numpy()[world])
        assert count == mjd.nisland > 2
        assert d.tree_island.numpy()[world].tolist() == mjd.tree_island.tolist()
        assert d.dof_island.numpy()[world].tolist() == mjd.dof_island.tolist()
        assert d.efc_island.numpy()[world, : mjd.nefc].tolist() == mjd.efc_island.tolist()
        assert d.map_efc2iefc.numpy()[world, : mjd.nefc].tolist() == mjd.map_efc2iefc.tolist()
        assert d.map_iefc2efc.numpy()[world, : mjd.nefc].tolist() == mjd.map_iefc2efc.tolist()
        for name in ("ntree", "nv", "ne", "nf", "nefc", "iefcadr", "itreeadr"):
            ours = getattr(d, f"island_{name}").numpy()[world, :count].tolist()
            assert ours == getattr(mjd, f"island_{name}").tolist(), name
        for i in range(count):  # the order within an island is our own
            first, number = int(mjd.island_itreeadr[i]), int(mjd.island_ntree[i])
            ours = d.map_itree2tree.numpy()[world, first : first + number]
            assert sorted(ours.tolist()) == sorted(mjd.map_itree2tree[first : first + number].tolist())
    assert len({tuple(d.tree_island.numpy()[w]) for w in range(3)}) >= 1


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_dense_and_sparse_give_one_motion(cone, device):
    sparse, dense = pile(cone, device), pile(cone, device, jacobian=DENSE)
    assert sparse.d.sparse and not dense.d.sparse
    for _ in range(20):
        mjw.step(sparse.m, sparse.d)
        mjw.step(dense.m, dense.d)
    assert np.abs(sparse.d.qpos.numpy() - dense.d.qpos.numpy()).max() < 1e-4


def test_without_islands_all_trees_are_solved_together(device):
    def change(mjm):
        mjm.opt.jacobian = SPARSE
        mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)

    pair = oracle.from_model(mujoco.MjModel.from_xml_string(PILE.format(cone="pyramidal")), 2, change=change, device=device)
    oracle.advance(pair, 20)
    oracle.forward(pair)
    assert pair.d.nisland.numpy().tolist() == [1, 1]
    assert pair.d.island_nefc.numpy()[:, 0].tolist() == [mjd.nefc for mjd in pair.mjds]
    oracle.compare_solution(pair)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_an_island_whose_hessian_has_no_room_is_solved_by_gradients_and_gets_room(cone, device):
    pair = pile(cone, device)
    d = pair.d
    mjw.forward(pair.m, d)
    d.isl.H = d.isl.H[:, :128].contiguous()
    d.touch()
    mjw.make_constraint(pair.m, d)
    mjw.solve(pair.m, d)
    with pytest.warns(NewtonishWarning, match="conjugate gradients"):
        assert (d.overflow.numpy() & int(OverflowType.HESSIAN)).all()
    needed = int(d.nhessian_needed.numpy().max())
    assert needed > 128
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.compare_solution(pair)
    if not d.device.is_cuda:
        mjw.forward(pair.m, d)
        assert d.nhessian >= needed
        oracle.compare_solution(pair)


def test_repeats_and_neighbours_change_no_bit(device):
    pair = pile("elliptic", device)
    order = np.array([2, 0, 1])
    results = []
    for worlds in (np.arange(3), np.arange(3), order):
        d = mjw.make_data(pair.m, 3)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(d, name).assign(getattr(pair.d, name).numpy()[worlds])
        for _ in range(10):
            mjw.step(pair.m, d)
        mjw.island(pair.m, d)
        results.append([d.qpos.numpy()[np.argsort(worlds)], d.efc.force.numpy()[np.argsort(worlds)]])
    for other in results[1:]:
        assert np.array_equal(results[0][0], other[0])
        assert all(np.array_equal(a[:20], b[:20]) for a, b in zip(results[0][1], other[1], strict=True))


@pytest.mark.parametrize("solver", [0, 1, 2])
def test_the_storage_can_be_changed_after_make_data(solver, device):
    pair = pile("pyramidal", device, jacobian=AUTO)
    assert not pair.d.sparse
    pair.m.opt.solver, pair.m.opt.iterations = solver, 2000
    qacc = []
    for jacobian in (DENSE, SPARSE, DENSE):
        pair.m.opt.jacobian = jacobian
        mjw.forward(pair.m, pair.d)
        assert pair.d.sparse == (jacobian == SPARSE)
        qacc.append(pair.d.qacc.numpy())
    near(qacc[1], qacc[0])
    assert np.array_equal(qacc[0], qacc[2]) or np.abs(qacc[0] - qacc[2]).max() < 1e-2


def test_inverse_dynamics_recovers_the_applied_force(device):
    pair = pile("elliptic", device)
    rng = np.random.default_rng(0)
    applied = rng.standard_normal(pair.d.qfrc_applied.shape).astype(np.float32)
    pair.d.qfrc_applied.assign(applied)
    mjw.forward(pair.m, pair.d)
    mjw.inverse(pair.m, pair.d)
    near(pair.d.qfrc_inverse.numpy(), applied)


def test_data_of_mujoco_can_be_put_into_sparse_rows(device):
    pair = pile("pyramidal", device)
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    one = mjw.put_data(pair.mjm, pair.mjds[1], 2, m=pair.m)
    assert one.sparse
    expected = oracle.dense_jacobian(pair.mjm, pair.mjds[1])
    for world in range(2):
        assert np.allclose(oracle.rows_of_jacobian(one, world, pair.mjm.nv), expected, atol=1e-6)
    mjw.solve(pair.m, one)
    near(one.qacc.numpy()[1], pair.mjds[1].qacc)


def test_islands_of_dense_rows_are_refused(device):
    pair = pile("pyramidal", device, jacobian=DENSE)
    with pytest.raises(ModelError, match=r"island: d: got data with a dense Jacobian.*jacobian"):
        mjw.island(pair.m, pair.d)


def test_auto_is_sparse_from_sixty_dofs(device):
    bodies = '<body><freejoint/><geom size=".1"/></body>'
    for count, sparse in ((9, False), (10, True)):
        mjm = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{count * bodies}</worldbody></mujoco>")
        assert mjw.make_data(mjw.put_model(mjm, device=device), 2).sparse is sparse
