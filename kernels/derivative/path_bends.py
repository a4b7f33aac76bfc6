"""How the moment of a spatial tendon changes as one dof moves: a column of ``linear.bend``, from one visit of its path.

Each point of the path is visited once, with the pulls of both parts that end there. What lies on a geom answers to its ends by one matrix, which serves all columns.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import at_point, carried_force, join, mat66d, real, top, vec6d, wide, wide6
from newtonish.kernels.derivative.bends import first_turning
from newtonish.kernels.derivative.path_parts import SITE, Part, Tip, axes_of_geom, part_between, touching_of, wrapped_parts
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Com, Kinematics, TendonState
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Site, Tendon, Tree
from newtonish.kernels.tendon.spatial import PULLEY


@wp.func
def _axis(i: int) -> wp.vec3d:
    """Axis ``i`` of the world; zero if it is none."""
    return wp.vec3d(wp.where(i == 0, real(1.0), real(0.0)), wp.where(i == 1, real(1.0), real(0.0)), wp.where(i == 2, real(1.0), real(0.0)))


@wp.func
def settle_wraps(geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, ten: TendonState, linear: Linear, w: int, t: int, lane: int):
    """Pulls of the ends of each part on a geom, and how they answer to motions of both; the lanes share the geoms."""
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
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
                        parts = wrapped_parts(found, mat, _axis(axis), _axis(axis - 3), scale)
                        answers[axis] = join(parts.first.change, parts.last.change)
                        pull = join(parts.first.along, parts.last.along)
                    linear.wrap_pull[w, i] = pull
                    linear.wrap_answer[w, i] = answers
                at += 2


@wp.func
def _tip_at(tree: Tree, body: Body, dof: Dof, com: Com, point: wp.vec3d, w: int, b: int, k: int) -> Tip:
    """A point of body ``b`` as dof ``k`` moves."""
    tip = Tip()
    tip.body = b
    tip.point = point
    tip.arm = point - wide(com.subtree_com[w, body.rootid[b]])
    if moves(dof, k, last_dof(tree, b)):
        tip.moved = at_point(wide6(com.cdof[w, k]), tip.arm)
    return tip


@wp.func_native("""
    double* to = (double*)((char*)bend.data + (size_t)w * bend.strides[0]) + k;
    const float* axes = (const float*)((const char*)cdof.data + (size_t)w * cdof.strides[0]);
    const int n = bend.shape[2];
    for (int at = last - 1; at >= first && dofs.data[at] >= least; at--) {
        const int j = dofs.data[at];
        const float* axis = axes + 6 * j;
        const double* felt = j >= turning && j <= moved ? turned.c : change.c;
        to[j * n] += (axis[0] * felt[0] + axis[1] * felt[1] + axis[2] * felt[2]) + (axis[3] * felt[3] + axis[4] * felt[4] + axis[5] * felt[5]);
    }
""")
def _add_work(
    bend: wp.array3d(dtype=wp.float64), cdof: wp.array2d(dtype=wp.spatial_vector), dofs: wp.array(dtype=int), first: int, last: int, least: int,
    change: vec6d, turned: vec6d, turning: int, moved: int, w: int, k: int,
):  # fmt: skip
    """Add the work of ``change`` on dofs of a chain from ``least`` on to column ``k``, and that of ``turned`` on those from ``turning`` to ``moved``."""
    ...


@wp.func
def _bend_at(
    tree: Tree, jnt: Joint, dof: Dof, com: Com, linear: Linear, arm: wp.vec3d, moved: wp.vec3d, pull: wp.vec3d, change: wp.vec3d, least: int, w: int, b: int, k: int,
):  # fmt: skip
    """Add the change of the work of a pull on body ``b``."""
    felt = join(wp.cross(moved, pull) + wp.cross(arm, change), change)
    turned = felt
    if moves(dof, k, last_dof(tree, b)):
        turned = felt - carried_force(wide6(com.cdof[w, k]), join(wp.cross(arm, pull), pull))
    first = tree.chain_adr[b]
    last = tree.chain_adr[b + 1]
    _add_work(linear.bend, com.cdof, tree.chain_dofid, first, last, least, felt, turned, first_turning(jnt, dof, k), dof.lastid[k], w, k)


@wp.func
def bend_path(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState, linear: Linear,
    w: int, t: int, k: int,
):  # fmt: skip
    """Add the change of the Jacobian of tendon ``t`` as dof ``k`` moves, after ``settle_wraps``."""
    least = tendon.J_colind[tendon.J_rowadr[t]]  # dofs before it move all of the tendon, which changes nothing
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    on = wp.bool(False)  # whether there is a point before
    wrapped = wp.bool(False)  # whether the path comes from a geom
    before = Tip()
    last = Part()  # from there
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[i]
        item = tendon.wrap_objid[i]
        if kind == PULLEY:
            if on:
                _bend_at(tree, jnt, dof, com, linear, before.arm, before.moved, before.pull, before.change, least, w, before.body, k)
            on = False
            at += 1
        elif kind == SITE:
            b = site.bodyid[item]
            here = _tip_at(tree, body, dof, com, wide(kin.site_xpos[w, item]), w, b, k)
            if wrapped:
                here.pull = last.along
                here.change = last.change
            elif on and before.body != b:
                scale = real(tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), i])
                part = part_between(here.point - before.point, here.moved - before.moved, scale)
                before.pull = before.pull - part.along
                before.change = before.change - part.change
                here.pull = part.along
                here.change = part.change
            if on:
                _bend_at(tree, jnt, dof, com, linear, before.arm, before.moved, before.pull, before.change, least, w, before.body, k)
            before = here
            on = True
            wrapped = False
            at += 1
        elif at < end:
            if ten.wrap_obj[w, at] == item:
                after = tendon.wrap_objid[i + 1]
                beyond = _tip_at(tree, body, dof, com, wide(kin.site_xpos[w, after]), w, site.bodyid[after], k)
                g = geom.bodyid[item]
                center = wide(com.subtree_com[w, body.rootid[g]])
                arm0 = before.point - center
                arm1 = beyond.point - center
                pull = linear.wrap_pull[w, i]
                along0 = wp.vec3d(pull[0], pull[1], pull[2])
                along1 = wp.vec3d(pull[3], pull[4], pull[5])
                moved0 = before.moved
                moved1 = beyond.moved
                turn = wp.vec3d()
                if moves(dof, k, last_dof(tree, g)):
                    axis = wide6(com.cdof[w, k])
                    moved0 = moved0 - at_point(axis, arm0)
                    moved1 = moved1 - at_point(axis, arm1)
                    turn = top(axis)
                answer = join(moved0, moved1) * linear.wrap_answer[w, i]
                change0 = wp.vec3d(answer[0], answer[1], answer[2]) + wp.cross(turn, along0)
                change1 = wp.vec3d(answer[3], answer[4], answer[5]) + wp.cross(turn, along1)
                before.pull = before.pull + along0
                before.change = before.change + change0
                _bend_at(tree, jnt, dof, com, linear, arm0, before.moved, -along0, -change0, least, w, g, k)
                _bend_at(tree, jnt, dof, com, linear, arm1, beyond.moved, -along1, -change1, least, w, g, k)
                last.along = along1
                last.change = change1
                wrapped = True
                at += 2
    if on:
        _bend_at(tree, jnt, dof, com, linear, before.arm, before.moved, before.pull, before.change, least, w, before.body, k)
