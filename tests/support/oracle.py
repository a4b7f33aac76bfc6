"""MuJoCo as the oracle: the same model and unequal states on both sides, every array of every stage compared.

Tolerances are declared here, once per quantity. Errors are held against the size of the body, joint or pair of joints that a number belongs to
(``entity_scales.py``), and where all numbers are of one kind, against the norm of the array.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from entity_scales import scales

from newtonish import mjw

SMOOTH, ROWS, SOLVER = 5e-5, 5e-4, 1e-3
MOMENTS = 2e-4  # lengths of paths over wrapping geoms are small differences

POSITION = (
    "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat",
    "subtree_com", "cdof", "cinert", "crb", "M", "qLD", "qLDiagInv", "actuator_length",
)  # fmt: skip
VELOCITY = ("actuator_velocity", "cvel", "cdof_dot", "qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_passive")
ACCELERATION = ("actuator_force", "qfrc_actuator", "qfrc_smooth", "qacc_smooth")
CONTACT = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "adhesion", "surfacevel")
EFC = ("pos", "margin", "D", "vel", "aref", "frictionloss")
SOLUTION = ("qacc", "qfrc_constraint")


@dataclass
class Pair:
    """One model on both sides: MuJoCo's data of each world, and ours for all of them."""

    mjm: mujoco.MjModel
    mjds: list[mujoco.MjData]
    m: mjw.Model
    d: mjw.Data

    @property
    def nworld(self) -> int:
        return len(self.mjds)


def load(path: Path, nworld: int = 3, seed: int = 0, change=None, device: str = "cpu", **capacity) -> Pair:
    """Compile with MuJoCo, put the result on the device, and give every world another state.

    Args:
        path: MJCF file.
        nworld: number of worlds.
        seed: of the noise on positions and velocities.
        change: called with the MjModel before it is used, to simplify it for both sides.
        device: Warp device.
        capacity: nconmax, njmax.
    """
    mjm = mujoco.MjModel.from_xml_path(str(path))
    return from_model(mjm, nworld, seed, change, device, **capacity)


def from_model(mjm: mujoco.MjModel, nworld: int = 3, seed: int = 0, change=None, device: str = "cpu", sdf=None, **capacity) -> Pair:
    """As ``load``, from a compiled model."""
    mjm.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    if change:
        change(mjm)
    m = mjw.put_model(mjm, strict=False, device=device, sdf=sdf)
    d = mjw.make_data(m, nworld, **capacity)
    rng = np.random.default_rng(seed)
    mjds = []
    for world in range(nworld):
        mjd = mujoco.MjData(mjm)
        if mjm.nkey:
            mujoco.mj_resetDataKeyframe(mjm, mjd, 0)
        if world:  # world 0 is the keyframe or qpos0 itself
            mujoco.mj_integratePos(mjm, mjd.qpos, 0.1 * rng.standard_normal(mjm.nv), 1.0)
            mjd.qvel[:] += 0.3 * rng.standard_normal(mjm.nv)
        mjds.append(mjd)
    pair = Pair(mjm, mjds, m, d)
    push(pair)
    return pair


def random_controls(mjm: mujoco.MjModel, rng: np.random.Generator) -> np.ndarray:
    """One sample within the control ranges."""
    low = np.where(mjm.actuator_ctrllimited.astype(bool), mjm.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(mjm.actuator_ctrllimited.astype(bool), mjm.actuator_ctrlrange[:, 1], 1.0)
    return rng.uniform(low, high)


def advance(pair: Pair, steps: int, seed: int = 1) -> None:
    """Step every world with MuJoCo under seeded random controls of its own, then copy the states over."""
    for world, mjd in enumerate(pair.mjds):
        rng = np.random.default_rng([seed, world])
        for _ in range(steps):
            if pair.mjm.nu:
                mjd.ctrl[:] = random_controls(pair.mjm, rng)
            mujoco.mj_step(pair.mjm, mjd)
    push(pair)


def push(pair: Pair) -> None:
    """Copy state, controls, applied forces and warm start of MuJoCo's worlds into ours."""
    names = ("time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
    names += ("history", "plastic")
    for name in names:
        array = getattr(pair.d, name)
        if array.size:
            host = np.stack([np.asarray(getattr(mjd, name)) for mjd in pair.mjds])
            array.assign(host.reshape(array.numpy().shape).astype(np.float32))


def forward(pair: Pair) -> None:
    """Run the whole forward dynamics on both sides."""
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    mjw.forward(pair.m, pair.d)


def close(name: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float, world: int) -> None:
    """Difference within ``tolerance`` times the norm (at least 1, since float32 also rounds absolutely)."""
    ours, theirs = np.asarray(ours, dtype=np.float64).ravel(), np.asarray(theirs, dtype=np.float64).ravel()
    assert ours.shape == theirs.shape, f"{name}, world {world}: {ours.shape} against MuJoCo's {theirs.shape}"
    scale = max(1.0, float(np.linalg.norm(theirs)))
    error = float(np.abs(ours - theirs).max(initial=0.0))
    assert error <= tolerance * scale, f"{name}, world {world}: error {error:.3g} of norm {scale:.3g} (tolerance {tolerance:g})"


def close_by_entity(name: str, ours: np.ndarray, theirs: np.ndarray, sizes: np.ndarray, tolerance: float, world: int) -> None:
    """Each difference within ``tolerance`` times the size of what the number belongs to."""
    assert ours.shape == theirs.shape == sizes.shape, f"{name}, world {world}: {ours.shape} against MuJoCo's {theirs.shape}"
    excess = np.abs(ours - theirs) - tolerance * sizes
    at = int(excess.argmax()) if len(excess) else 0
    assert not len(excess) or excess[at] <= 0.0, (
        f"{name}[{at}], world {world}: {ours[at]:.7g} against MuJoCo's {theirs[at]:.7g}, of size {sizes[at]:.3g} (tolerance {tolerance:g})"
    )


def compare_arrays(pair: Pair, names: tuple[str, ...], tolerance: float) -> None:
    """Arrays that have the same layout on both sides."""
    for name in names:
        ours = getattr(pair.d, name).numpy()
        for world, mjd in enumerate(pair.mjds):
            size = ours[world].size
            theirs = np.asarray(getattr(mjd, name)).ravel()[:size]
            sizes = scales(pair.mjm, mjd, name)
            if sizes is None:
                close(name, ours[world].ravel(), theirs, tolerance, world)
            else:
                close_by_entity(name, ours[world].ravel(), theirs, sizes[:size], tolerance, world)


def dense_moment(mjm: mujoco.MjModel, rownnz: np.ndarray, rowadr: np.ndarray, colind: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Actuator moments as a matrix of a row for each output."""
    matrix = np.zeros((mjm.nout, mjm.nv))
    for o in range(mjm.nout):
        for k in range(rowadr[o], rowadr[o] + rownnz[o]):
            matrix[o, colind[k]] += values[k]
    return matrix


def compare_moments(pair: Pair) -> None:
    """Moments as matrices: ours keep every dof of a body actuator's row, MuJoCo's only those that are not zero."""
    names = ("moment_rownnz", "moment_rowadr", "moment_colind", "actuator_moment")
    ours = [getattr(pair.d, name).numpy() for name in names]
    for world, mjd in enumerate(pair.mjds):
        theirs = dense_moment(pair.mjm, *(getattr(mjd, name) for name in names))
        close("moment", dense_moment(pair.mjm, *(a[world] for a in ours)), theirs, MOMENTS, world)


def contact_order(pair: Pair, world: int) -> np.ndarray:
    """For each of MuJoCo's contacts the index of ours: same geoms, nearest position."""
    mjd, contact = pair.mjds[world], pair.d.contact
    count = int(pair.d.ncon.numpy()[world])
    geoms, pos = contact.geom.numpy()[world, :count], contact.pos.numpy()[world, :count]
    theirs = sorted(map(tuple, mjd.contact.geom.tolist()))
    assert sorted(map(tuple, geoms.tolist())) == theirs, f"world {world}: contact pairs {geoms.tolist()} against {theirs}"
    free, order = set(range(count)), []
    for i in range(mjd.ncon):
        candidates = [j for j in free if tuple(geoms[j]) == tuple(mjd.contact.geom[i])]
        best = min(candidates, key=lambda j: float(np.linalg.norm(pos[j] - mjd.contact.pos[i])))
        free.remove(best)
        order.append(best)
    return np.array(order, dtype=int)


def compare_contacts(pair: Pair) -> None:
    """Contact pairs, counts and all contact parameters."""
    for world, mjd in enumerate(pair.mjds):
        order = contact_order(pair, world)
        for name in CONTACT:
            ours = getattr(pair.d.contact, name).numpy()[world, order]
            close(f"contact.{name}", ours, getattr(mjd.contact, name), SMOOTH, world)


def dense_jacobian(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> np.ndarray:
    """``efc_J`` as a dense matrix, whichever way MuJoCo stored it."""
    dense = np.zeros((mjd.nefc, mjm.nv))
    if not mujoco.mj_isSparse(mjm):  # there may be room for rows that were left out, being empty
        return np.asarray(mjd.efc_J)[: mjd.nefc * mjm.nv].reshape(mjd.nefc, mjm.nv)
    mujoco.mju_sparse2dense(dense, mjd.efc_J, mjd.efc_J_rownnz, mjd.efc_J_rowadr, mjd.efc_J_colind)
    return dense


def rows_of_jacobian(d: mjw.Data, world: int, nv: int) -> np.ndarray:
    """Our rows of one world as a dense matrix, whichever way they are stored."""
    nefc = int(d.nefc.numpy()[world])
    if not d.sparse:
        return d.efc.J.numpy()[world, :nefc, :nv]
    values, columns = d.efc.J.numpy()[world, 0], d.efc.J_colind.numpy()[world]
    rownnz, rowadr = d.efc.J_rownnz.numpy()[world, :nefc], d.efc.J_rowadr.numpy()[world, :nefc]
    dense = np.zeros((nefc, nv))
    for r, (adr, nnz) in enumerate(zip(rowadr, rownnz, strict=True)):
        entries = columns[adr : adr + nnz]
        assert len(set(entries.tolist())) == nnz, f"row {r}: a dof has two entries"
        dense[r, entries] = values[adr : adr + nnz]
    return dense


def row_order(pair: Pair, world: int) -> np.ndarray:
    """For each of MuJoCo's rows the index of ours: rows of contacts follow the contact."""
    mjd = pair.mjds[world]
    order = np.arange(mjd.nefc)
    address = pair.d.contact.efc_address.numpy()[world]
    for theirs, ours in enumerate(contact_order(pair, world)):
        first = int(mjd.contact.efc_address[theirs])
        if first < 0:
            continue
        later = [int(a) for a in mjd.contact.efc_address if a > first]
        rows = min([*later, mjd.nefc]) - first
        order[first : first + rows] = int(address[ours]) + np.arange(rows)
    return order


def compare_rows(pair: Pair) -> None:
    """Counts, Jacobian and parameters of the constraint rows."""
    for name in ("ncon", "ne", "nf", "nl", "nefc"):
        ours, theirs = getattr(pair.d, name).numpy().tolist(), [int(getattr(mjd, name)) for mjd in pair.mjds]
        assert ours == theirs, f"{name}: {ours} against MuJoCo's {theirs}"
    for world, mjd in enumerate(pair.mjds):
        order = row_order(pair, world)
        jacobian = rows_of_jacobian(pair.d, world, pair.mjm.nv)[order]
        close("efc_J", jacobian, dense_jacobian(pair.mjm, mjd), ROWS, world)
        assert pair.d.efc.type.numpy()[world, order].tolist() == mjd.efc_type.tolist()
        for name in EFC:
            ours = getattr(pair.d.efc, name).numpy()[world, order]
            close(f"efc_{name}", ours, getattr(mjd, f"efc_{name}"), ROWS, world)


def compare_solution(pair: Pair) -> None:
    """Accelerations and constraint forces, by the norm of the array."""
    for name in SOLUTION:
        ours = getattr(pair.d, name).numpy()
        for world, mjd in enumerate(pair.mjds):
            theirs = np.asarray(getattr(mjd, name))
            scale = max(1.0, float(np.linalg.norm(theirs)))
            error = float(np.linalg.norm(ours[world] - theirs))
            assert error <= SOLVER * scale, f"{name}, world {world}: error {error:.3g} of norm {scale:.3g}"


def compare_all(pair: Pair) -> None:
    """Every array of every stage, in the order of the stages."""
    compare_arrays(pair, POSITION, SMOOTH)
    compare_contacts(pair)
    compare_moments(pair)
    compare_arrays(pair, VELOCITY + ACCELERATION, SMOOTH)
    compare_rows(pair)
    compare_solution(pair)
