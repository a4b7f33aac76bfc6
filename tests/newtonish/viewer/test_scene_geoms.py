"""Shapes in the scene against MuJoCo's abstract visualizer: which are drawn, where, how large, in which category."""

import mujoco
import numpy as np
import pytest
from paths import shared_model
from scene_oracle import abstract_scene, geoms_of, pair

import newtonish
from newtonish.viewer.scene import Category, Kind, Material, SceneMaker, VisualOptions, vertices_of
from newtonish.viewer.scene.meshes import heightfield_triangles, mesh_triangles

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
            assert_same_look(scene, row, geom)
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


def assert_same_look(scene, row, geom):
    """Colour, opacity and the numbers of the material; generated texture coordinates of a few corners."""
    shown = scene.instances
    assert np.allclose(shown.color[row], geom.rgba, atol=1e-6)
    material = scene.materials[shown.material[row]] if shown.material[row] >= 0 else Material()
    ours = [material.emission, material.specular, material.shininess, material.reflectance]
    assert np.allclose(ours, [geom.emission, geom.specular, geom.shininess, geom.reflectance], atol=1e-6)
    assert (material.texture >= 0) == (geom.texid >= 0 and geom.matid >= 0)
    if material.texture >= 0:
        assert np.allclose(material.repeat, geom.texrepeat) and material.uniform == bool(geom.texuniform)
        mesh = scene.library[shown.triangles[row]]
        assert geom.type not in (MESH, HFIELD) or (mesh.uvs is not None) == bool(geom.texcoord)


def test_textures_are_mujocos_pixel_by_pixel():
    """Files, made pictures, cubes and skies: the library's picture of each is handed on whole, cubes as six faces."""
    both = pair(shared_model("dmc_manipulator/manipulator.xml"))
    scene = both.maker.make(both.state)
    assert len(scene.textures) == both.mjm.ntex > 0
    for at, texture in enumerate(scene.textures):
        wanted = both.mjm.tex_data[both.mjm.tex_adr[at] :][: texture.pixels.size]
        apart = np.abs(texture.pixels.reshape(-1).astype(int) - wanted)
        assert (apart > 1).mean() < 0.03  # the stars of skies are strewn at random
        assert texture.kind == ("2d", "cube", "skybox")[both.mjm.tex_type[at]]
    assert scene.textures[scene.skybox].kind == "skybox"


def test_generated_texture_coordinates_are_those_of_the_documentation():
    """texrepeat counts repetitions over a shape, over metres where texuniform says so, and an endless plane repeats by metres."""
    xml = """<mujoco><asset><texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="0 0 0" rgb2="1 1 1"/>
      <texture name="c" type="cube" builtin="flat" width="8" height="8" rgb1="0 0 0"/>
      <material name="m" texture="t" texrepeat="3 5"/><material name="u" texture="t" texrepeat="3 5" texuniform="true"/>
      <material name="k" texture="c"/></asset>
      <worldbody><geom type="plane" size="2 4 .1" material="m"/><geom type="plane" size="2 4 .1" material="u"/>
      <geom type="plane" size="0 0 .1" material="m"/><geom type="box" size=".5 .5 .5" material="k"/></worldbody></mujoco>"""
    both = pair(xml)
    scene = both.maker.make(both.state)
    shown = scene.instances
    assert np.allclose(shown.texture_scale[0, :2], [3, 5])  # over the width
    assert np.allclose(shown.texture_scale[1, :2], [6, 20])  # over 2 m, of 4 m and 8 m
    assert np.allclose(shown.texture_scale[2, :2] / shown.scale[2, :2], [3, 5])
    assert np.allclose(shown.texture_scale[3], 1)
    assert scene.textures[1].pixels.shape[0] == 6


def test_an_endless_ground_follows_the_camera_by_whole_periods():
    """So that its texture stays where it is."""
    xml = """<mujoco><asset><texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="0 0 0" rgb2="1 1 1"/>
      <material name="m" texture="t" texrepeat="2 2" texuniform="true"/></asset>
      <worldbody><geom type="plane" size="0 0 .1" material="m"/></worldbody></mujoco>"""
    both = pair(xml)
    camera = both.maker.free_camera()
    for place in ((0, 0, 0), (7.3, -11.9, 1)):
        camera.lookat = np.array(place, dtype=float)
        scene = both.maker.make(both.state, camera=camera)
        at = scene.instances.position[0]
        assert np.abs(at[:2] - scene.camera.position[:2]).max() <= 1.0 + 1e-5
        assert np.allclose(at[:2] % 1.0 * (1 - at[:2] % 1.0), 0.0, atol=1e-5)


def test_lights_are_mujocos():
    """The headlight first, then those of the model: kind, place, direction, colours; a model without any gets a sun if it may."""
    for name in ("dm_humanoid/humanoid.xml", "dmc_manipulator/manipulator.xml", "unitree_g1/scene.xml"):
        both = pair(shared_model(name), seed=1)
        scene, theirs = both.maker.make(both.state), abstract_scene(both)
        assert len(scene.lights) == theirs.nlight
        for ours, wanted in zip(scene.lights, theirs.lights):
            assert int(ours.type) == wanted.type and ours.headlight == bool(wanted.headlight) and ours.castshadow == bool(wanted.castshadow)
            assert np.allclose(ours.position, wanted.pos, atol=1e-4) and np.allclose(ours.direction, wanted.dir, atol=1e-5)
            for color in ("ambient", "diffuse", "specular"):
                assert np.allclose(getattr(ours, color), getattr(wanted, color))
            if wanted.type == 0:
                assert np.allclose(ours.attenuation, wanted.attenuation) and ours.cutoff == pytest.approx(wanted.cutoff)
    builder = newtonish.ModelBuilder()
    builder.add_shape_sphere(-1, radius=0.1)
    model = builder.finalize()
    assert [light.headlight for light in SceneMaker(model).make(model.state()).lights] == [True, False]
    assert [light.headlight for light in SceneMaker(model, sun=False).make(model.state()).lights] == [True]


def volume_of(mesh):
    """Of a closed surface whose triangles face outwards; and whether normals agree with them."""
    corners = mesh.positions[mesh.indices].astype(float)
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", mesh.normals[mesh.indices].mean(axis=1), areas) > -1e-9).all()
    return np.einsum("ij,ij->", corners[:, 0], areas) / 6


def test_hulls_heightfields_and_smooth_meshes():
    """A hull holds every corner of its mesh; a height field is closed down to its base; gentle edges are smooth and sharp ones sharp."""
    both = pair(shared_model("unitree_g1/scene.xml"))
    plain = both.maker.make(both.state, VisualOptions(geomgroup=[True] * 6))
    hulls = both.maker.make(both.state, VisualOptions(geomgroup=[True] * 6, convexhull=True))
    option = mujoco.MjvOption()
    option.geomgroup[:] = 1
    option.flags[int(mujoco.mjtVisFlag.mjVIS_CONVEXHULL)] = 1
    shapes = both.shapes()
    as_hull = {int(shapes[g.objid]) for g in geoms_of(abstract_scene(both, option), mujoco.mjtObj.mjOBJ_GEOM) if g.type == MESH and g.dataid % 2}
    changed = plain.instances.triangles != hulls.instances.triangles
    assert set(hulls.instances.index[changed].tolist()) == as_hull and changed.any()
    row = min(np.flatnonzero(changed).tolist(), key=lambda row: len(plain.library[plain.instances.triangles[row]].positions))
    mesh, hull = (scene.library[scene.instances.triangles[row]] for scene in (plain, hulls))
    assert volume_of(hull) > 0
    faces = hull.positions[hull.indices].astype(float)
    normal = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    outside = (normal @ mesh.positions.T - (normal * faces[:, 0]).sum(axis=1)[:, None]).max()
    assert outside < 1e-4 * np.ptp(mesh.positions)
    field = newtonish.Heightfield([[0, 1, 0], [1, 2, 1], [0, 1, 0]], 3, 3, hx=1.0, hy=2.0)
    ground, hill = 8 * 0.5, 4 * 2 * (0 + 1 + 2) / 6 + 4 * 2 * (0 + 1 + 2) / 6  # eight prisms on four cells of 2 m2 each
    assert volume_of(heightfield_triangles(field, 0.5)) == pytest.approx(ground + hill, rel=1e-5)
    around = 24
    angle = 2 * np.pi * np.arange(around) / around
    ring = np.c_[np.cos(angle), np.sin(angle)]
    corners = np.concatenate([np.c_[ring, -np.ones(around)], np.c_[ring, np.ones(around)], [[0, 0, 1]]])
    at, after = np.arange(around), (np.arange(around) + 1) % around
    sides = np.concatenate([np.c_[at, after, after + around], np.c_[at, after + around, at + around]])
    lid = np.c_[at + around, after + around, np.full(around, 2 * around)]
    can = mesh_triangles(newtonish.Mesh(corners, np.concatenate([sides, lid]).reshape(-1), compute_inertia=False))
    flat = np.isclose(can.normals[:, 2], 1.0, atol=1e-6)
    assert np.allclose(can.normals[~flat, :2], can.positions[~flat, :2], atol=0.06)  # round where it is round
    assert flat.sum() == around + 1  # and a lid with an edge


SKIN = """<mujoco><asset><texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="0 0 0" rgb2="1 1 1"/>
  <material name="m" texture="t"/></asset>
  <deformable><skin name="s" material="m" inflate=".01" group="1" vertex="0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0" face="0 1 2 0 2 3 1 4 5 1 5 2"
    texcoord="0 0 .5 0 .5 1 0 1 1 0 1 1">
    <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 .5 .5 1"/>
    <bone body="b" bindpos="1 0 0" bindquat="1 0 0 0" vertid="1 2 4 5" vertweight=".5 .5 1 1"/></skin></deformable>
  <worldbody><body name="a"><joint axis="0 1 0"/><geom size=".1"/>
    <body name="b" pos="1 0 0"><joint axis="0 1 1"/><geom size=".1"/></body></body></worldbody></mujoco>"""


def test_skins_follow_their_bones():
    """Corners and normals are those that mjv_updateSkin makes, in either of two worlds; another pose is another version of the entry."""
    both = pair(SKIN, seed=8)
    scene, theirs = both.maker.make(both.state), abstract_scene(both)
    row = int(np.flatnonzero(scene.instances.kind == Kind.SKIN)[0])
    points, normals = vertices_of(scene, row)
    assert np.allclose(points, theirs.skinvert.reshape(-1, 3), atol=1e-5)
    assert np.allclose(normals, theirs.skinnormal.reshape(-1, 3), atol=1e-5)
    mesh = scene.library[scene.instances.triangles[row]]
    assert mesh.uvs.shape == (6, 2) and mesh.version > 0
    assert not (both.maker.make(both.state, VisualOptions(skin=False)).instances.kind == Kind.SKIN).any()
    assert not (both.maker.make(both.state, VisualOptions(skingroup=[False] * 6)).instances.kind == Kind.SKIN).any()
    one = newtonish.ModelBuilder()
    newtonish.solvers.SolverMuJoCo.register_custom_attributes(one)
    one.add_mjcf(SKIN)
    builder = newtonish.ModelBuilder()
    builder.replicate(one, 2)
    model = builder.finalize()
    maker = SceneMaker(model)
    made = maker.make(model.state())
    rows = np.flatnonzero(made.instances.kind == Kind.SKIN)
    assert made.instances.world[rows].tolist() == [0, 1]
    first, second = (vertices_of(made, row)[0] for row in rows)
    assert np.allclose(second - first, maker.offsets[1] - maker.offsets[0], atol=1e-5)


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


def test_one_ground_for_all_worlds_and_all_of_them_in_the_picture():
    """Level planes without an end lie in one place: one is drawn, of each height; the camera one starts with sees every world."""
    robot = newtonish.ModelBuilder()
    robot.add_mjcf(
        "<mujoco><worldbody><geom type='plane' size='0 0 .1'/><geom type='plane' pos='0 0 -1' size='0 0 .1'/>"
        "<geom type='plane' size='1 1 .1' pos='0 0 .1'/><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    builder = newtonish.ModelBuilder()
    builder.replicate(robot, 9)
    model = builder.finalize(device="cpu")
    maker = SceneMaker(model)
    scene = maker.make(model.state())
    kinds = model.shape_type.numpy()[scene.instances.index]
    assert (kinds == newtonish.GeoType.PLANE).sum() == 2 + 9 and (kinds == newtonish.GeoType.SPHERE).sum() == 9
    only = SceneMaker(model, worlds=[4]).make(model.state()).instances
    assert (model.shape_type.numpy()[only.index] == newtonish.GeoType.PLANE).sum() == 3
    clip = scene.camera.projection(4 / 3) @ scene.camera.view()
    balls = scene.instances.position[kinds == newtonish.GeoType.SPHERE]
    seen = np.column_stack([balls, np.ones(9)]) @ clip.T
    assert np.all(np.abs(seen[:, :2]) < 0.95 * seen[:, 3:])
