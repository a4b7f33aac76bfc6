"""Meshes that collide as convex parts, hulls, boxes or balls: what stays, what is added, and that a cup holds a ball in the end."""

import mujoco
import numpy as np
import pytest
import trimesh

import newtonish
from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError
from newtonish.model.decomposition import convex_hull, decompose, is_convex
from newtonish.model.enums import GeoType, ShapeFlags

coacd = pytest.importorskip("coacd")
COARSE = {"threshold": 0.2, "mcts_iterations": 20, "resolution": 500, "preprocess_mode": "off"}  # quick to cut


def angle_iron(thickness: float = 0.02) -> trimesh.Trimesh:
    """Two plates that meet at a right angle, whose hull fills the corner."""
    outline = np.array([[0, 0], [0.2, 0], [0.2, thickness], [thickness, thickness], [thickness, 0.2], [0, 0.2]])
    low, high = (np.column_stack([outline, np.full(6, z)]) for z in (0.0, 0.1))
    sides = [[i, (i + 1) % 6, (i + 1) % 6 + 6] for i in range(6)] + [[i, (i + 1) % 6 + 6, i + 6] for i in range(6)]
    ends = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    return trimesh.Trimesh(np.vstack([low, high]), [*(face[::-1] for face in ends), *([i + 6 for i in face] for face in ends), *sides], process=False)


def mjcf(mesh: trimesh.Trimesh, more: str = "") -> str:
    vertices, faces = (" ".join(map(str, np.asarray(a).reshape(-1))) for a in (mesh.vertices, mesh.faces))
    return f"""<mujoco><asset><mesh name="iron" vertex="{vertices}" face="{faces}"/></asset><worldbody><geom name="floor" type="plane" size="2 2 .1"/>
      <body name="b" pos="0 0 1"><freejoint/><geom name="iron" type="mesh" mesh="iron" friction=".7 .01 .001" solref=".01 1" rgba="1 0 0 1"/></body>
      <body name="c" pos="0 1 1"><freejoint/><geom name="ball" size=".05"/></body></worldbody>{more}</mujoco>"""


@pytest.fixture(scope="module")
def iron() -> newtonish.Mesh:
    made = angle_iron()
    return newtonish.Mesh(made.vertices, made.faces, name="iron")


def test_parts_fill_the_mesh_and_not_its_hull(iron):
    fine = {**COARSE, "threshold": 0.02}
    found = decompose(iron, "the mesh", **fine)
    assert len(found.parts) >= 2
    assert all(is_convex(part.vertices, part.triangles) for part in found.parts)
    assert found.volume == pytest.approx(angle_iron().volume)
    assert found.parts_volume == pytest.approx(found.volume, rel=0.05)
    assert found.hull_volume > 2.0 * found.volume
    assert f"collides as {len(found.parts)} convex parts" in str(found)
    again = decompose(iron, "the mesh", **fine)
    assert all(np.array_equal(one.vertices, other.vertices) for one, other in zip(found.parts, again.parts, strict=True))


def test_a_hull_has_its_triangles_outwards():
    rng = np.random.default_rng(0)
    cloud = newtonish.Mesh(rng.normal(size=(50, 3)), [[0, 1, 2]], compute_inertia=False)
    hull = convex_hull(cloud)
    made = trimesh.Trimesh(hull.vertices, hull.triangles)
    assert made.is_watertight
    assert made.volume == pytest.approx(trimesh.Trimesh(cloud.vertices).convex_hull.volume)


def test_parts_take_over_what_the_shape_was(iron):
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(mjcf(angle_iron(), '<contact><pair geom1="ball" geom2="iron" friction="2 2 .1 .1 .1"/></contact>'))
    shape, ball = builder.shape_label.index("iron"), builder.shape_label.index("ball")
    builder.add_shape_collision_filter_pair(shape, builder.shape_label.index("floor"))
    mass, before = builder.body_mass[0], builder.shape_count
    assert builder.approximate_meshes("coacd", keep_visual_shapes=True, **COARSE) == {shape}
    parts = [shape, *(i for i in range(before, builder.shape_count) if builder.shape_flags[i] & ShapeFlags.COLLIDE_SHAPES)]
    drawn = [i for i in range(before, builder.shape_count) if i not in parts]
    assert len(parts) >= 2
    assert [builder.shape_label[i] for i in drawn] == ["iron_visual"]
    assert builder.shape_type[drawn[0]] == GeoType.MESH
    assert builder.shape_flags[drawn[0]] & ShapeFlags.VISIBLE
    assert builder.body_mass[0] == mass
    for part in parts:
        assert builder.shape_type[part] == GeoType.CONVEX_MESH
        assert not builder.shape_flags[part] & ShapeFlags.VISIBLE
        assert builder.shape_material_mu[part] == 0.7
        assert tuple(builder.custom_attributes["mujoco:solref"].values[part]) == (0.01, 1.0)
        assert (builder.shape_label.index("floor"), part) in builder.shape_collision_filter_pairs
    pairs = [
        (int(builder.custom_attributes["mujoco:pair_geom1"].values[i]), int(builder.custom_attributes["mujoco:pair_geom2"].values[i]))
        for i in range(len(parts))
    ]
    assert {frozenset(pair) for pair in pairs} == {frozenset((ball, part)) for part in parts}
    assert "collides as" in str(builder.import_reports[-1])


def test_a_ball_rolls_into_the_corner_of_parts():
    """Two unequal worlds: the ball comes to rest on the plate, where the hull would have held it out of the corner."""
    text = mjcf(angle_iron()).replace(
        '<body name="b" pos="0 0 1"><freejoint/>', '<body name="b" pos="0 0 0" euler="90 0 0"><geom size=".001" contype="0" conaffinity="0"/>'
    )
    text = text.replace('name="c" pos="0 1 1"', 'name="c" pos=".1 -.05 .2"')
    places = {}
    for decomposed in (None, 0.2):
        m, d = mjw.load(text, nworld=2, device="cpu", decompose=decomposed)
        qpos = d.qpos.numpy()
        qpos[1, 0] -= 0.02
        d.qpos.assign(qpos)
        mjw.step(m, d, 500)
        places[decomposed] = d.qpos.numpy()[:, :3]
    np.testing.assert_allclose(places[0.2][:, 2], 0.07, atol=1e-3)  # the plate's thickness and the ball's radius
    assert np.all((places[0.2][:, 0] > 0.06) & (places[0.2][:, 0] < 0.2))
    assert np.all(places[None][:, 0] > 0.2)  # it rolled down the hull's slope


def test_what_is_convex_stays(iron):
    builder = newtonish.ModelBuilder()
    cube = trimesh.creation.box((1, 1, 1))
    builder.add_shape_mesh(builder.add_body(), mesh=newtonish.Mesh(cube.vertices, cube.faces))
    assert builder.approximate_meshes("coacd") == set()
    assert builder.shape_count == 1


@pytest.mark.parametrize(("method", "kind"), [("bounding_box", GeoType.BOX), ("bounding_sphere", GeoType.SPHERE), ("convex_hull", GeoType.CONVEX_MESH)])
def test_boxes_and_balls_hold_the_mesh(iron, method, kind):
    turned = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])[:3, :3]
    mesh = newtonish.Mesh(iron.vertices @ turned.T + [0.1, 0.2, 0.3], iron.indices)
    builder = newtonish.ModelBuilder()
    shape = builder.add_shape_mesh(builder.add_body(), mesh=mesh, scale=(2.0, 2.0, 2.0), xform=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    mass = builder.body_mass[0]
    assert builder.approximate_meshes(method) == {shape}
    assert builder.shape_type[shape] == kind
    assert builder.body_mass[0] == mass
    size = np.array(builder.shape_scale[shape])
    if kind == GeoType.BOX:
        np.testing.assert_allclose(np.sort(size), np.array([0.1, 0.2, 0.2]), rtol=1e-4)
    if kind == GeoType.SPHERE:
        assert size[0] == pytest.approx(np.linalg.norm([0.2, 0.2, 0.1]), rel=0.05)
        inside = 2.0 * mesh.vertices + [1.0, 0.0, 0.0] - np.array(builder.shape_transform[shape])[:3]
        assert np.linalg.norm(inside, axis=1).max() < size[0] * (1 + 1e-6)


def test_distance_fields_stay(iron):
    builder = newtonish.ModelBuilder()
    plain, field = (builder.add_shape_mesh(builder.add_body(), mesh=mesh) for mesh in (iron, iron.as_field()))
    assert builder.approximate_meshes("convex_hull") == {plain}
    assert builder.shape_source[field].field is not None
    with pytest.raises(ModelError, match="shape 'shape_1': got a shape that collides as a distance field; allowed: meshes; leave it out"):
        builder.approximate_meshes("convex_hull", [field])


def test_wrong_calls(iron, monkeypatch):
    builder = newtonish.ModelBuilder()
    shape = builder.add_shape_mesh(builder.add_body(), mesh=iron)
    with pytest.raises(ModelError, match="approximate_meshes: method: got 'vhacd'; allowed: 'coacd', 'convex_hull'"):
        builder.approximate_meshes("vhacd")
    with pytest.raises(ModelError, match="options threshold for 'convex_hull'"):
        builder.approximate_meshes("convex_hull", threshold=0.1)
    with pytest.raises(ModelError, match="shape_indices: got 7; allowed: 0 to 0"):
        builder.approximate_meshes("coacd", [7])
    with pytest.raises(ModelError, match=r"add_mjcf: decompose: got 2\.0; allowed: None, or a number above 0, at most 1"):
        newtonish.ModelBuilder().add_mjcf("<mujoco/>", decompose=2.0)
    with pytest.raises(ModelError, match=r"decomposition of shape 'shape_0': options: got .*sharpness"):
        builder.approximate_meshes("coacd", [shape], sharpness=3)
    with pytest.warns(newtonish.NewtonishWarning, match="cache_dir: got 'kept', which has no effect"):
        builder.approximate_meshes("coacd", [], cache_dir="kept")
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)
    with pytest.raises(UnsupportedError, match=r"shape 'shape_0': got no coacd; .+ install it with pip install 'newtonish\[decompose\]'"):
        builder.approximate_meshes("coacd", [shape], raise_on_failure=True)
    with pytest.warns(newtonish.NewtonishWarning, match="it collides as its convex hull"):
        builder.approximate_meshes("coacd", [shape])


def test_mujoco_reads_what_convert_writes(tmp_path):
    from newtonish.cli.main import main

    source, out = tmp_path / "iron.xml", tmp_path / "parts.xml"
    source.write_text(mjcf(angle_iron(), '<sensor><distance name="far" geom1="iron" geom2="ball" cutoff="9"/></sensor>'))
    assert main(["convert", str(source), str(out), "--decompose", "0.2"]) == 0
    model = mujoco.MjModel.from_xml_path(str(out))
    parts = (model.geom_type == mujoco.mjtGeom.mjGEOM_MESH) & (model.geom_contype > 0)
    assert parts.sum() >= 2
    whole = mujoco.MjModel.from_xml_path(str(source))
    assert model.body("b").mass[0] == pytest.approx(whole.body("b").mass[0], rel=1e-6)
