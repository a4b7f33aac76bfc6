"""Trees that sleep against MuJoCo's own, step by step, in two unequal worlds: who falls asleep when, what wakes whom, and what keeps its bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from paths import REPO

from newtonish import mjw

ZOO = REPO / "tests" / "models" / "sleep_zoo.xml"
ALLOWED = 'sleep="allowed"'


def compiled(bodies: str, option: str = "", rest: str = "", flags: str = "", tolerance: float = 1e-2) -> mujoco.MjModel:
    """A model on a floor with the flag set."""
    text = (
        f'<mujoco><option sleep_tolerance="{tolerance}" {option}><flag sleep="enable" {flags}/></option><worldbody>'
        f'<geom type="plane" size="5 5 .1"/>{bodies}</worldbody>{rest}</mujoco>'
    )
    return mujoco.MjModel.from_xml_string(text)


def box(name: str, x: float, z: float = 0.1, more: str = "") -> str:
    return f'<body name="{name}" pos="{x} 0 {z}" {more}><freejoint/><geom name="{name}" type="box" size=".1 .1 .1"/><site name="{name}"/></body>'


def pendulum(name: str, x: float) -> str:
    ghost = 'size=".05" mass="1" contype="0" conaffinity="0"'
    return (
        f'<body name="{name}" pos="{x} 0 1" {ALLOWED}><joint name="{name}" axis="0 1 0" damping="1" stiffness="5"/>'
        f'<geom {ghost}/><geom pos="0 0 -.3" {ghost}/></body>'
    )


class Pair:
    """Two unequal worlds, in MuJoCo and here."""

    def __init__(self, mjm: mujoco.MjModel, move: Callable[[Any], None] | None = None) -> None:
        self.mjm = mjm
        self.theirs = [mujoco.MjData(mjm) for _ in range(2)]
        self.m = mjw.put_model(mjm)
        self.d = mjw.make_data(self.m, nworld=2)
        if move is not None:
            self.change(move, 1)

    def change(self, function: Callable[[Any], None], world: int = 0) -> None:
        """Let a function change the state or the inputs of one world on both sides."""
        data = self.theirs[world]
        function(data)
        for name in ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "eq_active"):
            array = getattr(self.d, name)
            if array.size:
                before = array.numpy()
                after = np.asarray(getattr(data, name)).reshape(before.shape[1:]).astype(before.dtype)
                changed = self._changed(name, world, after)
                before[world][changed] = after[changed]
                array.assign(before)
        self._seen[world] = self._inputs(world)

    _seen: dict[int, dict[str, np.ndarray]]

    def _inputs(self, world: int) -> dict[str, np.ndarray]:
        names = ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "eq_active")
        return {name: np.array(getattr(self.theirs[world], name)) for name in names}

    def _changed(self, name: str, world: int, after: np.ndarray) -> np.ndarray:
        """Entries that the function wrote, so that others keep their own rounding."""
        if not hasattr(self, "_seen"):
            self._seen = {}
        old = self._seen.get(world, {}).get(name)
        return np.ones(after.shape, bool) if old is None else old.reshape(after.shape).astype(after.dtype) != after

    def step(self, count: int, exactly: bool = True) -> list[tuple[int, int, list[int]]]:
        """Steps on both sides, which agree on who sleeps after each; returns the changes as (step, world, tree_asleep)."""
        changes = []
        before = self.d.tree_asleep.numpy() >= 0
        for i in range(count):
            for data in self.theirs:
                mujoco.mj_step(self.mjm, data)
            mjw.step(self.m, self.d)
            ours, theirs = self.d.tree_asleep.numpy(), np.array([data.tree_asleep for data in self.theirs])
            assert np.array_equal(ours >= 0, theirs >= 0), (i, ours, theirs)
            assert not exactly or np.array_equal(ours[ours >= 0], theirs[ours >= 0]), (i, ours, theirs)
            for world in np.flatnonzero(((ours >= 0) != before).any(axis=1)):
                changes.append((i, int(world), ours[world].tolist()))
            before = ours >= 0
        self._seen = {world: self._inputs(world) for world in range(2)}
        return changes

    def check_arrays(self) -> None:
        """What follows from ``tree_asleep`` is MuJoCo's."""
        for world, data in enumerate(self.theirs):
            for name in ("tree_awake", "body_awake"):
                assert np.array_equal(getattr(self.d, name).numpy()[world], getattr(data, name)), name
            for name, count in (("body_awake_ind", "nbody_awake"), ("parent_awake_ind", "nparent_awake"), ("dof_awake_ind", "nv_awake")):
                number = int(getattr(self.d, count).numpy()[world])
                assert number == getattr(data, count), count
                ours, theirs = getattr(self.d, name).numpy()[world][:number], getattr(data, name)[:number]
                assert np.array_equal(np.sort(ours), np.sort(theirs)), name
            assert self.d.ntree_awake.numpy()[world] == data.ntree_awake


def raise_first(data: Any) -> None:
    data.qpos[2] += 0.05


STACK = box("p", 0.0) + box("q", 0.0, 0.2999) + box("r", 1.3, 0.12)


def test_stack_falls_asleep_as_in_mujoco():
    """A stack and a box that falls, in the other world from higher up: groups, counters and lists, and then the same bits."""
    pair = Pair(compiled(STACK), raise_first)
    changes = pair.step(150)
    assert [change[1:] for change in changes][-1] == (1, [1, 0, 2])
    assert len(changes) == 4
    pair.check_arrays()
    before = {name: getattr(pair.d, name).numpy() for name in ("qpos", "qvel", "qacc", "ncon", "nefc")}
    assert not before["qvel"].any() and not before["qacc"].any() and not before["ncon"].any() and not before["nefc"].any()
    pair.step(30)
    assert np.array_equal(before["qpos"], pair.d.qpos.numpy())


@pytest.mark.parametrize(
    "option",
    [
        'integrator="implicitfast"', 'integrator="implicit"', 'integrator="discrete"',
        'cone="elliptic"', 'solver="CG"', 'solver="PGS"', 'solver="CG" jacobian="sparse" cone="elliptic"',
        'jacobian="sparse"', 'noslip_iterations="3"', 'solver="PGS" integrator="discrete" cone="elliptic"',
    ],
)  # fmt: skip
def test_options(option: str):
    """Integrators, cones, solvers and storages."""
    pair = Pair(compiled(box("p", 0.0) + box("r", 1.3, 0.12), option), raise_first)
    pair.step(140)
    assert (pair.d.tree_asleep.numpy() >= 0).all()
    pair.change(lambda data: data.xfrc_applied.__setitem__((1, 2), 0.5))
    kept = pair.d.qpos.numpy()[0, 7:14]
    assert [c for c in pair.step(2) if c[1] == 0] == [(0, 0, [-11, 1])]
    assert np.array_equal(pair.d.qpos.numpy()[0, 7:14], kept)
    assert np.abs(pair.d.qvel.numpy()[0, :6] - pair.theirs[0].qvel[:6]).max() < 2e-4


def test_runge_kutta():
    """With RK4 groups fall asleep in the same step as in MuJoCo, which wakes them in the next one; here they stay asleep."""
    mjm = compiled(box("p", 0.0) + box("r", 1.3, 0.12), 'integrator="RK4"')
    mjd, m = mujoco.MjData(mjm), mjw.put_model(mjm)
    d = mjw.make_data(m)
    while mjd.tree_asleep[0] < 0:
        mujoco.mj_step(mjm, mjd)
        mjw.step(m, d)
        assert np.array_equal(mjd.tree_asleep, d.tree_asleep.numpy()[0])
    kept = d.qpos.numpy()[0, :7]
    for _ in range(130):
        mjw.step(m, d)
    assert (d.tree_asleep.numpy() >= 0).all() and np.array_equal(kept, d.qpos.numpy()[0, :7])


def test_without_islands():
    """Without the search for islands nobody sleeps, as in MuJoCo as long as there are rows."""
    mjm = compiled(box("p", 0.0), flags='island="disable"')
    mjd, m = mujoco.MjData(mjm), mjw.put_model(mjm)
    d = mjw.make_data(m)
    for _ in range(40):
        mujoco.mj_step(mjm, mjd)
        mjw.step(m, d)
    assert mjd.tree_asleep[0] < 0 and d.tree_asleep.size == 0 and d.ncon.numpy()[0] == 4


def _set(name: str, at: Any, value: float) -> Callable[[Any], None]:
    def function(data: Any) -> None:
        getattr(data, name)[at] = value

    return function


@pytest.mark.parametrize("change", [_set("qpos", 2, 0.101), _set("qvel", 2, 1e-9), _set("xfrc_applied", (1, 0), 1e-9), _set("qfrc_applied", 1, 1e-9)])
def test_user_wakes(change: Callable[[Any], None]):
    """Coordinates, velocities and forces of the user's wake a whole group, and no other; then it falls asleep again."""
    pair = Pair(compiled(STACK), raise_first)
    pair.step(150)
    pair.change(change)
    changes = pair.step(40)
    assert changes[0][:2] == (0, 0) and changes[0][2][2] == 2 and max(changes[0][2][:2]) < 0


def test_touch_wakes():
    """A ball rolls into a stack asleep: it wakes with the ball's counter, its own contacts are there in the same step."""
    ball = '<body pos="-.6 0 .1"><freejoint/><geom size=".1" mass="2" condim="1"/></body>'
    pair = Pair(compiled(box("p", 0.0) + box("q", 0.0, 0.2999) + ball))
    pair.step(60)
    pair.change(lambda data: data.qvel.__setitem__(12, 2.0), 0)
    pair.change(lambda data: data.qvel.__setitem__(12, 2.5), 1)
    changes = pair.step(160, exactly=False)
    assert [c[1:] for c in changes[:2]] == [(0, [1, 0, -11]), (1, [1, 0, -11])] and len(changes) >= 4
    wakes = {world: asleep for _, world, asleep in reversed(changes[2:])}
    assert all(wakes[world][:2] == [-10, -10] for world in range(2))


EQ = "<equality>{}</equality>"


@pytest.mark.parametrize(
    ("bodies", "rest", "change", "asleep"),
    [
        (box("p", 0) + box("q", 1) + box("r", 2), EQ.format('<weld body1="p" body2="q" active="false"/>'), _set("eq_active", 0, 1), (False, False, True)),
        (box("p", 0) + box("q", 1) + box("r", 2), EQ.format('<connect body1="p" body2="q" anchor="0 0 0" active="false"/>'), _set("eq_active", 0, 1), (False, False, True)),
        (box("p", 0) + box("q", 1) + box("r", 2), EQ.format('<weld body1="p" body2="q"/>'), _set("eq_active", 0, 0), (True, True, True)),
        (box("p", 0) + box("q", 1) + box("r", 2), EQ.format('<weld body1="p"/>'), None, (True, True, True)),
        (box("p", 0) + '<body name="m" mocap="true" pos="0 .5 .1"><geom type="box" size=".1 .1 .1"/></body>', "", _set("mocap_pos", (0, 1), 0.19), (False,)),
        (pendulum("a", 0) + pendulum("b", 1), EQ.format('<joint joint1="a" joint2="b"/>'), _set("qfrc_applied", 0, 0.5), (False, False)),
        (pendulum("a", 0) + pendulum("b", 1), '<tendon><fixed frictionloss=".1"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>', _set("qfrc_applied", 0, 0.5), (False, False)),
        (pendulum("a", 0) + pendulum("b", 1), '<tendon><fixed limited="true" range="-1 1"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>', _set("qfrc_applied", 0, 0.5), (False, True)),
        (pendulum("a", 0) + pendulum("b", 1), '<tendon><fixed limited="true" range=".2 1"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>', _set("qfrc_applied", 1, 0.5), (False, False)),
        (pendulum("a", 0) + pendulum("b", 1), '<actuator><general joint="a" dyntype="filter" dynprm=".1" gainprm="1"/></actuator>', _set("ctrl", 0, 3.0), (True, True)),
    ],
)  # fmt: skip
def test_couplings_wake(bodies: str, rest: str, change: Callable[[Any], None] | None, asleep: tuple[bool, ...]):
    """Equalities, tendons with rows and what the user moves wake; slack tendons and controls do not."""
    pair = Pair(compiled(bodies, rest=rest))
    count = 900 if "pendulum" in bodies or "joint=" in bodies + rest else 90
    pair.step(count)
    assert (pair.d.tree_asleep.numpy() >= 0).all()
    if change is not None:
        pair.change(change)
    pair.step(3)
    assert tuple(pair.d.tree_asleep.numpy()[0] >= 0) == asleep
    assert (pair.d.tree_asleep.numpy()[1] >= 0).all()
    assert np.allclose(pair.d.act.numpy()[0], pair.theirs[0].act, atol=1e-6)


def test_weld_to_mocap_keeps_awake():
    """What the user may move wakes whoever is welded to it as soon as it falls asleep, in MuJoCo too."""
    pair = Pair(compiled(box("p", 0) + '<body name="m" mocap="true" pos="0 0 .5"/>', rest=EQ.format('<weld body1="m" body2="p"/>')))
    assert len(pair.step(60)) >= 4


def test_policies_and_beginning_asleep():
    """``init`` sleeps from the reset on, also as a group, until it is moved; ``never`` does not; resets and keyframes repeat it."""
    bodies = box("p", 0, 0.0999, 'sleep="init"') + box("q", 0, 0.2996, 'sleep="init"') + box("r", 1) + box("s", 2, more='sleep="never"')
    keys = '<keyframe><key qpos="0 0 .0999 1 0 0 0 0 0 .2996 1 0 0 0 1 0 .1 1 0 0 0 2 0 .1 1 0 0 0"/></keyframe>'
    pair = Pair(compiled(bodies, rest=keys))
    assert pair.d.tree_asleep.numpy().tolist() == [[1, 0, -10, -11]] * 2
    assert list(pair.theirs[0].tree_asleep) == [1, 0, -10, -11]
    assert [c[2] for c in pair.step(30)] == [[1, 0, 2, -11]] * 2
    pair.change(_set("qpos", 0, 0.01))
    assert pair.step(1)[0][2][:2] == [-10, -10]
    mask = np.array([True, False])
    mjw.reset_data(pair.m, pair.d, mask)
    assert pair.d.tree_asleep.numpy()[0].tolist() == [1, 0, -10, -11] and pair.d.tree_asleep.numpy()[1, 2] == 2
    mjw.reset_data_keyframe(pair.m, pair.d, 0)
    assert pair.d.tree_asleep.numpy().tolist() == [[1, 0, -10, -11]] * 2


def test_begins_beside_one_awake():
    """A tree that is to begin asleep on one that does not is reported, and stays awake."""
    mjm = compiled(box("p", 0, more='sleep="init"') + box("q", 0, 0.2999))
    with pytest.warns(match="'p'.*sleep=\"init\".*coupled"):
        d = mjw.make_data(mjw.put_model(mjm))
    assert (d.tree_asleep.numpy() < 0).all()


def test_sensors_keep_what_they_said():
    """Touch and acceleration stay, velocity is zero, the clock goes on.

    MuJoCo evaluates forces once more without velocity: at the threshold, that is 0.6 % here.
    """
    sensors = '<sensor><touch site="p"/><accelerometer site="p"/><framelinvel objtype="site" objname="p"/><clock/></sensor>'
    body = '<body name="p" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="p" type="box" size=".12 .12 .12"/></body>'
    pair = Pair(compiled(body, rest=sensors, tolerance=1e-3), raise_first)
    pair.step(170)
    assert (pair.d.tree_asleep.numpy() >= 0).all() and not pair.d.ncon.numpy().any()
    for world in range(2):
        ours, theirs = pair.d.sensordata.numpy()[world], pair.theirs[world].sensordata
        assert np.allclose(ours[0], theirs[0], rtol=8e-3) and ours[0] > 70.0
        assert np.allclose(ours[3], theirs[3], rtol=8e-3)
        assert not ours[4:7].any() and ours[7] == pytest.approx(theirs[7], rel=1e-6)


def test_copies_with_mujoco():
    """``put_data`` takes over who sleeps and goes on as MuJoCo does; ``get_data_into`` gives it back."""
    mjm = compiled(STACK)
    mjd = mujoco.MjData(mjm)
    for _ in range(60):
        mujoco.mj_step(mjm, mjd)
    m = mjw.put_model(mjm)
    d = mjw.put_data(mjm, mjd, nworld=2, m=m)
    assert np.array_equal(d.tree_asleep.numpy()[1], mjd.tree_asleep) and (mjd.tree_asleep >= 0).sum() == 2
    for _ in range(70):
        mujoco.mj_step(mjm, mjd)
        mjw.step(m, d)
        assert np.array_equal(d.tree_asleep.numpy()[1] >= 0, mjd.tree_asleep >= 0)
    other = mujoco.MjData(mjm)
    mjw.get_data_into(other, mjm, d, 1)
    for name in ("tree_asleep", "tree_awake", "body_awake"):
        assert np.array_equal(getattr(other, name), getattr(mjd, name)), name
    before = other.qpos.copy()
    mujoco.mj_forward(mjm, other)
    mujoco.mj_step(mjm, other)
    assert np.array_equal(before, other.qpos)


def test_switched_on_later():
    """The flag and the tolerance can be set at any time; without the flag there is nothing of it in a Data."""
    mjm = compiled(box("p", 0))
    mjm.opt.enableflags = 0
    m = mjw.put_model(mjm)
    d = mjw.make_data(m, nworld=2)
    mjw.step(m, d)
    assert d.tree_asleep.size == 0
    m.opt.enableflags = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    for _ in range(60):
        mjw.step(m, d)
    assert (d.tree_asleep.numpy() >= 0).all()
    m.opt.sleep_tolerance = 0.0
    q = d.qpos.numpy()
    q[0, 2] += 0.01
    d.qpos.assign(q)
    for _ in range(60):
        mjw.step(m, d)
    assert (d.tree_asleep.numpy()[0] < 0).all() and (d.tree_asleep.numpy()[1] >= 0).all()


def test_from_a_file_and_back(tmp_path):
    """Policies, flag and tolerance come through the importer and the conversion; copies and checkpoints go on with the same bits."""
    bodies = box("p", 0, 0.0999, 'sleep="init"') + box("q", 1, 0.12) + box("r", 2, more='sleep="never"')
    text = f'<mujoco><option sleep_tolerance="2e-2"><flag sleep="enable"/></option><worldbody><geom type="plane" size="5 5 .1"/>{bodies}</worldbody></mujoco>'
    mjm = mujoco.MjModel.from_xml_string(text)
    mjd = mujoco.MjData(mjm)
    m, d = mjw.load(text, nworld=2)
    assert np.array_equal(m.tree_sleep_policy.numpy(), mjm.tree_sleep_policy) and m.opt.sleep_tolerance == 2e-2
    assert d.tree_asleep.numpy()[1].tolist() == mjd.tree_asleep.tolist() == [0, -10, -11]
    for _ in range(25):
        mujoco.mj_step(mjm, mjd)
        mjw.step(m, d)
        assert np.array_equal(d.tree_asleep.numpy()[0], mjd.tree_asleep)
    other, third = mjw.make_data(m, nworld=2), mjw.make_data(m, nworld=2)
    mjw.copy_state(m, d, other)
    mjw.save(tmp_path / "state.npz", m, d)
    mjw.restore(tmp_path / "state.npz", m, third)
    assert np.array_equal(other.tree_asleep.numpy(), d.tree_asleep.numpy())
    for _ in range(110):
        for data in (d, other, third):
            mjw.step(m, data)
    assert (d.tree_asleep.numpy()[:, :2] >= 0).all()
    for data in (other, third):
        for name in ("qpos", "qvel", "tree_asleep"):
            assert np.array_equal(getattr(data, name).numpy(), getattr(d, name).numpy()), name


def test_zoo_agrees(device):
    """Everything that couples, at once: ``tree_asleep`` is MuJoCo's in every step, counters included, also of trees that wake again and again."""
    mjm = mujoco.MjModel.from_xml_path(str(ZOO))
    mjd = mujoco.MjData(mjm)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, nworld=2)
    pushed = d.qvel.numpy()
    pushed[1, -1] = 0.2
    d.qvel.assign(pushed)
    for _ in range(24):
        mujoco.mj_step(mjm, mjd)
        mjw.step(m, d)
        assert np.array_equal(d.tree_asleep.numpy()[0], mjd.tree_asleep)
        assert d.ncon.numpy()[0] == mjd.ncon and d.nefc.numpy()[0] == mjd.nefc


def test_a_world_that_is_reset_starts_over():
    """A world that is no longer finite is reset with its trees as at the start; its neighbour sleeps on."""
    m = mjw.put_model(compiled(box("p", 0) + box("q", 1, more='sleep="init"')))
    d = mjw.make_data(m, nworld=2)
    for _ in range(30):
        mjw.step(m, d)
    assert (d.tree_asleep.numpy() >= 0).all()
    bad = d.qpos.numpy()
    bad[1, 0] = np.nan
    d.qpos.assign(bad)
    mjw.step(m, d)
    assert d.nonfinite.numpy().tolist() == [0, 1]
    assert d.tree_asleep.numpy().tolist() == [[0, 1], [-10, 1]]
