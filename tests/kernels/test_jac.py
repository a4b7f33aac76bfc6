"""Jacobians and their rates of change against MuJoCo, and as maps from velocities to velocities."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model

from newtonish import mjw
from newtonish.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


@pytest.fixture(scope="module", params=["smooth_zoo", "dm_humanoid/humanoid.xml"])
def pair(request, device) -> oracle.Pair:
    path = OWN / "smooth_zoo.xml" if request.param == "smooth_zoo" else shared_model(request.param)
    pair = oracle.load(path, nworld=3, device=device)
    for stage in (mjw.kinematics, mjw.com_pos, mjw.com_vel):
        stage(pair.m, pair.d)
    for mjd in pair.mjds:
        mujoco.mj_fwdPosition(pair.mjm, mjd)
        mujoco.mj_fwdVelocity(pair.mjm, mjd)
    return pair


def outputs(pair: oracle.Pair) -> tuple[wp.array, wp.array]:
    shape = (pair.nworld, 3, pair.mjm.nv)
    return wp.full(shape, 7.0, dtype=float, device=pair.d.device), wp.full(shape, 7.0, dtype=float, device=pair.d.device)


def compare(pair: oracle.Pair, ours: tuple[wp.array, ...], theirs) -> None:
    """``theirs(world, jacp, jacr)`` fills MuJoCo's matrices of a world."""
    for world in range(pair.nworld):
        expected = np.zeros((2, 3, pair.mjm.nv))
        theirs(world, expected[0], expected[1])
        for name, array, want in zip(("jacp", "jacr"), ours, expected, strict=False):
            oracle.close(name, array.numpy()[world], want, oracle.SMOOTH, world)


KINDS = {
    "body": (mjw.jac_body, mujoco.mj_jacBody, "nbody"),
    "body_com": (mjw.jac_body_com, mujoco.mj_jacBodyCom, "nbody"),
    "geom": (mjw.jac_geom, mujoco.mj_jacGeom, "ngeom"),
    "site": (mjw.jac_site, mujoco.mj_jacSite, "nsite"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_jacobians_of_objects(kind, pair):
    """Every object of the model, another one in each world."""
    own, oracle_function, size = KINDS[kind]
    count = getattr(pair.mjm, size)
    jacp, jacr = outputs(pair)
    for first in range(count):
        ids = (first + np.arange(pair.nworld)) % count
        own(pair.m, pair.d, jacp, jacr, wp.array(ids, dtype=int, device=pair.d.device))
        compare(pair, (jacp, jacr), lambda w, p, r, ids=ids: oracle_function(pair.mjm, pair.mjds[w], p, r, int(ids[w])))


def test_jacobians_of_subtrees(pair):
    jacp, _ = outputs(pair)
    for body in range(pair.mjm.nbody):
        mjw.jac_subtree_com(pair.m, pair.d, jacp, body)
        compare(pair, (jacp,), lambda w, p, r, b=body: mujoco.mj_jacSubtreeCom(pair.mjm, pair.mjds[w], p, b))


@pytest.mark.parametrize("dot", [False, True])
def test_jacobians_of_points(dot, pair):
    rng = np.random.default_rng(3)
    own, theirs = (mjw.jac_dot, mujoco.mj_jacDot) if dot else (mjw.jac, mujoco.mj_jac)
    jacp, jacr = outputs(pair)
    for body in range(1, pair.mjm.nbody):
        points = np.stack([mjd.xpos[body] + 0.2 * rng.standard_normal(3) for mjd in pair.mjds])
        at = wp.array(points, dtype=wp.vec3, device=pair.d.device)
        own(pair.m, pair.d, jacp, jacr, at, body)
        compare(
            pair, (jacp, jacr),
            lambda w, p, r, b=body, points=points: theirs(pair.mjm, pair.mjds[w], p, r, points[w].reshape(3, 1), b),
        )  # fmt: skip


def test_the_rate_is_that_of_the_jacobian(pair):
    """A law without an oracle: the finite difference of the Jacobian of a point that moves with its body."""
    m, nworld, body, h = pair.m, pair.nworld, pair.mjm.nbody - 3, 2e-3
    at = np.stack([mjd.xpos[body] + (0.1, 0.2, -0.1) for mjd in pair.mjds])
    local = [mjd.xmat[body].reshape(3, 3).T @ (p - mjd.xpos[body]) for mjd, p in zip(pair.mjds, at, strict=True)]
    rate, _ = outputs(pair)
    mjw.jac_dot(m, pair.d, rate, None, wp.array(at, dtype=wp.vec3, device=pair.d.device), body)
    ends = []
    for sign in (1.0, -1.0):
        d = mjw.make_data(m, nworld)
        mjw.copy_state(m, pair.d, d)
        qpos = d.qpos.numpy().astype(np.float64)
        for world in range(nworld):
            mujoco.mj_integratePos(pair.mjm, qpos[world], pair.mjds[world].qvel, sign * h)
        d.qpos.assign(qpos.astype(np.float32))
        mjw.kinematics(m, d)
        mjw.com_pos(m, d)
        mats, origins = d.xmat.numpy()[:, body], d.xpos.numpy()[:, body]
        moved = np.stack([origins[w] + mats[w] @ local[w] for w in range(nworld)])
        jacp, _ = outputs(pair)
        mjw.jac(m, d, jacp, None, wp.array(moved, dtype=wp.vec3, device=d.device), body)
        ends.append(jacp.numpy())
    difference = (ends[0] - ends[1]) / (2.0 * h)
    assert np.abs(difference - rate.numpy()).max() < 2e-3 * max(1.0, np.abs(difference).max())


def test_wrong_arguments_are_named(pair):
    jacp, jacr = outputs(pair)
    with pytest.raises(ModelError, match=r"jac_body: body.*0 to"):
        mjw.jac_body(pair.m, pair.d, jacp, jacr, pair.mjm.nbody)
    with pytest.raises(ModelError, match="jac_geom: jacp"):
        mjw.jac_geom(pair.m, pair.d, wp.zeros((1, 3, 2), dtype=float, device=pair.d.device), None, 0)
    with pytest.raises(ModelError, match="jac: point"):
        mjw.jac(pair.m, pair.d, jacp, jacr, None, 1)
