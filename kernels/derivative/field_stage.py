"""Gradients of a step by fields of the model, after the adjoint of the step: contractions of it with what each field does to the residual, no matrices.

Fields of the model that are computed from others when it is compiled, as inverse weights are, do not follow: the gradient is that of writing one field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import IntegratorType
from newtonish.kernels.derivative.body_bars import adjoint_motions, own_sums, sum_subtrees
from newtonish.kernels.derivative.cotangent import BARS, COTANGENT, Cotangent, FieldBars, bytes_of_cotangent, make_cotangent, sizes_of
from newtonish.kernels.derivative.field_bias import bias_fields
from newtonish.kernels.derivative.field_bodies import body_field_bars
from newtonish.kernels.derivative.field_bonds import bond_bars, clear_ends
from newtonish.kernels.derivative.field_contacts import contact_bars
from newtonish.kernels.derivative.field_forces import force_field_bars
from newtonish.kernels.derivative.field_geoms import geom_field_bars, pair_field_bars
from newtonish.kernels.derivative.field_joints import joint_field_bars
from newtonish.kernels.derivative.field_medium import medium_fields
from newtonish.kernels.derivative.field_metric import metric_fields
from newtonish.kernels.derivative.field_rows import row_field_bars
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace, part_of
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import is_gpu, launch, launch_on, through_worlds
from newtonish.kernels.structs.data import Com, Contact, Drive, Efc, Force, Kinematics, Solve, State, Status, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, Joint, Option, Pair, Site, Size, Tendon, Tree


@wp.kernel
def _clear(everything: wp.array2d(dtype=float), nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, everything.shape[1], lanes()):
            everything[w, i] = 0.0


through_worlds(_clear)


@wp.kernel
def _leave_out_integrator(size: Size, linear: Linear, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nv, lanes()):
            linear.one[w, i, 0] = wp.float64(0.0)


through_worlds(_leave_out_integrator)


@wp.kernel
def _hand_over(everything: wp.array2d(dtype=float), first: int, target: wp.array2d(dtype=float)):
    w, i = wp.tid()
    target[w, i] = everything[w, first + i]


@wp.kernel
def _on_dofs(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, eq: Equality, state: State, frc: Force, drive: Drive,
    ten: TendonState, efc: Efc, sol: Solve, status: Status, linear: Linear, cotangent: Cotangent, bars: FieldBars, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        force_field_bars(size, opt, jnt, dof, actuator, tendon, state, frc, drive, ten, sol.qacc, linear, cotangent, bars, w, lane)
        row_field_bars(size, opt, jnt, dof, tendon, eq, state, ten, efc, sol, status, linear, bars, w, lane)


through_worlds(_on_dofs)


@wp.kernel
def _between_bodies(
    size: Size, opt: Option, tree: Tree, body: Body, geom: Geom, site: Site, eq: Equality, kin: Kinematics, com: Com,
    contact: Contact, efc: Efc, status: Status, linear: Linear, motion: LinearMotion, cotangent: Cotangent, bars: FieldBars, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        adjoint_motions(size, tree, com, linear, cotangent, w, lane)
        contact_bars(opt, tree, body, geom, kin, com, contact, efc, status, motion, cotangent, w, lane)
        clear_ends(size, cotangent, w, lane)
        sync()
        bond_bars(size, opt, tree, body, site, eq, kin, com, efc, status, motion, cotangent, bars, w, lane)


through_worlds(_between_bodies)


@wp.kernel
def _gather(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, geom: Geom, site: Site, pair: Pair, eq: Equality, state: State, kin: Kinematics,
    com: Com, contact: Contact, sol: Solve, status: Status, linear: Linear, motion: LinearMotion, cotangent: Cotangent, bars: FieldBars, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        own_sums(size, opt, body, geom, site, eq, state, kin, com, contact, status, motion, cotangent, w, lane)
        sum_subtrees(size, tree, cotangent, w, lane)
        body_field_bars(size, opt, body, jnt, state, kin, com, motion, cotangent, bars, w, lane)
        joint_field_bars(size, body, jnt, state, kin, com, sol, linear, motion, cotangent, bars, w, lane)
        geom_field_bars(size, opt, body, geom, kin, com, contact, status, cotangent, bars, w, lane)
        pair_field_bars(size, opt, pair, contact, status, cotangent, bars, w, lane)


through_worlds(_gather)


@dataclass
class FieldWorkspace:
    """Arrays of gradients by fields, for a number of worlds; ``everything``: the memory of all of them, (nworld, n) float32."""

    bars: Any
    cotangent: Any
    everything: wp.array

    def view(self, first: int, last: int, slot: int) -> FieldWorkspace:
        """The part of worlds ``first`` to ``last - 1``, with the scratch that begins with that of world ``slot``."""
        parts = [part_of(g, whole, first, last, slot) for g, whole in ((BARS, self.bars), (COTANGENT, self.cotangent))]
        return FieldWorkspace(*parts, self.everything[first:last])


def _shape(m: Any, nconmax: int, field: Any) -> tuple[int, ...]:
    sizes = sizes_of(m, nconmax)
    return tuple(dim if isinstance(dim, int) else sizes[dim] for dim in field.dims)


def _floats(m: Any, field: Any) -> int:
    """Floats of one world of a field of the bars."""
    count = wp.types.type_size_in_bytes(field.dtype) // 4
    for n in _shape(m, 0, field):
        count *= n
    return count


def bytes_of_fields(m: Any, nworld: int, nconmax: int) -> int:
    """Memory of a workspace [bytes]."""
    total = 4 * sum(_floats(m, f) for f in BARS.fields)
    return nworld * total + bytes_of_cotangent(m, nworld, nconmax)


def make_fields(m: Any, nworld: int, nconmax: int, device: Any) -> FieldWorkspace:
    """Arrays for a model; those of the bars lie in one, a world after the other, so that they are cleared together."""
    width = sum(_floats(m, f) for f in BARS.fields)
    everything = wp.zeros((nworld, width), dtype=wp.float32, device=device)
    bars = BARS.struct()
    at = 0
    for f in BARS.fields:
        shape = (nworld, *_shape(m, nconmax, f))
        item = wp.types.type_size_in_bytes(f.dtype)
        strides = (4 * width, item)[: len(shape)]
        if _floats(m, f):
            pointer = everything.ptr + 4 * at
            array = wp.array(ptr=pointer, dtype=f.dtype, shape=shape, strides=strides, device=device)
        else:
            array = wp.zeros(shape, dtype=f.dtype, device=device)
        setattr(bars, f.name, array)
        at += _floats(m, f)
    return FieldWorkspace(bars, make_cotangent(m, nworld, nconmax, device), everything)


def clear_fields(d: Any, fields: FieldWorkspace) -> None:
    """Zero gradients, to which ``field_gradients`` adds.

    Writes  fields.bars
    """
    launch(_clear, d, [fields.everything])


def hand_over(fields: FieldWorkspace, name: str, target: wp.array) -> None:
    """Copy the gradient by one field to ``target``, (nworld, *shape of one world's) of its type and contiguous.

    Reads   fields.bars
    Writes  target
    """
    source = getattr(fields.bars, name)
    nworld, width = target.shape[0], wp.types.type_size_in_bytes(source.dtype) // 4 * source.size // source.shape[0]
    first = (source.ptr - fields.everything.ptr) // 4
    device: Any = target.device
    if not is_gpu(device) and not device.is_capturing:  # a launch takes longer than the copy
        np.copyto(target.numpy().reshape(nworld, width), fields.everything.numpy()[:, first : first + width])
        return
    flat = wp.array(ptr=target.ptr, dtype=wp.float32, shape=(nworld, width), device=target.device)
    launch_on(_hand_over, target.device, (nworld, width), [fields.everything, first, flat])


def field_gradients(m: Any, d: Any, work: Workspace, fields: FieldWorkspace) -> None:
    """Add the gradients of a step by fields of the model, after its adjoint.

    Reads   m; d.state, d.kin, d.com, d.drive, d.frc, d.ten, d.contact, d.efc, d.efm, d.sol, work (``another`` and ``one`` of work.linear among it)
    Writes  fields
    MuJoCo  no equivalent.
    """
    if m.opt.integrator == IntegratorType.DISCRETE:
        metric_fields(m, d, work, fields)
    groups = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, m.eq, d.state, d.frc, d.drive, d.ten, d.efc, d.sol, d.status]
    launch(_on_dofs, d, [*groups, work.linear, fields.cotangent, fields.bars])
    groups = [m.size, m.opt, m.tree, m.body, m.geom, m.site, m.eq, d.kin, d.com, d.contact, d.efc, d.status]
    launch(_between_bodies, d, [*groups, work.linear, work.motion, fields.cotangent, fields.bars])
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.geom, m.site, m.pair, m.eq, d.state, d.kin, d.com, d.contact, d.sol, d.status]
    launch(_gather, d, [*groups, work.linear, work.motion, fields.cotangent, fields.bars])
    if m.size.nfluid > 0:
        medium_fields(m, d, work, fields)
    if work.needs.spins:
        bias_fields(m, d, work, fields.bars)


def add_stage(m: Any, d: Any, work: Workspace, fields: FieldWorkspace) -> None:
    """The same of a stage of RK4, whose rates are the solver's accelerations: no equation of an integrator is between them.

    Reads   as ``field_gradients``, but for work.linear.one
    Writes  fields, work.linear.one
    """
    launch(_leave_out_integrator, d, [m.size, work.linear])
    field_gradients(m, d, work, fields)
