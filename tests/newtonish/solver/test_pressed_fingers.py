"""Fingers of wx250s pressed a centimetre into each other: where Newton ends elsewhere, MuJoCo's own distance says which contact is right.

Newton 1.8 forwards ``shape_gap``, 0.1 m by default, as ``geom_gap``. MuJoCo's C code then collides hulls grown by it, and of
hulls that are deep in each other it finds another, tilted way out. Without the gap it finds the one that we find.
"""

import mujoco
import numpy as np
import pytest
from paths import shared_model

pytest.importorskip("newton")

from newton_rigs import PEER, from_file, motion, start, worlds

pytestmark = pytest.mark.filterwarnings("ignore")
LEFT, RIGHT = 8, 11


@pytest.fixture(scope="module")
def one():
    return from_file(shared_model("wx250s/wx250s.xml"))


def pressed(m: mujoco.MjModel, gap: float) -> tuple[mujoco.MjData, mujoco.MjContact]:
    """The reference configuration, in which the fingers are pressed, and the contact of their meshes with a gap."""
    m.geom_gap[:] = gap
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    found = [c for c in d.contact[: d.ncon] if set(c.geom.tolist()) == {LEFT, RIGHT}]
    assert len(found) == 1
    return d, found[0]


def test_the_contact_is_the_shortest_way_out(one, device: str):
    """By MuJoCo's signed distance; with Newton's gap MuJoCo's own contact is 0.06 off it."""
    model, single = worlds(one, 2, device), worlds(one, 1, "cpu")
    m = PEER(single, use_mujoco_cpu=True).mj_model
    assert m.geom_gap.max() == pytest.approx(0.1)
    d, grown = pressed(m, 0.1)
    _, plain = pressed(m, 0.0)
    ends = np.zeros(6)
    distance = mujoco.mj_geomDistance(m, d, LEFT, RIGHT, 1.0, ends)
    way = (ends[3:] - ends[:3]) / distance
    assert np.abs(grown.frame[:3] - way).max() > 0.03 and abs(grown.dist - distance) > 5e-4
    np.testing.assert_allclose(plain.frame[:3], way, atol=1e-6)
    values = start(model, 0.0, 0.0, 0.0)
    _, solver = motion(model, values, 1, 0.002)
    contact = solver.mjw_data.contact
    for w in range(2):
        geoms = contact.geom.numpy()[w]
        at = [i for i in range(int(solver.mjw_data.ncon.numpy()[w])) if set(geoms[i].tolist()) == {LEFT, RIGHT}]
        assert len(at) == 1
        np.testing.assert_allclose(contact.dist.numpy()[w, at[0]], distance, atol=1e-6)
        np.testing.assert_allclose(contact.frame.numpy()[w, at[0]].reshape(-1)[:3], way, atol=1e-5)


def test_fingers_move_as_in_mujoco_without_the_gap(one, device: str):
    model, single = worlds(one, 2, device), worlds(one, 1, "cpu")
    values = start(model, 0.0, 0.0, 0.0)
    values["joint_f"][:], values["ctrl"][:] = 0.0, 0.0
    ours, _ = motion(model, values, 100, 0.002)
    m = PEER(single, use_mujoco_cpu=True).mj_model
    m.opt.timestep = 0.002
    for gap, agree in ((0.0, True), (0.1, False)):
        d, _ = pressed(m, gap)
        mujoco.mj_resetData(m, d)
        for _ in range(100):
            mujoco.mj_step(m, d)
        apart = np.abs(ours[-1]["joint_q"].reshape(2, -1) - d.qpos).max()
        assert apart < 1e-5 if agree else apart > 5e-3
