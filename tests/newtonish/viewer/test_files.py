"""Viewers without a window: Newton's interface, recordings written and read again, replay, and what a damaged file says."""

import json

import newton
import numpy as np
import pytest

import newtonish
from newtonish.assets import asset_path
from newtonish.errors import ImporterError, ModelError
from newtonish.viewer import Replay, Simulation, ViewerFile, ViewerNull
from newtonish.viewer.base import ViewerBase
from newtonish.viewer.file import is_recording
from newtonish.viewer.record import RunSink
from newtonish.viewer.scene import Kind, SceneMaker, VisualOptions

FRAMES = 6


def record(path, model, steps=FRAMES, contacts=True, **options):
    """A loop as Newton's examples have it."""
    solver = newtonish.SolverMuJoCo(model)
    state, control = model.state(), model.control()
    found = newtonish.Contacts(solver.get_max_contact_count(), 0, device=model.device)
    viewer, poses, count = ViewerFile(path, **options), [], []
    viewer.set_model(model)
    for frame in range(steps):
        viewer.begin_frame(0.02 * frame)
        viewer.log_state(state)
        if contacts:
            solver.update_contacts(found, state)
            viewer.log_contacts(found, state)
            count.append(int(found.rigid_contact_count.numpy()[0]))
        viewer.end_frame()
        poses.append(state.body_q.numpy().copy())
        for _ in range(10):
            solver.step(state, state, control, None, 0.005)
    viewer.close()
    assert not viewer.is_running()
    return poses, count


@pytest.fixture
def model(device):
    robot = newtonish.ModelBuilder()
    robot.add_mjcf(str(asset_path()))
    scene = newtonish.ModelBuilder()
    scene.replicate(robot, 2)
    return scene.finalize(device=device)


def test_a_recording_is_replayed_without_the_model(tmp_path, model):
    path = tmp_path / "run.npz"
    poses, contacts = record(path, model)
    assert is_recording(path) and contacts[-1] > 0
    replay = Replay(path)
    assert replay.worlds == 2 and replay.dt == pytest.approx(0.02) and len(replay.model.shape_label) == model.shape_count
    for name in ("shape_type", "shape_scale", "shape_transform", "shape_color", "shape_body"):
        np.testing.assert_array_equal(getattr(replay.model, name).numpy(), getattr(model, name).numpy())
        assert getattr(replay.model, name).dtype == getattr(model, name).dtype
    for frame in range(FRAMES):
        np.testing.assert_array_equal(replay.state.body_q.numpy(), poses[frame])
        assert replay.contacts.rigid_contact_max == contacts[frame]
        replay.step()
    assert replay.moments == (FRAMES - 1, 0) and not replay.forward()
    assert replay.back(2) and replay.time == pytest.approx(0.06)
    replay.reset()
    replay.speed = 2.0
    assert replay.advance(0.011) == 1 and replay.advance(0.01) == 1
    assert replay.statistics()["real-time factor"] == pytest.approx(2.0)
    replay.paused = True
    assert replay.advance(1.0) == 0
    assert replay.statistics()["contacts"] == contacts[2] and replay.controls() == replay.sensors() == []


def test_a_recording_is_drawn_as_its_model(tmp_path, model):
    """Every instance of the scene is where that of the model is."""
    path = tmp_path / "run.npz"
    record(path, model, steps=2, contacts=False)
    replay = Replay(path)
    state = model.state()
    state.body_q.assign(replay.state.body_q.numpy())
    drawn, expected = (SceneMaker(one).make(state).instances for one in (replay.model, model))
    assert len(drawn) == len(expected) > 20
    for name in ("triangles", "position", "rotation", "scale", "color", "kind", "index", "world", "body"):
        np.testing.assert_array_equal(getattr(drawn, name), getattr(expected, name))
    assert replay.model.shape_collision_filter_pairs == model.shape_collision_filter_pairs


LOOKS = """
<mujoco>
  <visual><map znear=".02"/><rgba haze="1 0 0 1"/></visual>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="16" height="16" rgb1="1 0 0" rgb2="0 1 0"/>
    <texture type="skybox" builtin="gradient" width="8" height="8" rgb1="0 0 1" rgb2="1 1 1"/>
    <material name="tiles" texture="grid" texrepeat="3 2" reflectance=".3" rgba=".5 .6 .7 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3" diffuse="1 .5 .25" castshadow="false"/>
    <geom type="plane" size="1 1 .1" material="tiles"/>
    <body pos="0 0 1"><freejoint/><geom size=".1" material="tiles"/></body>
  </worldbody>
</mujoco>
"""


def test_materials_textures_and_lights_are_kept(tmp_path, device):
    simulation = Simulation(LOOKS, worlds=2, device=device)
    sink = RunSink(tmp_path / "run.npz")
    sink.begin(simulation)
    sink.frame(simulation)
    sink.close()
    replay = Replay(tmp_path / "run.npz")
    ours, theirs = SceneMaker(replay.model).make(replay.state), SceneMaker(simulation.model).make(simulation.state)
    assert ours.materials == theirs.materials and ours.skybox == theirs.skybox >= 0
    assert (ours.haze, ours.camera.near) == (theirs.haze, theirs.camera.near)
    for one, other in zip(ours.textures, theirs.textures, strict=True):
        np.testing.assert_array_equal(one.pixels, other.pixels)
    np.testing.assert_array_equal(ours.instances.material, theirs.instances.material)
    assert [(light.diffuse, light.castshadow) for light in ours.lights] == [(light.diffuse, light.castshadow) for light in theirs.lights]


def test_recorded_contacts_are_drawn_as_the_solvers(tmp_path, device):
    """Points and forces of the recording are where those of the solver are, in worlds apart."""
    simulation = Simulation(str(asset_path()), worlds=2, device=device)
    simulation.ctrl = np.array([[0.3], [-0.3]]) * np.ones(simulation.ctrl.shape)
    simulation.run_until(0.4)
    simulation.evaluate()
    sink = RunSink(tmp_path / "run.npz")
    sink.begin(simulation)
    sink.frame(simulation)
    sink.close()
    replay = Replay(tmp_path / "run.npz")
    options = VisualOptions(contactpoint=True, contactforce=True)
    expected = SceneMaker(simulation.model, simulation.solver).make(simulation.state, options).instances
    drawn = SceneMaker(replay.model).make(replay.state, options, contacts=replay.contacts).instances
    for entry in np.unique(expected.triangles[expected.kind == Kind.CONTACT]):
        ours, theirs = (one.take(np.flatnonzero((one.kind == Kind.CONTACT) & (one.triangles == entry))) for one in (drawn, expected))
        assert len(ours) == len(theirs) >= 4
        ours, theirs = (one.take(np.lexsort(np.round(one.position, 3).T)) for one in (ours, theirs))
        np.testing.assert_allclose(ours.position, theirs.position, atol=1e-3)
        np.testing.assert_allclose(ours.scale, theirs.scale, rtol=0.05, atol=1e-3)
        np.testing.assert_allclose(np.abs((ours.rotation[..., 2] * theirs.rotation[..., 2]).sum(-1)), 1.0, atol=1e-3)


def test_meshes_and_heightfields_are_kept(tmp_path, device):
    builder = newtonish.ModelBuilder()
    tetrahedron = newtonish.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    tetrahedron.texcoords, tetrahedron.face_texcoords = np.eye(3, 2), np.array([[0, 1, 2]] * 4)
    for _ in range(2):
        link = builder.add_link()
        builder.add_shape_mesh(link, mesh=tetrahedron)
        builder.add_articulation([builder.add_joint_free(link)])
    builder.add_shape_heightfield(heightfield=newtonish.Heightfield([[0, 1], [2, 4]], 2, 2, min_z=-1, max_z=1))
    model = builder.finalize(device=device)
    path = tmp_path / "run.npz"
    record(path, model, steps=1, contacts=False)
    first, second, field = Replay(path).model.shape_source
    assert first is second
    np.testing.assert_array_equal(first.vertices, tetrahedron.vertices)
    np.testing.assert_array_equal(first.indices, tetrahedron.indices)
    np.testing.assert_array_equal(first.corner_uvs(), tetrahedron.corner_uvs())
    np.testing.assert_allclose(field.data, [[0, 0.25], [0.5, 1]])
    assert (field.min_z, field.max_z) == (-1, 1)


def test_a_newton_model_is_recorded(tmp_path):
    builder = newton.ModelBuilder()
    body = builder.add_body()
    builder.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3)
    model = builder.finalize(device="cpu")
    viewer = ViewerFile(tmp_path / "run.npz")
    viewer.set_model(model)
    viewer.begin_frame(0.0)
    viewer.log_state(model.state())
    viewer.log_contacts(model.contacts(), model.state())
    viewer.end_frame()
    viewer.close()
    replay = Replay(tmp_path / "run.npz")
    np.testing.assert_allclose(replay.model.shape_scale.numpy(), [[0.1, 0.2, 0.3]])
    assert int(replay.model.up_axis) == int(model.up_axis)


def test_what_is_written_while_recording(tmp_path, model):
    path = tmp_path / "run.npz"
    viewer = ViewerFile(path, save_interval=2, max_history_size=3)
    viewer.set_model(model)
    for frame in range(5):
        viewer.begin_frame(frame)
        viewer.log_state(model.state())
        viewer.end_frame()
        assert path.exists() == (frame >= 1)
    viewer.close()
    assert Replay(path).moments == (0, 2) and Replay(path).time == 2.0
    assert [item.name for item in tmp_path.iterdir()] == ["run.npz"]


def damage(path, **changes):
    with np.load(path) as store:
        arrays = {name: store[name] for name in store.files}
    header = json.loads(arrays["header"].tobytes())
    for name, value in changes.items():
        if name == "header":
            header.update(value)
        elif value is None:
            arrays.pop(name)
        else:
            arrays[name] = value
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"header": {"format": "other"}}, "no recording"),
        ({"header": {"version": 99}}, "version"),
        ({"header": {"model": {"attributes": {"x": {"w": 9999, "t": "float32"}}, "shared": []}}}, "its model"),
        ({"header": {"model": {"attributes": {"x": {"w": 0, "t": "__class__"}}, "shared": []}}}, "its model"),
        ({"header": {"model": None}}, "its model"),
        ({"frame/time": np.zeros(2)}, "frames"),
        ({"frame/time": None}, "frames"),
        ({"contact/count": np.array([10**6])}, "frames"),
    ],
)
def test_a_damaged_recording_is_refused(tmp_path, model, changes, words):
    path = tmp_path / "run.npz"
    record(path, model, steps=1)
    damage(path, **changes)
    with pytest.raises(ImporterError, match=words):
        Replay(path)


def test_what_is_no_recording(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(b"nothing")
    assert not is_recording(path) and not is_recording(tmp_path / "none.npz")
    with pytest.raises(ImporterError, match="damaged archive"):
        Replay(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ImporterError, match="no recording"):
        Replay(path)
    with pytest.raises(FileNotFoundError):
        Replay(tmp_path / "none.npz")
    with pytest.raises(ModelError, match=r"ends in \.npz"):
        ViewerFile(tmp_path / "run.json")
    with pytest.raises(ModelError, match="set_model"):
        ViewerFile(path).save_recording()


def test_the_null_viewer_counts_frames():
    viewer = ViewerNull(num_frames=5, benchmark=True)
    viewer.set_camera(pos=(1.0, 2.0, 3.0), pitch=-10.0, yaw=30.0)
    viewer.set_world_offsets((1.0, 1.0, 0.0))
    while viewer.is_running():
        viewer.begin_frame(0.0)
        viewer.end_frame()
    result = viewer.benchmark_result()
    assert viewer.frame_count == 5 and result["frames"] == 2 and result["fps"] > 0.0
    assert ViewerNull(num_frames=1).benchmark_result() is None
    timed = ViewerNull(benchmark_timeout=0.0, benchmark_start_frame=1)
    timed.end_frame()
    assert not timed.is_running()


def test_names_are_newtons():
    for ours, theirs in ((ViewerNull, newton.viewer.ViewerNull), (ViewerFile, newton.viewer.ViewerFile)):
        import inspect

        names = list(inspect.signature(theirs.__init__).parameters)
        assert list(inspect.signature(ours.__init__).parameters) == names
    for name in (
        "set_model",
        "set_camera",
        "set_world_offsets",
        "begin_frame",
        "log_state",
        "log_contacts",
        "end_frame",
        "is_running",
        "is_paused",
        "should_step",
        "is_key_down",
        "log_arrows",
        "log_shapes",
        "log_gizmo",
        "log_image",
        "close",
    ):
        assert hasattr(ViewerBase, name) and hasattr(newton.viewer.ViewerNull, name)


def test_a_simulation_is_recorded_frame_by_frame(tmp_path, device):
    simulation = Simulation(str(asset_path()), worlds=2, device=device)
    with ViewerFile(tmp_path / "run.npz") as viewer:
        viewer.set_model(simulation.model)
        for frame in range(3):
            simulation.run_until(0.05 * frame)
            viewer.begin_frame(simulation.time)
            viewer.log_state(simulation.state)
            viewer.end_frame()
    assert Replay(tmp_path / "run.npz").moments == (0, 2)
