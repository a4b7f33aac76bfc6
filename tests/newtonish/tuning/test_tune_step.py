"""The tuner's gains meet in MuJoCo what the authored ones miss, in every pose and under every payload."""

import functools

import numpy as np
import pytest
from tuned_in_mujoco import mujoco_figures

from newtonish.tuning import tune
from newtonish.tuning.figures import step_figures
from newtonish.tuning.patch_mjcf import write_mjcf

ARM = """<mujoco>
  <!-- two joints of one class -->
  <option timestep="0.002" integrator="implicitfast"/>
  <default><default class="servo"><position kp="60" dampratio="0.3" forcerange="-90 90"/></default></default>
  <worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" range="-120 120" limited="true" armature=".05"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0" mass="2"/>
    <body name="fore" pos=".3 0 0"><joint name="elbow" axis="0 1 0" range="-120 120" limited="true" armature=".02"/><geom type="capsule" size=".03" fromto="0 0 0 .25 0 0" mass="1"/>
      <body name="hand" pos=".25 0 0"><joint name="wrist" axis="0 1 0" damping=".1" armature=".01"/><geom size=".04" mass=".3"/></body></body></body></worldbody>
  <actuator>
    <position class="servo" name='s'  joint="shoulder"/>
    <position class="servo" joint="elbow" gear="2"/>
    <general name="w" joint="wrist" gainprm="8" biastype="affine"
             biasprm="0 -8 -0.1"/>
  </actuator>
</mujoco>
"""
SPEC = "settle=0.25,overshoot=0.05,steady=0.15"


@functools.cache
def tuned(folder):
    path = folder / "arm.xml"
    path.write_text(ARM)
    outcome = tune(path, "all", SPEC, payloads=(0.0, 0.4), poses=2, seed=3)
    write_mjcf(path, outcome, ["s", "", "w"], folder / "tuned.xml")
    return outcome


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tuned")


def test_mujoco_measures_the_same_before_and_after(folder) -> None:
    outcome = tuned(folder)
    for which, file in (("before", "arm.xml"), ("after", "tuned.xml")):
        for result, theirs in zip(outcome.results, mujoco_figures(str(folder / file), outcome, which), strict=True):
            ours = getattr(result, which)
            for name in ("rise", "settle", "overshoot", "steady", "force"):
                assert ours[name] == pytest.approx(theirs[name], rel=0.02, abs=0.005), (result.target.name, name)
            assert all(outcome.specification.met(theirs).values()) == (which == "after")
    assert outcome.good


def test_only_tuned_attributes_change(folder) -> None:
    tuned(folder)
    before, after = (((folder / name).read_text()).splitlines() for name in ("arm.xml", "tuned.xml"))
    changed = [line for line, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert [before[line].split()[0] for line in changed] == ["<position", "<position", "<general", 'biasprm="0']
    assert "dampratio=" in after[changed[0]]
    assert '  joint="shoulder"' in after[changed[0]]


def test_figures_are_those_of_a_damped_oscillator() -> None:
    times, omega = np.linspace(0.0, 4.0, 4001), 9.0
    for zeta in (0.3, 0.7):
        wd = omega * np.sqrt(1.0 - zeta * zeta)
        q = 1.0 - np.exp(-zeta * omega * times) * (np.cos(wd * times) + zeta * omega / wd * np.sin(wd * times))
        v = np.gradient(q, times)
        figures = step_figures(times, q[:, None], v[:, None], v[:, None], np.ones(1), np.full(1, 1.1))
        assert figures["overshoot"][0] == pytest.approx(np.exp(-np.pi * zeta / np.sqrt(1.0 - zeta * zeta)), rel=1e-3)
        inside = np.abs(q - 1.0) <= 0.02
        assert figures["settle"][0] == pytest.approx(times[len(times) - inside[::-1].argmin()], abs=1e-3)
        assert figures["steady"][0] == pytest.approx(0.1, rel=1e-3)
        assert figures["rise"][0] == pytest.approx(times[(q >= 0.9).argmax()] - times[(q >= 0.1).argmax()], abs=2e-3)
