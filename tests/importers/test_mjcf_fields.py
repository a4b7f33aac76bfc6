"""Signed distance fields of MJCF files: what the importer and the conversion make of them against MuJoCo's compiler, and back to MJCF."""

import mujoco
import numpy as np
import pytest
import warp as wp
from field_scenes import CONFIG, NAMES, geom, names_of, scene_text

from newtonish import Mesh, ModelBuilder, ModelError, mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError
from newtonish.exporters.mjcf import to_mjcf

KINDS = [*NAMES, "wedge", "cube", "box"]
# shares of the largest number of a field: masses differ where a surface has one of 46 rare cells, whose diagonals are our own
SHARES = {
    "geom_type": 0, "geom_plugin": 0, "geom_size": 1e-7, "geom_aabb": 1e-7, "geom_rbound": 1e-7, "geom_pos": 1e-7, "geom_quat": 1e-6, "body_ipos": 1e-7,
    "body_mass": 1e-6, "body_inertia": 3e-6, "mesh_pos": 1e-7, "mesh_octadr": 0, "mesh_octnum": 0, "mesh_vert": 1e-7, "mesh_vertnum": 0, "mesh_facenum": 0,
    "plugin_attradr": 0,
}  # fmt: skip


def text() -> str:
    bodies = "".join(f'<body name="{kind}" pos="{2 * i} 0 1"><freejoint/>{geom(kind, f"name={chr(34)}g{i}{chr(34)}")}</body>' for i, kind in enumerate(KINDS))
    return scene_text(KINDS, geom("plane") + bodies)


@pytest.fixture(scope="module")
def models():
    builder = ModelBuilder()
    builder.add_mjcf(text())
    return builder, convert(builder.finalize(device="cpu")), mujoco.MjModel.from_xml_string(text())


def compare(ours, theirs) -> None:
    for name, share in SHARES.items():
        a, b = np.asarray(getattr(ours, name), dtype=float), np.asarray(getattr(theirs, name), dtype=float)
        assert a.shape == b.shape, name
        b[np.abs(b) >= 1e9] = a[np.abs(b) >= 1e9]  # boxes of planes
        np.testing.assert_allclose(a, b, rtol=0, atol=share * np.abs(b).max(initial=0.0), err_msg=name)


def test_compiled_arrays_are_mujocos(models):
    """Inertia, boxes, meshes and parameters of all five plugins, and of the octrees of two meshes."""
    builder, ours, theirs = models
    compare(ours, theirs)
    assert ours.plugin_attr.tobytes() == theirs.plugin_attr.tobytes()
    assert dict(zip(ours.plugin_names, ours.plugin_kind_names, strict=True)) == names_of(theirs)
    assert not builder.import_reports[-1].ignored


def test_surfaces_are_mujocos(models):
    """Vertices to the bit, triangles but for few; every side belongs to two of them."""
    _, ours, theirs = models
    for mesh in range(len(NAMES)):
        rows = slice(*(theirs.mesh_faceadr[mesh] + [0, theirs.mesh_facenum[mesh]]))
        triangles = [{tuple(sorted(face)) for face in model.mesh_face[rows].tolist()} for model in (ours, theirs)]
        assert len(triangles[0] & triangles[1]) > 0.999 * len(triangles[1])
        at = slice(*(theirs.mesh_vertadr[mesh] + [0, theirs.mesh_vertnum[mesh]]))
        np.testing.assert_array_equal(ours.mesh_vert[at].astype(np.float32), theirs.mesh_vert[at])
        sides = np.sort(ours.mesh_face[rows][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        assert (np.unique(sides, axis=0, return_counts=True)[1] % 2 == 0).all()


def test_octrees_are_mujocos(models):
    """The same cells, divided alike, with the same values; the order in a level is our own."""
    _, ours, theirs = models
    for mesh in (len(NAMES), len(NAMES) + 1):
        rows = slice(*(theirs.mesh_octadr[mesh] + [0, theirs.mesh_octnum[mesh]]))
        root = theirs.oct_aabb[rows][0]
        tables = []
        for model in (ours, theirs):
            box, depth = model.oct_aabb[rows], model.oct_depth[rows]
            cell = np.rint((box[:, :3] - root[:3] + root[3:]) / (2.0 * box[:, 3:]) - 0.5).astype(np.int64)
            order = np.lexsort((*cell.T, depth))
            tables.append([x[order] for x in (depth, cell, model.oct_child[rows] < 0, model.oct_coeff[rows], box)])
        for one, other in zip(*(table[:3] for table in tables), strict=True):
            np.testing.assert_array_equal(one, other)
        for one, other in zip(*(table[3:] for table in tables), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=3e-8)


def test_back_to_mjcf(models):
    """MuJoCo compiles what is written to the same arrays, and so do we."""
    _, ours, theirs = models
    written = to_mjcf(ours)
    compare(mujoco.MjModel.from_xml_string(written), theirs)
    assert len(written) < 20_000  # surfaces are written as fields


def test_motion_is_that_of_mujocos_model(models, device):
    """A file of ours against MuJoCo's compiled model, in two unequal worlds: the same contacts, the same motion."""
    _, _, theirs = models
    sides = []
    for m in (mjw.load(text(), device=device)[0], mjw.put_model(theirs, device=device, sdf=names_of(theirs))):
        d = mjw.make_data(m, 2)
        start = np.tile(theirs.qpos0, (2, 1))
        start[1, 2::7] -= 0.1
        d.qpos.assign(start.astype(np.float32))
        mjw.step(m, d, 100)
        assert d.ncon.numpy().max() > 3
        sides.append(d.qpos.numpy())
    np.testing.assert_allclose(*sides, atol=1e-3)


def test_real_parameters_of_gears():
    """The box that is searched follows the parameters: what MuJoCo's grid finds, ours finds."""
    for config in ({"teeth": 10}, {"diameter": 1.0, "teeth": 6}, {"thickness": 0.5}, {"innerdiameter": 1.0}):
        ours = Mesh.from_field("mujoco.sdf.gear", **config)
        words = "".join(f'<config key="{key}" value="{value}"/>' for key, value in config.items())
        plugin = f'<plugin plugin="mujoco.sdf.gear"><instance name="g">{words}</instance></plugin>'
        mesh, shown = '<mesh name="g"><plugin instance="g"/></mesh>', '<geom type="sdf" mesh="g"><plugin instance="g"/></geom>'
        m = mujoco.MjModel.from_xml_string(f"<mujoco><extension>{plugin}</extension><asset>{mesh}</asset><worldbody>{shown}</worldbody></mujoco>")
        np.testing.assert_array_equal(ours.vertices.astype(np.float32), m.mesh_vert)


TORUS = '<plugin plugin="mujoco.sdf.torus"><instance name="t"><config key="radius1" value=".2"/></instance></plugin>'
MESH = '<mesh name="t"><plugin instance="t"/></mesh>'
GEOM = '<geom name="g" type="sdf" mesh="t"><plugin instance="t"/></geom>'


@pytest.mark.parametrize(
    ("plugin", "mesh", "shown", "word"),
    [
        (TORUS.replace("radius1", "radius"), MESH, GEOM, "the parameter 'radius'; allowed: radius1, radius2"),
        (TORUS.replace('".2"', '"x"'), MESH, GEOM, "radius1: got 'x'; allowed: a finite number"),
        (TORUS.replace('".2"', '"-1"'), MESH, GEOM, "half sizes"),
        (TORUS, MESH.replace('instance="t"', 'instance="u"'), GEOM, "instance: got 'u'; allowed: 't'"),
        (TORUS, MESH.replace('name="t"', 'name="t" scale="2 2 2"'), GEOM, "scale"),
        (TORUS, MESH, GEOM.replace('mesh="t"', ""), "type sdf without a mesh"),
        (TORUS, MESH, '<geom name="g" type="sdf" mesh="t"/>', "mesh 't' of a distance field, and no plugin"),
        (TORUS, MESH, GEOM.replace('instance="t"', 'plugin="no.such"'), "plugin: got 'no.such'; allowed: mujoco.sdf.nut"),
        (TORUS + TORUS, MESH, GEOM, "a name that is taken"),
    ],
)
def test_what_is_wrong(plugin, mesh, shown, word):
    source = f"<mujoco><extension>{plugin}</extension><asset>{mesh}</asset><worldbody>{shown}</worldbody></mujoco>"
    with pytest.raises(ImporterError, match=word):
        ModelBuilder().add_mjcf(source)


def test_a_field_on_another_mesh_and_a_mesh_twice():
    """A plugin's field on a mesh of its own, and a mesh that is a hull in one geom and a field in another: one mesh, as in MuJoCo."""
    wedge = '<mesh name="w" vertex="0 0 0  .3 0 0  0 .25 0  0 0 .2"/>'
    shown = '<body><freejoint/><geom type="sdf" mesh="w"><plugin instance="t"/></geom></body><geom type="sdf" mesh="w"/><geom type="mesh" mesh="w"/>'
    source = f"<mujoco><extension>{TORUS}</extension><asset>{wedge}</asset><worldbody>{shown}</worldbody></mujoco>"
    builder = ModelBuilder()
    builder.add_mjcf(source)
    compare(convert(builder.finalize(device="cpu")), mujoco.MjModel.from_xml_string(source))


@wp.func
def egg(x: wp.vec3d, prm: mjw.FieldParameters) -> wp.float64:
    return wp.length(wp.vec3d(x[0], x[1], x[2] * wp.float64(0.5))) - prm[0]


def test_a_function_of_the_callers_by_name(device):
    """A registered field is meshed, weighed, written and simulated like MuJoCo's."""
    mjw.register_field("my.egg", mjw.DistanceField(egg, parameters=(0.1,), names=("radius",), box=lambda prm: (1.2 * prm[0], 1.2 * prm[0], 2.4 * prm[0])))
    plugin = '<plugin plugin="my.egg"><instance name="t"><config key="radius" value=".15"/></instance></plugin>'
    body = f'<geom type="plane" size="1 1 .1"/><body pos="0 0 .32"><freejoint/>{GEOM}</body>'
    source = f"<mujoco><extension>{plugin}</extension><asset>{MESH}</asset><worldbody>{body}</worldbody></mujoco>"
    m, d = mjw.load(source, 2, device=device)
    volume = 2.0 * 4.0 / 3.0 * np.pi * 0.15**3
    np.testing.assert_allclose(m.body_mass.numpy()[0, 1], 1000.0 * volume, rtol=2e-3)
    assert m.sdf.prm.numpy()[1, 0] == 0.15
    mjw.step(m, d, 50)
    np.testing.assert_allclose(d.qpos.numpy()[:, 2], 0.3, atol=5e-3)
    builder = ModelBuilder()
    builder.add_mjcf(source)
    assert '<config key="radius" value=".15"/>' in to_mjcf(builder.finalize(device="cpu"))
    with pytest.raises(ModelError, match=r"register_field: name: got 'mujoco.sdf.nut'"):
        mjw.register_field("mujoco.sdf.nut", mjw.DistanceField(egg))


def test_fields_of_attached_models_have_their_own_names(tmp_path):
    (tmp_path / "ring.xml").write_text(
        f"<mujoco><extension>{TORUS}</extension><asset>{MESH}</asset><worldbody><body name='b'>{GEOM}</body></worldbody></mujoco>"
    )
    source = '<mujoco><asset><model name="r" file="ring.xml"/></asset><worldbody><attach model="r" body="b" prefix="one_"/></worldbody></mujoco>'
    path = tmp_path / "two.xml"
    path.write_text(source)
    builder = ModelBuilder()
    builder.add_mjcf(path)
    compiled = convert(builder.finalize(device="cpu"))
    assert compiled.plugin_names == ["one_t"] and compiled.geom_type.tolist() == [8]
    compare(compiled, mujoco.MjModel.from_xml_path(str(path)))


def test_a_builder_with_fields():
    """A field and a mesh's own field by ModelBuilder: geoms of type sdf; scaled meshes have the octree of the scaled surface."""
    builder = ModelBuilder()
    body = builder.add_body()
    builder.add_shape_mesh(body, mesh=Mesh.from_field("mujoco.sdf.torus", **CONFIG["torus"]))
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    builder.add_shape_mesh(-1, mesh=Mesh(corners, faces).as_field(), scale=(2.0, 1.0, 1.0))
    compiled = convert(builder.finalize(device="cpu"))
    assert compiled.geom_type.tolist() == [8, 8] and sorted(compiled.geom_plugin.tolist()) == [-1, 0]
    assert compiled.noct > 10_000
    np.testing.assert_allclose(sorted(compiled.oct_aabb[0, 3:]), [0.11, 0.11, 0.22], rtol=1e-6)
    with pytest.raises(ModelError, match="scale"):
        builder.add_shape_mesh(-1, mesh=Mesh.from_field("mujoco.sdf.torus"), scale=(2.0, 1.0, 1.0))
        convert(builder.finalize(device="cpu"))
