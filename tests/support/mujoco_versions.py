"""Models compiled by earlier versions of MuJoCo, beside those versions themselves: python tests/support/mujoco_versions.py [VERSION ...]

Installs each version into a folder of its own and compares accelerations, sensors and fifty steps of two unequal worlds, through
put_model, put_data and get_data_into. Without arguments: the oldest that is claimed, three in the middle, the newest below 4.0, and 4.0.
Ends with status 1 if one disagrees. Models with parts whose physics has changed since a version are compared from the next on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = ("3.2.0", "3.2.7", "3.3.7", "3.11.0", "3.17.0", "4.0.0")
MODELS = {
    "mechanism": """<mujoco><option timestep=".002" integrator="implicitfast"/><worldbody>
      <site name="hook" pos="0 0 1.5"/>
      <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" range="-.2 .2" limited="true" frictionloss=".02"/>
        <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="s" pos=".4 0 0"/>
        <body pos=".4 0 0"><joint name="b" type="ball"/><geom type="box" size=".1 .05 .05" pos=".1 0 0"/><site name="tip" pos=".2 0 0"/></body>
        <body pos=".2 0 .1"><joint name="c" type="slide" stiffness="20"/><geom size=".06"/></body></body>
      <body name="p" pos="0 1 1"><joint name="d" axis="1 0 0"/><geom size=".08" pos="0 .3 0"/></body>
      <body name="q" pos="0 1.6 1"><joint name="e" axis="1 0 0"/><geom size=".08" pos="0 -.3 0"/></body></worldbody>
      <tendon><fixed name="f"><joint joint="c" coef="-.5"/><joint joint="a" coef="2"/></fixed>
        <spatial name="rope" stiffness="30" springlength=".3"><site site="hook"/><site site="tip"/></spatial></tendon>
      <equality><joint joint1="c" joint2="a" polycoef="0 .1 0 0 0"/></equality>
      <actuator><motor joint="a"/><position tendon="f" kp="3"/><general joint="d" dyntype="filter" dynprm=".1"/></actuator>
      <sensor><framepos objtype="site" objname="tip"/><jointvel joint="a"/><tendonpos tendon="rope"/><subtreecom body="p"/><clock/></sensor>
      <keyframe><key qpos=".1 1 0 0 0 .02 .1 -.1"/></keyframe></mujoco>""",
    "loop": """<mujoco><option timestep=".002"/><worldbody><site name="hook" pos="0 .5 2"/>
      <body name="p" pos="0 1 1"><joint axis="1 0 0"/><geom size=".08" pos="0 .3 0"/><site name="s" pos="0 .3 0"/></body>
      <body name="q" pos="0 1.6 1"><joint axis="1 0 0"/><geom size=".08" pos="0 -.3 0"/></body></worldbody>
      <tendon><spatial stiffness="30" springlength=".3"><site site="hook"/><site site="s"/></spatial></tendon>
      <equality><connect body1="p" body2="q" anchor="0 .3 0"/></equality><sensor><force site="s"/></sensor></mujoco>""",
    "contacts": """<mujoco><option timestep=".002" cone="elliptic" jacobian="sparse"><flag warmstart="disable"/></option><worldbody>
      <geom type="plane" size="5 5 .1"/>
      <body pos="0 0 .09"><freejoint/><geom size=".1" condim="4"/></body><body pos="0 1 .05"><freejoint/><geom type="box" size=".1 .2 .06"/></body>
      <body pos="1 0 .05"><freejoint/><geom type="capsule" size=".06 .2" euler="0 90 0"/></body>
      <body mocap="true" pos="2 0 .2"><geom size=".1"/></body><body pos="2 .05 .38"><freejoint/><geom size=".1"/></body></worldbody>
      <sensor><rangefinder site="eye"/></sensor></mujoco>""".replace('<geom type="plane" size="5 5 .1"/>', '<geom type="plane" size="5 5 .1"/><site name="eye" pos="0 1 1" zaxis="0 0 -1"/>'),
    "passive": """<mujoco><option timestep=".002" density="20" viscosity=".2"><flag frictionloss="disable"/></option><worldbody>
      <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .05"/><body pos=".2 0 0"><joint name="j" stiffness="3" damping=".2"/>
      <geom type="capsule" size=".03 .1"/></body></body></worldbody></mujoco>""",
}  # fmt: skip
SINCE = {"loop": (3, 17)}  # what force sensors and connections gave differed on 3.3.7 and 3.11; nothing between these and 3.17 was compared
TOLERANCE = 1e-3


def relative(ours, theirs) -> float:
    """Largest difference over the largest value, or over 1."""
    import numpy as np

    theirs = np.asarray(theirs, dtype=float).ravel()
    return float(np.abs(np.asarray(ours, dtype=float).ravel() - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0)))


def compare(text: str) -> dict[str, float]:
    """Differences of one model to the MuJoCo that is imported."""
    import mujoco
    import numpy as np

    from newtonish import mjw

    mjm = mujoco.MjModel.from_xml_string(text)
    m = mjw.put_model(mjm)
    found: dict[str, float] = {}

    def note(name: str, ours, theirs) -> None:
        found[name] = max(found.get(name, 0.0), relative(ours, theirs))

    for seed in range(2):
        rng = np.random.default_rng(seed)
        mjd = mujoco.MjData(mjm)
        mjd.qvel[:] = 0.3 * rng.standard_normal(mjm.nv)
        mjd.ctrl[:] = 0.2 * rng.standard_normal(mjm.nu)
        d = mjw.put_data(mjm, mjd, nworld=2, m=m)
        mujoco.mj_forward(mjm, mjd)
        mjw.forward(m, d)
        note("qacc", d.qacc.numpy()[1], mjd.qacc)
        note("sensors", d.sensordata.numpy()[1], mjd.sensordata)
        again = mjw.put_data(mjm, mjd, nworld=2, m=m)
        mjw.solve(m, again)
        note("qacc after put_data", again.qacc.numpy()[1], mjd.qacc)
        back = mujoco.MjData(mjm)
        mjw.get_data_into(back, mjm, d, 1)
        assert (back.ncon, back.nefc) == (mjd.ncon, mjd.nefc), (back.ncon, back.nefc, mjd.ncon, mjd.nefc)
        note("forces of constraints", np.sort(back.efc_force), np.sort(mjd.efc_force))
        for _ in range(50):
            mujoco.mj_step(mjm, mjd)
            mjw.step(m, d)
        note("qpos after 50 steps", d.qpos.numpy()[1], mjd.qpos)
    return found


def child() -> None:
    import mujoco

    version = tuple(map(int, mujoco.__version__.split(".")[:2]))
    chosen = {name: text for name, text in MODELS.items() if version >= SINCE.get(name, (0, 0))}
    print(json.dumps({"version": mujoco.__version__, **{name: compare(text) for name, text in chosen.items()}}))


def run(version: str, folder: Path) -> dict:
    """Install a version of MuJoCo beside this environment's, and compare within it."""
    place = folder / version
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place), f"mujoco=={version}"]
    subprocess.run(command, check=True)
    path = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run([sys.executable, __file__, "--child"], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if result.returncode:
        return {"version": version, "error": result.stderr.strip().splitlines()[-1]}
    return json.loads(result.stdout.splitlines()[-1])


def main(versions: list[str]) -> int:
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for version in versions:
            found = run(version, Path(folder))
            failed |= "error" in found or found["version"] != version
            if "error" in found:
                print(f"{version}: {found['error']}")
                continue
            for name in MODELS.keys() & found.keys():
                worst = max(found[name].values())
                failed |= worst > TOLERANCE
                print(f"{version:8} {name:10}", ", ".join(f"{what} {error:.1e}" for what, error in found[name].items()))
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:] == ["--child"]:
        child()
    else:
        sys.exit(main(sys.argv[1:] or list(VERSIONS)))
