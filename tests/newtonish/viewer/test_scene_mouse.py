"""Cameras, picking and perturbation against MuJoCo's mouse hooks."""

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import shared_model
from scene_oracle import abstract_scene, free_cameras, pair

import newtonish
from newtonish.errors import ModelError
from newtonish.viewer.scene import Camera, CameraType, Kind, Mouse, Perturbation, PerturbBit, SceneMaker, pick
from newtonish.viewer.scene.picking import cast

ACTIONS = (Mouse.ROTATE_V, Mouse.ROTATE_H, Mouse.MOVE_V, Mouse.MOVE_H, Mouse.ZOOM)

CAMERAS = """<mujoco><statistic extent="1.5" center=".1 .2 .3"/><option timestep="0.002"/>
  <visual><map znear="0.02" zfar="30"/><global fovy="50" azimuth="30" elevation="-20"/></visual>
  <worldbody><camera name="room" pos="2 0 1" xyaxes="0 1 0 -.4 0 1" fovy="60"/>
   <body name="arm" pos="0 0 1"><joint axis="0 1 0" pos=".1 0 0"/><geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/>
    <camera name="fixed" pos="0 -1 .2" euler="80 0 5"/><camera name="track" mode="track" pos="0 -1 .2" euler="80 0 5"/>
    <camera name="trackcom" mode="trackcom" pos="0 -1 .2" euler="80 0 5"/>
    <camera name="at" mode="targetbody" target="hand" pos="0 -1 .2"/>
    <camera name="atcom" mode="targetbodycom" target="hand" pos="0 -1 .2"/>
    <camera name="flat" projection="orthographic" fovy="2" pos="0 -1 .2" euler="80 0 5"/>
    <camera name="lens" pos="0 -1 .2" euler="80 0 5" resolution="640 480" sensorsize="0.004 0.003" focal="0.003 0.0032"
            principal="0.0004 -0.0002"/>
    <body name="hand" pos=".5 0 0"><joint axis="0 1 0"/><geom type="box" size=".1 .05 .05" pos=".1 0 0"/></body>
   </body></worldbody></mujoco>"""


def assert_same_camera(pose, theirs):
    """Eye, directions and frustum."""
    left, right = theirs.camera
    assert np.allclose(pose.position, 0.5 * (np.array(left.pos) + np.array(right.pos)), atol=3e-5)
    assert np.allclose(pose.forward, left.forward, atol=1e-5)
    assert np.allclose(pose.up, left.up, atol=1e-5)
    ours = [pose.bottom, pose.top, pose.near, pose.far, pose.center, float(pose.orthographic)]
    wanted = [left.frustum_bottom, left.frustum_top, left.frustum_near, left.frustum_far, left.frustum_center, left.orthographic]
    assert np.allclose(ours, wanted, rtol=1e-5, atol=1e-7)


def test_the_free_camera_follows_the_mouse():
    """A series of movements of every kind leaves the same camera as mjv_moveCamera, redrawn after each."""
    both = pair(CAMERAS, seed=1)
    camera, theirs = free_cameras(both)
    scene = abstract_scene(both, camera=theirs)
    random = np.random.default_rng(0)
    for turn in range(40):
        pose = both.maker.camera_pose(camera, both.state)
        assert_same_camera(pose, scene)
        action, dx, dy = ACTIONS[turn % 5], *random.uniform(-0.3, 0.3, 2)
        both.maker.move_camera(camera, action, dx, dy, pose)
        mujoco.mjv_moveCamera(both.mjm, int(action), dx, dy, theirs)
        assert np.allclose(camera.lookat, theirs.lookat, atol=1e-5)
        assert np.allclose([camera.azimuth, camera.elevation, camera.distance], [theirs.azimuth, theirs.elevation, theirs.distance], rtol=1e-5)
        scene = abstract_scene(both, camera=theirs)


@pytest.mark.parametrize("name", ["room", "fixed", "track", "trackcom", "at", "atcom", "flat", "lens"])
def test_cameras_of_the_model(name):
    """Their pose by their mode, and their lens."""
    both = pair(CAMERAS, seed=2)
    theirs = mujoco.MjvCamera()
    theirs.type, theirs.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, both.mjm.camera(name).id
    assert_same_camera(both.maker.camera_pose(Camera.of_model(name), both.state), abstract_scene(both, camera=theirs))


def test_a_tracking_camera_follows_the_centre_of_mass():
    """Of the body with all that is attached to it; the mouse turns it and does not move it."""
    both = pair(CAMERAS, seed=4)
    body = both.mjm.body("arm").id
    theirs = free_cameras(both)[1]
    theirs.type, theirs.trackbodyid = mujoco.mjtCamera.mjCAMERA_TRACKING, body
    ours = Camera.tracking(int(both.maker.tables.maps.mjc_body[0, body]), azimuth=theirs.azimuth, elevation=theirs.elevation,
                           distance=theirs.distance)  # fmt: skip
    pose = both.maker.camera_pose(ours, both.state)
    assert_same_camera(pose, abstract_scene(both, camera=theirs))
    before = ours.lookat.copy()
    both.maker.move_camera(ours, Mouse.MOVE_V, 0.3, 0.1, pose)
    assert np.array_equal(before, ours.lookat)


def test_a_wrong_camera_is_named():
    """With the names there are."""
    both = pair(CAMERAS)
    with pytest.raises(ModelError, match="'room'"):
        both.maker.camera_pose(Camera.of_model("kitchen"), both.state)
    with pytest.raises(ModelError, match="choose a body"):
        both.maker.camera_pose(Camera.tracking(99), both.state)


@pytest.mark.parametrize("up", ["Y", "X"])
def test_other_axes_up(up):
    """The camera's picture of a model with another axis up is level: what is up in the model is up in the picture."""
    builder = newtonish.ModelBuilder(up_axis=newtonish.Axis[up])
    builder.add_body()
    model = builder.finalize()
    maker = SceneMaker(model)
    camera = maker.free_camera()
    pose = maker.camera_pose(camera, model.state())
    vertical = np.array(newtonish.Axis[up].to_vector())
    assert pose.up @ vertical == pytest.approx(np.cos(np.radians(45)))
    assert pose.right @ vertical == pytest.approx(0.0, abs=1e-12)
    before = camera.lookat.copy()
    maker.move_camera(camera, Mouse.MOVE_V, 0.0, 0.2, pose)
    assert np.allclose(np.cross(camera.lookat - before, vertical), 0.0, atol=1e-12) and (camera.lookat - before) @ vertical > 0


@pytest.mark.parametrize("name", ["dm_humanoid/humanoid.xml", "unitree_g1/scene.xml", "gym_ant/ant.xml", "dmc_manipulator/manipulator.xml"])
def test_picking_finds_what_mujoco_finds(name):
    """At points all over the picture: the same geom and body, at the same place."""
    both = pair(shared_model(name), seed=5)
    camera, theirs = free_cameras(both)
    for one in (camera, theirs):
        one.distance = 0.8 * one.distance
    scene = abstract_scene(both, camera=theirs)
    ours = both.maker.make(both.state, camera=camera)
    shapes, option, found = both.shapes(), mujoco.MjvOption(), 0
    for x in np.linspace(0.05, 0.95, 10):
        for y in np.linspace(0.05, 0.95, 10):
            point = np.zeros(3)
            geom, flex, skin = (np.zeros((1, 1), dtype=np.int32) for _ in range(3))
            body = mujoco.mjv_select(both.mjm, both.mjd, option, 1.5, x, y, scene, point, geom, flex, skin)
            picked = pick(ours, ours.camera, x, y, 1.5)
            if body < 0:
                assert picked is None
                continue
            found += 1
            assert picked.kind == Kind.GEOM
            assert picked.index == shapes[geom[0, 0]]
            assert picked.body == both.maker.tables.maps.mjc_body[0, body]
            assert np.allclose(picked.point, point, atol=1e-4 * both.maker.extent + 2e-4)
    assert found > 20


PUSH = """<mujoco><option timestep="0.002"/><visual><map stiffness="80" stiffnessrot="300"/></visual><worldbody>
   <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .05" pos=".02 .01 0" euler="10 20 30"/>
     <body name="tail" pos=".3 0 0"><joint axis="0 1 0" armature=".01"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body></body>
   <body name="hand" mocap="true" pos="1 0 1" euler="0 0 40"><geom size=".05"/></body>
   <body name="arm" pos="-1 0 1"><joint axis="0 0 1"/><geom type="capsule" size=".04" fromto="0 0 0 .4 0 0"/></body>
 </worldbody></mujoco>"""


def dragging(name, active):
    """Both sides with a body selected, dragging begun, in motion."""
    both = pair(PUSH, seed=3, solver=True)
    random = np.random.default_rng(1)
    maps = both.maker.tables.maps
    qvel = random.uniform(-1, 1, both.mjm.nv)
    both.mjd.qvel[:] = qvel
    mujoco.mj_forward(both.mjm, both.mjd)
    push_velocities(both, maps)
    camera, theirs = free_cameras(both)
    scene = abstract_scene(both, camera=theirs)
    pose = both.maker.camera_pose(camera, both.state)
    body = both.mjm.body(name).id
    local = np.array([0.05, 0.02, 0.01])
    pert = mujoco.MjvPerturb()
    pert.select, pert.localpos = body, local
    mujoco.mjv_initPerturb(both.mjm, both.mjd, scene, pert)
    pert.active = int(active)
    ours = Perturbation()
    link = int(maps.mjc_body[0, body])
    point = both.mjd.xpos[body] + both.mjd.xmat[body].reshape(3, 3) @ local
    ours.select(both.maker, both.state, link, point)
    assert np.allclose(ours.localpos, local, atol=1e-6)
    ours.start(both.maker, both.state, pose, active)
    return both, scene, pose, pert, ours, body, link


def push_velocities(both, maps):
    """MuJoCo's velocities of bodies, as Newton's states have them: body_qd is what the perturbation reads."""
    qd = both.state.body_qd.numpy()
    for body in range(1, both.mjm.nbody):
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(both.mjm, both.mjd, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
        qd[maps.mjc_body[0, body]] = [*velocity[3:], *velocity[:3]]
    both.state.body_qd.assign(qd)


@pytest.mark.parametrize("active", [PerturbBit.TRANSLATE, PerturbBit.ROTATE])
@pytest.mark.parametrize("name", ["box", "tail", "arm"])
def test_the_spring_is_mujocos(name, active):
    """Mass felt at the point, reference after movements, and force and torque in motion."""
    both, scene, pose, pert, ours, body, link = dragging(name, active)
    assert ours.localmass == pytest.approx(pert.localmass, rel=1e-4)
    assert ours.scale == pytest.approx(pert.scale, rel=1e-4)
    random = np.random.default_rng(7)
    for turn in range(12):
        action = (Mouse.MOVE_V, Mouse.MOVE_H, Mouse.ROTATE_V, Mouse.ROTATE_H)[turn % 4]
        dx, dy = random.uniform(-0.2, 0.2, 2)
        mujoco.mjv_movePerturb(both.mjm, both.mjd, int(action), dx, dy, scene, pert)
        ours.move(both.maker, both.state, action, dx, dy, pose)
        assert np.allclose(ours.refpos, pert.refpos, atol=1e-5)
        assert np.allclose(ours.refselpos, pert.refselpos, atol=1e-5)
        assert abs(np.dot(ours.refquat, pert.refquat)) == pytest.approx(1.0, abs=1e-6)
        both.mjd.xfrc_applied[:] = 0
        mujoco.mjv_applyPerturbForce(both.mjm, both.mjd, pert)
        ours.apply(both.maker, both.state)
        wanted = both.mjd.xfrc_applied[body]
        assert np.allclose(both.state.body_f.numpy()[link], wanted, atol=2e-4 * np.abs(wanted).max() + 1e-6)
    ours.clear(both.state)
    assert not both.state.body_f.numpy().any()


@pytest.mark.parametrize("name", ["box", "tail", "hand"])
def test_what_is_moved_directly(name):
    """A mocap body always, a floating body and what is attached to it while paused: the body arrives where MuJoCo's does."""
    both, scene, pose, pert, ours, body, link = dragging(name, PerturbBit.TRANSLATE)
    for action in (Mouse.MOVE_V, Mouse.ROTATE_H):
        mujoco.mjv_movePerturb(both.mjm, both.mjd, int(action), 0.05, 0.02, scene, pert)
        ours.move(both.maker, both.state, action, 0.05, 0.02, pose)
    mujoco.mjv_applyPerturbPose(both.mjm, both.mjd, pert, int(name != "hand"))
    mujoco.mj_kinematics(both.mjm, both.mjd)
    ours.apply(both.maker, both.state, paused=name != "hand")
    q = both.state.body_q.numpy()[link]
    assert np.allclose(q[:3], both.mjd.xpos[body], atol=2e-5)
    assert abs(np.dot(q[[6, 3, 4, 5]], both.mjd.xquat[body])) == pytest.approx(1.0, abs=1e-6)
    assert not both.state.body_f.numpy().any()


def test_a_dragged_body_comes_along():
    """Simulated with the force, a box in weightlessness comes to rest where it is dragged to, swinging over once (damped at half of critical)."""
    both = pair(PUSH.replace("<option ", '<option gravity="0 0 0" '), solver=True)
    link = both.model.body_label.index(next(label for label in both.model.body_label if label.endswith("box")))
    camera = both.maker.free_camera()
    pose = both.maker.camera_pose(camera, both.state)
    ours = Perturbation()
    ours.select(both.maker, both.state, link, both.state.body_q.numpy()[link, :3])
    ours.start(both.maker, both.state, pose)
    ours.refselpos = ours.refselpos + np.array([0.0, 0.0, 0.3])
    heights = []
    for _ in range(1500):
        ours.apply(both.maker, both.state)
        both.maker.solver.step(both.state, both.state, both.model.control(), None, 0.002)
        heights.append(float(ours.point(both.maker.bodies(both.state))[2]))
    assert heights[-1] == pytest.approx(ours.refselpos[2], abs=5e-3)
    assert max(heights) < ours.refselpos[2] + 0.2 * 0.3
    assert isinstance(both.state.body_f, wp.array) and camera.type == CameraType.FREE


def test_each_of_two_unequal_worlds_is_seen_and_dragged_where_it_is_drawn():
    """Picking, cameras of the model and the spring in the second world, which is heavier and stands apart on the grid."""

    def one(xml):
        builder = newtonish.ModelBuilder()
        newtonish.solvers.SolverMuJoCo.register_custom_attributes(builder)
        builder.add_mjcf(xml)
        return builder

    heavy = CAMERAS.replace('size=".1 .05 .05"', 'size=".1 .08 .05"')
    builder = newtonish.ModelBuilder()
    builder.add_world(one(CAMERAS))
    builder.add_world(one(heavy))
    model = builder.finalize(device="cpu")
    maker, state = SceneMaker(model, newtonish.solvers.SolverMuJoCo(model)), model.state()
    poses = [maker.camera_pose(Camera.of_model("fixed", world), state) for world in range(2)]
    assert np.allclose(poses[1].position - poses[0].position, maker.offsets[1] - maker.offsets[0], atol=1e-5)
    masses = []
    for world, xml in enumerate((CAMERAS, heavy)):
        alone = pair(xml, solver=True)
        link = int(maker.tables.maps.mjc_body[world, alone.mjm.body("hand").id])
        target = state.body_q.numpy()[link, :3] + np.array([0.1, 0, 0]) + maker.offsets[world]
        found = cast(maker.make(state), target + np.array([0, 0, 3]), np.array([0.0, 0.0, -1.0]))
        assert (found.world, found.body) == (world, link)
        ours = Perturbation()
        ours.select(maker, state, link, found.point)
        ours.start(maker, state, poses[world])
        camera, theirs = free_cameras(alone)
        pert = mujoco.MjvPerturb()
        pert.select, pert.localpos = alone.mjm.body("hand").id, ours.localpos
        mujoco.mjv_initPerturb(alone.mjm, alone.mjd, abstract_scene(alone, camera=theirs), pert)
        assert ours.localmass == pytest.approx(pert.localmass, rel=1e-4)
        ours.refselpos = ours.refselpos + np.array([0, 0, 0.1])
        pert.active, pert.refselpos = 1, pert.refselpos + np.array([0, 0, 0.1])
        mujoco.mjv_applyPerturbForce(alone.mjm, alone.mjd, pert)
        ours.apply(maker, state)
        wanted = alone.mjd.xfrc_applied[pert.select]
        assert np.allclose(state.body_f.numpy()[link], wanted, atol=1e-3 * np.abs(wanted).max())
        masses.append(ours.localmass)
    assert masses[1] > 1.05 * masses[0]
