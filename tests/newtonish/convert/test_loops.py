"""Joints that close loops: what they hold, against Newton's own conversion, and how well, in motion."""

import warnings

import newton
import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import SolverMuJoCo
from newtonish.convert import convert
from newtonish.convert.loops import HALF_SPAN
from newtonish.errors import ModelError, NewtonishWarning

CONNECT, WELD = 0, 1


def at(x: float, y: float, z: float, angle: float = 0.0) -> wp.transform:
    """A frame turned about x."""
    return wp.transform((x, y, z), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), angle))


def four_bar(kind: str = "revolute", height: float = 1.0, builder_type: type = newtonish.ModelBuilder, **axis):
    """A crank, a coupler and a rocker as a chain from the world, and a joint back to the world at its end."""
    builder = builder_type()
    if builder_type is newtonish.ModelBuilder:
        SolverMuJoCo.register_custom_attributes(builder)
    inertia = wp.mat33(0.02, 0.0, 0.0, 0.0, 0.03, 0.0, 0.0, 0.0, 0.025)
    links = [builder.add_link(mass=0.5 + 0.2 * i, inertia=inertia, com=wp.vec3(0.0, 0.0, 0.0), label=f"l{i}") for i in range(3)]
    joints = [builder.add_joint_revolute(-1, links[0], axis=(0, 1, 0), parent_xform=at(0, 0, 0), child_xform=at(0, 0, -height / 2), label="crank")]
    joints.append(builder.add_joint_revolute(links[0], links[1], axis=(0, 1, 0), parent_xform=at(0, 0, height / 2), child_xform=at(-0.5, 0, 0), label="knee"))
    joints.append(builder.add_joint_revolute(links[1], links[2], axis=(0, 1, 0), parent_xform=at(0.5, 0, 0), child_xform=at(0, 0, height / 2), label="rocker"))
    builder.add_articulation(joints)
    frames = {"parent_xform": at(1.0, 0, 0, 0.3), "child_xform": at(0, 0, -height / 2, 0.3), "label": "closing"}
    # in the closing joint's frame, which is turned about x, the hinge's axis is that of the others
    hinge = (0.0, float(np.cos(0.3)), float(-np.sin(0.3)))
    if kind == "revolute":
        builder.add_joint_revolute(-1, links[2], axis=hinge, **frames, **axis)
    elif kind == "prismatic":
        builder.add_joint_prismatic(-1, links[2], axis=(1, 0, 0), **frames, **axis)
    elif kind == "d6":
        config = builder_type.JointDofConfig
        builder.add_joint_d6(-1, links[2], angular_axes=[config(axis=hinge)], **frames)
    else:
        getattr(builder, f"add_joint_{kind}")(-1, links[2], **frames)
    return builder


def two_worlds(kind: str, heights: tuple[float, float] = (1.0, 0.8), **axis) -> newtonish.Model:
    scene = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    for height in heights:
        scene.add_world(four_bar(kind, height, **axis))
    return scene.finalize(device="cpu")


@pytest.mark.parametrize(("kind", "types"), [("revolute", [CONNECT] * 2), ("ball", [CONNECT]), ("fixed", [WELD]), ("d6", [CONNECT] * 2)])
def test_what_a_closing_joint_holds_follows_from_its_free_axes(kind, types) -> None:
    compiled = convert(two_worlds(kind))
    assert compiled.eq_type.tolist() == types
    assert (compiled.nq, compiled.nv) == (3, 3)
    assert compiled.eq_obj1id.tolist() == [0] * len(types)
    assert compiled.eq_obj2id.tolist() == [3] * len(types)
    for world, height in enumerate((1.0, 0.8)):
        data = compiled.world("eq_data", world)
        if kind == "fixed":
            np.testing.assert_allclose(data[0, :6], [0, 0, -height / 2, 1.0, 0, 0], atol=1e-7)
            np.testing.assert_allclose(data[0, 6:11], [1, 0, 0, 0, 1], atol=1e-7)
            continue
        for row, side in zip(data, (-1, 1) if len(types) == 2 else (0,)):
            along = np.array([0.0, side * HALF_SPAN, 0.0])
            np.testing.assert_allclose(row[:3], np.array([1.0, 0, 0]) + along, atol=1e-7)
            np.testing.assert_allclose(row[3:6], np.array([0, 0, -height / 2]) + along, atol=1e-7)


@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed", "d6"])
def test_closures_are_newtons(kind) -> None:
    """The same builder's calls through Newton and its own conversion."""
    theirs = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(theirs)
    theirs.add_world(four_bar(kind, builder_type=newton.ModelBuilder))
    model = theirs.finalize(device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True, kinematic_switchable_roots=False).mj_model
    compiled = convert(model)  # Newton's own model
    for name in ("eq_type", "eq_obj1id", "eq_obj2id", "eq_active0"):
        np.testing.assert_array_equal(getattr(compiled, name), getattr(oracle, name), err_msg=name)
    same = slice(6, 11) if kind == "fixed" else slice(0, 6)  # a weld is held at another of its points there
    np.testing.assert_allclose(compiled.eq_data[:, same], oracle.eq_data[:, same], atol=1e-6)


def test_a_loop_that_cannot_be_closed_and_drives_that_are_left_out_are_said() -> None:
    with pytest.warns(NewtonishWarning, match=r"joint 'closing'.*1 sliding and 0 turning.*stays open"):
        assert convert(two_worlds("prismatic")).neq == 0
    with pytest.warns(NewtonishWarning, match=r"joint 'closing'.*a drive, limits.*left out"):
        assert convert(two_worlds("revolute", target_ke=5.0, armature=0.1)).nactuator == 0


def test_a_disabled_closing_joint_holds_nothing() -> None:
    assert not convert(two_worlds("revolute", enabled=False)).eq_active0.any()


def test_a_closing_joint_may_be_on_in_some_worlds() -> None:
    model = two_worlds("revolute")
    enabled = model.joint_enabled.numpy()
    closing = [i for i, articulation in enumerate(model.joint_articulation.numpy()) if articulation < 0]
    assert len(closing) == 2
    enabled[closing[1]] = False
    model.joint_enabled.assign(enabled)
    compiled = convert(model)
    assert compiled.world("eq_active0", 0).all() and not compiled.world("eq_active0", 1).any()


def test_a_row_that_stands_for_a_closing_joint_takes_its_place() -> None:
    """Newton's importers write constraints of a file twice: as a row, and as a joint that the row names."""
    scene = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    for world in range(2):
        scene.add_world(four_bar("ball"))
        keys = ("type", "body1", "body2", "anchor", "target_kind", "target", "world")
        row = (CONNECT, -1, 3 * world + 2, (1.0, 0.0, 0.0), 1, 4 * world + 3, world)
        scene.add_custom_values(**{f"mujoco:equality_constraint_{key}": value for key, value in zip(keys, row)})
    compiled = convert(scene.finalize(device="cpu"))
    assert compiled.eq_type.tolist() == [CONNECT]
    np.testing.assert_allclose(compiled.eq_data[0, :3], [1, 0, 0])
    assert (compiled.nq, compiled.nv) == (3, 3)


def test_two_joints_of_an_articulation_above_one_body_are_named() -> None:
    model = two_worlds("revolute")
    articulation = model.joint_articulation.numpy()
    articulation[[3, 7]] = 0, 1
    model.joint_articulation.assign(articulation)
    with pytest.raises(ModelError, match=r"joint 'closing'.*second joint of an articulation to body 'l2'"):
        convert(model)


def gap(model, state) -> np.ndarray:
    """Distance of the two frames of the closing joint in each world, and the angle between their axes."""
    poses, result = state.body_q.numpy(), []
    for world in range(2):
        child = wp.transform(*poses[3 * world + 2])
        tip = child * wp.transform(*model.joint_X_c.numpy()[4 * world + 3])
        seat = wp.transform(*model.joint_X_p.numpy()[4 * world + 3])
        axis = wp.vec3(*model.joint_axis.numpy()[4 * world + 3])
        turned = [np.array(wp.quat_rotate(wp.transform_get_rotation(x), axis)) for x in (tip, seat)]
        distance = wp.length(wp.transform_get_translation(tip) - wp.transform_get_translation(seat))
        result.append((distance, np.linalg.norm(turned[0] - turned[1])))
    return np.array(result)


def test_a_four_bar_linkage_swings_and_stays_closed() -> None:
    model = two_worlds("revolute")
    solver = SolverMuJoCo(model)
    state, control = model.state(), model.control()
    speed = state.joint_qd.numpy()
    speed[[0, 4]] = 0.3, 0.8  # the closed linkage lets crank and rocker turn together
    speed[[2, 6]] = speed[[0, 4]]
    speed[[1, 5]] = -speed[[0, 4]]
    state.joint_qd.assign(speed)
    before = state.joint_q.numpy().copy()
    worst, reach = np.zeros((2, 2)), 0.0
    for _ in range(400):
        solver.step(state, state, control, None, 0.002)
        worst = np.maximum(worst, gap(model, state))
        reach = max(reach, float(np.abs(state.joint_q.numpy()[[0, 4]]).min()))
    assert reach > 0.5  # both worlds moved by half a radian or more
    assert worst[:, 0].max() < 1e-3  # metres, on links of one metre
    assert worst[:, 1].max() < 1e-4
    # the closing joint has no coordinate in the simulation: its entries stay what they were
    np.testing.assert_array_equal(state.joint_q.numpy()[[3, 7]], before[[3, 7]])
    assert not np.allclose(state.joint_q.numpy()[[0, 1, 2]], state.joint_q.numpy()[[4, 5, 6]])


def test_a_loop_that_is_open_at_first_is_pulled_together() -> None:
    model = two_worlds("ball")
    solver = SolverMuJoCo(model)
    state = model.state()
    start = state.joint_q.numpy()
    start[[1, 8]] = 0.05, -0.03  # of three hinges and a ball's four coordinates a world
    state.joint_q.assign(start)
    newtonish.eval_fk(model, state.joint_q, state.joint_qd, state)
    opened = gap(model, state)[:, 0]
    assert opened.min() > 0.02
    for _ in range(100):
        solver.step(state, state, None, None, 0.002)
    assert gap(model, state)[:, 0].max() < 0.05 * opened.min()
