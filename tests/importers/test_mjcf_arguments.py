"""Arguments of Newton's add_mjcf that say how a file's roots stand and what of it is taken: the same model as Newton's importer makes."""

import inspect

import mujoco
import newton
import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError, ModelError
from newtonish.importers.mjcf import load

XFORM = wp.transform((0.3, -0.2, 1.0), wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 0.7))
ARM = """<mujoco model="arm"><compiler angle="radian"/>
  <default><default class="extra"><geom contype="1"/></default></default>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 0.1"/>
    <body name="base" pos="0.1 0.2 0.3" quat="0.8 0.6 0 0">{root}
      <geom name="foot" type="box" size="0.1 0.2 0.05" density="500"/>
      <geom name="knob" class="extra" type="sphere" size="0.08" pos="0 0 0.1"/>
      <body name="upper" pos="0 0 0.2" quat="0.9 0 0.4 0.1">
        <joint name="shoulder" axis="0 1 0" range="-1 1" armature="0.02"/>
        <geom name="upper" type="capsule" size="0.04 0.2" pos="0 0 0.15"/>
        <body name="lower" pos="0 0 0.3" childclass="extra"><joint name="elbow" axis="1 0 0" armature="0.01"/>
          <geom name="lower" type="box" size="0.03 0.03 0.2"/></body>
      </body>
    </body>
  </worldbody></mujoco>"""
HINGE = '<joint name="turn" axis="0 0 1"/>'
FREE = '<freejoint name="root"/>'


def both(root: str = HINGE, up: str = "Z", **arguments):
    """The file through Newton's importer and ours, into builders of one up axis."""
    models = []
    for module in (newton, newtonish):
        builder = module.ModelBuilder(up_axis=module.Axis.from_any(up))
        given = {name: value(module) if callable(value) else value for name, value in arguments.items()}
        builder.add_mjcf(ARM.format(root=root), **given)
        models.append(builder.finalize(device="cpu"))
    return models


def agree(theirs, ours) -> None:
    """Joints with their frames, bodies with poses and masses, and where everything is after forward kinematics."""
    assert ours.joint_type.numpy().tolist() == theirs.joint_type.numpy().tolist()
    assert ours.joint_parent.numpy().tolist() == theirs.joint_parent.numpy().tolist()
    for name in ("body_mass", "joint_armature", "joint_limit_lower", "joint_axis"):
        np.testing.assert_allclose(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), rtol=1e-4, atol=1e-5, err_msg=name)
    rng = np.random.default_rng(0)
    q = theirs.joint_q.numpy() + 0.0
    np.testing.assert_allclose(rotations(ours.joint_q.numpy()), rotations(q), atol=1e-5)
    hinges = [int(s) for s, kind in zip(theirs.joint_q_start.numpy(), theirs.joint_type.numpy(), strict=False) if kind in (0, 1)]
    q[hinges] += 0.3 * rng.standard_normal(len(hinges))
    poses = []
    for module, model in ((newton, theirs), (newtonish, ours)):
        state = model.state()
        state.joint_q.assign(q)
        module.eval_fk(model, state.joint_q, state.joint_qd, state)
        poses.append(state.body_q.numpy())
    np.testing.assert_allclose(poses[1][:, :3], poses[0][:, :3], atol=2e-6)
    np.testing.assert_allclose(np.abs((poses[1][:, 3:] * poses[0][:, 3:]).sum(axis=1)), 1.0, atol=1e-6)


def rotations(q: np.ndarray) -> np.ndarray:
    """Coordinates with the sign of a free root's quaternion made one."""
    return np.concatenate([q[:3], q[3:7] * np.sign(q[6]), q[7:]]) if len(q) >= 9 else q


D6 = {"joint_type": 6}


def slider(module) -> dict:
    """Two sliding axes and a turning one in place of the root's joint."""
    axis = module.ModelBuilder.JointDofConfig
    return {"joint_type": module.JointType.D6, "linear_axes": [axis(axis=(1, 0, 0)), axis(axis=(0, 1, 0))], "angular_axes": [axis(axis=(0, 0, 1))]}


@pytest.mark.parametrize(
    ("root", "arguments"),
    [
        (HINGE, {"floating": True}),
        (FREE, {"floating": True}),
        ("", {"floating": True, "xform": XFORM}),
        (FREE, {"floating": False, "xform": XFORM}),
        (HINGE, {"floating": False}),
        (FREE, {"base_joint": slider}),
        (HINGE, {"base_joint": slider, "xform": XFORM}),
        (FREE, {"override_root_xform": True, "xform": XFORM}),
        (HINGE, {"override_root_xform": True, "xform": XFORM}),
        (HINGE, {"armature_scale": 2.5}),
        (HINGE, {"ignore_classes": ["ext"]}),
        (HINGE, {"up_axis": "Y"}),
        (FREE, {"up_axis": "Y", "xform": XFORM}),
        (HINGE, {"up": "Y"}),
        (HINGE, {"up": "X", "up_axis": "Y"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else {"": "none", HINGE: "hinge", FREE: "free"}[value],
)
def test_roots_are_as_newtons_importer_makes_them(root, arguments):
    agree(*both(root, **arguments))


def test_the_importer_takes_newtons_arguments():
    """The same names with the same defaults."""
    parameters = [inspect.signature(add).parameters for add in (newton.ModelBuilder.add_mjcf, load.add_mjcf)]
    theirs, ours = ({name: p.default for name, p in found.items() if name not in ("self", "builder")} for found in parameters)
    theirs["up_axis"] = newtonish.Axis(int(theirs["up_axis"]))
    assert theirs == {name: ours[name] for name in theirs}


def test_gravity_turns_with_the_axes_of_the_file():
    text = '<mujoco><option gravity="0 -9 0.5" wind="0 1 0" density="1.2"/><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(text, up_axis="Y")
    np.testing.assert_allclose(builder.gravity, (0, -0.5, -9), atol=1e-6)
    np.testing.assert_allclose(builder.finalize().mujoco.wind.numpy()[0], (0, 0, 1), atol=1e-6)


def test_shapes_of_a_file_can_be_kept_apart():
    """No pair of the file's own is left to collide, and those with other shapes stay."""
    counts = []
    for own in (True, False):
        builder = newtonish.ModelBuilder()
        builder.add_mjcf(ARM.format(root=FREE), enable_self_collisions=own)
        builder.add_shape_sphere(-1, radius=0.1)
        m = mjw.put_model(convert(builder.finalize()), broadphase=0)
        pairs = np.stack([m.collide_geom1.numpy(), m.collide_geom2.numpy()], axis=-1)
        sphere = m.names["geom"].index(builder.shape_label[-1])
        counts.append((len(pairs), int((pairs == sphere).any(axis=1).sum())))
    assert counts[0][0] > counts[0][1] == counts[1][1] > 0
    assert counts[1][0] == counts[1][1]


def test_massless_free_roots_go_and_other_fixed_bodies_stay():
    """As Newton does; and the model is that of a file written so."""
    text = """<mujoco><worldbody><body name="frame" pos="0 0 1"><freejoint/>
        <body name="mount" pos="0.1 0 0"><body name="trunk" pos="0 0.2 0" quat="0.9 0.1 0 0.3"><geom type="box" size="0.2 0.1 0.1"/>
          <body name="plate" pos="0.3 0 0"><geom size="0.05"/></body>
          <body name="leg" pos="0 0 -0.2"><joint axis="0 1 0"/><geom type="capsule" size="0.03 0.1"/></body></body></body></body>
      </worldbody></mujoco>"""
    models = []
    for module in (newton, newtonish):
        builder = module.ModelBuilder()
        builder.add_mjcf(text, collapse_massless_fixed_root=True)
        models.append(builder.finalize(device="cpu"))
    theirs, ours = models
    assert ours.joint_type.numpy().tolist() == theirs.joint_type.numpy().tolist()
    for name in ("body_mass", "body_com"):
        np.testing.assert_allclose(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), atol=1e-5, err_msg=name)
    compiled, mjm = convert(ours), mujoco.MjModel.from_xml_string(text)
    assert [name.split("/")[-1] for name in compiled.body_names] == ["world", "frame", "plate", "leg"]
    moved = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, moved)
    assert compiled.body_subtreemass[1] == pytest.approx(mjm.body_subtreemass[1], rel=1e-6)
    np.testing.assert_allclose(compiled.dof_invweight0[6], mjm.dof_invweight0[6], rtol=1e-4)


def test_keyframes_of_other_roots_are_left_out():
    text = ARM.format(root=FREE).replace("</worldbody>", "</worldbody><keyframe><key name='k' qpos='0 0 1 1 0 0 0 0 0'/></keyframe>")
    with pytest.warns(newtonish.NewtonishWarning, match=r"key 'k'.*other joints"):
        builder = newtonish.ModelBuilder()
        builder.add_mjcf(text, floating=False)
    assert convert(builder.finalize()).nkey == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"floating": True, "base_joint": D6}, "floating and base_joint"),
        ({"override_root_xform": True}, "without xform"),
        ({"base_joint": {**D6, "parent": 0}}, "'parent'"),
    ],
)
def test_contradictions_are_errors(arguments, words):
    with pytest.raises(ModelError, match=words):
        newtonish.ModelBuilder().add_mjcf(ARM.format(root=HINGE), **arguments)


def test_free_joints_stand_in_the_world():
    builder = newtonish.ModelBuilder()
    body = builder.add_body(mass=1.0)
    with pytest.raises(ModelError, match="parent_body"):
        builder.add_mjcf(ARM.format(root=HINGE), floating=True, parent_body=body)


def test_what_refers_to_joints_that_are_gone_is_an_error():
    text = ARM.format(root=HINGE).replace("</worldbody>", '</worldbody><actuator><motor joint="turn"/></actuator>')
    with pytest.raises(ImporterError, match="turn"):
        newtonish.ModelBuilder().add_mjcf(text, floating=False)


RIG = """<mujoco model="rig"><worldbody><geom name="floor" type="plane" size="1 1 1"/><geom size=".1" pos="2 0 0"/>
  <body name="left-leg"><freejoint name="f"/><geom name="g" size=".1"/><geom size=".1"/><site name="s"/>
    <body><joint name="h1"/><joint name="h2" axis="0 1 0"/><geom size=".1"/><body name="c"><joint/><geom size=".1"/></body></body></body>{}</worldbody>
  <actuator><motor name="m" joint="h1"/></actuator><sensor><jointpos joint="h2"/></sensor></mujoco>"""


@pytest.mark.parametrize("more", ('<body name="b"><geom size=".1"/></body>', ""))
@pytest.mark.parametrize("title", ("rig", ""))
def test_labels_may_be_newtons_paths(more: str, title: str) -> None:
    """Patterns by which scripts for Newton choose bodies, joints and articulations match; the model is the same otherwise."""
    text = RIG.format(more).replace(' model="rig"', f' model="{title}"' if title else "")
    ours, named, theirs = newtonish.ModelBuilder(), newtonish.ModelBuilder(), newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(theirs)
    ours.add_mjcf(text, path_labels=True)
    named.add_mjcf(text)
    theirs.add_mjcf(text)
    for kind in ("body", "joint", "articulation"):
        assert list(getattr(ours, f"{kind}_label")) == list(getattr(theirs, f"{kind}_label")), kind
    assert set(ours.shape_label) == set(theirs.shape_label) and "left-leg" in named.body_label
    with_paths, plain = (convert(builder.finalize(device="cpu")) for builder in (ours, named))
    np.testing.assert_array_equal(with_paths.actuator_trnid, plain.actuator_trnid)
    np.testing.assert_array_equal(with_paths.sensor_objid, plain.sensor_objid)
