"""Models that between them have everything with an analytic derivative, and changes of a step by differences in float64."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import oracle

JOINTS = """
<mujoco>
  <option timestep=".005" integrator="{integrator}"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" stiffness="2"/><joint name="s" type="slide" axis="1 .3 0" stiffness="3"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" type="ball" damping=".05" stiffness=".7"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/>
        <body pos=".2 0 .1"><joint name="c" axis="1 0 1" armature=".1" frictionloss=".01"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body></body>
    <body pos="0 1 .5" gravcomp=".3"><freejoint/><geom type="box" size=".1 .15 .2"/>
      <body pos=".2 0 .1"><joint name="d" axis="1 0 1"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body>
  </worldbody>
  <tendon><fixed name="t" stiffness="3" damping=".2"><joint joint="a" coef="1"/><joint joint="c" coef="-.5"/></fixed></tendon>
  <actuator>
    <general joint="a" dyntype="filter" dynprm=".05" gainprm="3"/>
    <general joint="d" dyntype="filterexact" dynprm=".02" gainprm="2" actearly="true"/>
    <general joint="c" dyntype="integrator" actlimited="true" actrange="-1 1" gainprm="2"/>
    <motor joint="a" gear="2"/>
    <position joint="c" kp="5" kv=".4"/>
    <velocity joint="d" kv="2"/>
    <position tendon="t" kp="3"/>
    <motor joint="b" gear="1 2 3"/>
  </actuator>
</mujoco>
"""

CONTACTS = """
<mujoco>
  <option timestep=".004" integrator="{integrator}" cone="{cone}"/>
  <default><geom condim="{dim}" friction="{friction}"/></default>
  <worldbody>
    <geom type="plane" size="3 3 .1" euler="3 2 0"/>
    <body pos="0 0 .19"><freejoint/><geom type="capsule" size=".1 .2" euler="80 10 0"/>
      <body pos="0 0 .2"><joint axis="1 0 0"/><geom type="sphere" size=".08" pos=".1 0 .1"/></body></body>
    <body pos=".02 .02 .5"><freejoint/><geom type="sphere" size=".13"/><body pos="0 0 .2"><joint axis="1 1 0"/><geom type="capsule" size=".05 .1" pos=".05 0 .1"/></body></body>
    <body pos="1 0 .14"><freejoint/><geom type="box" size=".1 .12 .15" euler="3 4 0"/><body pos="0 0 .2"><joint axis="1 0 0"/><geom type="sphere" size=".08" pos="0 0 .1"/></body></body>
    <body pos="1.05 .02 .56"><freejoint/><geom type="sphere" size=".13"/><body pos="0 0 .2"><joint axis="1 1 0"/><geom type="capsule" size=".05 .1" pos=".05 0 .1"/></body></body>
    <body pos="-1 0 .14"><freejoint/><geom type="ellipsoid" size=".1 .12 .15" euler="30 4 0"/><body pos="0 0 .2"><joint axis="1 0 0"/><geom type="sphere" size=".08" pos="0 0 .1"/></body></body>
    <body pos="-1 1 .14"><freejoint/><geom type="cylinder" size=".1 .15" euler="30 4 0"/><body pos="0 0 .2"><joint axis="1 0 0"/><geom type="sphere" size=".08" pos="0 0 .1"/></body></body>
  </worldbody>
</mujoco>
"""

SATURATED = """
<mujoco>
  <option timestep=".005" integrator="implicitfast" actuatorgroupdisable="3"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" actuatorfrcrange="-.5 .5"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 .1"/>
        <body pos=".3 0 .1"><joint name="c" axis="1 0 0"/><geom type="capsule" size=".04" fromto="0 0 0 .2 .1 0"/></body></body></body>
  </worldbody>
  <actuator>
    <position joint="a" kp="50" kv="2"/>
    <position joint="b" kp="80" kv="3" forcerange="-1 1"/>
    <general joint="b" gaintype="affine" gainprm="1 .5 0" biastype="affine" biasprm=".1 -.3 -.2" ctrlrange="-.4 .4"/>
    <general joint="c" dyntype="integrator" actlimited="true" actrange="-.001 .001" gainprm="3" actearly="true"/>
    <position joint="c" kp="20" group="3"/>
    <motor joint="c" ctrlrange="-.1 .1"/>
  </actuator>
</mujoco>
"""

EQUALITIES = """
<mujoco>
  <option timestep=".004"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" range="-.5 .5" limited="true"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" axis="0 1 0" frictionloss=".3"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 .1"/>
        <body pos=".3 0 .1"><joint name="c" axis="1 0 0"/><geom type="capsule" size=".04" fromto="0 0 0 .2 .1 0"/></body></body></body>
    <body pos="0 1 1"><joint name="d" type="ball" range="0 5" limited="true"/><geom type="box" size=".1 .05 .2" pos=".1 .02 .15"/></body>
    <body pos="0 2 1"><joint name="e" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="t" frictionloss=".2" range="-.05 .05" limited="true"><joint joint="a" coef="1"/><joint joint="e" coef=".4"/></fixed>
    <fixed name="u"><joint joint="c" coef="1"/></fixed><fixed name="v"><joint joint="e" coef="1"/></fixed>
  </tendon>
  <equality><joint joint1="c" joint2="b" polycoef=".1 .5 .8 -.3 .2"/><tendon tendon1="u" tendon2="v" polycoef="0 .3 0 0 0"/></equality>
</mujoco>
"""

BONDS = """
<mujoco>
  <option timestep=".004"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body name="b" pos=".4 0 0"><joint type="ball"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 .1"/><site name="end" pos=".2 .1 0" euler="20 30 40"/></body></body>
    <body name="c" pos=".8 0 1.1"><freejoint/><geom type="box" size=".1 .05 .2"/><site name="side" pos="-.1 .05 .02" euler="10 -30 60"/>
      <body name="d" pos="0 .1 .2"><joint axis="1 0 0"/><geom type="box" size=".1 .05 .2" pos="0 .1 .1"/></body></body>
    <body name="e" pos="0 2 1"><joint axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body name="f" pos=".4 0 0"><joint axis="0 0 1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/></body></body>
    <body name="g" pos="1.2 2 1.1"><freejoint/><geom type="box" size=".1 .05 .2"/></body>
  </worldbody>
  <equality>
    <weld site1="end" site2="side" torquescale=".7" solref=".03 1" solimp=".8 .95 .1"/>
    <connect body1="d" body2="a" anchor=".1 0 .2" solimp=".8 .95 .1"/>
    <connect body1="f" body2="g" anchor=".4 0 0"/>
    <weld body1="e" body2="d" relpose="0 1 0 1 0 0 0" solref=".2 1"/>
  </equality>
</mujoco>
"""

_SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".08 .15"',
    "box": 'type="box" size=".2 .15 .1"',
    "cylinder": 'type="cylinder" size=".12 .1"',
    "rock": 'type="mesh" mesh="rock"',
}
_ROCK = '<mesh name="rock" vertex=".2 .02 .01 -.18 .03 -.02 .01 .16 .03 .02 -.2 -.01 .03 .01 .15 -.02 .02 -.14 .1 .1 .09 -.09 .1 .08"/>'
_STACKS = (
    ("box", "sphere", 0.195, "0 0 0", "0 0 0"),  # face
    ("box", "sphere", 0.24, "45 0 0", "0 0 0"),  # edge
    ("box", "capsule", 0.178, "0 0 0", "85 0 0"),  # line above an edge
    ("box", "box", 0.199, "0 0 0", "2 3 5"),  # faces cut by borders
    ("box", "box", 0.33, "45 0 0", "0 47 0"),  # crossing edges
    ("box", "box", 0.24, "0 0 0", "30 20 5"),  # corner on a face
    ("cylinder", "sphere", 0.198, "0 0 0", "0 0 0"),  # cap
    ("cylinder", "sphere", 0.21, "85 0 0", "0 0 0"),  # side
    ("capsule", "capsule", 0.158, "90 0 0", "0 88 0"),  # crossing lines
    ("sphere", "capsule", 0.17, "0 0 0", "85 20 0"),
    ("rock", "sphere", 0.21, "0 0 0", "0 0 0"),  # face of a hull
    ("rock", "capsule", 0.175, "20 30 0", "90 20 0"),  # edge of a hull
    ("box", "rock", 0.22, "0 0 0", "0 0 0"),  # vertex of a hull
    ("rock", "rock", 0.23, "0 0 0", "20 30 10"),
    ("rock", "box", 0.22, "10 10 0", "30 20 10"),
)


def _stack(at: int, lower: str, upper: str, height: float, turned: str, turned_upper: str) -> str:
    """Two shapes one above the other, the lower one on springs."""
    return f"""<body pos="{at} 0 0"><joint axis="0 1 0" stiffness="300" damping="1"/><joint axis="1 .2 0" stiffness="300" damping="1"/>
      <geom {_SHAPES[lower]} euler="{turned}"/></body>
    <body pos="{at + 0.03} .02 {height}"><freejoint/><geom {_SHAPES[upper]} euler="{turned_upper}"/>
      <body pos="0 0 .3"><joint axis="1 0 0"/><geom size=".05" contype="0" conaffinity="0"/></body></body>"""


STACKS = (
    f'<mujoco><option timestep=".002"/><asset>{_ROCK}</asset><worldbody>{"".join(_stack(i, *stack) for i, stack in enumerate(_STACKS))}</worldbody></mujoco>'
)


def _exactly(mjm: mujoco.MjModel) -> None:
    """Let the solver end at its minimum."""
    mjm.opt.tolerance, mjm.opt.iterations, mjm.opt.ls_iterations = 1e-14, 200, 100


def pair_of(model: str | Path, steps: int, device: str, nworld: int = 3, spread: float = 1.0) -> oracle.Pair:
    """Unequal worlds after some steps, the same numbers of float32 on both sides; ``spread``: of the noise on their first positions."""
    if isinstance(model, Path):
        pair = oracle.load(model, nworld, change=_exactly, device=device)
    else:
        pair = oracle.from_model(mujoco.MjModel.from_xml_string(model), nworld, change=_exactly, device=device)
    for mjd in pair.mjds:
        moved = np.zeros(pair.mjm.nv)
        mujoco.mj_differentiatePos(pair.mjm, moved, 1.0, pair.mjm.qpos0, mjd.qpos)
        if spread != 1.0:
            mjd.qpos[:] = pair.mjm.qpos0
            mujoco.mj_integratePos(pair.mjm, mjd.qpos, moved, spread)
    oracle.advance(pair, steps)
    for world, mjd in enumerate(pair.mjds):
        for name in ("qpos", "qvel", "act", "ctrl"):
            array = getattr(pair.d, name)
            if array.size:
                getattr(mjd, name)[:] = array.numpy()[world]
        mujoco.mj_normalizeQuat(pair.mjm, mjd.qpos)
        mujoco.mj_forward(pair.mjm, mjd)
    return pair


def next_change(mjm: mujoco.MjModel, mjd: mujoco.MjData, force: np.ndarray, wrench: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """Change of the next state by an applied generalized force and wrenches on bodies, per unit of both."""
    ends = []
    for sign in (eps, -eps):
        moved = mujoco.MjData(mjm)
        mujoco.mj_copyData(moved, mjm, mjd)
        moved.qfrc_applied[:] += sign * force
        moved.xfrc_applied[1:] += sign * wrench[1:]
        mujoco.mj_step(mjm, moved)
        ends.append(moved)
    dq = np.zeros(mjm.nv)
    mujoco.mj_differentiatePos(mjm, dq, 2.0 * eps, ends[1].qpos, ends[0].qpos)
    return np.concatenate([dq, (ends[0].qvel - ends[1].qvel) / (2.0 * eps), (ends[0].act - ends[1].act) / (2.0 * eps)])
