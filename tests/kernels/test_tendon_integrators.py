"""Tendons under every integrator against MuJoCo: dampers, drives and armature that couple dofs of several trees and free bodies."""

import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw

INTEGRATORS = ("EULER", "RK4", "IMPLICIT", "IMPLICITFAST", "DISCRETE")
CASES = {
    "damper in one tree": ('<spatial name="t" damping="20 3"><site site="w"/><site site="s2"/></spatial>', ""),
    "damper between trees": ('<spatial name="t" damping="20"><site site="s1"/><site site="s5"/></spatial>', ""),
    "damper of a free body": ('<spatial name="t" damping="20"><site site="s1"/><site site="s3"/></spatial>', ""),
    "fixed tendon between trees": ('<fixed name="t" damping="2"><joint joint="h" coef="1"/><joint joint="h2" coef="-2"/></fixed>', ""),
    "servo between trees": (
        '<fixed name="t"><joint joint="h" coef="1"/><joint joint="h2" coef="-2"/></fixed>', '<velocity tendon="t" kv="3"/>',
    ),
    "servo of a free body": ('<spatial name="t"><site site="s1"/><site site="s3"/></spatial>', '<velocity tendon="t" kv="3"/>'),
    "servo of sites": ("", '<velocity site="s3" refsite="s2" kv="3" gear="1 2 0 .1 .1 0"/>'),
    "damping of an actuator": ('<spatial name="t"><site site="s1"/><site site="s5"/></spatial>', '<general tendon="t" damping="4" armature=".5"/>'),
    "armature": ('<spatial name="t" armature="2" damping="3" stiffness="3"><site site="s1"/><site site="w"/><site site="s2"/></spatial>', ""),
    "dead band": (
        '<spatial stiffness="100" springlength=".1 .3"><site site="s1"/><site site="s5"/></spatial>'
        '<spatial stiffness="100" springlength="3 4"><site site="s1"/><site site="s3"/></spatial>'
        '<spatial stiffness="100" springlength="0 4"><site site="s1"/><site site="s3"/></spatial>', "",
    ),
    "force range": (
        '<spatial name="t" actuatorfrcrange="-1 2"><site site="s1"/><site site="s5"/></spatial>',
        '<velocity tendon="t" kv="3" gear="2"/><position kp="20" tendon="t" gear="-3"/>',
    ),
}  # fmt: skip
WORLD = """<site name="w" pos="0 .1 2"/>
  <body pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size=".1" pos=".3 0 0" contype="0"/><site name="s1" pos=".3 0 .1"/>
  <body pos=".5 0 0"><joint axis="0 1 .2"/><geom size=".1" pos=".2 0 0" contype="0"/><site name="s2" pos=".3 0 0.1"/></body></body>
  <body pos="0 1 1"><joint name="h2" axis="0 1 0"/><geom size=".1" pos=".3 0 0" contype="0"/>
  <body pos=".3 0 0"><joint type="ball"/><geom size=".1" pos=".1 .1 0" contype="0"/><site name="s5" pos=".2 .2 .1"/></body></body>
  <body pos=".3 .6 .4"><freejoint/><geom type="box" size=".1 .2 .3" contype="0"/><site name="s3" pos=".1 0.05 .02"/></body>"""


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", CASES)
def test_a_step_changes_velocities_as_mujoco_does(name: str, integrator: str, device: str) -> None:
    tendon, actuator = CASES[name]
    text = f"""<mujoco><option timestep="0.005"/><worldbody>{WORLD}</worldbody>
      <tendon>{tendon}</tendon><actuator>{actuator}</actuator></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(text)
    mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))
    pair = oracle.from_model(mjm, nworld=3, seed=1, device=device)
    rng = np.random.default_rng(0)
    for mjd in pair.mjds:
        mjd.qvel[:] = 2.0 * rng.standard_normal(mjm.nv)
        mjd.ctrl[:] = rng.uniform(-0.5, 0.5, mjm.nu)
    oracle.push(pair)
    oracle.forward(pair)
    oracle.compare_arrays(pair, ("qfrc_passive", "qfrc_actuator", "qacc"), oracle.SMOOTH)
    before = [mjd.qvel.copy() for mjd in pair.mjds]
    for mjd in pair.mjds:
        mujoco.mj_step(mjm, mjd)
    mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        change = pair.d.qvel.numpy()[world] - before[world]
        np.testing.assert_allclose(change, mjd.qvel - before[world], atol=5e-6 * (1.0 + np.abs(mjd.qvel).max()))
