"""Contacts of the edges of triangle meshes: where they cross edges, and where they touch a round side.

Only edges that stand out count. Two of them touch along the direction across both if it points away from the faces that meet
at the one, and against those of the other: the side faces of the polytope of differences (Gregorius, The Separating Axis Test
between Convex Polyhedra, GDC 2013), whose point lies in the other shape as deep as the two edges say. Such pairs exist far from
the shallow one as well, where a side meets a side along the whole overlap: a pair does not count if there is a much shallower
contact nearer to it than it is deep.
"""

import warp as wp

from newtonish.kernels.collision.reduction import ReducedContacts, add_contact
from newtonish.kernels.collision.triangles import shape_distance
from newtonish.kernels.constants import BOX

SLACK = wp.constant(1.0e-3)  # cosine by which a direction may point into a face
SLANT = wp.constant(0.05)  # sine of the angle between edges that count as parallel
ALIKE = wp.constant(0.7)  # least share of the expected depth
ENDS = wp.constant(1.0e-4)  # share of an edge at its ends that belongs to the corners
GOLDEN = wp.constant(0.6180339887)
STEPS = wp.constant(24)  # of a search by the golden ratio, which leave 1e-5 of an edge


@wp.struct
class MeshEdges:
    """Edges that stand out, of all meshes, in the frames of their geoms."""

    start: wp.array(dtype=wp.vec3)
    along: wp.array(dtype=wp.vec3)  # to the end
    inward: wp.array2d(dtype=wp.vec3)  # (edges, 2) unit vectors from the edge into its two faces
    outward: wp.array2d(dtype=wp.vec3)  # (edges, 2) normals of the faces; an edge of one face has it twice
    face_edges: wp.array(dtype=wp.vec3i)  # edges that a face lists, counted from the mesh's first; -1: none


@wp.struct
class Edge:
    """One edge."""

    start: wp.vec3
    along: wp.vec3
    inward1: wp.vec3
    inward2: wp.vec3
    outward1: wp.vec3
    outward2: wp.vec3


@wp.func
def box_edge(size: wp.vec3, k: int) -> Edge:
    """Edge 0 to 11 of a box."""
    axis = k // 4
    one = (axis + 1) % 3
    two = (axis + 2) % 3
    side1 = wp.where((k & 1) != 0, 1.0, -1.0)
    side2 = wp.where((k & 2) != 0, 1.0, -1.0)
    edge = Edge()
    edge.start[axis] = -size[axis]
    edge.start[one] = side1 * size[one]
    edge.start[two] = side2 * size[two]
    edge.along[axis] = 2.0 * size[axis]
    edge.outward1[one] = side1
    edge.inward1[two] = -side2
    edge.outward2[two] = side2
    edge.inward2[one] = -side1
    return edge


@wp.func
def nth_edge(edges: MeshEdges, kind: int, size: wp.vec3, first: int, k: int) -> Edge:
    """Edge ``k`` of a box or of a mesh whose edges begin at ``first``."""
    if kind == BOX:
        return box_edge(size, k)
    edge = Edge()
    edge.start = edges.start[first + k]
    edge.along = edges.along[first + k]
    edge.inward1 = edges.inward[first + k, 0]
    edge.inward2 = edges.inward[first + k, 1]
    edge.outward1 = edges.outward[first + k, 0]
    edge.outward2 = edges.outward[first + k, 1]
    return edge


@wp.func
def turned(edge: Edge, rot: wp.mat33, shift: wp.vec3) -> Edge:
    """An edge in another frame."""
    moved = Edge()
    moved.start = rot * edge.start + shift
    moved.along = rot * edge.along
    moved.inward1 = rot * edge.inward1
    moved.inward2 = rot * edge.inward2
    moved.outward1 = rot * edge.outward1
    moved.outward2 = rot * edge.outward2
    return moved


@wp.func
def points_away(edge: Edge, direction: wp.vec3) -> bool:
    """Whether a unit vector points away from both faces of an edge."""
    return wp.dot(direction, edge.inward1) <= SLACK and wp.dot(direction, edge.inward2) <= SLACK


@wp.func
def slope(edge: Edge, direction: wp.vec3) -> float:
    """Depth below the nearer face of an edge, of a point that lies one unit against ``direction`` below the edge."""
    return wp.min(wp.dot(direction, edge.outward1), wp.dot(direction, edge.outward2))


@wp.func
def is_shallower_near(contacts: ReducedContacts, pos: wp.vec3, depth: float) -> bool:
    """Whether a contact of a third of a depth or less is no farther from a place than one and a half times that depth."""
    for i in range(contacts.count):  # noqa: SIM110, kernels know no generators
        if contacts.dist[i] < 0.0 and -3.0 * contacts.dist[i] < depth and wp.length(contacts.pos[i] - pos) < 1.5 * depth:
            return True
    return False


@wp.func(inline=False)
def crossing_contacts(
    given: ReducedContacts, edges: MeshEdges, kind1: int, mesh1: wp.uint64, size1: wp.vec3, first1: int, count1: int, pos1: wp.vec3,
    mat1: wp.mat33, kind2: int, mesh2: wp.uint64, size2: wp.vec3, faces2: int, first2: int, pos2: wp.vec3, mat2: wp.mat33,
    deep: float, reach: float, sign: float,
) -> ReducedContacts:  # fmt: skip
    """Edges of one shape across those of a mesh; ``sign``: 1 if the shape is the first geom of the pair."""
    contacts = given
    rot = wp.transpose(mat2) * mat1
    shift = wp.transpose(mat2) * (pos1 - pos2)
    far = wp.vec3(deep + reach, deep + reach, deep + reach)
    for k in range(count1):
        mine = turned(nth_edge(edges, kind1, size1, first1, k), rot, shift)
        end = mine.start + mine.along
        query = wp.mesh_query_aabb(mesh2, wp.min(mine.start, end) - far, wp.max(mine.start, end) + far)
        face = wp.int32(0)
        while wp.mesh_query_aabb_next(query, face):
            listed = edges.face_edges[faces2 + face]
            for j in range(3):
                if listed[j] >= 0:
                    other = nth_edge(edges, kind2, size2, first2, listed[j])
                    across = wp.cross(mine.along, other.along)
                    length = wp.length(across)
                    if length > SLANT * wp.length(mine.along) * wp.length(other.along):
                        apart = other.start - mine.start
                        s = wp.dot(wp.cross(apart, other.along), across) / (length * length)
                        t = wp.dot(wp.cross(apart, mine.along), across) / (length * length)
                        way = across / length  # from the first shape to the second
                        if not (points_away(mine, way) and points_away(other, -way)):
                            way = -way
                        gap = wp.dot(way, apart)
                        inner = s > ENDS and s < 1.0 - ENDS and t > ENDS and t < 1.0 - ENDS
                        if inner and gap <= reach and gap >= -deep and points_away(mine, way) and points_away(other, -way):
                            p = mine.start + s * mine.along
                            q = other.start + t * other.along
                            middle = pos2 + mat2 * (0.5 * (p + q))
                            alike = not is_shallower_near(contacts, middle, -gap)
                            if alike and gap < 0.0:
                                within = shape_distance(kind2, mesh2, size2, p, deep + reach)
                                alike = -within[3] >= -ALIKE * gap * slope(other, -way) - 1.0e-6
                                if alike:
                                    within = shape_distance(kind1, mesh1, size1, wp.transpose(rot) * (q - shift), deep + reach)
                                    alike = -within[3] >= -ALIKE * gap * slope(mine, way) - 1.0e-6
                            if alike:
                                contacts = add_contact(contacts, gap, middle, sign * (mat2 * way), 1.0e-5)
    return contacts


@wp.func(inline=False)
def rolling_contacts(
    given: ReducedContacts, edges: MeshEdges, kind1: int, size1: wp.vec3, radius1: float, pos1: wp.vec3, mat1: wp.mat33, mesh2: wp.uint64,
    faces2: int, first2: int, pos2: wp.vec3, mat2: wp.mat33, deep: float, reach: float,
) -> ReducedContacts:  # fmt: skip
    """Edges of a mesh, the second geom, where they are deepest in a convex shape, the first."""
    contacts = given
    rot = wp.transpose(mat1) * mat2
    shift = wp.transpose(mat1) * (pos2 - pos1)
    centre = wp.transpose(mat2) * (pos1 - pos2)
    far = wp.vec3(radius1 + reach, radius1 + reach, radius1 + reach)
    query = wp.mesh_query_aabb(mesh2, centre - far, centre + far)
    face = wp.int32(0)
    while wp.mesh_query_aabb_next(query, face):
        listed = edges.face_edges[faces2 + face]
        for j in range(3):
            if listed[j] >= 0:
                edge = turned(nth_edge(edges, -1, size1, first2, listed[j]), rot, shift)
                low = wp.float32(0.0)
                high = wp.float32(1.0)
                for _ in range(STEPS):  # the distance to a convex shape is convex along a line
                    width = GOLDEN * (high - low)
                    before = shape_distance(kind1, wp.uint64(0), size1, edge.start + (high - width) * edge.along, reach)
                    after = shape_distance(kind1, wp.uint64(0), size1, edge.start + (low + width) * edge.along, reach)
                    if before[3] <= after[3]:
                        high = low + width
                    else:
                        low = high - width
                s = 0.5 * (low + high)
                p = edge.start + s * edge.along
                near = shape_distance(kind1, wp.uint64(0), size1, p, reach)
                normal = wp.vec3(near[0], near[1], near[2])  # from the shape to the mesh
                inner = s > ENDS and s < 1.0 - ENDS
                if inner and near[3] <= reach and near[3] >= -deep and points_away(edge, -normal):
                    contacts = add_contact(contacts, near[3], pos1 + mat1 * (p - 0.5 * near[3] * normal), mat1 * normal, 1.0e-5)
    return contacts
