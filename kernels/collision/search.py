"""The search for the deepest point of two convex shapes: closest points of their cores, or where these overlap the depth.

Closest points are each lane's own. Depths take many times longer and few pairs need one, so on a GPU the lanes of a team look for one together, and
those that a warp has found are handed out to its teams.
"""

import warp as wp

from newtonish.kernels.collision.epa import Depth, epa
from newtonish.kernels.collision.gjk import Nearest, gjk
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.patch import Patch
from newtonish.kernels.collision.polish import polish
from newtonish.kernels.collision.polytope import Polytope, Sources, shared_polytope
from newtonish.kernels.collision.support import Shape, shape_of_half
from newtonish.kernels.collision.walk import Walk
from newtonish.kernels.constants import ELLIPSOID
from newtonish.kernels.math.team import ALONE, after_turns, lanes_that_say, of_lane, team_that_took, turn_of_team
from newtonish.kernels.structs.model import Hull


@wp.struct
class Touch:
    """The deepest point of a pair."""

    near: wp.int32
    dist: wp.float32
    pos: wp.vec3
    normal: wp.vec3
    corner1: wp.vec3i  # vertices of the two shapes between which it lies
    corner2: wp.vec3i


@wp.struct
class Search:
    """A pair of shapes whose deepest point is sought, and the contact points of the pair."""

    near: wp.int32  # 0: they are farther apart than asked
    turn: wp.int32  # 1: from the second shape, which is the first one here (see ``comes_second``)
    reach: wp.float32  # detection distance [m]
    origin: wp.vec3  # of the shapes' positions
    shape1: Shape
    shape2: Shape
    at: Nearest
    deep: Depth  # of the cores, if they overlap
    found: Touch
    patch: Patch  # the points of convex shapes
    points: Manifold  # those of a pair that has a function of its own (``narrow``)
    made: Sources  # of this lane, whosever depth its team looks for


@wp.struct
class Overlap:
    """What a search for a depth begins with, and the depth."""

    shape1: Shape
    shape2: Shape
    at: Nearest
    deep: Depth


@wp.func_native("const auto first = shape1; shape1 = shape2; shape2 = first;")
def exchange_shapes(shape1: wp.ref[Shape], shape2: wp.ref[Shape]): ...


@wp.func_native(of_lane("kind"))
def _take_shape(x: wp.ref[Shape], of: wp.ref[Shape], lane: int, team: int): ...


@wp.func_native(of_lane("count"))
def _take_simplex(x: wp.ref[Nearest], of: wp.ref[Nearest], lane: int, team: int): ...


@wp.func_native(of_lane("found"))
def _take_depth(x: wp.ref[Depth], of: wp.ref[Depth], lane: int, team: int): ...


@wp.func
def extent_of(shape1: wp.ref[Shape], shape2: wp.ref[Shape]) -> float:
    """Size of two shapes, the measure of rounding."""
    return wp.length(shape1.size) + wp.length(shape2.size)


@wp.func
def begin_search(hull: wp.ref[Hull], origin: wp.vec3, reach: float, turn: bool, search: wp.ref[Search]):
    """Closest points of the cores of the two shapes of ``search``, by which what is near is searched further."""
    search.near = 0
    search.turn = 0
    search.reach = reach
    search.origin = origin
    if turn:
        search.turn = 1
        exchange_shapes(search.shape1, search.shape2)
    gjk(hull, search.shape1, search.shape2, reach + search.shape1.radius + search.shape2.radius, extent_of(search.shape1, search.shape2), search.at)
    if search.at.separated == 0:
        search.near = 1


@wp.func
def _find_depth(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], at: wp.ref[Nearest], iterations: int, body: wp.ref[Polytope], made: wp.ref[Sources],
    deep: wp.ref[Depth], team: int,
):  # fmt: skip
    """Depth of two cores that overlap, as ``deep``; where the polytope stopped short of the boundary, on a curved one, by descent from there, and of two ellipsoids."""
    extent = extent_of(shape1, shape2)
    own = shape_of_half(shape1, shape2)
    epa(hull, shape1, shape2, own, at, extent, iterations, body, made, deep, team)
    smooth = shape1.kind == ELLIPSOID and shape2.kind == ELLIPSOID  # a depth that is known says little of its direction
    if deep.found == 1 and (deep.exact == 0 or smooth):
        polish(hull, shape1, shape2, own, extent, deep, team)


@wp.func(inline=False)
def depth_alone(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], at: wp.ref[Nearest], deep: wp.ref[Depth]):
    """The depth, found by one lane, as ``deep``."""
    body = Polytope()
    made = Sources()
    _find_depth(hull, shape1, shape2, at, hull.iterations, body, made, deep, ALONE)


@wp.func(inline=False)
def _depth_by_team(hull: wp.ref[Hull], one: wp.ref[Overlap], search: wp.ref[Search], team: int):
    """The depth, found by a team, as ``one.deep``; ``search`` is this lane's own."""
    own = Polytope()
    bodies = shared_polytope(own)
    _find_depth(hull, one.shape1, one.shape2, one.at, hull.iterations, bodies[0], search.made, one.deep, team)


@wp.func
def search_alone(hull: wp.ref[Hull], search: wp.ref[Search]):
    """The depth of the overlap that this lane's search has found, if it has."""
    if search.near == 1 and search.at.overlap == 1:
        depth_alone(hull, search.shape1, search.shape2, search.at, search.deep)


@wp.func
def search_in_turn(hull: wp.ref[Hull], search: wp.ref[Search], walk: wp.ref[Walk]):
    """``search_alone`` in a walk over pairs."""
    search_alone(hull, search)


@wp.func(inline=False)
def search_together(hull: wp.ref[Hull], search: wp.ref[Search], walk: wp.ref[Walk]):
    """The same, with the overlaps that lanes of a warp have found handed out to its teams: each takes the next one."""
    waiting = lanes_that_say(search.near == 1 and search.at.overlap == 1, walk.crowd)
    while waiting != 0:
        lane = turn_of_team(waiting)
        one = Overlap()
        _take_shape(one.shape1, search.shape1, wp.max(lane, 0), walk.crowd)
        _take_shape(one.shape2, search.shape2, wp.max(lane, 0), walk.crowd)
        _take_simplex(one.at, search.at, wp.max(lane, 0), walk.crowd)
        if lane >= 0:
            _depth_by_team(hull, one, search, walk.team)
        taken = team_that_took(waiting, walk.crowd)
        own = Depth()
        _take_depth(own, one.deep, wp.max(taken, 0), walk.crowd)
        if taken >= 0:
            search.deep = own
        waiting = after_turns(waiting, walk.crowd)
