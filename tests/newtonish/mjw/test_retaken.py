"""A step in which worlds lacked room is taken again before anyone sees it: growing capacities leave no trace.

Twenty loose balls are pressed into a heap, which makes four times the contacts that were estimated; each run is compared, bit for bit, with one
that had room for them from the beginning.
"""

import contextlib
import warnings

import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import mjw
from newtonish.errors import CapacityError, NewtonishWarning

pytestmark = pytest.mark.skipif("config.getoption('--device', default='cpu') not in (None, 'cpu')", reason="a GPU is not waited for in a step")

NWORLD, BALLS = 6, 20
TEXT = "".join(f'<body pos="{0.5 * (i % 5)} {0.5 * (i // 5)} .3"><freejoint/><geom size=".1" mass="1"/></body>' for i in range(BALLS))
XML = f'<mujoco><option timestep=".004" {{option}}/><worldbody><geom type="plane" size="9 9 1"/>{TEXT}</worldbody></mujoco>'
ROOMY = {"nconmax": 400, "njmax": 1700}
COMPARED = ("qpos", "qvel", "qacc", "qacc_warmstart", "time", "overflow", "ncon_needed", "nefc_needed", "nonfinite", "solver_niter", "xpos")


def press(qpos: np.ndarray, world: int) -> None:
    """Put the balls of a world into a space where each touches most of the others."""
    qpos[world].reshape(BALLS, 7)[:, :3] = np.random.default_rng(world).uniform([-0.12, -0.12, 0.08], [0.12, 0.12, 0.32], (BALLS, 3))


def played(option: str = "", nstep: int = 1, also: int | None = None, callback: bool = False, **capacity: int) -> tuple[dict[str, np.ndarray], int]:
    """What 30 steps come to, with a heap in world 5 after ten, and in world ``also`` after two; and how many warnings of growth there were."""
    m, d = mjw.load(XML.format(option=option), nworld=NWORLD, device="cpu", **capacity)
    if callback:
        m.callback.control = lambda m, d: wp.copy(d.qfrc_applied, d.qvel)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for first in range(0, 30, nstep):
            for world, start in ((5, 10), (also, 2)):
                if world is not None and first == start // nstep * nstep:
                    qpos = d.qpos.numpy()
                    press(qpos, world)
                    d.qpos.assign(qpos)
            mjw.step(m, d, nstep)
    told = [str(entry.message) for entry in caught if issubclass(entry.category, NewtonishWarning)]
    assert bool(capacity) or d.nconmax > 100
    return {name: getattr(d, name).numpy().copy() for name in COMPARED}, len(told)


def assert_same(ours: dict[str, np.ndarray], roomy: dict[str, np.ndarray], worlds: object = slice(None)) -> None:
    for name in COMPARED:
        np.testing.assert_array_equal(ours[name][worlds], roomy[name][worlds], err_msg=name)


@pytest.mark.parametrize("nstep", [1, 10])
def test_growth_leaves_no_trace(nstep: int) -> None:
    grown, told = played(nstep=nstep)
    roomy, none = played(nstep=nstep, **ROOMY)
    assert told == 1 and none == 0 and not grown["overflow"].any()
    assert_same(grown, roomy)


def test_what_happens_to_a_neighbour_does_not_matter() -> None:
    alone, _ = played()
    both, _ = played(also=3)
    assert_same(alone, both, [0, 1, 2, 4, 5])
    assert (alone["qpos"][3] != both["qpos"][3]).any()


@pytest.mark.parametrize("option", ['integrator="RK4" jacobian="dense" cone="elliptic"', 'solver="PGS" iterations="5" jacobian="dense"'])
def test_other_solvers_and_integrators(option: str) -> None:
    assert_same(played(option)[0], played(option, **ROOMY)[0])


def test_with_a_function_of_the_users() -> None:
    assert_same(played(callback=True)[0], played(callback=True, **ROOMY)[0])


def test_threads() -> None:
    mjw.set_num_threads(2)
    try:
        assert_same(played()[0], played(**ROOMY)[0])
    finally:
        mjw.set_num_threads(None)


@pytest.mark.parametrize("in_place", [False, True])
def test_the_solver_of_newtons_interface(in_place: bool) -> None:
    builder = newtonish.ModelBuilder()
    one = newtonish.ModelBuilder()
    one.add_mjcf(XML.format(option=""))
    builder.replicate(one, 3)
    ends = []
    for capacity in ({}, ROOMY):
        model = builder.finalize(device="cpu")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)
            solver = newtonish.SolverMuJoCo(model, **capacity)
            now, then = model.state(), model.state()
            then = now if in_place else then
            for step in range(12):
                if step == 4:
                    host = now.joint_q.numpy().reshape(3, BALLS, 7)
                    press(host.reshape(3, -1), 1)
                    now.joint_q.assign(host.reshape(-1))
                solver.step(now, then, None, None, 0.004)
                now, then = then, now
        assert not solver.mjw_data.overflow.numpy().any()
        ends.append([array.numpy().copy() for array in (now.joint_q, now.joint_qd, now.body_q, now.body_qd)])
    for grown, roomy in zip(*ends, strict=True):
        np.testing.assert_array_equal(grown, roomy)


def test_the_warning_names_what_was_wanted() -> None:
    m, d = mjw.load(XML.format(option=""), nworld=2, device="cpu")
    before = d.nconmax, d.njmax
    qpos = d.qpos.numpy()
    press(qpos, 1)
    d.qpos.assign(qpos)
    with pytest.warns(NewtonishWarning, match="the step was taken again") as caught:
        mjw.step(m, d)
    (text,) = [str(entry.message) for entry in caught]
    wanted = int(d.ncon_needed.numpy()[1]), int(d.nefc_needed.numpy()[1])
    assert wanted[0] > before[0] and wanted == (d.ncon.numpy()[1], d.nefc.numpy()[1])
    for part in ("world 1 of 2", f"{wanted[0]} contacts and {wanted[1]} constraint rows wanted", f"nconmax={before[0]}", f"nconmax={d.nconmax}"):
        assert part in text, text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mjw.step(m, d)


def test_strict_data_has_nothing_to_say_of_a_step_that_was_taken_again() -> None:
    m, roomy = mjw.load(XML.format(option=""), nworld=2, device="cpu")
    qpos = roomy.qpos.numpy()
    press(qpos, 1)
    for capacity, expected in (({}, contextlib.nullcontext()), ({"nconmax": 20}, pytest.raises(CapacityError, match="nconmax=20"))):
        d = mjw.make_data(m, 2, strict_capacity=True, **capacity)
        d.qpos.assign(qpos)
        with warnings.catch_warnings(), expected:
            warnings.simplefilter("ignore", NewtonishWarning)
            mjw.step(m, d)
