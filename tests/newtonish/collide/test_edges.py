"""Contacts of edges of triangle meshes: crossings away from every corner are found, with the depth that MuJoCo's collision finds."""

import mujoco
import numpy as np
import pytest
import warp as wp
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from newtonish import Mesh, ModelBuilder, SolverMuJoCo
from newtonish.collide.edges import outer_edges

IDENTITY = wp.quat_identity()


def hull_faces(points: np.ndarray) -> np.ndarray:
    """Triangles of a convex hull, counter-clockwise from outside."""
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    corner = points[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    turned = np.einsum("fi,fi->f", normal, hull.equations[:, :3]) < 0.0
    faces[turned] = faces[turned][:, ::-1]
    return faces


def two_parts(points: np.ndarray, away: float = 3.0) -> Mesh:
    """A mesh of a convex part and a small tetrahedron far below it, which is not convex together."""
    other = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]]) - [0.0, 0.0, away]
    faces = np.concatenate([hull_faces(points), hull_faces(other) + len(points)])
    return Mesh(np.concatenate([points, other]), faces, compute_inertia=False)


def ridge(length: float = 1.0, depth: float = 0.5) -> np.ndarray:
    """A roof whose ridge lies along x in z = 0."""
    return np.array([[x, y, z] for x in (-length, length) for y, z in ((0.0, 0.0), (-depth, -depth), (depth, -depth))])


def scene(device: str, shape, mesh: Mesh, worlds: int, gap: float):
    builder, one = ModelBuilder(), ModelBuilder()
    for each in (builder, one):
        SolverMuJoCo.register_custom_attributes(each)
        each.rigid_gap = gap
    builder.add_shape_mesh(-1, mesh=mesh)
    body = one.add_link()
    one.add_articulation([one.add_joint_free(body)])
    shape(one, body)
    builder.replicate(one, worlds)
    return builder.finalize(device=device)


def found(model, poses: np.ndarray):
    """World, signed distance, normal from the mesh to the body and place of each contact."""
    state = model.state()
    state.body_q.assign(poses.astype(np.float32))
    contacts = model.collide(state)
    n = int(contacts.rigid_contact_count.numpy()[0])
    shapes = np.stack([contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_shape1.numpy()[:n]])
    body = model.shape_body.numpy()[shapes]
    points = []
    for side in (0, 1):
        local = np.stack([contacts.rigid_contact_point0.numpy()[:n], contacts.rigid_contact_point1.numpy()[:n]])[side]
        pose = poses[np.maximum(body[side], 0)]
        turned = Rotation.from_quat(pose[:, 3:]).apply(local) + pose[:, :3] if n else local
        points.append(np.where(body[side][:, None] >= 0, turned, local))
    normal = contacts.rigid_contact_normal.numpy()[:n]
    dist = np.einsum("ci,ci->c", normal, points[1] - points[0])
    normal = np.where((body[0] >= 0)[:, None], -normal, normal)
    return body.max(axis=0), dist, normal, 0.5 * (points[0] + points[1])


SHAPES = {
    "box": lambda b, body: b.add_shape_box(body, hx=0.1, hy=0.6, hz=0.1, xform=wp.transform((0.0, 0.0, 0.1 * np.sqrt(2.0)), wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), np.pi / 4))),
    "hull": lambda b, body: b.add_shape_convex_hull(body, mesh=turned_ridge()),
    "mesh": lambda b, body: b.add_shape_mesh(body, mesh=turned_ridge(apart=True)),
    "cylinder": lambda b, body: b.add_shape_cylinder(body, radius=0.1, half_height=0.6, xform=wp.transform((0.0, 0.0, 0.1), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), np.pi / 2))),
    "ellipsoid": lambda b, body: b.add_shape_ellipsoid(body, rx=0.1, ry=0.6, rz=0.2, xform=wp.transform((0.0, 0.0, 0.2), IDENTITY)),
}  # fmt: skip


def turned_ridge(apart: bool = False) -> Mesh:
    """The roof upside down and across: its ridge lies along y."""
    points = ridge()[:, [1, 0, 2]] * [1.0, 1.0, -1.0]
    if apart:
        mesh = two_parts(points, away=-3.0)
        return mesh
    return Mesh(points, hull_faces(points), compute_inertia=False)


@pytest.mark.parametrize("kind", SHAPES)
def test_an_edge_across_a_ridge_touches_it_where_they_cross(kind, device: str):
    """Three worlds: pressed in by 4 mm, near by 3 mm, and too far; the normal is that across both edges."""
    model = scene(device, SHAPES[kind], two_parts(ridge()), 3, 0.005)
    poses = np.array([[0.31, 0.02, -0.004, *IDENTITY], [-0.2, 0.05, 0.003, *IDENTITY], [0.1, 0.0, 0.05, *IDENTITY]])
    world, dist, normal, place = found(model, poses)
    assert 2 not in world
    for w, depth, x in ((0, -0.004, 0.31), (1, 0.003, -0.2)):
        at = np.flatnonzero(world == w)[np.argmin(np.abs(normal[world == w] - [0.0, 0.0, 1.0]).sum(axis=1))]
        tolerance = 2e-3 if kind == "ellipsoid" else 2e-5  # whose distance is of first order
        np.testing.assert_allclose(dist[at], depth, atol=tolerance)
        np.testing.assert_allclose(normal[at], [0.0, 0.0, 1.0], atol=0.05 if kind == "ellipsoid" else 2e-3)
        np.testing.assert_allclose(place[at], [x, 0.0, 0.5 * depth], atol=4e-3)


@pytest.mark.filterwarnings("ignore:.*hollows")
def test_a_bar_does_not_fall_through_a_ridge(device: str):
    """Its corners are far from the ridge, and it has no others: edges alone carry it."""
    model = scene(device, SHAPES["box"], two_parts(ridge()), 2, 0.0)
    solver, state = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
    solver.reset(state)
    contacts = model.contacts()
    for _ in range(60):
        model.collide(state, contacts)
        solver.step(state, state, None, contacts, 0.002)
    assert state.body_q.numpy()[:, 2].min() > -0.01


def cloud(rng: np.random.Generator) -> np.ndarray:
    points = rng.standard_normal((14, 3))
    return 0.3 * points / np.linalg.norm(points, axis=1)[:, None]


class Peer:
    """Signed distance of a convex cloud and a shape by MuJoCo's collision."""

    def __init__(self, points: np.ndarray, kind: str, size: np.ndarray, other: np.ndarray) -> None:
        text = [" ".join(f"{v:.9g}" for v in cloud.reshape(-1)) for cloud in (points, other)]
        shape = f'type="box" size="{size[0]} {size[1]} {size[2]}"' if kind == "box" else 'type="mesh" mesh="b"'
        # each mesh's geom is moved to its middle by the compiler: the bodies' frames are those of the vertices
        self.m = mujoco.MjModel.from_xml_string(f"""<mujoco><option ccd_tolerance="1e-9"/>
          <asset><mesh name="a" vertex="{text[0]}"/><mesh name="b" vertex="{text[1]}"/></asset><worldbody><geom name="a" type="mesh" mesh="a"/>
          <body><freejoint/><geom name="b" {shape} mass="1"/></body></worldbody></mujoco>""")
        self.d = mujoco.MjData(self.m)

    def distance(self, pose: np.ndarray) -> float:
        self.d.qpos = np.r_[pose[:3], pose[6], pose[3:6]]
        mujoco.mj_kinematics(self.m, self.d)
        return mujoco.mj_geomDistance(self.m, self.d, 0, 1, 10.0, None)


@pytest.mark.parametrize("kind", ["box", "hull", "mesh"])
def test_distances_are_those_of_convex_collision(kind, device: str):
    """A convex part of a mesh against boxes, hulls and parts of other meshes, in random poses near and slightly inside."""
    rng = np.random.default_rng({"box": 1, "hull": 2, "mesh": 3}[kind])
    points, other, size = cloud(rng), cloud(rng), np.array([0.2, 0.15, 0.3])
    worlds, peer = 30, Peer(points, kind, size, other)

    def shape(b, body):
        if kind == "box":
            b.add_shape_box(body, hx=size[0], hy=size[1], hz=size[2])
        elif kind == "hull":
            b.add_shape_convex_hull(body, mesh=Mesh(other, hull_faces(other), compute_inertia=False))
        else:
            b.add_shape_mesh(body, mesh=two_parts(other, away=-9.0))

    poses = []
    while len(poses) < worlds:  # moved along a line until the distance is what is wanted
        quat, way = Rotation.random(random_state=rng).as_quat(), rng.standard_normal(3)
        way[2] = abs(way[2])  # away from the small part
        way /= np.linalg.norm(way)
        low, high, wanted = 0.1, 1.2, rng.uniform(-0.01, 0.01)
        for _ in range(30):
            middle = 0.5 * (low + high)
            if peer.distance(np.r_[middle * way, quat]) > wanted:
                high = middle
            else:
                low = middle
        poses.append(np.r_[high * way, quat])
    poses = np.array(poses)
    exact = np.array([peer.distance(pose) for pose in poses])
    model = scene(device, shape, two_parts(points, away=9.0), worlds, 0.02)
    world, dist, _, _ = found(model, poses)
    least = np.full(worlds, np.inf)
    np.minimum.at(least, world, dist)
    outside = exact > 0.0
    np.testing.assert_allclose(least[outside], exact[outside], atol=2e-5)
    # inside, a corner counts by the face next to it, and an edge by the way across: near the shortest way out, on either side of it
    share = least[~outside] / exact[~outside]
    assert share.min() > 0.5 and share.max() < 3.5 and np.median(np.abs(share - 1.0)) < 1e-3


def test_edges_of_a_frame_are_those_that_stand_out():
    """A cube has twelve; a cube with a dent keeps those and has no inner ones; an open square has its border."""
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    edges = outer_edges(cube, hull_faces(cube))
    assert len(edges["start"]) == 12 == (edges["face_edges"] >= 0).sum()
    np.testing.assert_allclose(np.linalg.norm(edges["along"], axis=1), 1.0)
    for inward, outward in ((0, 1), (1, 0)):  # into one face is against the other's normal
        np.testing.assert_allclose(edges["inward"][:, inward], -edges["outward"][:, outward], atol=1e-12)
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    assert len(outer_edges(square, np.array([[0, 1, 2], [0, 2, 3]]))["start"]) == 4
    soup = square[[0, 1, 2, 0, 2, 3]]  # corners that are not shared
    assert len(outer_edges(soup, np.array([[0, 1, 2], [3, 4, 5]]))["start"]) == 4
    valley = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1], [0, -1, 1], [1, -1, 1]], dtype=float)
    assert len(outer_edges(valley, np.array([[0, 1, 2], [0, 2, 3], [0, 4, 5], [0, 5, 1]]))["start"]) == 6
