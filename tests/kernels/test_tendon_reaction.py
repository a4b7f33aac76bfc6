"""Forces of spatial tendons and other transmissions in the forces between bodies, against MuJoCo."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN, shared_model

from newtonish import mjw

ARRAYS = ("cacc", "cfrc_ext", "cfrc_int")
STRING = '<spatial name="t" {}><site site="w"/><site site="s2"/></spatial>'
BETWEEN = '<spatial name="t" {}><site site="s1"/><site site="s3"/></spatial>'
PULLEY = (
    '<spatial name="t" {}><site site="w"/><site site="s1"/><pulley divisor="2"/><site site="s2"/><geom geom="drum" sidesite="side"/><site site="s3"/></spatial>'
)
TENDONS = {
    "spring": BETWEEN.format('stiffness="100 20" springlength="0.1"'),
    "damper": BETWEEN.format('damping="5 1"'),
    "lower limit": STRING.format('range="2 3" limited="true"'),
    "upper limit": BETWEEN.format('range="0 0.6" limited="true"'),
    "friction": BETWEEN.format('frictionloss="3"'),
    "armature": BETWEEN.format('armature="3"'),
    "armature with pulley": '<spatial name="t" armature="2"><site site="w"/><site site="s1"/><pulley divisor="3"/><site site="s2"/><site site="s3"/></spatial>',
    "plastic": BETWEEN.format('stiffness="100" springlength="0.1" springyield="0.1"'),
    "pulley and wrapping": PULLEY.format('stiffness="80" springlength="0.3" damping="2" frictionloss="1"'),
    "fixed": '<fixed name="t" stiffness="100" springlength="0.1" range="-.1 .1" limited="true"><joint joint="h" coef="1"/></fixed>',
    "one body": '<spatial name="t" stiffness="50" springlength="0"><site site="s2"/><site site="s4"/></spatial>',
}
DRIVES = {
    "tendon": '<motor tendon="t" gear="3"/><position tendon="t" kp="20" kv="1" forcerange="-4 4" gear="-0.5"/>',
    "tendon damping": '<general tendon="t" damping="3" armature="0.4" gear="2"/>',
    "site": '<motor site="s3" gear="1 2 3 .1 .2 .3"/>', "site with reference": '<motor site="s3" refsite="s2" gear="1 2 3 .1 .2 .3"/>',
    "joint": '<motor joint="h"/>', "crank": '<motor cranksite="s3" slidersite="s1" cranklength="2"/>',
    "body": '<adhesion body="c" ctrlrange="0 9" gain="5"/>',
}  # fmt: skip
EQUALITIES = {
    "tendon to constant": '<tendon tendon1="t"/>',
    "tendon to tendon": '<tendon tendon1="t" tendon2="t2" polycoef="0.05 0.8 0.3 0 0"/>',
    "weld and tendon": '<weld body1="b" body2="c"/><tendon tendon1="t" tendon2="t2"/>',
}


def model(tendon: str = "", actuator: str = "", equality: str = "") -> str:
    second = '<spatial name="t2"><site site="w"/><site site="s3"/></spatial>' if tendon else ""
    return f"""<mujoco><option timestep="0.002"/><worldbody><site name="w" pos="0 .1 2"/><geom type="plane" size="3 3 .1"/>
      <body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/><site name="s1" pos=".3 0 .1"/>
      <geom name="drum" type="cylinder" size=".05 .2" pos=".5 0 .3" euler="90 0 0" contype="0" conaffinity="0"/>
      <site name="side" pos=".5 0 .4"/>
      <body name="b" pos=".5 0 0" gravcomp="0.4"><joint name="j" axis="0 1 .2"/><geom size=".1" pos=".2 0 0"/>
      <site name="s2" pos=".3 0 0.1"/><site name="s4" pos=".1 0 0.1"/></body></body>
      <body name="c" pos=".3 .6 .1"><freejoint/><geom size=".1"/><site name="s3" pos=".1 0.05 .02"/></body></worldbody>
      <tendon>{tendon}{second}</tendon><actuator>{actuator}</actuator><equality>{equality}</equality>
      <sensor><force site="s2"/><torque site="s2"/><force site="s1"/><torque site="s3"/><accelerometer site="s3"/></sensor></mujoco>"""


CASES = {f"tendon: {name}": model(text) for name, text in TENDONS.items()}
CASES |= {f"drive: {name}": model(STRING.format(""), text) for name, text in DRIVES.items()}
CASES |= {f"equality: {name}": model(BETWEEN.format(""), "", text) for name, text in EQUALITIES.items()}


def compare(pair: oracle.Pair, sensors: bool = True, tolerance: float = oracle.SOLVER) -> None:
    """Both sides computed forward; with rows the forces are as exact as the solver."""
    oracle.forward(pair)
    mjw.rne_postconstraint(pair.m, pair.d)
    for mjd in pair.mjds:
        mujoco.mj_rnePostConstraint(pair.mjm, mjd)
    oracle.compare_arrays(pair, ARRAYS, tolerance)
    if sensors:
        for world, mjd in enumerate(pair.mjds):
            oracle.close("sensordata", pair.d.sensordata.numpy()[world], mjd.sensordata, tolerance, world)


@pytest.mark.parametrize("name", CASES)
def test_forces_between_bodies_agree(name: str, device: str) -> None:
    mjm = mujoco.MjModel.from_xml_string(CASES[name])
    pair = oracle.from_model(mjm, nworld=3, seed=4, device=device)
    for world, mjd in enumerate(pair.mjds):
        mjd.ctrl[:] = 0.5 + 0.3 * world
        mjd.plastic[:] += 0.1 * world
        mjd.xfrc_applied[2, :3] = 1.0 + world
    oracle.push(pair)
    tolerance = oracle.SOLVER if "equality" in name or "limit" in name else 3e-4
    compare(pair, tolerance=tolerance)
    for mjd in pair.mjds:
        mujoco.mj_step(mjm, mjd, nstep=25)
    oracle.push(pair)
    compare(pair, tolerance=oracle.SOLVER)


def test_paths_around_geoms_and_over_pulleys_agree(device: str) -> None:
    pair = oracle.load(OWN / "spatial_tendons.xml", nworld=3, device=device)
    for steps in (0, 60):
        oracle.advance(pair, steps)
        compare(pair, sensors=False)


def test_a_real_model_with_muscles_agrees(device: str) -> None:
    pair = oracle.load(shared_model("arm21/arm21.xml"), nworld=2, device=device)
    oracle.advance(pair, 40)
    compare(pair, sensors=False)


@pytest.mark.parametrize("name", ["tendon: spring", "tendon: armature with pulley", "tendon: friction"])
def test_a_tendon_pushes_its_bodies_with_opposite_forces(name: str, device: str) -> None:
    """A law: forces on bodies of one path (no pulley, or each branch for itself) add up to zero with that on the world."""
    m, d = mjw.load(CASES[name], nworld=2, device=device)
    d.qvel.assign(np.random.default_rng(1).standard_normal(d.qvel.shape).astype(np.float32))
    mjw.forward(m, d)
    total = d.cfrc_tendon.numpy()[:, :, 3:]
    assert np.abs(total).max() > 0.1
    np.testing.assert_allclose(total.sum(axis=1), 0.0, atol=1e-4)


def test_the_importer_brings_the_same_forces(device: str) -> None:
    text = CASES["tendon: pulley and wrapping"]
    mjm = mujoco.MjModel.from_xml_string(text)
    m, d = mjw.load(text, nworld=2, device=device, strict=True)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    mjw.forward(m, d)
    np.testing.assert_allclose(d.sensordata.numpy()[1], mjd.sensordata, rtol=1e-3, atol=1e-3)
