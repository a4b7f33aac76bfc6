"""The built-in models: both sides compile them, they move without harm, and accelerations agree with MuJoCo's."""

import agreement
import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw
from newtonish.cli.models import FILES, SUITE, model_path

NAMES = [*FILES, "humanoids_3", "boxes_75"]


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_agree(name: str, device: str) -> None:
    """Three unequal worlds that MuJoCo has driven for a while, so that there are contacts where there are any."""
    pair = oracle.load(model_path(name), nworld=3, device=device)
    oracle.advance(pair, 60)
    agreement.round_states(pair)
    for number, world in enumerate(agreement.measure(pair).worlds):
        assert not world.errors, f"world {number}: {world.errors}"
        assert world.verified_qacc < oracle.SOLVER


@pytest.mark.parametrize("name", NAMES)
def test_our_import_moves_stably(name: str, device: str) -> None:
    """Our own reading of the file has MuJoCo's sizes, drops nothing, and stays finite under random controls."""
    mjm = mujoco.MjModel.from_xml_path(str(model_path(name)))
    m, d = mjw.load(model_path(name), nworld=3, device=device)
    for size in ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "neq"):
        assert getattr(m, size) == getattr(mjm, size), size
    assert not m.report.ignored, m.report.ignored
    if m.nkey:
        mjw.reset_data_keyframe(m, d, 0)
    rng = np.random.default_rng(0)
    low, high = np.moveaxis(m.actuator_ctrlrange.numpy()[0], -1, 0)
    fastest = 0.0
    for number in range(200 if m.nv > 100 else 500):
        if m.nu and number % 10 == 0:
            d.ctrl.assign(rng.uniform(low, high, (3, m.nu)).astype(np.float32))
        mjw.step(m, d)
        if number % 20 == 0:
            fastest = max(fastest, float(np.abs(d.qvel.numpy()).max()))
    assert not d.nonfinite.numpy().any()
    assert d.ncon_needed.numpy().max() <= d.nconmax and d.nefc_needed.numpy().max() <= d.njmax
    assert 0.0 < fastest < 60.0  # rad/s: no limb is flung


def test_large_scenes_compile() -> None:
    for name, robots in (("humanoids_10", 10), ("humanoids_100", 100)):
        mjm = mujoco.MjModel.from_xml_path(str(model_path(name)))
        assert (mjm.nv, mjm.nu) == (27 * robots, 21 * robots)
    assert mujoco.MjModel.from_xml_path(str(model_path("boxes_75"))).nbody == 76


def test_the_suite_names_models_that_exist() -> None:
    assert {"humanoid", "humanoids_100", "boxes_75"} <= {entry.name for entry in SUITE}
    for entry in SUITE:
        assert model_path(entry.name).is_file()
        assert entry.cost > 0.0 and entry.worlds[0] == 1
