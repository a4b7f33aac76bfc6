"""save_to_mjcf: a written model compiles to the arrays that it was written from, here and in MuJoCo."""

import warnings

import newton
import numpy as np
import pytest
import warp as wp
from paths import OWN, shared_model
from saved import compiled, differences
from solver_rigs import every_joint

import newtonish
from newtonish import ModelBuilder, SolverMuJoCo, save_to_mjcf
from newtonish.convert import convert
from newtonish.errors import ModelError, UnsupportedError
from newtonish.exporters.mjcf import to_mjcf

REAL = (
    "allegro_hand/scene_right.xml", "arm21/arm21.xml", "barkour_vb/scene_hfield_mjx.xml", "cassie/cassie.xml",
    "converter_tests/tests/data/bodies.xml", "converter_tests/tests/data/reflected_meshes.xml", "dm_humanoid/humanoid.xml",
    "myofinger/myo_sim/finger/myofinger_v0.xml", "replicate_scenes/tendon.xml", "sensor_zoo/sensor.xml", "softfoot/softfoot.xml",
    "surfacevel/carousel.xml", "sleep_dominos/dominos.xml",
)  # fmt: skip
"""Small models of all kinds; tests/support/saved.py does every one."""


@pytest.mark.parametrize("path", sorted(OWN.glob("*.xml")), ids=lambda path: path.stem)
def test_own_models(path) -> None:
    origin = compiled(path)
    assert differences(origin, to_mjcf(origin)) == []


@pytest.mark.parametrize("name", REAL)
def test_real_models(name: str) -> None:
    origin = compiled(shared_model(name))
    assert differences(origin, to_mjcf(origin)) == []


def unequal_worlds() -> newtonish.Model:
    """Every kind of joint, built in Python, in three worlds of unequal masses, poses and gravity."""
    builder = ModelBuilder()
    for world in range(3):
        one = every_joint()
        one.body_mass = [mass * (1.0 + 0.1 * world) for mass in one.body_mass]
        one.gravity = (0.1 * world, 0.0, -9.0)
        builder.add_world(one, xform=wp.transform(wp.vec3(0.3 * world, 0.0, 0.0), wp.quat_identity()))
    return builder.finalize(device="cpu")


@pytest.mark.parametrize("world", [0, 2])
def test_each_world_of_a_model_built_in_python(world: int, tmp_path) -> None:
    model = unequal_worlds()
    save_to_mjcf(model, tmp_path / "one.xml", world)
    origin = convert(model)
    assert {"body_mass"} <= set(origin.batched)
    assert differences(origin, (tmp_path / "one.xml").read_text(), world) == []


def test_a_solver_is_written_as_it_was_converted(tmp_path) -> None:
    model = unequal_worlds()
    solver = SolverMuJoCo(model, iterations=17, cone="elliptic")
    save_to_mjcf(solver, tmp_path / "one.xml")
    assert differences(solver.compiled, (tmp_path / "one.xml").read_text()) == []
    assert 'iterations="17"' in (tmp_path / "one.xml").read_text()


def test_a_real_newton_model(tmp_path) -> None:
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    for name, height in (("a", 1.0), ("b", 2.0)):
        body = builder.add_link(label=name, mass=1.0, inertia=wp.mat33(0.1, 0, 0, 0, 0.12, 0, 0, 0, 0.15))
        joint = builder.add_joint_revolute(-1, body, axis=(0.0, 1.0, 0.0), parent_xform=wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity()))
        builder.add_articulation([joint])
        builder.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3)
    mesh = newton.Mesh.create_box(0.1, 0.2, 0.3, duplicate_vertices=False, compute_normals=False, compute_uvs=False)
    builder.add_shape_mesh(body, mesh=mesh)
    model = builder.finalize(device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        origin = convert(model)
        save_to_mjcf(model, tmp_path / "newton.xml")
    again = compiled(tmp_path / "newton.xml")
    for name in ("body_mass", "body_inertia", "jnt_axis", "geom_size", "geom_rbound", "dof_invweight0"):
        np.testing.assert_allclose(getattr(again, name), getattr(origin, name), rtol=1e-5, atol=1e-6, err_msg=name)


def test_how_length_ranges_are_found_is_kept(tmp_path) -> None:
    builder = ModelBuilder()
    builder.add_mjcf("<mujoco><compiler><lengthrange mode='all' accel='5' uselimit='true'/></compiler></mujoco>")
    text = to_mjcf(builder.finalize(device="cpu"))
    assert '<lengthrange mode="all" uselimit="true" accel="5"/>' in text


def test_names_are_made_different() -> None:
    origin = compiled("<mujoco><worldbody><geom name='a' size='1'/><geom name='b' size='1'/></worldbody></mujoco>")
    origin.geom_names = ["a", "a"]
    assert compiled(to_mjcf(origin)).geom_names == ["a", "a_2"]


def test_filters_become_excludes_where_they_hold_for_whole_bodies() -> None:
    builder = ModelBuilder()
    links = [builder.add_link(label=name, mass=1.0, inertia=wp.mat33(*np.eye(3).ravel())) for name in "ab"]
    for link in links:
        builder.add_articulation([builder.add_joint_free(link)])
    first, other = (builder.add_shape_sphere(links[0], radius=0.1) for _ in range(2))
    second = builder.add_shape_sphere(links[1], radius=0.1)
    builder.add_shape_collision_filter_pair(first, second)
    with pytest.raises(UnsupportedError, match="filters of all geoms of two bodies"):
        to_mjcf(builder.finalize(device="cpu"))
    builder.add_shape_collision_filter_pair(other, second)
    assert '<exclude body1="a" body2="b"/>' in to_mjcf(builder.finalize(device="cpu"))


def test_what_has_no_words_is_refused_by_name(tmp_path) -> None:
    builder = every_joint()
    ball = builder.joint_label.index(next(n for n, t in zip(builder.joint_label, builder.joint_type) if t == newtonish.JointType.BALL))
    builder.joint_armature[builder.joint_qd_start[ball]] = 0.5
    with pytest.raises(UnsupportedError, match="armature: got different values for its degrees of freedom"):
        save_to_mjcf(builder.finalize(device="cpu"), tmp_path / "x.xml")
    assert not (tmp_path / "x.xml").exists()


@pytest.mark.parametrize(("source", "world", "text"), [(3, 0, "got a int; allowed: a Model"), (None, 7, "got 7; allowed: 0 to 2"), (None, True, "got True")])
def test_misuse(source, world, text, tmp_path) -> None:
    with pytest.raises(ModelError, match=text):
        save_to_mjcf(unequal_worlds() if source is None else source, tmp_path / "x.xml", world)
