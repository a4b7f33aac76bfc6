"""How the moment of a spatial tendon changes as dofs move, a column of ``linear.bend`` for each.

A straight part is a block of the matrix: it knows the dofs of its two ends alone. A string on a geom answers to motions of its ends by one matrix, which serves all columns.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import at_point, join, mat66d, real, top, unit_axis, vec6d, wide, wide6
from newtonish.kernels.derivative.bends import Anchor, anchored, bend_by
from newtonish.kernels.derivative.path_parts import axes_of_geom, touching_of, wrapped_parts
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.data import Com, Kinematics, TendonState
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Site, Tendon, Tree
from newtonish.kernels.tendon.spatial import PULLEY, SITE


@wp.func
def settle_wraps(geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, ten: TendonState, linear: Linear, w: int, t: int, lane: int) -> int:
    """Pulls of the ends of each string on a geom, and how they answer to motions of both; the lanes share the geoms. Returns their number; begins with a barrier."""
    sync()
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    count = wp.int32(0)
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[i]
        if kind == PULLEY or kind == SITE:
            at += 1
        elif at < end:
            if ten.wrap_obj[w, at] == tendon.wrap_objid[i]:
                if i % lanes() == lane:
                    mat = axes_of_geom(kin, w, tendon.wrap_objid[i])
                    point0 = wide(kin.site_xpos[w, tendon.wrap_objid[i - 1]])
                    point1 = wide(kin.site_xpos[w, tendon.wrap_objid[i + 1]])
                    scale = real(tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), i])
                    found = touching_of(geom, tendon, kin, ten, mat, point0, point1, w, i, at)
                    pull = vec6d()
                    answers = mat66d()
                    units = wp.int32(6)  # not a literal, or Warp unrolls the loop
                    for axis in range(units):
                        parts = wrapped_parts(found, mat, unit_axis(axis), unit_axis(axis - 3), scale)
                        answers[axis] = join(parts.first.change, parts.last.change)
                        pull = join(parts.first.along, parts.last.along)
                    linear.wrap_pull[w, i - tendon.adr[t]] = pull
                    linear.wrap_answer[w, i - tendon.adr[t]] = answers
                count += 1
                at += 2
    return count


@wp.func_native("""
    const int n = bend.shape[2];
    double* to = (double*)((char*)bend.data + (size_t)w * bend.strides[0]);
    const float* axes = (const float*)((const char*)cdof.data + (size_t)w * cdof.strides[0]);
#if defined(__CUDA_ARCH__)
    const int lane = LANE, lanes = LANES;
#else
    const int lane = 0, lanes = 1;
#endif
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? -1.0 : 1.0;
        const double* arm = side == 0 ? arm0.c : arm1.c;
        const double* far = side == 0 ? arm1.c : arm0.c;
        const int mine = side == 0 ? first0 : first1, mine_end = side == 0 ? last0 : last1;
        const int other = side == 0 ? first1 : first0, other_end = side == 0 ? last1 : last0;
        const double g[3] = {sign * along.c[0], sign * along.c[1], sign * along.c[2]};
        const double turn[3] = {arm[1] * g[2] - arm[2] * g[1], arm[2] * g[0] - arm[0] * g[2], arm[0] * g[1] - arm[1] * g[0]};
        for (int column = mine; column < mine_end; column++) {
            const int k = dofs.data[column];
            if (k % lanes != lane) continue;
            const float* axis = axes + 6 * k;
            // the point moves, and the direction turns
            const double moved[3] = {
                axis[3] + axis[1] * arm[2] - axis[2] * arm[1], axis[4] + axis[2] * arm[0] - axis[0] * arm[2], axis[5] + axis[0] * arm[1] - axis[1] * arm[0]};
            const double grows = moved[0] * unit.c[0] + moved[1] * unit.c[1] + moved[2] * unit.c[2];
            double change[3];
            for (int i = 0; i < 3; i++) change[i] = stiffness * (moved[i] - grows * unit.c[i]);
            double felt[6], turned[6], beyond[6];
            for (int i = 0; i < 3; i++) {
                const int a = (i + 1) % 3, b = (i + 2) % 3;
                felt[i] = arm[a] * change[b] - arm[b] * change[a] + moved[a] * g[b] - moved[b] * g[a];
                felt[i + 3] = change[i];
                // axes that turn along with the dof see the pull turned back
                turned[i] = felt[i] - (axis[a] * turn[b] - axis[b] * turn[a]) - (axis[a + 3] * g[b] - axis[b + 3] * g[a]);
                turned[i + 3] = felt[i + 3] - (axis[a] * g[b] - axis[b] * g[a]);
                beyond[i] = far[b] * change[a] - far[a] * change[b];
                beyond[i + 3] = -change[i];
            }
            const int joint = jntid.data[k];
            const int kind = type.data[joint];
            const int start = dofadr.data[joint] + (kind == 0 ? 3 : 0);
            const int turning = kind <= 1 && k >= start ? start : k + 1;  // rotations of one ball turn each other
            const int moves = lastid.data[k];
            for (int at = mine; at < mine_end; at++) {
                const int j = dofs.data[at];
                const float* s = axes + 6 * j;
                const double* f = j >= turning && j <= moves ? turned : felt;
                to[j * n + k] += (s[0] * f[0] + s[1] * f[1] + s[2] * f[2]) + (s[3] * f[3] + s[4] * f[4] + s[5] * f[5]);
            }
            for (int at = other; at < other_end; at++) {
                const int j = dofs.data[at];
                const float* s = axes + 6 * j;
                to[j * n + k] += (s[0] * beyond[0] + s[1] * beyond[1] + s[2] * beyond[2]) + (s[3] * beyond[3] + s[4] * beyond[4] + s[5] * beyond[5]);
            }
        }
    }
""")
def _add_straight(
    bend: wp.array3d(dtype=wp.float64), cdof: wp.array2d(dtype=wp.spatial_vector), dofs: wp.array(dtype=int), lastid: wp.array(dtype=int),
    jntid: wp.array(dtype=int), type: wp.array(dtype=int), dofadr: wp.array(dtype=int), arm0: wp.vec3d, arm1: wp.vec3d, along: wp.vec3d, unit: wp.vec3d,
    stiffness: wp.float64, first0: int, last0: int, first1: int, last1: int, w: int,
):  # fmt: skip
    """Add a straight part: what the dofs of its ends' chains do to its work on each of them; a lane has columns of its own."""
    ...


@wp.func
def bend_straights(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState, linear: Linear, w: int, t: int,
):  # fmt: skip
    """Add straight parts from site to site of tendon ``t`` to all columns; what moves both ends changes nothing."""
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    before = wp.int32(-1)  # site before, from which the path is straight
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[i]
        item = tendon.wrap_objid[i]
        if kind == PULLEY:
            before = -1
            at += 1
        elif kind == SITE:
            if before >= 0:
                b0 = site.bodyid[before]
                b1 = site.bodyid[item]
                point0 = wide(kin.site_xpos[w, before])
                point1 = wide(kin.site_xpos[w, item])
                length = wp.length(point1 - point0)
                if b0 != b1 and length >= real(MINVAL):
                    scale = real(tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), i])
                    unit = (point1 - point0) / length
                    common = common_dofs(tree, b0, b1)
                    _add_straight(
                        linear.bend, com.cdof, tree.chain_dofid, dof.lastid, dof.jntid, jnt.type, jnt.dofadr,
                        point0 - wide(com.subtree_com[w, body.rootid[b0]]), point1 - wide(com.subtree_com[w, body.rootid[b1]]), scale * unit, unit,
                        scale / length, tree.chain_adr[b0] + common, tree.chain_adr[b0 + 1], tree.chain_adr[b1] + common, tree.chain_adr[b1 + 1], w,
                    )  # fmt: skip
            before = item
            at += 1
        elif at < end:
            if ten.wrap_obj[w, at] == item:
                before = -1
                at += 2


@wp.func
def _bend_line(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, com: Com, linear: Linear, end: Anchor, pull: wp.vec3d, change: wp.vec3d, g: int, w: int, k: int,
):  # fmt: skip
    """Add the pull between an end of a string and its geom on body ``g``, which has the opposite at the same point."""
    if end.body != g:
        other = end
        other.body = g
        other.arm = end.point - wide(com.subtree_com[w, body.rootid[g]])
        common = common_dofs(tree, end.body, g)
        bend_by(tree, jnt, dof, com, linear, end, pull, wp.vec3d(), change, wp.vec3d(), common, w, k)
        bend_by(tree, jnt, dof, com, linear, other, -pull, wp.vec3d(), -change, wp.vec3d(), common, w, k)


@wp.func
def bend_wraps(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState, linear: Linear,
    w: int, t: int, k: int,
):  # fmt: skip
    """Add strings on geoms of tendon ``t`` to column ``k``, after ``settle_wraps``."""
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[i]
        if kind == PULLEY or kind == SITE:
            at += 1
        elif at < end:
            if ten.wrap_obj[w, at] == tendon.wrap_objid[i]:
                s0 = tendon.wrap_objid[i - 1]
                s1 = tendon.wrap_objid[i + 1]
                g = geom.bodyid[tendon.wrap_objid[i]]
                end0 = anchored(tree, body, dof, com, wide(kin.site_xpos[w, s0]), w, site.bodyid[s0], k)
                end1 = anchored(tree, body, dof, com, wide(kin.site_xpos[w, s1]), w, site.bodyid[s1], k)
                pull = linear.wrap_pull[w, i - tendon.adr[t]]
                pull0 = wp.vec3d(pull[0], pull[1], pull[2])
                pull1 = wp.vec3d(pull[3], pull[4], pull[5])
                apart0 = end0.moved
                apart1 = end1.moved
                turn = wp.vec3d()
                if moves(dof, k, last_dof(tree, g)):
                    axis = wide6(com.cdof[w, k])
                    center = wide(com.subtree_com[w, body.rootid[g]])
                    apart0 = apart0 - at_point(axis, end0.point - center)
                    apart1 = apart1 - at_point(axis, end1.point - center)
                    turn = top(axis)
                answer = join(apart0, apart1) * linear.wrap_answer[w, i - tendon.adr[t]]
                change0 = wp.vec3d(answer[0], answer[1], answer[2]) + wp.cross(turn, pull0)
                change1 = wp.vec3d(answer[3], answer[4], answer[5]) + wp.cross(turn, pull1)
                _bend_line(tree, body, jnt, dof, com, linear, end0, pull0, change0, g, w, k)
                _bend_line(tree, body, jnt, dof, com, linear, end1, pull1, change1, g, w, k)
                at += 2
