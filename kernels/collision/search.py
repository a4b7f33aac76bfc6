"""The search for the deepest point of two convex shapes: closest points of their cores, or where these overlap the depth.

Closest points are each lane's own. Depths take many times longer and few pairs need one, so on a GPU the lanes of a team look for one together, and
those that a warp has found are handed out to its teams.
"""

import warp as wp

from newtonish.kernels.collision.cores import Cores, Depth, exchange_shapes, extent_of
from newtonish.kernels.collision.epa import epa
from newtonish.kernels.collision.feature import Flat
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
    exchanged: wp.int32  # 1: contacts are found from the second geom to the first
    symmetric: wp.int32  # 1: which of two faces carries the points follows from how they lie; 0: from the order of the geoms, as in MuJoCo
    reach: wp.float32  # detection distance [m]
    origin: wp.vec3  # of the shapes' positions
    cores: Cores
    found: Touch
    flat: Flat  # where they touch
    patch: Patch  # the points of convex shapes
    points: Manifold  # those of a pair that has a function of its own (``narrow``)
    one: Cores  # those whose depth this lane's team looks for
    made: Sources  # of this lane, whosever depth that is


@wp.func_native(of_lane("kind"))
def _take_shape(x: wp.ref[Shape], of: wp.ref[Shape], lane: int, team: int): ...


@wp.func_native(of_lane("count"))
def _take_simplex(x: wp.ref[Nearest], of: wp.ref[Nearest], lane: int, team: int): ...


@wp.func_native(of_lane("found"))
def _take_depth(x: wp.ref[Depth], of: wp.ref[Depth], lane: int, team: int): ...


@wp.func
def find_nearest(hull: wp.ref[Hull], cores: wp.ref[Cores], reach: float):
    """Closest points of two cores whose surfaces are at most ``reach`` apart, as ``cores.at``."""
    swept = reach + cores.shape1.radius + cores.shape2.radius
    gjk(hull, cores.shape1, cores.shape2, swept, extent_of(cores.shape1, cores.shape2), cores.at)


@wp.func
def begin_search(hull: wp.ref[Hull], search: wp.ref[Search]):
    """Closest points of the cores of the two shapes of ``search``, by which what is near is searched further."""
    search.near = 0
    if search.turn == 1:
        exchange_shapes(search.cores)
    find_nearest(hull, search.cores, search.reach)
    if search.cores.at.separated == 0:
        search.near = 1


@wp.func
def _find_depth(hull: wp.ref[Hull], cores: wp.ref[Cores], body: wp.ref[Polytope], made: wp.ref[Sources], team: int):
    """Depth of two cores that overlap, as ``cores.deep``; where the polytope stopped short of the boundary, on a curved one, by descent from there, and of two ellipsoids."""
    own = shape_of_half(cores.shape1, cores.shape2)
    cores.extent = extent_of(cores.shape1, cores.shape2)
    epa(hull, cores, own, body, made, team)
    smooth = cores.shape1.kind == ELLIPSOID and cores.shape2.kind == ELLIPSOID  # a depth that is known says little of its direction
    if cores.deep.found == 1 and (cores.deep.exact == 0 or smooth):
        polish(hull, cores, own, team)


@wp.func(inline=False)
def depth_alone(hull: wp.ref[Hull], cores: wp.ref[Cores]):
    """The depth, found by one lane, as ``cores.deep``."""
    body = Polytope()
    made = Sources()
    _find_depth(hull, cores, body, made, ALONE)


@wp.func
def _depth_by_team(hull: wp.ref[Hull], search: wp.ref[Search], team: int):
    """The depth, found by a team, as ``search.one.deep``; ``search`` is this lane's own."""
    own = Polytope()
    bodies = shared_polytope(own)
    _find_depth(hull, search.one, bodies[0], search.made, team)


@wp.func
def search_alone(hull: wp.ref[Hull], search: wp.ref[Search]):
    """The depth of the overlap that this lane's search has found, if it has."""
    if search.near == 1 and search.cores.at.overlap == 1:
        depth_alone(hull, search.cores)


@wp.func
def search_in_turn(hull: wp.ref[Hull], search: wp.ref[Search], walk: wp.ref[Walk]):
    """``search_alone`` in a walk over pairs."""
    search_alone(hull, search)


@wp.func
def search_together(hull: wp.ref[Hull], search: wp.ref[Search], walk: wp.ref[Walk]):
    """The same, with the overlaps that lanes of a warp have found handed out to its teams: each takes the next one."""
    walk.waiting = lanes_that_say(search.near == 1 and search.cores.at.overlap == 1, walk.crowd)
    while walk.waiting != 0:
        lane = turn_of_team(walk.waiting)
        _take_shape(search.one.shape1, search.cores.shape1, lane, walk.crowd)
        _take_shape(search.one.shape2, search.cores.shape2, lane, walk.crowd)
        _take_simplex(search.one.at, search.cores.at, lane, walk.crowd)
        if lane >= 0:
            _depth_by_team(hull, search, walk.team)
        _take_depth(search.cores.deep, search.one.deep, team_that_took(walk.waiting, walk.crowd), walk.crowd)
        walk.waiting = after_turns(walk.waiting, walk.crowd)
