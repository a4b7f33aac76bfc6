"""Gradients of a cost of some steps by all inputs, by differences of MuJoCo in float64: what functions of frameworks are held against."""

from __future__ import annotations

import mujoco
import numpy as np

XML = """
<mujoco>
  <option timestep=".01"/>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" stiffness="2"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" type="ball" damping=".05"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/></body></body>
    <body pos="0 1 .5"><freejoint/><geom type="box" size=".1 .15 .2" pos=".03 0 .05"/></body>
    <body mocap="true" pos="0 3 0"><geom size=".1"/></body>
  </worldbody>
  <actuator><motor joint="a" gear="2"/><general joint="a" dyntype="filter" dynprm=".05" gainprm="3"/></actuator>
  <sensor><jointvel joint="a"/><ballquat joint="b"/><ballangvel joint="b"/></sensor>
</mujoco>
"""
"""The box is not centred: of bodies that are, MuJoCo has the inertia from its compiler, and not from the mass as it is."""
NWORLD, NSTEP = 3, 4
FIELDS = ("body_mass", "body_ipos", "dof_damping", "actuator_gainprm", "opt.gravity")
"""Fields of the model with a value of each world, which the sensors have no part of in their own laws."""


def field_of(mjm: mujoco.MjModel, name: str) -> np.ndarray:
    """A field by its name, such as ``opt.gravity``."""
    return getattr(mjm.opt, name[4:]) if name.startswith("opt.") else getattr(mjm, name)


def fields(seed: int = 2) -> dict[str, np.ndarray]:
    """Values of fields for unequal worlds."""
    mjm, rng = mujoco.MjModel.from_xml_string(XML), np.random.default_rng(seed)
    found = {}
    for name in FIELDS:
        value = field_of(mjm, name)
        found[name] = (value * (1.0 + 0.3 * rng.standard_normal((NWORLD, *value.shape)))).astype(np.float32)
    return found


def inputs(steps: int = NSTEP, seed: int = 0) -> dict[str, np.ndarray]:
    """Unequal worlds of the model, with quaternions of length 1 and controls and forces of each step."""
    mjm, rng = mujoco.MjModel.from_xml_string(XML), np.random.default_rng(seed)
    qpos = np.tile(mjm.qpos0, (NWORLD, 1))
    for row in qpos:
        mujoco.mj_integratePos(mjm, row, 0.4 * rng.standard_normal(mjm.nv), 1.0)
    widths = {
        "qvel": (mjm.nv,),
        "act": (mjm.na,),
        "ctrl": (steps, mjm.nu),
        "qfrc_applied": (steps, mjm.nv),
        "xfrc_applied": (steps, mjm.nbody, 6),
    }
    found = {"qpos": qpos} | {name: 0.5 * rng.standard_normal((NWORLD, *shape)) for name, shape in widths.items()}
    return {name: array.astype(np.float32) for name, array in found.items()}


def states(given: dict[str, np.ndarray], world: int) -> dict[str, np.ndarray]:
    """MuJoCo's states after each step of a world, and its sensors as each leaves them, float64."""
    mjm = mujoco.MjModel.from_xml_string(XML)
    for name in FIELDS:
        if name in given:
            field_of(mjm, name)[:] = given[name][world]
    mjd = mujoco.MjData(mjm)
    mjd.qpos[:], mjd.qvel[:], mjd.act[:] = given["qpos"][world], given["qvel"][world], given["act"][world]
    found: dict[str, list[np.ndarray]] = {"qpos": [], "qvel": [], "act": [], "sensordata": []}
    for t in range(given["ctrl"].shape[1]):
        mjd.ctrl[:], mjd.qfrc_applied[:], mjd.xfrc_applied[:] = (given[name][world, t] for name in ("ctrl", "qfrc_applied", "xfrc_applied"))
        mujoco.mj_step(mjm, mjd)
        for name, rows in found.items():
            rows.append(getattr(mjd, name).copy())
    return {name: np.array(rows) for name, rows in found.items()}


def weights(steps: int = NSTEP, seed: int = 1) -> dict[str, np.ndarray]:
    """A linear cost of the states after each step and of sensors."""
    mjm, rng = mujoco.MjModel.from_xml_string(XML), np.random.default_rng(seed)
    sizes = {"qpos": mjm.nq, "qvel": mjm.nv, "act": mjm.na, "sensordata": mjm.nsensordata}
    return {name: rng.standard_normal((NWORLD, steps, size)).astype(np.float32) for name, size in sizes.items()}


def gradients(given: dict[str, np.ndarray], cost: dict[str, np.ndarray], eps: float = 1e-6) -> dict[str, np.ndarray]:
    """Centred differences of the cost by every number of every input; forces on the world's body have none."""
    given = {name: array.astype(float) for name, array in given.items()}

    def total(world: int) -> float:
        return sum(float((rows * cost[name][world]).sum()) for name, rows in states(given, world).items() if name in cost)

    found = {}
    for name, array in given.items():
        slopes = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            ends, before = [], array[index]
            for moved in (before + eps, before - eps):
                array[index] = moved
                ends.append(total(index[0]))
            array[index] = before
            slopes[index] = (ends[0] - ends[1]) / (2.0 * eps)
        found[name] = slopes
    return found


def check(found: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float = 1e-4) -> None:
    """Each input's gradient in each world, relative to its norm."""
    for name, slopes in expected.items():
        for world in range(len(slopes)):
            error = np.linalg.norm(found[name][world] - slopes[world])
            assert error <= tolerance * max(np.linalg.norm(slopes[world]), 1e-3), f"{name}, world {world}: {error:.2e} of {np.linalg.norm(slopes[world]):.2e}"
