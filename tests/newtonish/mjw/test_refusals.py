"""What would be taken in silence and give wrong numbers: arrays of another shape, negative counts, copies by pickle."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
import warp as wp

from newtonish import mjw

ARM = """
<mujoco>
  <worldbody>
    <body><joint name="a"/><geom size=".1" pos=".3 0 0"/>
      <body pos=".6 0 0"><joint name="b"/><geom size=".1" pos=".3 0 0"/></body></body>
  </worldbody>
  <actuator><motor joint="a"/><motor joint="b"/></actuator>
</mujoco>
"""


@pytest.fixture
def arm(device):
    return mjw.load(ARM, nworld=3, device=device)


def test_assign_takes_only_what_fits(arm) -> None:
    m, d = arm
    for wrong in (np.zeros((2, 3)), np.zeros(6), np.zeros((3, 1)), 1.0, wp.zeros((2, 3), dtype=wp.float32, device=d.device)):
        with pytest.raises(ValueError, match=r"^Data\.ctrl\.assign: got shape \(.*\); allowed: shape \(3, 2\)"):
            d.ctrl.assign(wrong)
    with pytest.raises(ValueError, match=r"^Data\.xfrc_applied\.assign: got shape \(3, 3\); allowed: shape \(3, 3, 6\)"):
        d.xfrc_applied.assign(np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"^Model\.body_mass\.assign: got shape \(4,\); allowed: shape \(1, 3\)"):
        m.body_mass.assign(np.ones(4))
    with pytest.raises(ValueError, match=r"^Model\.body_mass\.assign: got shape \(3,\); allowed: shape \(1, 3\)"):
        m.body_mass.assign(wp.ones(3, dtype=wp.float32, device=d.device))
    m.body_mass.assign(np.array([0.0, 2.0, 3.0]))  # an array of MuJoCo's has no axis of worlds; the order of the numbers is the same
    np.testing.assert_array_equal(m.body_mass.numpy(), [[0.0, 2.0, 3.0]])
    right = np.arange(6.0).reshape(3, 2)
    d.ctrl.assign(right)
    np.testing.assert_array_equal(d.ctrl.numpy(), right)
    d.ctrl = 2 * right
    with pytest.raises(ValueError, match=r"^Data\.ctrl\.assign"):
        d.ctrl.assign(np.zeros(2))
    d.ctrl.assign(wp.array(right, dtype=wp.float32, device=d.device))
    mjw.step(m, d)
    assert np.isfinite(d.qpos.numpy()).all() and d.qvel.numpy()[1, 0] != d.qvel.numpy()[2, 0]


@pytest.mark.parametrize("name", ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations"))
def test_counts_are_not_negative(arm, name) -> None:
    m, _ = arm
    before = getattr(m.opt, name)
    with pytest.raises(ValueError, match=rf"m\.opt\.{name}: got -1; allowed: .*0"):
        setattr(m.opt, name, -1)
    assert getattr(m.opt, name) == before
    setattr(m.opt, name, 0)


def test_names_that_are_nearly_right(arm) -> None:
    for thing, wrong, right in ((arm[0], "body_mas", "body_mass"), (arm[1], "qposs", "qpos")):
        with pytest.raises(AttributeError, match=rf"no array or attribute '{wrong}'; did you mean .*{right}\b.*\?"):
            getattr(thing, wrong)
    with pytest.raises(AttributeError, match=r"'zzzzz'$"):
        arm[1].zzzzz  # noqa: B018


@pytest.mark.parametrize("way", (copy.deepcopy, pickle.dumps))
def test_copies_are_refused_by_name(arm, way) -> None:
    m, d = arm
    with pytest.raises(TypeError, match=r"of a newtonish\.mjw\.Model: got .*dataclasses\.replace\(m\).*mjw\.load"):
        way(m)
    with pytest.raises(TypeError, match=r"of a newtonish\.mjw\.Data: got .*mjw\.copy_state.*mjw\.save"):
        way(d)
    assert dataclasses.replace(m).nq == copy.copy(m).nq == m.nq
