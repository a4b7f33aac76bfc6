"""Contacts that are springs and dampers in motion as well as at rest: a small flat impedance d, and friction that keeps a large one.

A row answers a moving body with 1 - d of its stiffness and damping, so a normal row with d = 0.001 is the spring that was asked
for. Friction rows of an elliptic contact take R from their normal row by ``impratio``; with its R a thousand times the inverse inertia
they would let everything creep. The ratio of a spring's contact is therefore that of the impedances 0.001 and 0.99, whatever
``impratio`` is, and its friction decays as a contact's with MuJoCo's default ``solref`` does, unless a ``solreffriction`` says how. Edges
of a pyramid have one R for normal and friction, and do creep. Method: MuJoCo's documentation, chapter Computation, "Constraint model",
and chapter Modeling, "Solver parameters".

A kernel of its own: models without springs neither compile nor launch it.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.constants import SPRING_IMPEDANCE
from newtonish.kernels.constants import CONTACT_ELLIPTIC
from newtonish.kernels.constraint.row import reference
from newtonish.kernels.math.world import lanes
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.field import vec5

FLAT = wp.constant(wp.float32(SPRING_IMPEDANCE))
STICKING = wp.constant(0.99)  # impedance of friction rows
DECAY = wp.constant(wp.vec2(0.02, 1.0))  # MuJoCo's default solref


@wp.func
def spring_solimp(impedance: float) -> vec5:
    """Parameters of an impedance that is the same at every depth."""
    return vec5(impedance, impedance, 0.001, 0.5, 2.0)


@wp.func
def is_spring(solimp: vec5) -> bool:
    """Whether a row of a model with springs is one, by its impedance."""
    return solimp[0] == FLAT and solimp[1] == FLAT


@wp.func
def friction_solref(own: wp.vec2, impedance: float, timestep: float, disableflags: int) -> wp.vec2:
    """``solreffriction`` in the direct form, which under ``impedance`` gives friction rows the damping of a large one.

    Args:
        own: what the contact says of its friction; zero: nothing.
        impedance: of the contact's normal row, with which the result is read.
        timestep: of the world [s].
        disableflags: of the options.
    """
    solref = own
    if own[0] == 0.0 and own[1] == 0.0:
        solref = DECAY
    return wp.vec2(0.0, -impedance * reference(solref, spring_solimp(STICKING), timestep, disableflags)[1])


@wp.func
def sticking_ratio(impedance: float) -> float:
    """Square root of what a friction row's R is of its normal row's."""
    return wp.sqrt((1.0 - STICKING) / STICKING * impedance / (1.0 - impedance))


@wp.kernel
def spring_friction_kernel(contact: Contact, efc: Efc, status: Status):
    """Weights of the friction rows of a world's elliptic contacts that are springs."""
    w, lane = wp.tid()
    for c in range(lane, wp.min(status.ncon[w], contact.dist.shape[1]), lanes()):
        r = contact.efc_address[w, c]
        if r >= 0 and is_spring(contact.solimp[w, c]):
            if efc.type[w, r] == CONTACT_ELLIPTIC:
                ratio = sticking_ratio(contact.solimp[w, c][1])
                friction = contact.friction[w, c]
                contact.mu[w, c] = friction[0] * ratio
                for k in range(1, contact.dim[w, c]):
                    other = ratio * friction[0] / friction[k - 1]
                    efc.D[w, r + k] = efc.D[w, r] / (other * other)


def spring_friction(m: Any, d: Any) -> None:
    """Let the contacts that are springs hold by friction, once their rows are there.

    Reads   d.contact, d.efc. Writes d.contact.mu, and d.efc.D of friction rows.
    """
    launch(spring_friction_kernel, d, [d.contact, d.efc, d.status])
