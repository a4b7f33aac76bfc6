"""Transmission of adhesion actuators: a pull along the normals of all contacts of a body.

The moment is minus the mean of the normals' Jacobians, so that a positive force presses the body onto what it touches.
Method: MuJoCo documentation, chapter XML Reference, actuator/adhesion.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import TrnType
from newtonish.kernels.forces.transmission_points import add_wrench, clear_row
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Contact, Drive, Status
from newtonish.kernels.structs.model import Actuator, Body, Geom, Size, Tree


@wp.func
def _adhesion(
    tree: Tree, body: Body, geom: Geom, actuator: Actuator, com: Com, contact: Contact, drive: Drive, ncon: int, w: int,
    o: int, b: int,
):  # fmt: skip
    clear_row(actuator, drive, w, o)
    touching = wp.int32(0)
    for c in range(ncon):
        pair = contact.geom[w, c]
        if geom.bodyid[pair[0]] == b or geom.bodyid[pair[1]] == b:
            touching += 1
    for c in range(ncon):
        pair = contact.geom[w, c]
        b0 = geom.bodyid[pair[0]]
        b1 = geom.bodyid[pair[1]]
        if b0 == b or b1 == b:
            frame = contact.frame[w, c]
            pull = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2]) / float(touching)
            at = contact.pos[w, c]
            add_wrench(tree, body, actuator, com, drive, w, o, b0, at, pull, wp.vec3())
            add_wrench(tree, body, actuator, com, drive, w, o, b1, at, -pull, wp.vec3())


@wp.func
def adhesion_world(
    size: Size, tree: Tree, body: Body, geom: Geom, actuator: Actuator, com: Com, contact: Contact, status: Status,
    drive: Drive, w: int, lane: int,
):  # fmt: skip
    """Moments of the actuators that act on bodies, after collision; returns with a barrier."""
    if size.nadhesion > 0:
        ncon = wp.min(status.ncon[w], contact.geom.shape[1])
        for a in range(lane, size.nactuator, lanes()):
            if actuator.trntype[a] == TrnType.BODY:
                _adhesion(tree, body, geom, actuator, com, contact, drive, ncon, w, actuator.outadr[a], actuator.trnid[a][0])
        sync()


@wp.kernel
def _adhesion_moments(size: Size, tree: Tree, body: Body, geom: Geom, actuator: Actuator, com: Com, contact: Contact, status: Status, drive: Drive):
    w, lane = wp.tid()
    adhesion_world(size, tree, body, geom, actuator, com, contact, status, drive, w, lane)


def adhesion(m: Any, d: Any) -> None:
    """Moments of the actuators that act on bodies, in models with such.

    Reads   m.tree, m.body, m.geom, m.actuator; d.com, d.contact and d.status.ncon (after collision)
    Writes  d.drive.moment_colind, actuator_moment
    MuJoCo  part of mj_transmission.
    """
    if m.size.nadhesion > 0:
        launch(_adhesion_moments, d, [m.size, m.tree, m.body, m.geom, m.actuator, d.com, d.contact, d.status, d.drive])
