"""Finite differences against MuJoCo's, in unequal worlds, and against matrices known in closed form.

MuJoCo takes the same differences in float64 with the same eps, so what remains is the rounding of float32: some units in
the last place of the outputs (their norm times 2^-24), over the distance of the two points.
"""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model

from newtonish import mjw
from newtonish.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
EPS = 1e-3

XML = """
<mujoco>
  <option timestep=".01" integrator="{integrator}"/>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" stiffness="2"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" type="ball" damping=".05"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/><site name="tip" pos=".3 0 0"/></body></body>
    <body pos="0 1 .5"><freejoint/><geom type="ellipsoid" size=".1 .15 .2"/></body>
  </worldbody>
  <actuator>
    <general joint="a" dyntype="filter" dynprm=".05" gainprm="3" ctrlrange="-1 1"/>
    <motor joint="a" gear="2" ctrlrange="-1 1"/>
    <motor joint="b" gear="1 2 3" ctrllimited="false"/>
  </actuator>
  <sensor><jointpos joint="a"/><framepos objtype="site" objname="tip"/><accelerometer site="tip"/><actuatorfrc actuator="{first}"/></sensor>
</mujoco>
""".replace("<general joint", '<general name="drive" joint').replace("{first}", "drive")


def rig(name: str, device: str, steps: int = 10) -> oracle.Pair:
    def change(mjm):
        mjm.opt.tolerance, mjm.opt.iterations = 1e-12, 100

    if name in ("Euler", "implicitfast", "implicit", "RK4"):
        pair = oracle.from_model(mujoco.MjModel.from_xml_string(XML.format(integrator=name)), 3, device=device)
    else:
        path = OWN / name if "/" not in name else shared_model(name)
        pair = oracle.load(path, nworld=3, change=change, device=device)
    oracle.advance(pair, steps)
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.push(pair)
    return pair


def rounding(outputs: np.ndarray, distance: float, columns: int) -> float:
    """What 32 units in the last place of the outputs make in the norm of a matrix with so many columns."""
    return 32.0 * 2.0**-24 * max(1.0, float(np.linalg.norm(outputs))) / distance * np.sqrt(columns)


def next_state(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> mujoco.MjData:
    after = mujoco.MjData(mjm)
    mujoco.mj_copyData(after, mjm, mjd)
    mujoco.mj_step(mjm, after)
    return after


def by_hand(mjm: mujoco.MjModel, mjd: mujoco.MjData, eps: float) -> np.ndarray:
    """A by centred differences of ``mj_step``, for the integrator that MuJoCo's own function refuses."""
    nv, columns = mjm.nv, []
    for k in range(2 * nv + mjm.na):
        ends = []
        for sign in (1.0, -1.0):
            moved = mujoco.MjData(mjm)
            mujoco.mj_copyData(moved, mjm, mjd)
            if k < nv:
                mujoco.mj_integratePos(mjm, moved.qpos, np.eye(nv)[k], sign * eps)
            elif k < 2 * nv:
                moved.qvel[k - nv] += sign * eps
            else:
                moved.act[k - 2 * nv] += sign * eps
            ends.append(next_state(mjm, moved))
        dq = np.zeros(nv)
        mujoco.mj_differentiatePos(mjm, dq, 2.0 * eps, ends[1].qpos, ends[0].qpos)
        rates = [(ends[0].qvel - ends[1].qvel) / (2.0 * eps), (ends[0].act - ends[1].act) / (2.0 * eps)]
        columns.append(np.concatenate([dq, *rates]))
    return np.stack(columns, axis=1)


def transition(pair: oracle.Pair, eps: float, centered: bool) -> None:
    nx, nu, ns = 2 * pair.mjm.nv + pair.mjm.na, pair.mjm.nu, pair.mjm.nsensordata
    shapes = {"A": (nx, nx), "B": (nx, nu), "C": (ns, nx), "D": (ns, nu)}
    ours = {name: wp.full((3, *shape), 9.0, dtype=float, device=pair.d.device) for name, shape in shapes.items()}
    state = wp.zeros((3, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=pair.d.device)
    mjw.get_state(pair.m, pair.d, state, mjw.State.INTEGRATION)
    before = state.numpy().copy()
    mjw.transition_fd(pair.m, pair.d, eps, centered, *ours.values())
    mjw.get_state(pair.m, pair.d, state, mjw.State.INTEGRATION)
    np.testing.assert_array_equal(state.numpy(), before)
    for world, mjd in enumerate(pair.mjds):
        theirs = {name: np.zeros(shape) for name, shape in shapes.items()}
        mujoco.mjd_transitionFD(pair.mjm, mjd, eps, centered, *(a if a.size else None for a in theirs.values()))
        for name, array in theirs.items():
            error = np.linalg.norm(ours[name].numpy()[world] - array)
            after = next_state(pair.mjm, mjd)
            outputs = after.sensordata if name in "CD" else np.concatenate([after.qpos, after.qvel, after.act])
            bound = rounding(outputs, eps * (1 + centered), array.shape[1])
            assert error <= bound, f"{name}, world {world}: {error:.2e} of {np.linalg.norm(array):.2e}, bound {bound:.1e}"


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("name", ["Euler", "implicitfast", "implicit", "smooth_zoo.xml"])
def test_the_derivatives_of_a_step(name, centered, device):
    transition(rig(name, device), EPS, centered)


def test_runge_kutta(device):
    pair = rig("RK4", device)
    nx = 2 * pair.mjm.nv + pair.mjm.na
    A = wp.zeros((3, nx, nx), dtype=float, device=device)
    mjw.transition_fd(pair.m, pair.d, EPS, True, A)
    for world, mjd in enumerate(pair.mjds):
        theirs = by_hand(pair.mjm, mjd, EPS)
        assert np.linalg.norm(A.numpy()[world] - theirs) <= rounding(mjd.qvel, 2.0 * EPS, nx)


def test_contacts(device):
    """A standing humanoid: steep, and not smooth where contacts open; a smaller eps stays on one side of that."""
    pair = rig("dm_humanoid/humanoid.xml", device, steps=150)
    assert all(mjd.ncon for mjd in pair.mjds)
    transition(pair, 1e-4, True)


def test_controls_at_the_end_of_their_range_move_inside(device):
    for centered in (True, False):
        pair = rig("Euler", device)
        for world, mjd in enumerate(pair.mjds):
            mjd.ctrl[:2] = ((1.0, -1.0), (-1.0, 1.0), (1.5, 0.2))[world]  # outside: not moved, no effect
        oracle.push(pair)
        transition(pair, EPS, centered)


def test_worlds_have_their_own_values_even_when_written_in_place(device):
    pair = rig("Euler", device)
    model = pair.mjm
    damping = np.repeat(pair.m.dof_damping.numpy(), 3, axis=0)
    pair.m.dof_damping = damping
    nx = 2 * model.nv + model.na
    found = []
    for factor in (1.0, 3.0):
        pair.m.dof_damping.assign((damping * factor * np.array([[1.0], [2.0], [4.0]])).astype(np.float32))
        A = wp.zeros((3, nx, nx), dtype=float, device=device)
        mjw.transition_fd(pair.m, pair.d, EPS, True, A)
        found.append(A.numpy())
    kept = model.dof_damping.copy()
    for factor, A in zip((1.0, 3.0), found, strict=True):
        for world, mjd in enumerate(pair.mjds):
            model.dof_damping[:] = kept * factor * 2.0**world
            theirs = np.zeros((nx, nx))
            mujoco.mjd_transitionFD(model, mjd, EPS, True, theirs, None, None, None)
            assert np.linalg.norm(A[world] - theirs) <= rounding(mjd.qvel, 2.0 * EPS, nx)


def test_an_oscillator_has_its_matrix(device):
    """Semi-implicit Euler of a mass on a spring: v' = v - h k/m x + h/m u, x' = x + h v'."""
    xml = """<mujoco><option timestep=".02" gravity="0 0 0"/><worldbody><body><joint type="slide" axis="1 0 0" stiffness="8"/>
    <geom size=".1" mass="2"/></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>""".replace('type="slide"', 'name="j" type="slide"')
    m = mjw.put_model(mujoco.MjModel.from_xml_string(xml), device=device)
    d = mjw.make_data(m, 2)
    d.qpos.assign(np.array([[0.3], [-1.2]], np.float32))
    A, B = wp.zeros((2, 2, 2), dtype=float, device=device), wp.zeros((2, 2, 1), dtype=float, device=device)
    mjw.transition_fd(m, d, EPS, True, A, B)
    h, k, mass = 0.02, 8.0, 2.0
    expected = np.array([[1 - h * h * k / mass, h], [-h * k / mass, 1.0]])
    np.testing.assert_allclose(A.numpy(), np.stack([expected] * 2), atol=2e-4)
    np.testing.assert_allclose(B.numpy()[:, :, 0], [[h * h / mass, h / mass]] * 2, atol=1e-4)


@wp.kernel
def _brake(qvel: wp.array2d(dtype=float), ctrl: wp.array2d(dtype=float), gain: wp.array(dtype=float), first: int, copies: int):
    w = wp.tid()
    ctrl[w, 0] = -gain[(first + w) // copies] * qvel[w, 0]


def test_a_callback_belongs_to_the_derivative(device):
    """A brake of its own in each world, u = -g v, whose world a callback finds among the perturbed ones."""
    xml = """<mujoco><option timestep=".02" gravity="0 0 0"/><worldbody><body><joint name="j" type="slide" axis="1 0 0"/>
    <geom size=".1" mass="2"/></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>"""
    m = mjw.put_model(mujoco.MjModel.from_xml_string(xml), device=device)
    d = mjw.make_data(m, 3)
    gains = wp.array([0.5, 3.0, 8.0], dtype=float, device=device)

    def brake(m: mjw.Model, d: mjw.Data) -> None:
        inputs = [d.qvel, d.ctrl, gains, d.first_world, d.copies]
        wp.launch(_brake, dim=d.nworld, inputs=inputs, device=d.device)

    m.callback.control = brake
    A = wp.zeros((3, 2, 2), dtype=float, device=device)
    mjw.transition_fd(m, d, EPS, True, A)
    np.testing.assert_allclose(A.numpy()[:, 1, 1], 1.0 - 0.02 * gains.numpy() / 2.0, atol=2e-4)


@pytest.mark.parametrize("actuation", [False, True])
@pytest.mark.parametrize("name", ["Euler", "smooth_zoo.xml", "dm_humanoid/humanoid.xml"])
def test_the_derivatives_of_the_inverse_dynamics(name, actuation, device):
    pair = rig(name, device, steps=150 if "humanoid" in name else 10)
    nv, ns, nC = pair.mjm.nv, pair.mjm.nsensordata, pair.mjm.nC
    for world, mjd in enumerate(pair.mjds):
        mjd.qacc[:] += 0.5 * np.random.default_rng(world).standard_normal(nv)
    pair.d.qacc.assign(np.stack([mjd.qacc for mjd in pair.mjds]).astype(np.float32))
    shapes = {key: (nv, {"f": nv, "s": ns, "m": nC}[key[1]]) for key in ("DfDq", "DfDv", "DfDa", "DsDq", "DsDv", "DsDa", "DmDq")}
    ours = {key: wp.zeros((3, *shape), dtype=float, device=pair.d.device) for key, shape in shapes.items()}
    mjw.inverse_fd(pair.m, pair.d, EPS, actuation, *ours.values(), flg_centered=False)  # as MuJoCo
    for world, mjd in enumerate(pair.mjds):
        theirs = {key: np.zeros(shape) for key, shape in shapes.items()}
        mujoco.mjd_inverseFD(pair.mjm, mjd, EPS, actuation, *(a if a.size else None for a in theirs.values()))
        mujoco.mj_inverse(pair.mjm, mjd)
        forces = (mjd.qfrc_inverse, mjd.qfrc_constraint, mjd.qfrc_bias, mjd.qfrc_passive)
        outputs = {"f": np.concatenate(forces), "s": mjd.sensordata, "m": mjd.M}
        for key, array in theirs.items():
            error = np.linalg.norm(ours[key].numpy()[world] - array)
            bound = rounding(outputs[key[1]], EPS, nv) + 5e-4 * np.linalg.norm(array)
            assert error <= bound, f"{key}, world {world}: {error:.2e} of {np.linalg.norm(array):.2e}, bound {bound:.1e}"


def test_centred_differences_of_the_inverse_are_the_better_ones(device):
    pair = rig("Euler", device)
    nv = pair.mjm.nv
    pair.d.qacc.assign(np.stack([mjd.qacc for mjd in pair.mjds]).astype(np.float32))
    both = [wp.zeros((3, nv, nv), dtype=float, device=device) for _ in range(2)]
    for centered, out in zip((True, False), both, strict=True):
        mjw.inverse_fd(pair.m, pair.d, 10.0 * EPS, False, out, flg_centered=centered)
    first, second = (out.numpy() for out in both)
    for world, mjd in enumerate(pair.mjds):
        exact = np.zeros((nv, nv))
        mujoco.mjd_inverseFD(pair.mjm, mjd, 1e-7, False, exact, None, None, None, None, None, None)
        errors = [np.linalg.norm(out[world] - exact) for out in (first, second)]
        assert errors[0] < 0.3 * errors[1] < 0.01 * np.linalg.norm(exact)


def test_wrong_arguments_are_named(device):
    pair = rig("Euler", device)
    with pytest.raises(ModelError, match="transition_fd: eps"):
        mjw.transition_fd(pair.m, pair.d, 0.0)
    with pytest.raises(ModelError, match="transition_fd: B"):
        mjw.transition_fd(pair.m, pair.d, EPS, True, None, wp.zeros((3, 2, 2), dtype=float, device=device))
