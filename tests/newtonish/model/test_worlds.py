"""Worlds and copies: re-numbering, placement, labels, gravity, custom attributes, speed of bulk copies."""

import sys

import numpy as np
import pytest
import warp as wp

import newtonish as nt
from newtonish.model.transforms import world_grid

F = nt.Model.AttributeFrequency
Attribute, Frequency = nt.ModelBuilder.CustomAttribute, nt.ModelBuilder.CustomFrequency


def declare(builder: nt.ModelBuilder) -> None:
    """Attributes of every kind of frequency and reference in a namespace."""
    builder.add_custom_frequency(Frequency(name="motor", namespace="own", label_attribute="own:motor_name"))
    builder.add_custom_frequency(Frequency(name="link", namespace="own"))
    for attribute in (
        Attribute(name="gain", dtype=float, frequency=F.JOINT_DOF, namespace="own", default=1.5),
        Attribute(name="tag", dtype=str, frequency=F.BODY, namespace="own"),
        Attribute(name="twin", dtype=wp.int32, frequency=F.SHAPE, namespace="own", references="shape", default=-1),
        Attribute(name="steps", dtype=int, frequency=F.ONCE, namespace="own", default=3),
        Attribute(name="wind", dtype=wp.vec3, frequency=F.WORLD, namespace="own"),
        Attribute(name="motor_dof", dtype=wp.vec2i, frequency="own:motor", namespace="own", references="joint_dof"),
        Attribute(name="motor_world", dtype=int, frequency="own:motor", namespace="own", references="world"),
        Attribute(name="motor_name", dtype=str, frequency="own:motor", namespace="own"),
        Attribute(name="input", dtype=float, frequency="own:motor", namespace="own", assignment=2),
        Attribute(name="link_motor", dtype=int, frequency="own:link", namespace="own", references="own:motor"),
    ):
        builder.add_custom_attribute(attribute)


def robot(custom: bool = True) -> nt.ModelBuilder:
    """A free body with a hinged one, and a fixed-base slider."""
    builder = nt.ModelBuilder()
    if custom:
        declare(builder)
    torso, leg, cart = (builder.add_link(mass=1.0 + k, label=name) for k, name in enumerate(("torso", "leg", "cart")))
    values = {"own:gain": 2.0} if custom else None
    root = builder.add_joint_free(torso)
    hip = builder.add_joint_revolute(torso, leg, axis="y", custom_attributes=values)
    builder.add_articulation([root, hip])
    builder.add_joint_prismatic(-1, cart, axis="x")
    builder.add_shape_sphere(torso, radius=0.1)
    builder.add_shape_capsule(leg, radius=0.1, custom_attributes={"own:twin": 0} if custom else None)
    builder.add_shape_box(-1, xform=wp.transform((1.0, 0.0, 0.0), wp.quat_identity()), label="wall")
    builder.set_joint_mimic(2, 1)
    if custom:
        builder.add_custom_values(**{"own:motor_dof": (6, -1), "own:motor_name": "m0", "own:input": 0.25})
        builder.add_custom_values(**{"own:motor_dof": (7, 0), "own:input": 0.5})
        builder.add_custom_values(**{"own:link_motor": 1})
        builder.custom_attributes["own:steps"].values[0] = 9
        builder.custom_attributes["own:wind"].values[0] = wp.vec3(1.0, 2.0, 3.0)
        builder.custom_attributes["own:tag"].values[1] = "shin"
    return builder


def test_row_numbers_are_shifted_in_every_copy(device: str) -> None:
    scene = nt.ModelBuilder()
    scene.add_ground_plane()
    scene.replicate(robot(), 3)
    model = scene.finalize(device)
    assert model.world_count == 3 and model.body_count == 9
    assert model.joint_parent.numpy().tolist() == [-1, 0, -1, -1, 3, -1, -1, 6, -1]
    assert model.joint_child.numpy().tolist() == list(range(9))
    assert model.joint_articulation.numpy().tolist() == [0, 0, -1, 1, 1, -1, 2, 2, -1]
    assert model.joint_mimic_joint.numpy().tolist() == [-1, -1, 1, -1, -1, 4, -1, -1, 7]
    assert model.joint_q_start.numpy().tolist() == [0, 7, 8, 9, 16, 17, 18, 25, 26, 27]
    assert model.shape_body.numpy().tolist() == [-1, 0, 1, -1, 3, 4, -1, 6, 7, -1]
    assert model.shape_world.numpy().tolist() == [-1, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert model.shape_world_start.numpy().tolist() == [1, 4, 7, 10, 10]
    assert model.joint_coord_world_start.numpy().tolist() == [0, 9, 18, 27, 27]
    assert model.shape_collision_filter_pairs == {(1, 2), (4, 5), (7, 8)}
    assert model.gravity.shape == (4,)


def test_custom_attributes_are_copied_and_renumbered(device: str) -> None:
    scene = nt.ModelBuilder()
    scene.add_ground_plane()
    scene.replicate(robot(), 3)
    model = scene.finalize(device)
    own = model.own
    assert own.gain.numpy().reshape(3, 8).tolist() == [[1.5] * 6 + [2.0, 1.5]] * 3
    assert own.twin.numpy().tolist() == [-1, -1, 1, -1, -1, 4, -1, -1, 7, -1]
    assert own.tag == ["", "shin", ""] * 3
    assert own.steps.numpy().tolist() == [9] and own.wind.numpy().tolist() == [[1, 2, 3]] * 3
    assert own.motor_dof.numpy().tolist() == [[6, -1], [7, 0], [14, -1], [15, 8], [22, -1], [23, 16]]
    assert own.motor_world.numpy().tolist() == [0, 0, 1, 1, 2, 2]
    assert own.link_motor.numpy().tolist() == [1, 3, 5]
    assert own.motor_name == ["m0", ""] * 3
    assert model.control().own.input.numpy().tolist() == [0.25, 0.5] * 3
    assert model.get_custom_frequency_count("own:motor") == 6
    assert model.get_attribute_frequency("own:gain") == F.JOINT_DOF
    assert model.get_attribute_frequency("body_q") == F.BODY


def test_one_by_one_equals_all_at_once(device: str) -> None:
    at_once, single, opened = nt.ModelBuilder(), nt.ModelBuilder(), nt.ModelBuilder()
    at_once.replicate(robot(), 3)
    for _ in range(3):
        single.add_world(robot())
        opened.begin_world()
        opened.add_builder(robot())
        opened.end_world()
    expected = at_once.finalize(device)
    for builder in (single, opened):
        model = builder.finalize(device)
        for name, value in vars(expected).items():
            if isinstance(value, wp.array):
                np.testing.assert_array_equal(getattr(model, name).numpy(), value.numpy(), err_msg=name)
        for name, value in vars(expected.own).items():
            if isinstance(value, wp.array):
                np.testing.assert_array_equal(getattr(model.own, name).numpy(), value.numpy(), err_msg=name)


def test_later_values_overwrite_copied_ones(device: str) -> None:
    scene = nt.ModelBuilder()
    scene.replicate(robot(), 2)
    scene.custom_attributes["own:gain"].values[14] = 7.0
    scene.custom_attributes["own:motor_name"].values[2] = "other"
    assert scene.custom_attributes["own:gain"].values[6] == 2.0
    assert scene.custom_attributes["own:motor_name"].values[0] == "m0"
    model = scene.finalize(device)
    assert model.own.gain.numpy()[[6, 14]].tolist() == [2.0, 7.0]
    assert model.own.motor_name == ["m0", "", "other", ""]


def test_placement_moves_what_hangs_on_the_world(device: str) -> None:
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5 * np.pi)
    place = wp.transform((0.0, 10.0, 0.0), turn)
    scene = nt.ModelBuilder()
    scene.replicate(robot(), 2, xforms=[None, place])
    model = scene.finalize(device)
    np.testing.assert_allclose(model.shape_transform.numpy()[[2, 5], :3], [[1, 0, 0], [0, 11, 0]], atol=1e-6)
    np.testing.assert_allclose(model.joint_q.numpy()[9:16], list(place), atol=1e-6)
    np.testing.assert_allclose(model.joint_X_p.numpy()[2], [0, 0, 0, 0, 0, 0, 1], atol=0)
    np.testing.assert_allclose(model.joint_X_p.numpy()[5], list(place), atol=1e-6)
    np.testing.assert_allclose(model.joint_X_p.numpy()[4], [0, 0, 0, 0, 0, 0, 1], atol=0)
    state = model.state()
    nt.eval_fk(model, state.joint_q, state.joint_qd, state)
    np.testing.assert_allclose(state.body_q.numpy(), model.body_q.numpy(), atol=1e-6)


def test_labels_prefixes_and_reports() -> None:
    source = robot()
    report = object()
    source.import_reports.append(report)
    scene = nt.ModelBuilder()
    scene.add_world(source, label_prefix="left")
    scene.add_world(source)
    assert scene.body_label == ["left/torso", "left/leg", "left/cart", "torso", "leg", "cart"]
    assert list(scene.custom_attributes["own:motor_name"].values) == ["left/m0", None, "m0", None]
    assert scene.import_reports == [report]


def test_gravity_of_worlds(device: str) -> None:
    moon = nt.ModelBuilder(gravity=-1.62)
    moon.add_body(mass=1.0)
    scene = nt.ModelBuilder()
    scene.add_world(moon)
    scene.begin_world(gravity=(0.0, 0.0, 0.0), label="void")
    scene.add_body(mass=1.0)
    scene.end_world()
    model = scene.finalize(device)
    np.testing.assert_allclose(model.gravity.numpy()[:, 2], [-1.62, 0.0, -9.81], rtol=1e-6)
    assert model.world_label == ["world_0", "void"]
    model.set_gravity((1.0, 0.0, 0.0), world=1)
    np.testing.assert_allclose(model.gravity.numpy()[:, 0], [0.0, 1.0, 0.0])
    with pytest.raises(nt.ModelError, match="set_gravity"):
        model.set_gravity(np.zeros((5, 3)))


def test_same_world_copies_and_nesting() -> None:
    scene = nt.ModelBuilder()
    scene.replicate(robot(), 2, separate_worlds=False)
    assert scene.world_count == 0 and set(scene.body_world) == {-1}
    scene.begin_world()
    with pytest.raises(nt.ModelError, match="end_world"):
        scene.begin_world()
    with pytest.raises(nt.ModelError, match="separate_worlds=False"):
        scene.replicate(robot(), 2)
    with pytest.raises(nt.ModelError, match="still open"):
        scene.finalize("cpu")


def test_builder_added_to_itself(device: str) -> None:
    builder = robot()
    builder.add_builder(builder)
    model = builder.finalize(device)
    assert model.joint_parent.numpy().tolist() == [-1, 0, -1, -1, 3, -1]
    assert model.own.motor_dof.numpy().tolist() == [[6, -1], [7, 0], [14, -1], [15, 8]]


def test_conflicting_declarations_are_refused() -> None:
    scene = nt.ModelBuilder()
    scene.add_custom_attribute(Attribute(name="gain", dtype=float, frequency=F.JOINT_DOF, namespace="own", default=9.0))
    with pytest.raises(nt.ModelError, match=r"own:gain.*default"):
        scene.add_world(robot())
    assert scene.body_count == 0 and scene.world_count == 0


def test_grid_of_copies() -> None:
    offsets = world_grid(4, (2.0, 3.0, 0.0), nt.Axis.Z)
    np.testing.assert_allclose(offsets, [[-1, -1.5, 0], [1, -1.5, 0], [-1, 1.5, 0], [1, 1.5, 0]])
    np.testing.assert_allclose(world_grid(3, (0.0, 0.0, 1.0), nt.Axis.Z)[:, 2], [0.0, 1.0, 2.0])


def calls_of(function) -> int:
    """Number of Python functions that ``function`` calls, however long they take."""
    count = 0

    def profile(frame, event, argument) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_thousand_worlds_take_no_loop_over_entities(device: str) -> None:
    source = robot()
    source.finalize(device)

    def build(worlds: int) -> None:
        scene = nt.ModelBuilder()
        scene.replicate(source, worlds)
        scene.finalize(device)

    few, many = (calls_of(lambda worlds=worlds: build(worlds)) for worlds in (20, 2000))
    # a loop over the entities of every world would make a hundred times as many; labels of worlds may cost one each
    assert many < few + 3 * 2000


def test_callback_renumbers_what_references_cannot_say(device: str) -> None:
    seen = []

    def shift(values, context):
        seen.append((context["world"], list(context["row_indices"])))
        return [value + context["entity_offsets"]["body"] for value in values]

    source = nt.ModelBuilder()
    source.add_custom_attribute(Attribute(name="mine", dtype=int, frequency=F.BODY, default=-1, reference_value_transformer=shift))
    source.add_link(mass=1.0)
    source.add_link(mass=1.0, custom_attributes={"mine": 0})
    scene = nt.ModelBuilder()
    scene.replicate(source, 2)
    assert scene.finalize(device).mine.numpy().tolist() == [-1, 0, -1, 2]
    assert seen == [(0, [1]), (1, [1])]
