"""Worlds for tests of constraints and solver: states from MuJoCo with every earlier stage filled in from MuJoCo too."""

from __future__ import annotations

import mujoco
import numpy as np

from newtonish import mjw

EFC = ("pos", "margin", "D", "vel", "aref", "frictionloss")
FREE = int(mujoco.mjtJoint.mjJNT_FREE)

# every kind of contact, limit and friction row; {cone}, {condim}, {impratio}, {solref} are filled in; the keyframe
# touches, the reference pose does not, once the free bodies are lifted
ZOO = """
<mujoco>
  <compiler angle="radian"/>
  <option cone="{cone}" impratio="{impratio}" jacobian="dense"/>
  <default>
    <geom condim="{condim}" friction="0.8 0.02 0.003" solref="{solref}"/>
    <joint armature="0.01"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body pos="0 0 0.098">
      <freejoint/>
      <geom type="sphere" size="0.1"/>
      <body pos="0.2 0 0">
        <joint type="ball" limited="true" range="0 0.3" margin="0.05" frictionloss="0.03"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 -0.06" size="0.04"/>
      </body>
    </body>
    <body pos="0 0.15 0.22">
      <freejoint/>
      <geom name="upper" type="sphere" size="0.1" friction="0.4 0.01 0.001"/>
    </body>
    <body pos="1 0 0.3">
      <joint name="slide" type="slide" axis="0 0 1" limited="true" range="-0.22 0.1" frictionloss="0.5"
        solimplimit="0.8 0.95 0.01 0.3 3"/>
      <joint name="hinge" type="hinge" axis="0 1 0" limited="true" range="-0.05 0.05" margin="0.2"
        solreflimit="-500 -20"/>
      <geom name="box" type="box" size="0.1 0.1 0.1" solimp="0.7 0.97 0.02 0.4 1"/>
      <body pos="0.2 0 0">
        <joint type="hinge" axis="0 1 0" limited="false" frictionloss="0.1"/>
        <geom name="tip" type="capsule" fromto="0 0 0 0.2 0 -0.07" size="0.03" margin="0.01" gap="0.002"/>
      </body>
    </body>
  </worldbody>
  <contact>
    <pair geom1="floor" geom2="box" condim="{condim}" friction="1 0.5 0.01 0.002 0.004" solreffriction="0.05 0.8"/>
  </contact>
  <keyframe>
    <key qpos="0 0 0.098 1 0 0 0  1 0 0 0  0 0.15 0.22 1 0 0 0  -0.201 0.01 0"/>
  </keyframe>
</mujoco>
"""


def zoo(cone: str = "pyramidal", condim: int = 3, impratio: float = 1.0, solref: str = "0.02 1") -> mujoco.MjModel:
    """The zoo above with these contact settings."""
    return mujoco.MjModel.from_xml_string(ZOO.format(cone=cone, condim=condim, impratio=impratio, solref=solref))


def states(mjm: mujoco.MjModel, nworld: int = 4, steps: int = 120, seed: int = 0) -> list[mujoco.MjData]:
    """Unequal states after ``mj_forward``: the last is in free flight, the one before it violates every limit."""
    mjm.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    mjm.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    mjds = []
    for world in range(nworld):
        rng = np.random.default_rng([seed, world])
        mjd = mujoco.MjData(mjm)
        if mjm.nkey:
            mujoco.mj_resetDataKeyframe(mjm, mjd, 0)
        mjd.qvel[:] += 0.2 * rng.standard_normal(mjm.nv)
        for _ in range(steps * (world + 1)):
            if mjm.nu:
                mjd.ctrl[:] = rng.uniform(-1.0, 1.0, mjm.nu)
            mujoco.mj_step(mjm, mjd)
        if world == nworld - 2:
            violate_limits(mjm, mjd, rng)
        if world == nworld - 1:
            fly(mjm, mjd)
        solve_exactly(mjm, mjd)
        mjds.append(mjd)
    return mjds


def violate_limits(mjm: mujoco.MjModel, mjd: mujoco.MjData, rng: np.random.Generator) -> None:
    """Put limited slide and hinge joints a little beyond one of their limits."""
    for j in np.flatnonzero(mjm.jnt_limited):
        if mjm.jnt_type[j] >= int(mujoco.mjtJoint.mjJNT_SLIDE):
            side = int(rng.integers(2))
            mjd.qpos[mjm.jnt_qposadr[j]] = mjm.jnt_range[j, side] + (0.02, -0.02)[1 - side] * rng.uniform(0.1, 1.0)


def fly(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> None:
    """Lift free bodies far apart from everything, and put the other joints into the reference pose."""
    mujoco.mj_resetData(mjm, mjd)
    for j in np.flatnonzero(mjm.jnt_type == FREE):
        mjd.qpos[mjm.jnt_qposadr[j] + 2] += 10.0 + 5.0 * j


def solve_exactly(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> None:
    """``mj_forward`` to convergence; the warm start is left as it was before."""
    warm = mjd.qacc_warmstart.copy()
    tolerance, iterations = mjm.opt.tolerance, mjm.opt.iterations
    mjm.opt.tolerance, mjm.opt.iterations = 1e-15, 500
    mujoco.mj_forward(mjm, mjd)
    mjm.opt.tolerance, mjm.opt.iterations = tolerance, iterations
    mjd.qacc_warmstart[:] = warm


def filled(mjm: mujoco.MjModel, mjds: list[mujoco.MjData], device: str = "cpu", **capacity: int) -> tuple[mjw.Model, mjw.Data]:
    """Model and Data of which world i holds ``mjds[i]``; results of constraints and solver are cleared."""
    m = mjw.put_model(mjm, strict=False, device=device)
    room = {"nconmax": max(1, *(d.ncon for d in mjds)), "njmax": max(1, *(d.nefc for d in mjds))}
    d = mjw.make_data(m, len(mjds), **(room | capacity))
    host = {name: array.numpy() for name, array in d.arrays().items() if array.size}
    for world, mjd in enumerate(mjds):
        one = mjw.put_data(mjm, mjd, 1, max(room["nconmax"], d.nconmax), njmax=max(room["njmax"], d.njmax), m=m)
        for name, array in one.arrays().items():
            if name not in host or name.split(".")[0] in ("efc", "sol"):
                continue
            source, target = array.numpy()[0], host[name]
            if target.ndim == 1:
                target[world] = source
            else:  # capacities may differ
                count = min(len(source), target.shape[1])
                target[world, :count] = source[:count]
        for name in ("length", "velocity", "J"):
            target = host.get(f"ten.{name}")
            if target is not None:
                target[world] = np.asarray(getattr(mjd, f"ten_{name}")).ravel()[: target.shape[1]]
    host["status.nefc"][:] = -1
    for name, array in host.items():
        d.arrays()[name].assign(array)
    return m, d
