"""The window on a virtual display, used with the server's own mouse and keyboard; what is drawn where is read back."""

import importlib.util

import numpy as np
import pytest
from paths import REPO
from PIL import Image
from x_input import LEFT, RIGHT, XInput, virtual_display

from newtonish.assets import asset_path
from newtonish.cli.main import main
from newtonish.errors import ModelError
from newtonish.tuning import diagnose
from newtonish.viewer import Replay, Simulation, ViewerFile, ViewerGL, ViewerWeb
from newtonish.viewer.errors import ViewerUnavailable
from newtonish.viewer.input_map import FLAG_KEYS, KEYS, MOUSE, command_of, key_text
from newtonish.viewer.scene import Frame, Kind, Label
from newtonish.viewer.scene.options import FLAGS
from newtonish.viewer.session import Session
from newtonish.viewer.ui import theme
from newtonish.viewer.ui.gains import table_of
from newtonish.viewer.watching import read_field

MODEL = """
<mujoco model="table">
  <option timestep="0.005"/>
  <worldbody>
    <light pos="0 -1 3" dir="0.2 0.3 -1"/>
    <geom name="floor" type="plane" size="0 0 0.05"/>
    <body name="box" pos="0 0 0.2">
      <freejoint/>
      <geom name="box" type="box" size="0.2 0.2 0.2" rgba="0.9 0.2 0.2 1"/>
    </body>
    <body name="arm" pos="-0.8 0 0.1">
      <joint name="hinge" axis="0 1 0" damping="1"/>
      <geom name="arm" type="capsule" fromto="0 0 0.1 0 0 0.8" size="0.06" rgba="0.2 0.5 0.9 1"/>
    </body>
  </worldbody>
  <actuator><motor name="turn" joint="hinge" ctrlrange="-3 3" ctrllimited="true"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="lifted" qpos="0 0 0.8 1 0 0 0 0"/></keyframe>
</mujoco>
"""
SIZE = (900, 640)
BOX, ARM = 1, 2
WATCHED = ("qpos[lift]", "xpos[hand]", "ncon")
"""Fields in the picture of the documentation."""

OF_THE_WINDOW = ("full_screen", "picture", "quit")
X_NAMES = {"SPACE": "space", "BACKSPACE": "BackSpace", "TAB": "Tab", "ESCAPE": "Escape", "LEFT": "Left", "RIGHT": "Right",
           "PAGEUP": "PageUp", "PAGEDOWN": "PageDown", "MINUS": "-", "EQUAL": "=", "BRACKETLEFT": "[", "BRACKETRIGHT": "]",
           "COMMA": ",", "SEMICOLON": ";"}  # fmt: skip
"""What the server calls keys that pyglet calls otherwise."""


class Desk:
    """A window with its simulation, and the hands that use it."""

    def __init__(self, viewer: ViewerGL, simulation: Simulation, hands: XInput) -> None:
        self.viewer, self.simulation, self.hands = viewer, simulation, hands
        self.session = viewer.session

    def frames(self, count: int = 2, seconds: float = 0.0) -> None:
        """Some pictures, between which some time is simulated."""
        for _ in range(count):
            self.simulation.advance(seconds / count)
            self.viewer._panels_at = -1.0  # panels too, which are otherwise drawn less often than the scene
            self.viewer.frame()

    def seen(self, index: int) -> np.ndarray:
        """(n, 2) columns and rows of the pixels at which a geom is seen."""
        ids = self.viewer.segmentation()
        return np.argwhere((ids[..., 0] == Kind.GEOM) & (ids[..., 1] == index))[:, ::-1]

    def press(self, name: str) -> None:
        """Click on a button of the panels."""
        area = self.viewer.area(name)
        assert area is not None, f"there is no '{name}'"
        self.hands.click(*area.middle)
        self.frames()


@pytest.fixture(scope="module")
def display():
    with virtual_display() as name:
        yield name


@pytest.fixture
def desk(display, tmp_path):
    path = tmp_path / "table.xml"
    path.write_text(MODEL)
    simulation = Simulation(path)
    viewer = ViewerGL(*SIZE, samples=1, shadow_size=512, frame_rate=1000)
    hands = XInput(display)
    try:
        viewer.show(simulation)
        made = Desk(viewer, simulation, hands)
        made.path = path
        made.frames(3)
        yield made
    finally:
        hands.close()
        viewer.close()


def test_select_a_box_and_drag_it(desk) -> None:
    place = np.median(desk.seen(BOX), axis=0)
    desk.hands.click(*place, times=2)
    desk.frames()
    assert desk.session.selected_name() == "box"
    assert desk.viewer.picture()[tuple(place[::-1].astype(int))].max() > 150, "the selected body shines"

    desk.hands.hold("ctrl", True)
    desk.hands.button(RIGHT, True)
    for step in range(1, 9):
        desk.hands.move(place[0] + 20 * step, place[1])
        desk.frames(1, 0.05)
    assert desk.session.selection.hand.active
    desk.frames(8, 0.6)
    desk.hands.button(RIGHT, False)
    desk.hands.hold("ctrl", False)
    desk.frames()
    assert not desk.session.selection.hand.active
    moved = np.median(desk.seen(BOX), axis=0)
    assert moved[0] > place[0] + 40, "the box has followed the mouse to the right"
    assert desk.session.camera.azimuth == pytest.approx(90.0), "the camera has not"


def test_a_script_sees_which_keys_are_held(desk) -> None:
    viewer, held = desk.viewer, lambda: [name for name in ("i", "k", "7", "nothing") if desk.viewer.is_key_down(name)]
    assert held() == []
    for name in ("i", "7"):
        desk.hands.hold(name, True)
    desk.frames(2)
    assert held() == ["i", "7"] and viewer.is_key_down(ord("i"))
    desk.hands.hold("i", False)
    desk.frames(2)
    assert held() == ["7"]
    desk.hands.hold("7", False)
    desk.frames(2)
    assert held() == []


def test_pause_step_and_step_back(desk) -> None:
    desk.frames(4, 0.1)
    desk.hands.key("space")
    desk.frames(2, 0.1)
    simulation, stopped = desk.simulation, desk.simulation.time
    assert simulation.paused and stopped > 0
    before = simulation.state.body_q.numpy().copy()
    desk.hands.key("Right")
    desk.frames(2, 0.1)
    assert simulation.time == pytest.approx(stopped + simulation.dt, abs=1e-6)
    desk.hands.key("Left")
    desk.frames(2, 0.1)
    assert simulation.time == pytest.approx(stopped, abs=1e-6)
    np.testing.assert_array_equal(simulation.state.body_q.numpy(), before)
    desk.hands.key("BackSpace")
    desk.frames()
    assert simulation.time == 0.0


def test_a_file_with_an_error_is_refused_and_the_old_model_goes_on(desk) -> None:
    generation = desk.simulation.generation
    desk.path.write_text(MODEL.replace('size="0.2 0.2 0.2"', 'size="0.2 oops 0.2"'))
    desk.hands.key("l", "ctrl")
    desk.frames()
    assert "oops" in desk.session.message and "table.xml:9" in desk.session.message
    area = desk.viewer.area("message")
    picture = desk.viewer.picture().astype(float)
    corner = picture[int(area.y + 4), int(area.x + area.width - 6)] / 255
    np.testing.assert_allclose(corner, theme.ERROR[:3], atol=0.1)
    assert desk.simulation.generation == generation and len(desk.seen(BOX)) > 500
    time = desk.simulation.time
    desk.frames(3, 0.1)
    assert desk.simulation.time > time

    desk.hands.key("Escape")
    desk.frames()
    assert not desk.session.message and desk.viewer.area("message") is None
    desk.path.write_text(MODEL.replace('size="0.2 0.2 0.2"', 'size="0.1 0.1 0.1"'))
    large = len(desk.seen(BOX))
    desk.hands.key("l", "ctrl")
    desk.frames(3)
    assert desk.simulation.generation == generation + 1
    assert len(desk.seen(BOX)) < 0.5 * large, "the smaller box of the new file"


def test_the_mouse_moves_the_camera(desk) -> None:
    camera, middle = desk.session.camera, (450, 500)
    azimuth, distance, lookat = camera.azimuth, camera.distance, camera.lookat.copy()
    desk.hands.move(*middle)
    desk.hands.button(LEFT, True)
    desk.hands.move(middle[0] + 64, middle[1])
    desk.hands.button(LEFT, False)
    desk.frames()
    assert camera.azimuth == pytest.approx(azimuth - 180 * 64 / SIZE[1], abs=0.5)
    desk.hands.button(RIGHT, True)
    desk.hands.move(middle[0], middle[1])
    desk.hands.button(RIGHT, False)
    desk.frames()
    assert np.linalg.norm(camera.lookat - lookat) > 0.05
    desk.hands.click(*middle, button=4)
    desk.frames()
    assert camera.distance < distance


def test_buttons_sliders_and_groups_work(desk) -> None:
    desk.press("show contactpoint C")
    assert desk.session.options.contactpoint
    slider = desk.viewer.area("slider turn")
    desk.hands.move(*slider.middle)
    desk.hands.button(LEFT, True)
    desk.hands.move(slider.x + 0.9 * slider.width, slider.middle[1])
    desk.hands.button(LEFT, False)
    desk.frames()
    assert desk.simulation.controls()[0].value == pytest.approx(-3 + 0.9 * 6, abs=0.05)
    desk.press("pause")
    joint = desk.viewer.area("joint hinge")  # without a range: half a turn to each side
    desk.hands.click(joint.x + 0.75 * joint.width, joint.middle[1])
    desk.frames()
    assert desk.simulation.joints()[0].value == pytest.approx(0.5 * np.pi, abs=0.05)
    assert abs(desk.simulation.state.body_q.numpy()[1, 4]) == pytest.approx(np.sin(0.25 * np.pi), abs=0.02), "the arm is turned about y"
    desk.press("reset")
    desk.press("pause")
    desk.press("group geom 0")
    assert len(desk.seen(BOX)) == 0 and len(desk.seen(ARM)) == 0
    desk.press("group geom 0")
    assert len(desk.seen(BOX)) > 500
    desk.press("keyframe lifted")
    assert desk.simulation.state.body_q.numpy()[0, 2] == pytest.approx(0.8, abs=0.02)
    camera = desk.session.camera.azimuth
    desk.press("pause")
    assert desk.simulation.paused and desk.session.camera.azimuth == camera


def test_panels_open_by_keys(desk) -> None:
    plain = desk.viewer.picture()
    desk.hands.key("F3")
    desk.frames(4, 0.1)
    profiler = desk.viewer.picture()
    lower_right = np.s_[SIZE[1] - 100 : SIZE[1] - 20, SIZE[0] - 300 : SIZE[0] - 20]
    assert desk.simulation.profiling and profiler[lower_right].mean() < 0.75 * plain[lower_right].mean()
    assert (np.ptp(profiler[lower_right].astype(int), axis=2) > 80).any(), "coloured lines"
    desk.hands.key("F1")
    desk.frames()
    middle = np.s_[200:400, 200:700]
    assert desk.viewer.picture()[middle].mean() < 60, "the help covers the middle"
    desk.hands.key("F1")
    desk.hands.key("Tab")
    desk.frames()
    assert desk.viewer.area("pause") is None


def test_the_gains_panel_shows_the_diagnosis(desk) -> None:
    assert desk.session.gain_rows() == []
    driven = MODEL.replace("<motor", '<position name="stiff" joint="hinge" kp="900"/><motor')
    assert desk.simulation.load(driven.replace("<keyframe>", "<!--").replace("</keyframe>", "-->")) is None
    desk.frames()
    plain = desk.viewer.picture()
    desk.hands.key("F9")
    desk.frames()
    rows = desk.session.gain_rows()
    assert rows == diagnose(desk.simulation.solver.compiled) and rows
    top = np.s_[60:90, SIZE[0] // 2 - 200 : SIZE[0] // 2 + 200]
    assert desk.viewer.picture()[top].mean() < 0.75 * plain[top].mean()
    table = table_of(rows)
    assert [bad for _, bad, _ in table] == sorted((row.bad for row in rows), reverse=True)
    assert {cells[1] for cells, _, _ in table} == {row.name[:34] for row in rows}
    assert table[0][0][1] == "hinge" and table[0][1], "the servo overshoots"
    desk.hands.key("F9")
    desk.frames()
    assert not desk.session.panels.gains


def test_every_key_does_something_and_ends_nothing(desk, tmp_path, monkeypatch) -> None:
    """All keys of the help and of what is shown, typed one after another, paused so that only they change the window."""
    monkeypatch.chdir(tmp_path)
    asked, command = [], Session.command

    def listen(session: Session, key: str, modifiers: frozenset[str]) -> str:
        asked.append(command_of(key, modifiers))
        return command(session, key, modifiers)

    monkeypatch.setattr(Session, "command", listen)
    digits = [f"{held}_{digit}" for held in ("", "shift ") for digit in range(6)]
    keys = [*(key for key, name, _ in KEYS if name != "quit"), *FLAG_KEYS, *digits]
    for entry in keys:
        *held, key = entry.split(" ")
        desk.hands.key(X_NAMES.get(key, key.removeprefix("_")), *held)
        for _ in range(100):  # a busy server hands keys on later
            desk.frames(1)
            if asked:
                break
        assert desk.viewer.is_running() and asked, f"{entry} {desk.session.message}"
        assert not desk.session.message, entry
        assert asked[-1] == command_of(key, frozenset(held)) != ("", None), entry
        asked.clear()
    assert (desk.session.shadows, desk.session.wireframe, desk.session.reflections) == (False, True, False)
    assert [path.name for path in tmp_path.glob("*.png")] == ["newtonish_001.png"]
    assert (tmp_path / "table_001.xml").exists() and desk.simulation.keyframes == ["lifted", "kept 1", "present"]
    desk.hands.key("q", "ctrl")
    desk.frames(1)
    assert not desk.viewer.is_running()


def test_every_button_can_be_pressed(desk) -> None:
    """Everything that the panels offer, also what opens only with other panels."""
    desk.session.panels.sensors = desk.session.panels.profiler = True
    desk.session.message = "a message to be put away"
    desk.frames()
    names = [area.name for area in desk.viewer._areas if area.press is not None]
    assert {"pause", "reload", "show shadows S", "slider turn", "keyframe lifted", "message"} <= set(names)
    for name in reversed(names):  # the uppermost first
        area = desk.viewer.area(name)
        if area is not None:
            desk.hands.click(*area.middle)
            desk.frames(1)
            assert desk.viewer.is_running() and not desk.session.message, name
    assert (desk.session.shadows, desk.session.wireframe, desk.session.reflections) == (False, True, False)


def test_a_script_shows_its_own_simulation(display) -> None:
    """Newton's loop: the picture follows the states that are logged."""
    simulation = Simulation(MODEL)
    with ViewerGL(400, 300, samples=1, shadow_size=0, frame_rate=1000) as viewer:
        viewer.set_model(simulation.model)
        places = []
        for height in (0.2, 0.6):
            simulation.set_coordinates(np.array([0, 0, height, 1, 0, 0, 0, 0.0]))
            viewer.begin_frame(0.1)
            viewer.log_state(simulation.state)
            viewer.end_frame()
            ids = viewer.segmentation()
            places.append(np.argwhere(ids[..., 1] == BOX)[:, 0].mean())
        assert places[1] < places[0] - 10, "higher in the picture"
        assert viewer.is_running() and viewer.should_step()
        viewer.key("SPACE", frozenset())
        assert viewer.is_paused() and not viewer.should_step()
        viewer.key("RIGHT", frozenset())
        assert viewer.should_step() and not viewer.should_step()
    assert not viewer.is_running()


def test_many_worlds_stand_side_by_side(display) -> None:
    simulation = Simulation(MODEL, worlds=4)
    with ViewerGL(600, 400, samples=1, shadow_size=0, frame_rate=1000) as viewer:
        viewer.show(simulation)
        viewer.frame()
        ids = viewer.segmentation()
        shown = viewer.session.scene.instances
        boxes = [index for index in np.unique(ids[..., 1]) if index >= 0 and shown.world[shown.index == index].max(initial=-1) >= 0]
        assert len({int(shown.world[shown.index == index][0]) for index in boxes}) == 4


def test_the_example_of_a_panel_drives_its_joint(display) -> None:
    """``examples/window_panel.py`` in the window: its switch stops the wave."""
    spec = importlib.util.spec_from_file_location("window_panel", REPO / "examples" / "window_panel.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    simulation = Simulation(asset_path("arm.xml"))
    with ViewerGL(600, 500, samples=1, shadow_size=0, frame_rate=1000) as viewer:
        wave = example.add_wave(viewer, simulation)
        viewer.show(simulation)
        viewer.frame()
        simulation.run_until(0.3)
        assert simulation.ctrl[0, 0] == pytest.approx(0.5 * np.sin(4.0 * (0.3 - simulation.dt)), abs=1e-3)
        area = viewer.area("Wave on")
        area.press(0.5, 0.5)
        simulation.step()
        assert not wave["on"] and simulation.ctrl[0, 0] == 0.0


@pytest.mark.parametrize("command", ["view", "serve"])
def test_what_to_show_is_told_on_the_command_line(command: str, display, tmp_path, monkeypatch) -> None:
    """``newtonish view --show`` and ``newtonish serve --show``: what it lists is drawn from the first picture on."""
    path = tmp_path / "table.xml"
    path.write_text(MODEL)
    shown = []

    def look(viewer, *_arguments, **_options) -> None:
        viewer.frame()
        shown.append((viewer.session.options, viewer.session.scene))

    monkeypatch.setattr(ViewerGL, "run", look)
    monkeypatch.setattr(ViewerWeb, "run", look)
    more = ["--size", "300x200"] if command == "view" else ["--port", "8260"]
    assert main([command, str(path), "--show", "contactpoint,joint,frame=body,label=geom", *more]) == 0
    options, scene = shown[0]
    assert options.contactpoint and options.joint and not options.com
    assert (options.frame, options.label) == (Frame.BODY, Label.GEOM)
    assert {"floor", "box", "arm"} <= {label.text for label in scene.labels}
    assert (scene.instances.kind == Kind.JOINT).any(), "joints are drawn"
    assert main([command, str(path), "--show", "contactpont", *more]) == 2


def test_without_a_display_one_line_says_what_is_missing(monkeypatch) -> None:
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(ViewerUnavailable, match=r"^cannot draw: a display .*is missing; set DISPLAY.*apt install xvfb") as caught:
        ViewerGL()
    assert "\n" not in str(caught.value)


def test_the_page_has_every_key_and_movement() -> None:
    page = (REPO / "docs" / "window.md").read_text(encoding="utf-8")
    for key, command, text in KEYS:
        assert f"| `{key_text(key)}` | {text} |" in page
        assert callable(getattr(Session, command, None)) or command in OF_THE_WINDOW
    for movement, text in MOUSE:
        assert f"| {movement} | {text} |" in page
    for key, flag in FLAG_KEYS.items():
        assert f"`{key_text(key)}` {flag}" in page and flag in FLAGS


def keep_pictures() -> None:
    """Not a test: redraws the pictures of docs/window.md (python tests/newtonish/viewer/test_window.py)."""
    with virtual_display() as display:
        simulation = Simulation(REPO / "newtonish" / "assets" / "arm_gripper.xml")
        viewer, hands = ViewerGL(1000, 680), XInput(display)
        viewer.show(simulation)
        hands.key("F3")
        hands.key("F10")
        viewer.session.options.contactpoint = True
        for field in WATCHED:
            assert viewer.session.watches.add(simulation, field), viewer.session.watches.refused
        for _ in range(40):
            simulation.advance(1 / 30)
            viewer.frame()
        Image.fromarray(viewer.picture()).save(REPO / "docs" / "img" / "viewer.png", optimize=True)
        hands.key("F1")
        for _ in range(2):
            viewer.frame()
        Image.fromarray(viewer.picture()).save(REPO / "docs" / "img" / "viewer_help.png", optimize=True)
        hands.close()
        viewer.close()


def test_the_timeline_is_dragged_played_and_left(desk) -> None:
    """The past of a live run: every moment by the bar, first, last, played again to the bit, and a new branch from the middle."""
    simulation = desk.simulation
    assert desk.viewer.area("timeline moments") is None, "nothing has happened yet"
    poses = [simulation.state.body_q.numpy().copy()]
    for _ in range(40):
        simulation.step()
        poses.append(simulation.state.body_q.numpy().copy())
    desk.frames()
    bar = desk.viewer.area("timeline moments")
    desk.hands.move(bar.x + 0.75 * bar.width, bar.middle[1])
    desk.hands.button(LEFT, True)
    desk.frames(1)
    assert simulation.paused and simulation.moments == (30, 10)
    desk.hands.move(bar.x + 0.25 * bar.width, bar.middle[1])
    desk.hands.button(LEFT, False)
    desk.frames(1, 0.1)
    assert simulation.moments == (10, 30) and simulation.time == pytest.approx(10 * simulation.dt, abs=1e-6)
    np.testing.assert_array_equal(simulation.state.body_q.numpy(), poses[10])
    desk.press("timeline first")
    assert simulation.moments == (0, 40)
    desk.press("timeline play")
    desk.frames(10, 15 * simulation.dt)
    assert 0 < simulation.moments[0] < 40 and not simulation.paused
    np.testing.assert_array_equal(simulation.state.body_q.numpy(), poses[simulation.moments[0]])
    desk.frames(10, 60 * simulation.dt)
    assert simulation.moments == (40, 0) and simulation.paused, "it stands where the recording ends"
    np.testing.assert_array_equal(simulation.state.body_q.numpy(), poses[40])
    desk.press("timeline play")  # from the beginning
    desk.press("timeline play")
    assert simulation.paused and simulation.moments[0] < 40
    simulation.seek(20)
    desk.hands.key("space")
    desk.frames(2, 0.1)
    assert simulation.moments[1] == 0 and simulation.moments[0] > 20, "a new branch"
    desk.press("timeline last")
    desk.hands.key("F11")
    desk.frames()
    assert desk.viewer.area("timeline moments") is None


def test_a_loaded_recording_is_scrubbed(display, tmp_path) -> None:
    simulation = Simulation(MODEL)
    file = ViewerFile(tmp_path / "run.npz")
    file.set_model(simulation.model)
    for _ in range(21):
        file.begin_frame(simulation.time)
        file.log_state(simulation.state)
        file.end_frame()
        simulation.step()
    file.close()
    replay = Replay(tmp_path / "run.npz")
    with ViewerGL(*SIZE, samples=1, shadow_size=0, frame_rate=1000) as viewer:
        viewer.show(replay)
        viewer.frame()
        area = viewer.area("timeline moments")
        area.drag(*area.fractions(area.x + 0.5 * area.width, area.middle[1]))
        assert replay.paused and replay.frame == 10 and replay.time == pytest.approx(10 * simulation.dt, abs=1e-6)
        for name, frame in (("last", 20), ("back", 19), ("first", 0), ("step", 1)):
            viewer.area(f"timeline {name}").press(0.5, 0.5)
            assert replay.frame == frame, name
        before = replay.state.body_q.numpy().copy()
        viewer.session.selection.hand.select(viewer.session.maker, replay.state, 0)
        viewer.session.drag(0.1, 0.0, "right", frozenset({"ctrl"}))
        viewer.frame()
        assert "cannot be pushed" in viewer.session.note
        np.testing.assert_array_equal(replay.state.body_q.numpy(), before)
        viewer.area("timeline play").press(0.5, 0.5)
        replay.advance(5 * simulation.dt)
        assert not replay.paused and replay.frame == 6


def test_fields_are_watched_by_name_and_index(desk) -> None:
    """Typed on the server's keyboard, as a user would; letters do nothing else meanwhile."""
    desk.hands.key("F10")
    desk.frames()

    def watch(text: str) -> None:
        desk.press("watch another")
        for letter in text:
            desk.hands.key(letter)
        desk.frames()
        desk.hands.key("Return")
        desk.frames()

    simulation, watches = desk.simulation, desk.session.watches
    watch("qpos[hinge]")
    assert watches.texts == ["qpos[hinge]"] and not desk.session.options.joint and desk.simulation.keyframes == ["lifted"]
    watch("qposs")
    assert "did you mean" in watches.refused and "qpos" in watches.refused and watches.entry == "qposs"
    desk.hands.key("Escape")
    desk.frames()
    assert watches.entry is None and len(watches.texts) == 1
    desk.press("watch another")
    for letter in "body":
        desk.hands.key(letter)
    desk.hands.key("Tab")
    desk.frames()
    assert watches.entry.startswith("body") and len(watches.entry) > 4
    desk.hands.key("Escape")
    simulation.ctrl = [[2.0]]
    for _ in range(20):
        simulation.step()
    d, m = simulation.solver.mjw_data, simulation.solver.mjw_model
    assert watches.shown(simulation) == [("qpos[hinge]", f"{d.qpos.numpy()[0, 7]:.4g}")]
    for text, expected in (
        ("d.xpos[box]", d.xpos.numpy()[0, 1]), ("xpos[2][2]", d.xpos.numpy()[0, 2, 2]), ("geom_size[1, 0]", 0.2), ("m.body_mass[arm]", m.body_mass.numpy()[0, 2]),
        ("ctrl[turn]", 2.0), ("nbody", 3), ("time", d.time.numpy()[0]), ("opt.gravity[2]", -9.81), ("sensordata[angle]", None),
    ):  # fmt: skip
        value = read_field(simulation, text)
        assert expected is None or value == pytest.approx(expected), text
    assert read_field(simulation, "qpos[joint0]").shape == (7,)
    for wrong in ("qpos[knee]", "qpos[9]", "m.qpos", "efc_J[box]", "qpos[hinge][0][0]", "qpos +"):
        with pytest.raises(ModelError, match=r"watch|d\.joint|efc_J"):
            read_field(simulation, wrong)
    desk.press("watched qpos[hinge]")
    assert watches.texts == []


def test_watched_fields_are_those_of_the_world_shown() -> None:
    simulation = Simulation(MODEL, worlds=2)
    simulation.set_coordinates(np.array([[0, 0, 1, 1, 0, 0, 0, 0.1], [0, 0, 2, 1, 0, 0, 0, 0.2]]))
    simulation.world = 1
    assert read_field(simulation, "qpos[hinge]") == pytest.approx(0.2)
    assert read_field(simulation, "m.jnt_axis[hinge]") == pytest.approx([0, 1, 0])


def test_a_script_adds_a_panel(desk) -> None:
    """One widget of each kind, used with the mouse."""
    kept = {"gain": 1.0, "on": False, "mode": "walk", "pressed": 0}
    panel = desk.viewer.add_panel("Controller")
    panel.text("made by a script")
    panel.value("height", lambda: desk.simulation.state.body_q.numpy()[0, 2])
    panel.slider("gain", 0, 4, lambda: kept["gain"], lambda value: kept.update(gain=value))
    panel.button("kick", lambda: kept.update(pressed=kept["pressed"] + 1))
    panel.switch("on", lambda: kept["on"], lambda value: kept.update(on=value))
    panel.choice("mode", ("walk", "run", "rest"), lambda: kept["mode"], lambda value: kept.update(mode=value))
    with pytest.raises(ModelError, match="twice"):
        panel.text("kick")
    with pytest.raises(ModelError, match="twice"):
        desk.viewer.add_panel("Controller")
    desk.frames()
    assert desk.viewer.area("panel controller") is not None
    slider = desk.viewer.area("Controller gain")
    desk.hands.click(slider.x + 0.75 * slider.width, slider.middle[1])
    desk.frames()
    for name in ("Controller kick", "Controller on", "Controller mode >"):
        desk.press(name)
    assert kept == {"gain": pytest.approx(3.0, abs=0.05), "on": True, "mode": "run", "pressed": 1}
    desk.press("Controller on")
    desk.press("Controller mode <")
    assert (kept["on"], kept["mode"]) == (False, "walk")
    desk.viewer.show(desk.simulation)  # panels belong to the viewer
    desk.frames()
    assert desk.viewer.area("Controller kick") is not None


def test_options_of_the_physics_are_changed_by_buttons(desk) -> None:
    desk.hands.key("F8")
    desk.frames()
    assert desk.session.panels.physics
    before = float(desk.simulation.solver.mjw_model.opt.gravity.numpy()[0, 2])
    desk.press("physics gravity 2 >")
    assert desk.simulation.solver.mjw_model.opt.gravity.numpy()[0, 2] == pytest.approx(before + 0.1 * abs(before), rel=1e-5)
    desk.press("physics cone >")
    assert "elliptic" in {option.value for option in desk.simulation.physics()}
    desk.press("physics disable gravity")
    assert {option.name: option.value for option in desk.simulation.physics()}["disable gravity"]
    desk.hands.key("F8")
    desk.frames()
    assert desk.viewer.area("physics disable gravity") is None


if __name__ == "__main__":
    keep_pictures()
