"""Where a URDF robot stands: pose, up axis, base joints, robots on robots; order, self collisions, collapsed joints."""

import warnings

import mujoco
import numpy as np
import pytest
from urdf_rigs import add, inertial, joint, link, robot

import newtonish as nt
from newtonish import mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError, ModelError
from newtonish.model.enums import JointType
from newtonish.model.transforms import transform_multiply

SHAPE = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
AT = '<origin xyz="0.3 0 0.1" rpy="0.2 0 0.5"/>'
ARM = robot(link("base", inertial() + SHAPE), link("a", inertial() + SHAPE), link("b", inertial() + SHAPE),
            joint("ja", "base", "a", inside=AT), joint("jb", "a", "b", inside=AT + '<axis xyz="0 1 0"/>'))  # fmt: skip
HALF = np.sqrt(0.5)
POSE = (np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, HALF, HALF]))
TRANSFORM = np.concatenate(POSE)


def test_a_fixed_base_by_default() -> None:
    builder = add(ARM, xform=POSE)
    assert list(builder.joint_type) == [JointType.FIXED, JointType.REVOLUTE, JointType.REVOLUTE]
    assert list(builder.joint_label) == ["r/fixed_base", "r/ja", "r/jb"] and list(builder.articulation_label) == ["r"]
    np.testing.assert_allclose(builder.joint_X_p[0], TRANSFORM)
    np.testing.assert_allclose(builder.body_q[0], TRANSFORM)
    np.testing.assert_allclose(builder.body_q[1], transform_multiply(TRANSFORM, np.array(builder.joint_X_p[1])))


def test_a_floating_base() -> None:
    builder = add(ARM, floating=True, xform=POSE)
    assert builder.joint_type[0] == JointType.FREE and builder.joint_label[0] == "r/floating_base"
    np.testing.assert_allclose(builder.joint_q[:7], TRANSFORM)


def test_a_base_joint_of_the_callers() -> None:
    axes = {"linear_axes": [nt.ModelBuilder.JointDofConfig(axis=(1.0, 0.0, 0.0))], "angular_axes": []}
    joint_of = {"joint_type": JointType.D6, **axes, "label": "rail"}
    builder = add(ARM, base_joint=joint_of, xform=POSE)
    assert builder.joint_type[0] == JointType.D6 and builder.joint_label[0] == "rail"
    np.testing.assert_allclose(builder.joint_X_p[0], [1, 2, 3, 0, 0, 0, 1])  # the rail is not turned, the robot is
    np.testing.assert_allclose(builder.joint_X_c[0][3:], [0, 0, -HALF, HALF])
    np.testing.assert_allclose(builder.body_q[0], TRANSFORM)
    whole = add(ARM, base_joint=joint_of, xform=POSE, override_root_xform=True)
    np.testing.assert_allclose(whole.joint_X_p[0], TRANSFORM)
    np.testing.assert_allclose(whole.joint_X_c[0], [0, 0, 0, 0, 0, 0, 1])
    for one in (builder, whole):  # where the bodies are said to be is where forward kinematics puts them
        model = one.finalize(device="cpu")
        state = model.state()
        nt.eval_fk(model, model.joint_q, model.joint_qd, state)
        np.testing.assert_allclose(state.body_q.numpy(), np.array(one.body_q), atol=1e-6)


@pytest.mark.parametrize("order", ["dfs", "bfs", None])
def test_poses_follow_from_the_joints(order) -> None:
    builder = add(ARM, xform=POSE, joint_ordering=order, up_axis="y")
    model = builder.finalize(device="cpu")
    state = model.state()
    nt.eval_fk(model, model.joint_q, model.joint_qd, state)
    np.testing.assert_allclose(state.body_q.numpy(), np.array(builder.body_q), atol=1e-6)


def test_up_axes() -> None:
    text = robot(link("base", inertial() + '<collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>'), link("a"),
                 joint("j", "base", "a", "fixed", '<origin xyz="0 1 0"/>'), '<mujoco><option gravity="0 -9 0"/></mujoco>')  # fmt: skip
    builder = add(text, up_axis="y")
    np.testing.assert_allclose(builder.body_q[1][:3], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(tuple(builder.gravity), [0, 0, -9], atol=1e-6)
    pose = transform_multiply(np.array(builder.body_q[0]), np.array(builder.shape_transform[0]))
    turned = transform_multiply(pose, np.array([0, 0, 1, 0, 0, 0, 1.0]))[:3]
    np.testing.assert_allclose(np.abs(turned), [0, 0, 1], atol=1e-12)  # cylinders lie along the file's up axis
    other = add(ARM, nt.ModelBuilder(up_axis="y"))
    np.testing.assert_allclose(other.body_q[1][:3], [0.3, 0.1, 0], atol=1e-12)


def test_a_robot_on_a_robot() -> None:
    builder = add(ARM, xform=POSE)
    add(ARM.replace('name="r"', 'name="hand"'), builder, parent_body=2, xform=((0.1, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    assert builder.articulation_count == 1 and set(builder.joint_articulation) == {0}
    assert builder.joint_parent[3] == 2 and builder.joint_type[3] == JointType.FIXED
    np.testing.assert_allclose(builder.body_q[3], transform_multiply(np.array(builder.body_q[2]), np.array([0.1, 0, 0, 0, 0, 0, 1.0])))
    model = builder.finalize(device="cpu")
    state = model.state()
    nt.eval_fk(model, model.joint_q, model.joint_qd, state)
    np.testing.assert_allclose(state.body_q.numpy(), np.array(builder.body_q), atol=1e-6)
    add(ARM, builder)
    with pytest.raises(ModelError, match="parent_body: got body 'r/a' of articulation 'r'; allowed: a body of the articulation added last"):
        add(ARM, builder, parent_body=1)
    loose = nt.ModelBuilder()
    loose.add_link(mass=1.0)
    with pytest.raises(ModelError, match="in no articulation"):
        add(ARM, loose, parent_body=0)


@pytest.mark.parametrize("options, reason", [
    ({"floating": True, "base_joint": {}}, "one of the two"),
    ({"floating": True, "parent_body": 0}, "free joint moves relative to the world"),
    ({"parent_body": 9}, "parent_body: got 9"),
    ({"base_joint": {"parent": 0}}, "base_joint: got parent"),
    ({"base_joint": {"joint_type": JointType.REVOLUTE}}, "0 sliding and 0 turning axes"),
    ({"base_joint": {}}, "joint_type"),
    ({"base_joint": {"joint_type": JointType.FIXED, "foo": 1}}, "'foo'"),
    ({"scale": 0.0}, "scale: got 0.0"),
    ({"joint_ordering": "up"}, "joint_ordering: got 'up'"),
    ({"joint_damping_mode": "x"}, "joint_damping_mode: got 'x'"),
    ({"override_root_xform": True}, "True without xform"),
])  # fmt: skip
def test_arguments_that_do_not_fit(options: dict, reason: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_body(mass=1.0)
    with pytest.raises(ModelError, match=reason):
        add(ARM, builder, **options)
    assert builder.body_count == 1


def test_order_of_joints_and_bodies() -> None:
    parts = [link(name) for name in ("d", "b", "a", "c", "e")]
    text = robot(*parts, joint("jc", "b", "c"), joint("jb", "a", "b"), joint("je", "c", "e"), joint("jd", "a", "d"))

    def names(**options) -> tuple[str, str]:
        builder = add(text, **options)
        return "".join(x[-1] for x in builder.body_label), "".join(x[-1] for x in builder.joint_label[1:])

    assert names() == ("abced", "bced")
    assert names(joint_ordering="bfs") == ("abdce", "bdce")
    assert names(joint_ordering=None) == ("acbed", "cbed")
    assert names(bodies_follow_joint_ordering=False) == ("dbace", "bced")
    flat = nt.ModelBuilder()
    model = add(text, flat, joint_ordering=None).finalize(device="cpu")
    assert model.joint_count == 5


def test_self_collisions() -> None:
    assert set(add(ARM, floating=True).shape_collision_filter_pairs) == {(0, 1), (1, 2)}  # neighbours only
    assert set(add(ARM).shape_collision_filter_pairs) == {(1, 2)}  # and not the base, which cannot move
    assert set(add(ARM, enable_self_collisions=False).shape_collision_filter_pairs) == {(0, 1), (1, 2), (0, 2)}


BLOCK = '<collision><geometry><box size="1 1 0.2"/></geometry></collision>'
MOUNTED = robot(link("base", inertial() + BLOCK), link("plate", inertial() + SHAPE), link("arm", inertial() + SHAPE), link("hand", inertial() + SHAPE),
                joint("fix", "base", "plate", "fixed", '<origin xyz="0.2 0 0.12"/>'), joint("ja", "plate", "arm", "continuous", '<origin xyz="0.03 0 0.02"/><axis xyz="0 1 0"/>'),
                joint("jb", "arm", "hand", "continuous", '<origin xyz="0.02 0 0.004"/><axis xyz="0 1 0"/>'))  # fmt: skip


@pytest.mark.parametrize("collapse", [False, True], ids=["bodies", "collapsed"])
@pytest.mark.parametrize("order", ["dfs", None])
def test_links_touch_a_base_that_cannot_move(collapse: bool, order: str | None, device: str) -> None:
    """Link ``arm`` touches ``base`` and ``plate``, ``hand`` both of them and not ``arm``: as in MuJoCo."""
    builder = nt.ModelBuilder()
    nt.SolverMuJoCo.register_custom_attributes(builder)
    add(MOUNTED, builder, collapse_fixed_joints=collapse, joint_ordering=order)
    m = mjw.put_model(convert(builder.finalize(device="cpu")), device=device)
    d = mjw.make_data(m, 2)
    turn = np.array([[0.0, 0.0], [0.3, -0.4]])
    d.qpos.assign(turn.astype(np.float32))
    mjw.forward(m, d)
    oracle = mujoco.MjModel.from_xml_string(MOUNTED)
    for world in range(2):
        data = mujoco.MjData(oracle)
        data.qpos[:] = turn[world]
        mujoco.mj_forward(oracle, data)
        count = int(d.ncon.numpy()[world])
        assert count == data.ncon > 3
        np.testing.assert_allclose(np.sort(d.contact.dist.numpy()[world, :count]), np.sort(data.contact.dist), atol=1e-5)


def test_links_do_not_touch_a_neighbour_that_moves(device: str) -> None:
    builder = add(MOUNTED, floating=True)
    assert {tuple(sorted(pair)) for pair in builder.shape_collision_filter_pairs} == {(0, 1), (1, 2), (2, 3)}
    tower = add(ARM, floating=False)
    add(ARM, tower, parent_body=0)
    assert set(tower.shape_collision_filter_pairs) >= {(1, 2), (4, 5)} and (3, 4) not in tower.shape_collision_filter_pairs
    add(ARM, tower, parent_body=1)
    assert (6, 7) in tower.shape_collision_filter_pairs


CHAIN = robot(link("base"), link("a", inertial(1.0, origin='xyz="0.1 0 0"')), link("tool", inertial(0.5) + SHAPE), link("b", inertial(0.7)),
              joint("ja", "base", "a", inside=AT), joint("jt", "a", "tool", "fixed", AT), joint("jb", "tool", "b", inside=AT + '<axis xyz="0 1 0"/>'))  # fmt: skip


def accelerations(builder: nt.ModelBuilder, device: str) -> np.ndarray:
    """Of two unequal worlds."""
    from newtonish.convert import convert

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = mjw.put_model(convert(builder.finalize(device="cpu")), device=device)
        d = mjw.make_data(m, 2)
    rng = np.random.default_rng(7)
    d.qpos.assign(rng.uniform(-1, 1, (2, m.nq)).astype(np.float32))
    d.qvel.assign(rng.uniform(-1, 1, (2, m.nv)).astype(np.float32))
    mjw.forward(m, d)
    return d.qacc.numpy()


def test_collapsed_joints_leave_the_dynamics(device: str) -> None:
    plain, merged = add(CHAIN), add(CHAIN, collapse_fixed_joints=True)
    assert plain.body_count == 4 and merged.body_count == 2
    assert [label[2:] for label in merged.joint_label] == ["ja", "jb"]
    wanted = accelerations(plain, device)
    np.testing.assert_allclose(accelerations(merged, device), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    fused = add(CHAIN.replace("</robot>", '<mujoco><compiler fusestatic="true"/></mujoco></robot>'))
    assert fused.body_count == 2


def test_a_massless_root_can_be_merged_alone() -> None:
    text = robot(link("foot", ""), link("base"), link("cam", ""), link("tool"), joint("f", "foot", "base", "fixed"), joint("c", "base", "cam", "fixed"),
                 joint("t", "base", "tool", "fixed"))  # fmt: skip
    assert add(text, floating=True).body_count == 4
    merged = add(text, floating=True, collapse_massless_fixed_root=True)
    assert [label[2:] for label in merged.body_label] == ["foot", "cam", "tool"] and merged.body_mass[0] == 1.0
    assert add(text, collapse_massless_fixed_root=True).body_count == 4  # a fixed root may be massless
    assert add(ARM, floating=True, collapse_massless_fixed_root=True).body_count == 3


def test_a_base_joint_must_move_mass() -> None:
    rail = {"joint_type": JointType.PRISMATIC, "linear_axes": [nt.ModelBuilder.JointDofConfig(axis=(1.0, 0.0, 0.0))]}
    with pytest.raises(ImporterError, match="link 'base': got zero mass"):
        add(robot(link("base", "")), base_joint=rail)
    assert add(robot(link("base", "")), base_joint={"joint_type": JointType.FIXED}).body_count == 1


def test_a_link_alone_is_a_robot() -> None:
    builder = add(robot(link("box", inertial() + SHAPE)), floating=True)
    assert builder.body_count == builder.joint_count == builder.articulation_count == 1


def test_a_failed_import_leaves_the_builder_alone() -> None:
    builder = add(ARM)
    before = builder.entity_counts()
    with pytest.raises(ImporterError):
        add(ARM.replace('link="b"', 'link="x"'), builder)
    assert builder.entity_counts() == before and len(builder.import_reports) == 1
