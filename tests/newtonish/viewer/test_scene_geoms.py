"""Shapes in the scene against MuJoCo's abstract visualizer: which are drawn, where, how large, in which category."""

import mujoco
import numpy as np
import pytest
from paths import shared_model
from scene_oracle import abstract_scene, geoms_of, pair

import newtonish
from newtonish.viewer.scene import Category, Kind, SceneMaker, VisualOptions, vertices_of

MODELS = (
    "unitree_g1/scene.xml", "dm_humanoid/humanoid.xml", "cassie/scene.xml", "gym_ant/ant.xml", "dmc_manipulator/manipulator.xml",
    "skydio_x2/scene.xml", "allegro_hand/scene_right.xml", "rubik_cube/cube_3x3x3.xml", "adhesion/active_adhesion.xml",
    "sensor_zoo/sensor.xml",
)  # fmt: skip
MESH, HFIELD, PLANE = mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD, mujoco.mjtGeom.mjGEOM_PLANE


def test_primitives_are_closed_and_turned_outwards():
    """Areas and volumes of the library's unit shapes are those of the bodies they stand for, to the fineness of their facets."""
    from newtonish.viewer.scene.library import BUILT_IN, Library

    wanted = {"sphere": 4 / 3 * np.pi, "cylinder": 2 * np.pi, "box": 8.0, "cone": 2 / 3 * np.pi, "capsule": (2 + 4 / 3) * np.pi,
              "arrow": np.pi / 3 + np.pi * 1.75**2 / 18, "arrow1": np.pi / 3 + np.pi / 18,
              "arrow2": 2 * (np.pi / 3 + np.pi * 1.75**2 / 18)}  # fmt: skip
    library = Library()
    for name, volume in wanted.items():
        mesh = library.entries[BUILT_IN[name]]
        corners = mesh.positions[mesh.indices].astype(float)
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        found = np.einsum("ij,ij->", corners[:, 0], areas) / 6
        assert found == pytest.approx(volume, rel=0.03), name
        used = np.linalg.norm(areas, axis=1) > 1e-7
        facing = np.einsum("ij,ij->i", mesh.normals[mesh.indices].mean(axis=1), areas)
        assert (facing[used] > 0).all(), name
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)


def test_caps_of_capsules_are_hemispheres_in_any_proportion():
    """A corner beyond the tube is one radius away from the middle of its cap."""
    builder = newtonish.ModelBuilder()
    builder.add_shape_capsule(-1, radius=0.1, half_height=0.7)
    builder.add_shape_capsule(-1, radius=0.5, half_height=0.02)
    model = builder.finalize()
    scene = SceneMaker(model).make(model.state())
    for row, (radius, half) in enumerate(((0.1, 0.7), (0.5, 0.02))):
        points, normals = vertices_of(scene, row)
        middle = np.clip(points @ [0, 0, 1], -half, half)[:, None] * [0, 0, 1]
        assert np.allclose(np.linalg.norm(points - middle, axis=1), radius, atol=1e-6)
        assert np.allclose((points - middle) / radius, normals, atol=2e-5)


@pytest.mark.parametrize("name", MODELS)
def test_the_same_geoms_in_the_same_places(name):
    """Which geoms and sites, their pose and size, or for meshes the box around their corners; and whether they are static."""
    both = pair(shared_model(name), seed=3)
    scene, theirs = both.maker.make(both.state), None
    theirs = abstract_scene(both)
    shown = scene.instances
    for kind, obj, shapes in ((Kind.GEOM, mujoco.mjtObj.mjOBJ_GEOM, both.shapes()), (Kind.SITE, mujoco.mjtObj.mjOBJ_SITE, both.sites())):
        geoms = geoms_of(theirs, obj)
        rows = {int(shown.index[row]): row for row in np.flatnonzero(shown.kind == kind)}
        assert sorted(rows) == sorted(int(shapes[geom.objid]) for geom in geoms)
        for geom in geoms:
            row = rows[int(shapes[geom.objid])]
            assert shown.category[row] == geom.category
            if geom.type in (MESH, HFIELD):
                assert_same_box(both.mjm, geom, vertices_of(scene, row)[0])
                continue
            assert np.allclose(shown.rotation[row], geom.mat, atol=2e-5)
            if geom.type == PLANE and min(geom.size[:2]) == 0:
                assert abs((shown.position[row] - geom.pos) @ geom.mat[:, 2]) < 1e-5
                continue
            assert np.allclose(shown.position[row], geom.pos, atol=2e-5)
            if geom.type != PLANE:
                assert np.allclose(shown.scale[row], geom.size, atol=1e-6)
            else:
                assert np.allclose(shown.scale[row, :2], geom.size[:2], atol=1e-6)


def assert_same_box(mjm, geom, ours):
    """The corners of a mesh or height field fill the same box of the world."""
    if geom.type == MESH:
        data = geom.dataid // 2
        local = mjm.mesh_vert[mjm.mesh_vertadr[data] : mjm.mesh_vertadr[data] + mjm.mesh_vertnum[data]]
    else:
        x, y, top, base = mjm.hfield_size[geom.dataid]
        values = mjm.hfield_data
        local = np.array([[i * x, j * y, k] for i in (-1, 1) for j in (-1, 1) for k in (-base, top * values.max())])
    points = local @ geom.mat.T + geom.pos
    assert np.allclose(points.min(axis=0), ours.min(axis=0), atol=5e-5)
    assert np.allclose(points.max(axis=0), ours.max(axis=0), atol=5e-5)


def test_groups_and_categories_are_switched():
    """Groups 3 to 5 are hidden at first; static things and flags can be left out."""
    xml = """<mujoco><worldbody><geom size="1 1 .1" type="plane"/><site name="s" group="4" size=".1"/>
      <body pos="0 0 1"><freejoint/><geom size=".1" group="3"/><geom size=".2" group="1" pos="1 0 0"/></body></worldbody></mujoco>"""
    both = pair(xml)
    make = both.maker.make
    assert make(both.state).instances.kind.tolist() == [Kind.GEOM, Kind.GEOM]
    every = dict(geomgroup=[True] * 6, sitegroup=[True] * 6)
    assert len(make(both.state, VisualOptions(**every)).instances) == 4
    moving = make(both.state, VisualOptions(static=False, **every)).instances
    assert moving.category.tolist() == [Category.DYNAMIC] * 2
    assert make(both.state, VisualOptions(categories=Category.STATIC)).instances.category.tolist() == [Category.STATIC]
    seen = make(both.state, VisualOptions(transparent=True)).instances
    assert np.allclose(seen.color[:, 3], [1.0, 0.3])


def test_two_unequal_worlds_stand_side_by_side():
    """Each world has its own sizes and poses, on a grid; the number of the layout stays while things only move."""
    def one(radius, height):
        builder = newtonish.ModelBuilder()
        body = builder.add_body(xform=(0, 0, height, 0, 0, 0, 1))
        builder.add_shape_sphere(body, radius=radius)
        return builder

    builder = newtonish.ModelBuilder()
    builder.add_ground_plane()
    builder.add_world(one(0.1, 1.0))
    builder.add_world(one(0.2, 2.0))
    model = builder.finalize()
    maker = SceneMaker(model)
    state = model.state()
    shown = maker.make(state).instances
    balls = np.flatnonzero(shown.world >= 0)
    assert np.allclose(shown.scale[balls, 0], [0.1, 0.2])
    assert np.allclose(shown.position[balls] - maker.offsets, [[0, 0, 1], [0, 0, 2]])
    assert np.linalg.norm(maker.offsets[1] - maker.offsets[0]) > 0.3
    assert (shown.world == -1).sum() == 1
    q = state.body_q.numpy()
    q[:, 2] += 1.0
    state.body_q.assign(q)
    later = maker.make(state).instances
    assert later.layout == shown.layout
    assert np.allclose(later.position[balls, 2], [2.0, 3.0])
    assert SceneMaker(model, worlds=[1]).make(state).instances.world.tolist() == [-1, 1]
