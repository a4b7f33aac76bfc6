"""Arguments of add_usd: roots, order, what is drawn, old margins; each does what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from usd_stages import body, compiled, joint, read, stage

from newtonish import ModelBuilder, UnsupportedError
from newtonish.errors import ModelError
from newtonish.model.enums import JointType, ShapeFlags

ROOT = '"PhysicsArticulationRootAPI"'
PIN = "point3f physics:localPos0 = (1, 0, 0)"


def robot(root: str = "") -> str:
    """Two links of an articulation at (5, 0, 0), a prop, and a door that is attached to the world."""
    text = body("a") + body("b", place=(1, 0, 0)) + joint("Revolute", "j", "/r/a", "/r/b", PIN) + root
    place = 'double3 xformOp:translate = (5, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    text = f'def Xform "r" (prepend apiSchemas = [{ROOT}]) {{\n{place}\n{text}}}\n'
    text += body("prop", place=(0, 3, 0)) + body("door", place=(0, 6, 0))
    return text + joint("Revolute", "hinge", second="/door", inside="point3f physics:localPos0 = (0, 6, 0)")


FIXED = joint("Fixed", "base", second="/r/a", inside="point3f physics:localPos0 = (5, 0, 0)")


def kinds(builder: ModelBuilder) -> dict[str, JointType]:
    """Type of the joint that leads to each body."""
    return {builder.body_label[child]: JointType(kind) for child, kind in zip(builder.joint_child, builder.joint_type)}


def test_floating_and_base_joint_are_for_roots_of_articulations_and_for_props() -> None:
    assert kinds(read(robot())[0]) == {"/r/a": JointType.FREE, "/r/b": JointType.REVOLUTE, "/prop": JointType.FREE, "/door": JointType.REVOLUTE}
    fixed, result = read(robot(FIXED))
    assert kinds(fixed)["/r/a"] == JointType.FIXED and "/r/base" in result["path_joint_map"]
    floats, result = read(robot(FIXED), floating=True)
    assert kinds(floats) == kinds(read(robot())[0]) and "/r/base" not in result["path_joint_map"]
    np.testing.assert_allclose(floats.body_q, fixed.body_q, atol=1e-9)
    still = read(robot(), floating=False)[0]
    assert kinds(still) == {"/r/a": JointType.FIXED, "/r/b": JointType.REVOLUTE, "/prop": JointType.FIXED, "/door": JointType.REVOLUTE}
    rail = ModelBuilder.JointDofConfig(axis=(0.0, 1.0, 0.0))
    slides, _ = read(robot(FIXED), base_joint={"joint_type": JointType.PRISMATIC, "linear_axes": [rail]})
    assert kinds(slides) == {"/r/a": JointType.PRISMATIC, "/r/b": JointType.REVOLUTE, "/prop": JointType.PRISMATIC, "/door": JointType.REVOLUTE}
    np.testing.assert_allclose(slides.body_q, fixed.body_q, atol=1e-9)


def test_a_replaced_root_keeps_the_pose_of_the_stage() -> None:
    """A joint that the stage shows away from its zero moves the body's reference; one that takes its place does not."""
    turned = "quatf physics:localRot1 = (0.8660254, -0.5, 0, 0)"
    text = f'def Xform "r" (prepend apiSchemas = [{ROOT}]) {{\n' + body("b") + joint("Revolute", "j", second="/r/b", inside=turned) + "}\n"
    m = compiled(text, floating=False)
    assert m.nv == 0
    np.testing.assert_allclose([m.body_pos[1], m.body_quat[1][1:]], np.zeros((2, 3)), atol=1e-7)


def test_a_stage_on_a_body() -> None:
    builder = ModelBuilder()
    mount = builder.add_link(xform=((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)), mass=1.0)
    builder.add_articulation([builder.add_joint_free(mount)])
    read(body("b", place=(0, 0, 1)), builder, parent_body=mount)
    assert builder.joint_type[1] == JointType.FIXED and builder.joint_parent[1] == mount
    np.testing.assert_allclose(builder.body_q[1][:3], [0, 0, 2], atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"floating": True, "base_joint": {}}, "floating and base_joint"),
        ({"floating": True, "parent_body": 0}, "parent_body"),
        ({"override_root_xform": True}, "without xform"),
        ({"base_joint": {"parent": 0}}, "'parent'"),
        ({"joint_ordering": "random"}, "joint_ordering"),
    ],
)
def test_arguments_that_do_not_fit_together(arguments: dict[str, Any], words: str) -> None:
    builder = ModelBuilder()
    with pytest.raises(ModelError, match=words):
        read(robot(), builder, **arguments)
    assert builder.body_count == 0


@pytest.mark.parametrize(
    "arguments",
    [{"schema_resolvers": ["other"]}, {"schema_resolvers": ["mjc", "mjc"]}, {"return_deformable_results": True}, {"allow_unsafe_torch_checkpoints": True}],
)
def test_arguments_that_are_refused_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match="|".join(map(str, arguments))):
        read(robot(), **arguments)


def test_xform_in_place_of_the_poses_of_articulations() -> None:
    where = ((0.0, 0.0, 2.0), (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))
    builder, result = read(robot(FIXED), xform=where, override_root_xform=True)
    poses = {path: builder.body_q[row][:3] for path, row in result["path_body_map"].items()}
    np.testing.assert_allclose([poses["/r/a"], poses["/r/b"]], [[0, 0, 2], [0, 1, 2]], atol=1e-7)
    np.testing.assert_allclose(poses["/prop"], [-3, 0, 2], atol=1e-7)  # in no articulation, so only moved
    m = builder.finalize(device="cpu")
    np.testing.assert_allclose(m.joint_X_p.numpy()[result["path_joint_map"]["/r/base"]][:3], [0, 0, 2], atol=1e-6)
    builder, result = read(robot(FIXED), xform=where)
    np.testing.assert_allclose(builder.body_q[result["path_body_map"]["/r/a"]][:3], [0, 5, 2], atol=1e-7)


TREE = (
    body("c", place=(2, 0, 0)) + body("a") + body("b", place=(1, 0, 0)) + body("d", place=(0, 1, 0))
    + joint("Revolute", "jc", "/b", "/c", PIN) + joint("Fixed", "ja", second="/a") + joint("Revolute", "jb", "/a", "/b", PIN)
    + joint("Revolute", "jd", "/a", "/d", "point3f physics:localPos0 = (0, 1, 0)")
)  # fmt: skip
ORDERS = {
    ("dfs", True): (["/a", "/b", "/c", "/d"], ["/ja", "/jb", "/jc", "/jd"]),
    ("bfs", True): (["/a", "/b", "/d", "/c"], ["/ja", "/jb", "/jd", "/jc"]),
    (None, True): (["/c", "/a", "/b", "/d"], ["/jc", "/ja", "/jb", "/jd"]),
    ("dfs", False): (["/c", "/a", "/b", "/d"], ["/ja", "/jb", "/jc", "/jd"]),
    ("bfs", False): (["/c", "/a", "/b", "/d"], ["/ja", "/jb", "/jd", "/jc"]),
}


@pytest.mark.parametrize("order", ORDERS)
def test_order_of_joints_and_bodies_does_not_change_the_model(order: tuple[str | None, bool]) -> None:
    ordering, follow = order
    builder, result = read(TREE, joint_ordering=ordering, bodies_follow_joint_ordering=follow)
    assert (list(builder.body_label), list(builder.joint_label)) == ORDERS[order]
    assert all(builder.body_label[row] == path for path, row in result["path_body_map"].items())
    ours, plain = compiled(TREE, joint_ordering=ordering, bodies_follow_joint_ordering=follow), compiled(TREE)
    for name in ("body_parentid", "body_pos", "body_mass", "jnt_bodyid", "geom_bodyid", "geom_pos", "dof_invweight0"):
        if ordering == "dfs" and follow:
            np.testing.assert_array_equal(getattr(ours, name), getattr(plain, name), err_msg=name)
    assert sorted(np.array(ours.dof_invweight0).round(6)) == sorted(np.array(plain.dof_invweight0).round(6))
    np.testing.assert_allclose(sorted(map(tuple, builder.body_q)), sorted(map(tuple, read(TREE)[0].body_q)), atol=1e-9)


def test_disabled_joints() -> None:
    text = body("b") + joint("Fixed", "j", inside="bool physics:jointEnabled = 0")
    assert kinds(read(text)[0])["/b"] == JointType.FREE
    assert kinds(read(text, only_load_enabled_joints=False)[0])["/b"] == JointType.FIXED


def drawn(builder: ModelBuilder, result: dict[str, Any]) -> dict[str, bool]:
    return {path: bool(builder.shape_flags[row] & ShapeFlags.VISIBLE) for path, row in result["path_shape_map"].items()}


def test_what_is_drawn() -> None:
    seen = 'def Sphere "look" {\n double radius = 0.1\n}\ndef Sphere "hidden" {\n token visibility = "invisible"\n}\n'
    text = body("a", seen).replace("double size", 'uniform token purpose = "guide"\n double size') + body("b", place=(1, 0, 0))
    a = {"/a/look": True, "/a/hidden": False}
    assert drawn(*read(text)) == {**a, "/a/cube": False, "/b/cube": True}
    assert drawn(*read(text, force_show_colliders=True)) == {**a, "/a/cube": True, "/b/cube": True}
    shown = text.replace('"guide"', '"default"')
    assert drawn(*read(shown)) == {**a, "/a/cube": True, "/b/cube": True}
    assert drawn(*read(shown, hide_collision_shapes=True)) == {**a, "/a/cube": False, "/b/cube": True}
    assert set(drawn(*read(shown, load_visual_shapes=False))) == {"/a/cube", "/b/cube"}


def test_margins_that_include_the_gap() -> None:
    text = body("b").replace("double size", "uniform double mjc:margin = 0.05\nuniform double mjc:gap = 0.02\ndouble size")
    for old, margin in ((False, 0.05), (True, 0.03)):
        builder, _ = read(text, legacy_margin_gap=old)
        assert (builder.shape_margin[0], builder.shape_gap[0]) == pytest.approx((margin, 0.02))


def test_parts_of_a_stage_and_paths_to_ignore() -> None:
    source = stage(robot())
    assert set(read(source, root_path="/r")[1]["path_body_map"]) == {"/r/a", "/r/b"}
    assert set(read(source, ignore_paths=["/r", "/d.*r$"])[1]["path_body_map"]) == {"/prop"}


def test_the_result_has_newtons_entries() -> None:
    _, result = read(
        robot() + body("big", place=(9, 9, 0)).replace('"xformOp:translate"]', '"xformOp:translate", "xformOp:scale"]\nfloat3 xformOp:scale = (2, 3, 4)')
    )
    assert result["fps"] == 24.0 and result["duration"] == 0.0
    np.testing.assert_allclose(result["path_shape_scale"]["/big/cube"], [2, 3, 4], rtol=1e-6)
