"""Gradients by fields of the model against centred differences of steps of MuJoCo in float64, in worlds with parameters of their own."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
import oracle
import warp as wp

from newtonish import mjw
from newtonish.mjw.gradient_fields import FIELDS

ALIKE = ("jnt_pos", "jnt_axis", "body_pos", "body_quat", "geom_pos", "geom_quat", "qpos_spring", "eq_data", "jnt_range", "tendon_range", "tendon_lengthspring")
"""Fields that stay as they are: where things are. Others get values of their own in each world."""


def host_field(mjm: mujoco.MjModel, name: str) -> np.ndarray:
    """The array of MuJoCo that is field ``name``."""
    if name.startswith("opt."):
        return getattr(mjm.opt, name[4:])
    return getattr(mjm, name)


def device_field(m: mjw.Model, name: str):
    """Ours."""
    return getattr(m.opt, name[4:]) if name.startswith("opt.") else getattr(m, name)


def follow(mjm: mujoco.MjModel) -> None:
    """What MuJoCo reads of masses beside masses: those of subtrees, and the mass matrix of bodies alone on a free joint, of one part about its own axes."""
    mjm.body_subtreemass[:] = mjm.body_mass
    for b in range(mjm.nbody - 1, 0, -1):
        mjm.body_subtreemass[mjm.body_parentid[b]] += mjm.body_subtreemass[b]
    for j in range(mjm.njnt):
        b, v = mjm.jnt_bodyid[j], mjm.jnt_dofadr[j]
        if mjm.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE and mjm.body_simple[b] == 1:
            mjm.dof_M0[v : v + 6] = [*([mjm.body_mass[b]] * 3), *mjm.body_inertia[b]]
            mjm.dof_M0[v : v + 6] += mjm.dof_armature[v : v + 6]


@dataclass
class Varied:
    """A pair of which each world has its own model on MuJoCo's side."""

    pair: oracle.Pair
    models: list[mujoco.MjModel]


def vary(pair: oracle.Pair, spread: float = 0.03, seed: int = 3) -> Varied:
    """Unequal worlds: values of fields that differ by some per cent, the same numbers of float32 on both sides."""
    rng = np.random.default_rng(seed)
    models = [copy.deepcopy(pair.mjm) for _ in pair.mjds]
    for mjm in models:  # frames that the compiler found to be the same, which MuJoCo then does not look at
        mjm.body_sameframe[:] = mjm.geom_sameframe[:] = 0
    for name in FIELDS:
        value = host_field(pair.mjm, name)
        if not value.size:
            continue
        worlds = []
        for mjm in models:
            factor = 1.0 if name in ALIKE else 1.0 + spread * rng.uniform(-1.0, 1.0, value.shape)
            changed = (value * factor).astype(np.float32)
            if name == "body_iquat":
                changed /= np.linalg.norm(changed, axis=-1, keepdims=True)
            host_field(mjm, name)[:] = changed
            worlds.append(changed)
        array = device_field(pair.m, name)
        dtype, shape = array.dtype, array.shape[1:]
        made = wp.array(np.stack(worlds).reshape(pair.nworld, *shape, *getattr(dtype, "_shape_", ())), dtype=dtype, device=pair.d.device)
        if name.startswith("opt."):
            setattr(pair.m.opt, name[4:], made)
        else:
            setattr(pair.m, name, made)
    for mjm, mjd in zip(models, pair.mjds, strict=True):
        follow(mjm)
        mujoco.mj_forward(mjm, mjd)
    masses = np.stack([mjm.body_subtreemass for mjm in models]).astype(np.float32)
    pair.m.body_subtreemass = wp.array(masses, dtype=float, device=pair.d.device)  # which the gyroscopic forces of free bodies are made with
    return Varied(pair, models)


def gradients(varied: Varied, next_bar: np.ndarray, names: list[str]) -> dict[str, np.ndarray]:
    """Ours by the fields ``names``, in MuJoCo's shapes."""
    pair = varied.pair
    device = pair.d.device
    arrays = {}
    for name in names:
        shape = device_field(pair.m, name).shape[1:]
        arrays[name] = wp.full((pair.nworld, *shape), FIELDS[name].dtype(7.0), dtype=FIELDS[name].dtype, device=device)
    mjw.step_vjp(pair.m, pair.d, wp.array(next_bar.astype(np.float32), device=device), fields=arrays)
    return {name: array.numpy().astype(float) for name, array in arrays.items()}


def _stepped(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> mujoco.MjData:
    moved = mujoco.MjData(mjm)
    mujoco.mj_copyData(moved, mjm, mjd)
    mujoco.mj_step(mjm, moved)
    return moved


def difference(mjm: mujoco.MjModel, mjd: mujoco.MjData, name: str, direction: np.ndarray, eps: float) -> np.ndarray:
    """Change of the next state by a change of a field along ``direction``, per unit."""
    target = host_field(mjm, name)
    before = target.copy()
    ends = []
    for sign in (eps, -eps):
        target[:] = before + sign * direction.reshape(before.shape)
        follow(mjm)
        ends.append(_stepped(mjm, mjd))
    target[:] = before
    follow(mjm)
    dq = np.zeros(mjm.nv)
    mujoco.mj_differentiatePos(mjm, dq, 2.0 * eps, ends[1].qpos, ends[0].qpos)
    return np.concatenate([dq, (ends[0].qvel - ends[1].qvel) / (2.0 * eps), (ends[0].act - ends[1].act) / (2.0 * eps)])


def directions(mjm: mujoco.MjModel, name: str, rng: np.random.Generator) -> np.ndarray:
    """A random change of all entries of a field, in proportion to their size."""
    value = host_field(mjm, name)
    exact = ("dof_frictionloss", "tendon_frictionloss", "jnt_range", "actuator_gainprm", "actuator_biasprm")
    least = 0.0 if name in exact else 1.0 if "poly" in name or "stiffness" in name or "damping" in name else 0.01
    scale = np.abs(value) + least
    found = scale * rng.uniform(0.3, 1.0, value.shape) * rng.choice([-1.0, 1.0], value.shape)
    if name == "body_gravcomp" and not mjm.ngravcomp:  # MuJoCo then looks for none
        found[:] = 0.0
    if name in ("body_ipos", "body_iquat"):  # of bodies whose inertia MuJoCo takes as diagonal
        found[mjm.body_simple > 0] = 0.0
    if name == "jnt_axis":
        found -= (found * value).sum(1, keepdims=True) * value
    if name == "eq_data":
        relative = found[mjm.eq_type == mujoco.mjtEq.mjEQ_WELD, 6:10]
        kept = mjm.eq_data[mjm.eq_type == mujoco.mjtEq.mjEQ_WELD, 6:10]
        found[mjm.eq_type == mujoco.mjtEq.mjEQ_WELD, 6:10] = relative - (relative * kept).sum(1, keepdims=True) * kept
    if name.endswith("quat"):
        rows, turned = found.reshape(-1, 4), value.reshape(-1, 4)
        rows -= (rows * turned).sum(1, keepdims=True) * turned
    return found


def errors(varied: Varied, names: list[str], eps: float = 1e-6, seed: int = 5) -> dict[str, float]:
    """Largest error of each field, relative to the norms of the gradient given and of the change; fields that change nothing are left out."""
    pair = varied.pair
    rng = np.random.default_rng(seed)
    next_bar = rng.standard_normal((pair.nworld, 2 * pair.mjm.nv + pair.mjm.na))
    found = gradients(varied, next_bar, names)
    result = {}
    for name in names:
        worst, moved = 0.0, False
        for world, (mjm, mjd) in enumerate(zip(varied.models, pair.mjds, strict=True)):
            direction = directions(mjm, name, rng)
            change = difference(mjm, mjd, name, direction, eps)
            size = np.linalg.norm(next_bar[world]) * np.linalg.norm(change)
            error = abs((found[name][world].ravel() * direction.ravel()).sum() - next_bar[world] @ change)
            if size > 1e-9:
                moved = True
                worst = max(worst, error / size)
            else:
                assert error < 1e-7, f"{name}, world {world}: {error:.1e} where nothing changes"
        if moved:
            result[name] = worst
    return result
