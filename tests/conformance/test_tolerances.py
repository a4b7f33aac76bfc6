"""Tolerances see every number: one that is lost of a small body, joint or pair of joints is an error beside a large one."""

import mujoco
import numpy as np
import oracle
import pytest
from entity_scales import FORCES, INERTIAS, MASS, scales
from paths import OWN

LARGE_AND_SMALL = """<mujoco><worldbody>
<body><joint axis="0 1 0"/><geom size=".3" mass="50"/><body pos=".5 0 0"><joint axis="0 0 1"/><geom size=".2" mass="9"/>
<body pos=".2 0 0"><joint axis="0 1 0"/><joint axis="1 0 0"/><geom type="box" size=".03 .04 .05" pos=".02 .03 .01" mass=".01"/></body></body></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("name", [MASS, *INERTIAS, "qfrc_bias"])
def test_each_number_that_counts_is_missed(name, device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(LARGE_AND_SMALL), 2, device=device)
    oracle.forward(pair)
    oracle.compare_arrays(pair, (name,), oracle.SMOOTH)
    whole, theirs = getattr(pair.d, name).numpy().copy(), np.asarray(getattr(pair.mjds[1], name)).ravel()
    counting = np.flatnonzero(np.abs(theirs) > 1e-3 * scales(pair.mjm, pair.mjds[1], name))
    assert len(counting) > len(theirs) // 4
    for at in counting:
        changed = whole.copy()
        changed[1].reshape(-1)[at] = 0.0
        getattr(pair.d, name).assign(changed)
        with pytest.raises(AssertionError, match=rf"{name}\[{at}\], world 1"):
            oracle.compare_arrays(pair, (name,), oracle.SMOOTH)


@pytest.mark.parametrize("name", [MASS, *INERTIAS, *FORCES])
def test_nothing_has_no_size(name):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "smooth_zoo.xml"))
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    sizes, values = scales(mjm, mjd, name), np.asarray(getattr(mjd, name)).ravel()
    assert sizes.shape == values.shape and np.all(sizes[values != 0.0] > 0.0)
    assert np.all(np.abs(values) <= 1.0001 * sizes) or name in FORCES
