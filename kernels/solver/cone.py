"""Cost, force and curvature of contacts with elliptic friction cones.

A contact's residuals x = J qacc - aref are scaled to N = mu x_0 and U_j = friction_j x_j, T = |U|. Three zones:
outside of the dual cone (N >= mu T) nothing acts; inside the polar one (mu N + T <= 0) the rows are quadratic; in
between the cost is Dm (N - mu T)^2 / 2 with Dm = D_0 / (mu^2 (1 + mu^2)). Method: MuJoCo's documentation, chapter
Computation, "Friction cones" and "Primal problem". A frictionless contact is one row that acts when its residual is
negative.

Sums are this lane's share: contacts are dealt out to the lanes of the block.
"""

import warp as wp

from newtonish.kernels.enums import ConstraintState
from newtonish.kernels.linalg.hessian import mat66
from newtonish.kernels.math.world import scratch_slot
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.field import vec6

SATISFIED = wp.constant(int(ConstraintState.SATISFIED))
QUADRATIC = wp.constant(int(ConstraintState.QUADRATIC))
CONE = wp.constant(int(ConstraintState.CONE))


@wp.func
def contact_count(contact: Contact, status: Status, w: int) -> int:
    return wp.min(status.ncon[w], contact.dist.shape[1])


@wp.func
def residuals(Jaref: wp.array2d(dtype=float), first: int, dim: int, w: int) -> vec6:
    """The contact's entries of ``Jaref``, which is scratch."""
    slot = scratch_slot(w)
    x = vec6()
    for k in range(dim):
        x[k] = Jaref[slot, first + k]
    return x


@wp.func
def scales(contact: Contact, dim: int, w: int, c: int) -> vec6:
    """mu, friction_1, ...: what turns residuals into N and U."""
    scale = vec6()
    if dim > 1:
        friction = contact.friction[w, c]
        scale[0] = contact.mu[w, c]
        for k in range(1, dim):
            scale[k] = friction[k - 1]
    return scale


@wp.func
def tangential(x: vec6, scale: vec6, dim: int) -> float:
    """T = |U|."""
    square = wp.float32(0.0)
    for k in range(1, dim):
        square += scale[k] * x[k] * scale[k] * x[k]
    return wp.sqrt(square)


@wp.func
def zone(x: vec6, scale: vec6, tangent: float, dim: int) -> int:
    """State of a contact's rows: SATISFIED, QUADRATIC or CONE."""
    state = CONE
    normal = scale[0] * x[0]
    if dim == 1:
        state = wp.where(x[0] >= 0.0, SATISFIED, QUADRATIC)
    elif normal >= scale[0] * tangent:
        state = SATISFIED
    elif scale[0] * normal + tangent <= 0.0:
        state = QUADRATIC
    return state


@wp.func
def cone_weight(D0: float, mu: float) -> float:
    """Dm."""
    return D0 / wp.max(1.0e-15, mu * mu * (1.0 + mu * mu))


@wp.func
def cones_cost(contact: Contact, efc: Efc, status: Status, Jaref: wp.array2d(dtype=float), w: int, lane: int) -> float:
    """Cost of all contacts at the residuals ``Jaref``."""
    cost = wp.float32(0.0)
    for c in range(lane, contact_count(contact, status, w), wp.block_dim()):
        first = contact.efc_address[w, c]
        if first >= 0:
            dim = contact.dim[w, c]
            x = residuals(Jaref, first, dim, w)
            scale = scales(contact, dim, w, c)
            tangent = tangential(x, scale, dim)
            state = zone(x, scale, tangent, dim)
            if state == QUADRATIC:
                for k in range(dim):
                    cost += 0.5 * efc.D[w, first + k] * x[k] * x[k]
            elif state == CONE:
                gap = scale[0] * (x[0] - tangent)
                cost += 0.5 * cone_weight(efc.D[w, first], scale[0]) * gap * gap
    return cost


@wp.func
def cones_derivatives(
    contact: Contact,
    efc: Efc,
    status: Status,
    Jaref: wp.array2d(dtype=float),
    Jv: wp.array2d(dtype=float),
    alpha: float,
    w: int,
    lane: int,
) -> wp.vec2:
    """First and second derivative by ``alpha`` of the cost of all contacts, at Jaref + alpha Jv."""
    slope = wp.float32(0.0)
    curvature = wp.float32(0.0)
    for c in range(lane, contact_count(contact, status, w), wp.block_dim()):
        first = contact.efc_address[w, c]
        if first >= 0:
            dim = contact.dim[w, c]
            v = residuals(Jv, first, dim, w)
            x = residuals(Jaref, first, dim, w) + alpha * v
            scale = scales(contact, dim, w, c)
            tangent = tangential(x, scale, dim)
            state = zone(x, scale, tangent, dim)
            if state == QUADRATIC:
                for k in range(dim):
                    D = efc.D[w, first + k]
                    slope += D * x[k] * v[k]
                    curvature += D * v[k] * v[k]
            elif state == CONE:
                uv = wp.float32(0.0)
                vv = wp.float32(0.0)
                for k in range(1, dim):
                    square = scale[k] * scale[k]
                    uv += square * x[k] * v[k]
                    vv += square * v[k] * v[k]
                rate = uv / tangent  # dT/dalpha
                gap = scale[0] * (x[0] - tangent)
                change = scale[0] * (v[0] - rate)
                bend = (vv - rate * rate) / tangent  # second derivative of T
                weight = cone_weight(efc.D[w, first], scale[0])
                slope += weight * gap * change
                curvature += weight * (change * change - gap * scale[0] * bend)
    return wp.vec2(slope, curvature)


@wp.func
def cones_update(contact: Contact, efc: Efc, status: Status, Jaref: wp.array2d(dtype=float), w: int, lane: int) -> int:
    """Write force and state of all contacts; 1 if the Hessian changed: a new state, or a contact within its cone."""
    changed = wp.int32(0)
    for c in range(lane, contact_count(contact, status, w), wp.block_dim()):
        first = contact.efc_address[w, c]
        if first >= 0:
            dim = contact.dim[w, c]
            x = residuals(Jaref, first, dim, w)
            scale = scales(contact, dim, w, c)
            tangent = tangential(x, scale, dim)
            state = zone(x, scale, tangent, dim)
            if state == CONE or state != efc.state[w, first]:
                changed = 1
            pull = wp.float32(0.0)
            if state == CONE:
                pull = -cone_weight(efc.D[w, first], scale[0]) * scale[0] * scale[0] * (x[0] - tangent)
            for k in range(dim):
                force = wp.float32(0.0)
                if state == QUADRATIC:
                    force = -efc.D[w, first + k] * x[k]
                elif state == CONE:
                    if k == 0:
                        force = pull
                    else:
                        force = -pull * scale[k] * scale[k] * x[k] / tangent
                efc.force[w, first + k] = force
                efc.state[w, first + k] = state
    return changed


@wp.func
def cone_hessian(x: vec6, scale: vec6, D0: float, dim: int) -> mat66:
    """Second derivative of the cost of a contact in the zone CONE by its residuals."""
    mu = scale[0]
    tangent = wp.max(1.0e-15, tangential(x, scale, dim))
    normal = mu * x[0]
    C = mat66()
    C[0, 0] = mu * mu
    for j in range(1, dim):
        unit = scale[j] * x[j] / tangent
        side = -mu * unit * mu * scale[j]
        C[0, j] = side
        C[j, 0] = side
        for k in range(1, dim):
            other = scale[k] * x[k] / tangent
            C[j, k] = mu * normal / tangent * unit * other * scale[j] * scale[k]
        C[j, j] = C[j, j] + (mu * mu - mu * normal / tangent) * scale[j] * scale[j]
    return cone_weight(D0, mu) * C
