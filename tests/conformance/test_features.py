"""Every row of the coverage page: the smallest model that needs a feature, against MuJoCo, in two unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
from coverage_page import PAGE, page
from features import FEATURES

from newtonish import mjw
from newtonish.errors import UnsupportedError
from newtonish.kernels.collision.filter import general_convex, geom_pairs
from newtonish.mjw.distance_fields import geom_fields
from newtonish.mjw.record import read_model
from newtonish.mjw.supported import unsupported

STEPS = 10
SENSORS, STATE = 2e-4, 2e-5
DEPTH, NORMAL = 1e-4, 1e-2


def compare_sensors(pair: oracle.Pair) -> None:
    ours = pair.d.sensordata.numpy()
    for world, mjd in enumerate(pair.mjds):
        oracle.close("sensordata", ours[world], mjd.sensordata, SENSORS, world)


def compare_convex(pair: oracle.Pair) -> None:
    """Contacts found by iteration: the same pair of geoms, depth within 0.1 mm or 1 %, normal within 0.01."""
    contact = pair.d.contact
    for world, mjd in enumerate(pair.mjds):
        count = int(pair.d.ncon.numpy()[world])
        assert (count > 0) == (mjd.ncon > 0), f"world {world}: {count} contacts against MuJoCo's {mjd.ncon}"
        if not count:
            continue
        mine, other = int(np.argmin(contact.dist.numpy()[world, :count])), int(np.argmin(mjd.contact.dist))
        assert contact.geom.numpy()[world, mine].tolist() == mjd.contact.geom[other].tolist()
        ours, theirs = float(contact.dist.numpy()[world, mine]), float(mjd.contact.dist[other])
        assert abs(ours - theirs) <= max(DEPTH, 0.01 * abs(theirs)), f"world {world}: depth {ours} against {theirs}"
        normal = contact.frame.numpy()[world, mine].ravel()[:3] - mjd.contact.frame[other][:3]
        assert np.abs(normal).max() <= NORMAL, f"world {world}: normal differs by {normal}"


def iterative(mjm: mujoco.MjModel) -> bool:
    """Whether some pair of geoms has no closed form."""
    geom1, geom2, *_ = geom_pairs(mjm)
    prisms = (mjm.geom_type[geom1] == mujoco.mjtGeom.mjGEOM_HFIELD).any()
    return bool(general_convex(mjm, geom1, geom2).any() or prisms)


@pytest.mark.filterwarnings("ignore:option flag sleep")
@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.key)
def test_a_feature_agrees_or_is_refused(feature, device):
    mjm = mujoco.MjModel.from_xml_string(feature.xml)
    sdf = feature.plugins if mjm.nplugin else None
    if unsupported(mjm, fields=geom_fields(read_model(mjm), sdf)):
        with pytest.raises(UnsupportedError, match=r"got .*; allowed: .*"):
            mjw.put_model(mjm, device=device, sdf=sdf)
        return
    enabled = int(mjm.opt.enableflags) & ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)  # nothing sleeps here
    pair = oracle.from_model(mjm, nworld=2, seed=3, device=device, sdf=sdf)
    rng = np.random.default_rng(5)
    for world in range(2):
        pair.mjds[world].ctrl[:] = oracle.random_controls(mjm, rng)
    mjm.opt.enableflags = enabled
    pair.m.opt.enableflags = enabled
    oracle.push(pair)
    oracle.forward(pair)
    if iterative(mjm):
        compare_convex(pair)
        return
    oracle.compare_all(pair)
    compare_sensors(pair)
    for _ in range(STEPS):
        for mjd in pair.mjds:
            mujoco.mj_step(mjm, mjd)
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        for name in ("qpos", "qvel", "act", "time"):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), STATE, world)


def test_the_tables_of_the_coverage_page_are_current():
    """Written again they are the same: ``PYTHONPATH=tests/support python tests/support/coverage_page.py``."""
    fresh, written = page().splitlines(), PAGE.read_text(encoding="utf-8").splitlines()
    different = [f"{a!r} is on the page, {b!r} is so" for a, b in zip(written, fresh) if a != b]
    assert not different and len(fresh) == len(written), different[:3]
