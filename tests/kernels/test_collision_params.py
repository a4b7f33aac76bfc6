"""Mixing of contact parameters, explicit pairs, margin and gap, override: against MuJoCo, in several worlds."""

import itertools

import mujoco
import numpy as np
import pytest
from collision_oracle import difference, ours, theirs

from newtonish import mjw
from newtonish.kernels.fused.collision import launch_collision

PARAMETERS = ("includemargin", "dim", "friction", "solref", "solreffriction", "solimp")
STAY = (1, 0, 0, 0)
GEOMS = {
    "plain": "",
    "soft": 'solref=".05 2" solimp=".5 .8 .01 .4 3" friction=".3 .02 .0004" margin=".02"',
    "heavy": 'solmix="3" solref=".01 .7" friction="2 .001 .01" condim="4" gap=".03"',
    "weightless": 'solmix="0" solref=".03 1" solimp=".1 .2 .003 .5 1" condim="1"',
    "weightless too": 'solmix="0" condim="6" friction=".1 .2 .3"',
    "stiff": 'solref="-1000 -20" friction="0 0 0"',
    "stiffer": 'solref="-2000 -10" solmix="2"',
    "first": 'priority="2" condim="1" friction=".05 0 0" solref=".04 1" margin=".01"',
    "important": 'priority="1" condim="6" friction=".5 .6 .7" solimp=".3 .4 .05 .6 4"',
}


def spheres(first: str, second: str, pair: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody>
        <body><freejoint/><geom name="a" size=".1" {first}/></body>
        <body><freejoint/><geom name="b" size=".1" {second}/></body></worldbody><contact>{pair}</contact></mujoco>"""
    )


def apart(*gaps: float) -> np.ndarray:
    """Poses of two spheres with these distances between their surfaces."""
    return np.array([[0, 0, 0, *STAY, 0.2 + gap, 0, 0, *STAY] for gap in gaps], dtype=float)


def assert_equal_contacts(mjm: mujoco.MjModel, poses: np.ndarray, device: str) -> list[int]:
    counts = []
    for a, b in zip(ours(mjm, poses, device), theirs(mjm, poses)):
        assert max(difference(a, b).values()) < 1e-5
        for name in PARAMETERS:
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-6, atol=1e-7, err_msg=name)
        counts.append(len(b))
    return counts


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations_with_replacement(GEOMS, 2)))
def test_mixing(first, second, device):
    mjm = spheres(GEOMS[first], GEOMS[second])
    assert assert_equal_contacts(mjm, apart(-0.01, -0.03), device) == [1, 1]


@pytest.mark.parametrize(("margin", "gap"), [(0.0, 0.0), (0.05, 0.0), (0.0, 0.05), (0.02, 0.03)])
def test_margins_and_gaps_add_up(margin, gap, device):
    """Detected below margin + gap of both geoms; ``includemargin`` is the margin alone."""
    mjm = spheres(f'margin="{margin}" gap="{gap}"', 'margin=".01" gap=".02"')
    reach = margin + gap + 0.03
    counts = assert_equal_contacts(mjm, apart(-0.01, 0.5 * reach, reach - 1e-4, reach + 1e-4, 2 * reach), device)
    assert counts == [1, 1, 1, 0, 0]


PAIRS = {
    "defaults": '<pair geom1="a" geom2="b"/>',
    "all given": '<pair geom1="b" geom2="a" condim="6" friction="1 2 .3 .4 .5" solref=".1 .2" solreffriction=".3 .4" '
    'solimp=".2 .3 .04 .5 6" margin=".05" gap=".02"/>',
    "no friction": '<pair geom1="a" geom2="b" condim="1" friction="0 0 0 0 0" margin=".01"/>',
    "two of the same": '<pair geom1="a" geom2="b" condim="1"/><pair geom1="b" geom2="a" condim="4" margin=".1"/>',
}


@pytest.mark.parametrize("override", [False, True])
@pytest.mark.parametrize("pair", list(PAIRS))
def test_explicit_pairs(pair, override, device):
    """They replace the automatic pair and its masks, priorities, margins and gaps."""
    mjm = spheres('contype="0" conaffinity="0" margin=".3"', 'priority="3" gap=".3"', PAIRS[pair])
    if override:
        switch_override_on(mjm)
    counts = assert_equal_contacts(mjm, apart(-0.02, 0.005, 0.03, 0.06, 0.09, 0.2), device)
    assert counts[0] == mjm.npair


def switch_override_on(mjm: mujoco.MjModel) -> None:
    mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    mjm.opt.o_margin = 0.08
    mjm.opt.o_solref[:] = 0.06, 0.9
    mjm.opt.o_solimp[:] = 0.6, 0.7, 0.02, 0.4, 3
    mjm.opt.o_friction[:] = 2, 0, 0.1, 0.2, 0.3


@pytest.mark.parametrize("first", list(GEOMS))
def test_override(first, device):
    mjm = spheres(GEOMS[first].replace('gap=".03"', ""), GEOMS["soft"])
    switch_override_on(mjm)
    assert assert_equal_contacts(mjm, apart(-0.01, 0.05, 0.0799, 0.0801), device) == [1, 1, 1, 0]


def test_parameters_of_each_world(device):
    """Friction, margin, size and solref of a geom may differ between worlds."""
    mjm = spheres("", 'friction=".1"')
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 3)
    d.qpos.assign(apart(-0.01, 0.02, 0.02).astype(np.float32))
    m.geom_friction = np.array([[[0.5, 0, 0]] * 2, [[0.6, 0, 0]] * 2, [[0.7, 0, 0]] * 2], dtype=np.float32)
    m.geom_margin = np.array([[0, 0], [0.01, 0.02], [0, 0]], dtype=np.float32)
    m.geom_size = np.array([[[0.1, 0, 0]] * 2, [[0.1, 0, 0]] * 2, [[0.12, 0, 0]] * 2], dtype=np.float32)
    m.geom_rbound = np.array([[0.1, 0.1], [0.1, 0.1], [0.12, 0.12]], dtype=np.float32)
    mjw.kinematics(m, d)
    launch_collision(m, d)
    assert d.ncon.numpy().tolist() == [1, 1, 1]
    np.testing.assert_allclose(d.contact.friction.numpy()[:, 0, 0], [0.5, 0.6, 0.7])
    np.testing.assert_allclose(d.contact.includemargin.numpy()[:, 0], [0, 0.03, 0], atol=1e-7)
    np.testing.assert_allclose(d.contact.dist.numpy()[:, 0], [-0.01, 0.02, -0.02], atol=1e-6)
