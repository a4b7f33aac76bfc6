"""The window in a browser: what is sent of a scene, and the page itself in a headless Chromium, clicked on and looked at."""

import numpy as np
import pytest
from browser import Browser, find_browser
from paths import REPO
from PIL import Image

from newtonish.assets import asset_path
from newtonish.viewer import Simulation, ViewerWeb
from newtonish.viewer.scene import SceneMaker, Texture, VisualOptions, vertices_of
from newtonish.viewer.scene.library import BUILT_IN, Library
from newtonish.viewer.web.batches import Batches, part_of, quaternions
from newtonish.viewer.web.pictures import pictured_mesh

MODEL = """
<mujoco model="table">
  <option timestep="0.005"/>
  <asset>
    <texture name="squares" type="2d" builtin="checker" width="32" height="32" rgb1="1 1 0" rgb2="0 0 1"/>
    <material name="squares" texture="squares" texrepeat="4 4"/>
    <hfield name="hills" nrow="3" ncol="3" elevation="0 1 0  1 0 1  0 1 0" size=".3 .3 .1 .05"/>
    <mesh name="wedge" vertex="0 0 0  .2 0 0  0 .2 0  0 0 .2"/>
  </asset>
  <worldbody>
    <light pos="0 -1 3" dir="0.2 0.3 -1" castshadow="false"/>
    <camera name="above" pos="0 0 4"/>
    <geom name="floor" type="plane" size="2 2 0.05" material="squares"/>
    <geom name="hills" type="hfield" hfield="hills" pos="1 1 0"/>
    <body name="box" pos="0 0 0.4">
      <freejoint/>
      <geom name="box" type="box" size="0.4 0.4 0.4" rgba="0.9 0.1 0.1 1"/>
      <geom name="wedge" type="mesh" mesh="wedge" pos="0 0 .4" rgba="0 1 0 .5"/>
    </body>
    <body name="arm" pos="-0.9 0 0.1">
      <joint name="hinge" axis="0 1 0" damping="1" range="-90 90"/>
      <geom name="arm" type="capsule" fromto="0 0 0.1 0 0 0.8" size="0.06" rgba="0.2 0.5 0.9 1"/>
      <geom name="tip" type="ellipsoid" size=".1 .05 .05" pos="0 0 .9"/>
    </body>
  </worldbody>
  <actuator><motor name="turn" joint="hinge" ctrlrange="-3 3"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="lifted" qpos="0 0 0.8 1 0 0 0 0"/></keyframe>
</mujoco>
"""
needs_browser = pytest.mark.skipif(find_browser() is None, reason="no Chromium: apt install chromium")


@pytest.fixture(scope="module")
def simulation(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "table.xml"
    path.write_text(MODEL)
    made = Simulation(path, 2)
    qpos = np.tile(made.solver.mjw_data.qpos.numpy()[0], (2, 1))
    qpos[1, 0] += 0.3
    qpos[1, -1] = 0.5
    made.set_coordinates(qpos)
    return made


def test_batches_have_every_corner_where_the_scene_has_it(simulation) -> None:
    """Meshes, capsules in their parts, see-through ones, decor: sorted into batches, every corner is where ``vertices_of`` says."""
    maker = SceneMaker(simulation.model, simulation.solver)
    simulation.step()
    for options in (VisualOptions(), VisualOptions(contactpoint=True, contactforce=True, joint=True, com=True)):
        scene = maker.make(simulation.state, options)
        expected = np.concatenate([vertices_of(scene, row)[0] for row in range(len(scene.instances))])
        found = []
        for batch in Batches().of(scene):
            corners = part_of(scene.library[batch.entry], batch.part)[0]
            for position, quaternion, scale in zip(batch.position, batch.quaternion, batch.scale):
                w, v, local = quaternion[0], quaternion[1:], corners * scale
                found.append(local + 2 * np.cross(v, np.cross(v, local) + w * local) + position)
        for corners in np.concatenate(found)[::37]:
            assert np.abs(expected - corners).sum(axis=1).min() < 1e-4
        assert np.ptp(np.concatenate(found), axis=0) == pytest.approx(np.ptp(expected, axis=0), abs=1e-4)


def test_quaternions_of_all_kinds_of_rotations() -> None:
    rng = np.random.default_rng(0)
    given = rng.normal(size=(200, 4))
    given[:8] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 1, 0], [0, 1, -1, 0], [1e-4, 1, 0, 0], [0, 0, 1, 1]]
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    w, x, y, z = given.T
    matrix = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                       [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                       [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)  # fmt: skip
    assert np.abs(np.einsum("ni,ni->n", quaternions(matrix), given)) == pytest.approx(np.ones(200), abs=1e-6)


def test_pictures_in_srgb_are_sent_as_they_are_shown() -> None:
    import io

    import trimesh

    pixels = np.full((4, 4, 3), 188, np.uint8)
    entry = Library().entries[BUILT_IN["plane"]]
    shown = []
    for srgb in (False, True):
        data = pictured_mesh(entry, 0, Texture("2d", pixels, srgb), np.ones(3), np.full(4, 255, np.uint8), False)
        loaded = trimesh.load(io.BytesIO(data), file_type="glb")
        shown.append(np.asarray(next(iter(loaded.geometry.values())).visual.material.baseColorTexture)[0, 0, 0])
    assert shown == [188, 128]


def test_poses_alone_are_sent_while_nothing_else_changes(simulation) -> None:
    with ViewerWeb(port=8190) as viewer:
        viewer.show(simulation)
        viewer.frame()
        before = dict(viewer._stage._handles)
        colors = {key: handle.batched_colors for key, handle in before.items() if hasattr(handle, "batched_colors")}
        simulation.step()
        viewer.frame()
        assert viewer._stage._handles == before
        assert all(before[key].batched_colors is color for key, color in colors.items())


@needs_browser
def test_page_shows_the_scene_and_does_what_is_pressed(simulation) -> None:
    simulation.reset()
    simulation.paused = True
    with ViewerWeb(port=8200, frame_rate=1000) as viewer, Browser(900, 540) as browser:
        viewer.show(simulation)
        viewer.session.maker.offsets[:] = [[0, 0, 0], [0, 50, 0]]  # one world in the middle of the picture
        browser.open(viewer.url)

        def until(ready, what):
            return browser.wait(ready, what, viewer.frame)

        def red(picture):
            return (picture[..., 0] > 2 * picture[..., 1].astype(int) + 30) & (picture[..., 0] > 2 * picture[..., 2].astype(int) + 30)

        until(lambda: viewer.visitors == 1, "the page to connect")
        until(lambda: "paused" in browser.text(), "the panel")
        until(lambda: red(browser.picture()).sum() > 500, "the red box")
        assert all(word in browser.text() for word in ("Control", "turn", "Joints", "hinge", "Sensors", "Show", "Groups"))
        rows, columns = np.nonzero(red(browser.picture()))
        browser.click(float(np.median(columns)), float(np.median(rows)))
        until(lambda: "selected: box" in browser.text(), "the box to be selected")
        assert viewer.session.selected_name() == "box"

        before = simulation.time
        browser.press("step")
        until(lambda: simulation.time > before, "a step")
        assert simulation.time == pytest.approx(before + 0.005)
        browser.press("back")
        until(lambda: simulation.time == before, "a step back")
        browser.press("pause")
        until(lambda: not simulation.paused, "the simulation to go on")
        for _ in range(20):
            simulation.step()
        browser.press("reset")
        until(lambda: simulation.time == 0.0, "the start")


@needs_browser
def test_bodies_are_pulled_and_turned_by_the_pointer(simulation) -> None:
    """Ctrl and the right button pull the box to the right by MuJoCo's spring, ctrl and the left one turn it; letting go ends it."""
    simulation.reset()
    simulation.paused = True
    with ViewerWeb(port=8240, frame_rate=1000) as viewer, Browser(900, 540) as browser:
        viewer.show(simulation)
        viewer.session.maker.offsets[:] = [[0, 0, 0], [0, 50, 0]]
        browser.open(viewer.url)
        hand, body = viewer.session.selection.hand, simulation.bodies("box")[0]

        def red():
            picture = browser.picture().astype(int)
            return np.argwhere((picture[..., 0] > 2 * picture[..., 1] + 30) & (picture[..., 0] > 2 * picture[..., 2] + 30))

        def box():
            return simulation.state.body_q.numpy()[body]

        browser.wait(lambda: viewer.visitors == 1 and len(red()) > 500, "the red box", viewer.frame)
        simulation.run_until(0.3)
        browser.wait(lambda: len(red()) > 500, "the box at rest", viewer.frame)
        y, x = np.median(red(), axis=0)
        start, steps = box().copy(), [(float(x + 10 * step), float(y)) for step in range(9)]
        seen = []

        def between():
            for _ in range(4):
                viewer.frame()
                if hand.active:
                    simulation.step()
            seen.append(int(hand.active))

        browser.drag(steps, "right", ctrl=True, between=between)
        browser.wait(lambda: not hand.active, "the end of the pull", viewer.frame)
        assert 1 in seen and hand.body == body and viewer.session.selected_name() == "box"
        assert box()[0] > start[0] + 0.02, "pulled to the right"

        simulation.reset()
        simulation.paused = True
        viewer.session.select(None)  # what is selected is paler
        simulation.set_coordinates(np.tile([0, 0, 0.9, 1, 0, 0, 0, 0], (2, 1)))  # in the air, moved directly while paused
        viewer.frame()
        browser.wait(lambda: len(red()) > 500, "the box in the air", viewer.frame)
        y, x = np.median(red(), axis=0)
        seen.clear()
        turned = box()[3:].copy()

        def look():
            viewer.frame()
            seen.append(int(hand.active))

        browser.drag([(float(x + 12 * step), float(y)) for step in range(8)], "left", ctrl=True, between=look)
        browser.wait(lambda: not hand.active, "the end of the turn", viewer.frame)
        assert 2 in seen
        assert abs(float(np.dot(box()[3:], turned))) < 0.999, "turned while paused"
        assert viewer.session.camera.azimuth == pytest.approx(90.0)


@needs_browser
def test_page_has_a_timeline_a_watch_and_panels_of_a_script(simulation) -> None:
    simulation.reset()
    simulation.paused = True
    for _ in range(12):
        simulation.step()
    kept = {"pressed": 0, "on": False}
    with ViewerWeb(port=8250, frame_rate=1000) as viewer, Browser(900, 900) as browser:
        viewer.show(simulation)
        viewer.frame()
        panel = viewer.add_panel("Controller")
        panel.button("kick it", lambda: kept.update(pressed=kept["pressed"] + 1))
        panel.switch("enabled", lambda: kept["on"], lambda on: kept.update(on=on))
        panel.slider("gain", 0, 4, lambda: 1.0, lambda value: None)
        panel.choice("gait", ("walk", "run"), lambda: "walk", lambda name: None)
        panel.value("pressed", lambda: kept["pressed"])
        browser.open(viewer.url)

        def until(ready, what):
            return browser.wait(ready, what, viewer.frame)

        until(lambda: "Controller" in browser.text() and "pressed: 0" in browser.text(), "the script's panel")
        browser.press("kick it")
        until(lambda: kept["pressed"] == 1 and "pressed: 1" in browser.text(), "the button")
        browser.press("first")
        until(lambda: simulation.moments == (0, 12), "the first moment")
        browser.press("play")
        until(lambda: simulation.replaying, "playing")
        simulation.advance(5 * simulation.dt)
        assert simulation.moments == (5, 7)
        browser.press("last")
        until(lambda: simulation.moments == (12, 0) and simulation.paused, "the newest")
        viewer.post(viewer.session.watches.add, simulation, "qpos[hinge]")
        until(lambda: "qpos[hinge]" in browser.text(), "what is watched")


@needs_browser
def test_script_of_its_own_is_paused_by_the_page(simulation) -> None:
    state = simulation.model.state()
    with ViewerWeb(port=8210, frame_rate=1000) as viewer, Browser() as browser:
        with pytest.raises(RuntimeError, match="shows nothing yet"):
            viewer.log_state(state)
        viewer.set_model(simulation.model)
        browser.open(viewer.url)

        def frame():
            viewer.begin_frame(1.5)
            viewer.log_state(state)
            viewer.end_frame()

        browser.wait(lambda: "1.50 s" in browser.text(), "the time of the frame", frame)
        assert viewer.should_step()
        browser.press("pause")
        browser.wait(viewer.is_paused, "the pause", frame)
        assert not viewer.should_step()
        browser.press("step")
        browser.wait(viewer.should_step, "one step", frame)
        assert not viewer.should_step()
    assert not viewer.is_running()


@needs_browser
def test_recording_is_one_page_that_plays(simulation, tmp_path) -> None:
    """The page asks nothing of any server, its time runs, and it is not blank."""
    from newtonish.viewer.record import record
    from newtonish.viewer.web.recording import PageSink

    simulation.paused = False
    simulation.load_keyframe("lifted")
    path = tmp_path / "run.html"
    sink = PageSink(path, 20.0, None, None, 0)
    assert record(simulation, sink, 0.5, 20.0) == 10 and sink.written == (path,)
    with Browser(480, 320) as browser:
        browser.open(path.as_uri())
        clock = "parseFloat((document.querySelector('input') || {}).value) || 0"
        browser.wait(lambda: browser.run(clock) > 0.1, "the recording to play")
        browser.run("window.dispatchEvent(new KeyboardEvent('keydown', {code: 'Space'}))")  # stands still, so that pictures are cheap
        browser.wait(lambda: browser.picture().astype(int).std(axis=(0, 1)).max() > 25, "a picture that is not blank")
        asked = browser.run("performance.getEntriesByType('resource').map(e => e.name).filter(n => n.startsWith('http'))")
        assert asked == [], "nothing comes from a network"


def test_notebook_is_given_a_frame_or_the_recording_itself(simulation, tmp_path) -> None:
    import newtonish

    page = newtonish.show(simulation, seconds=0.1, fps=20)
    assert page.url == "" and page._repr_html_().startswith("<iframe srcdoc=")
    page.save(tmp_path / "run.html")
    assert "__VISER_EMBED_DATA__" in (tmp_path / "run.html").read_text()
    live = newtonish.show(simulation, port=8230)
    assert live.url in live._repr_html_()
    live.close()
    assert not live.viewer.is_running()


@needs_browser
def test_what_a_notebook_shows_is_drawn_there(simulation, tmp_path) -> None:
    """The output of a cell in a page of its own, as notebooks put it: the recording in its frame is not blank."""
    import newtonish

    simulation.reset()
    cell = newtonish.show(simulation, seconds=0.2, fps=20, height=300)
    (tmp_path / "notebook.html").write_text(f"<html><body><p>In [1]:</p>{cell._repr_html_()}</body></html>", encoding="utf-8")
    with Browser(480, 380) as browser:
        browser.open((tmp_path / "notebook.html").as_uri())
        assert browser.run("document.querySelectorAll('iframe[srcdoc]').length") == 1
        browser.wait(lambda: browser.picture()[80:].astype(int).std(axis=(0, 1)).max() > 25, "the recording in the cell's output")


def keep_picture() -> None:
    """Not a test: redraws the page's picture of docs/window.md (PYTHONPATH=tests/support python tests/newtonish/viewer/test_web.py)."""
    simulation = Simulation(asset_path())
    simulation.run_until(0.3)
    simulation.paused = True
    with ViewerWeb(port=8270, frame_rate=1000) as viewer, Browser(1100, 760) as browser:
        viewer.show(simulation)
        viewer.session.options.contactpoint = True
        for field in ("qpos[right_knee]", "ncon"):
            viewer.session.watches.add(simulation, field)
        camera = viewer.session.camera
        camera.azimuth, camera.elevation, camera.distance = 160.0, -12.0, 2.4
        camera.lookat[:] = 0.0, 0.25, 0.6
        viewer.frame()
        browser.open(viewer.url)
        browser.wait(lambda: "Physics" in browser.text(), "the page", viewer.frame)
        for _ in range(60):
            viewer.frame()
        browser.run("document.querySelectorAll('[class*=Notification-closeButton]').forEach(e => e.click())")  # "WebGL is running in software mode"
        for _ in range(60):
            viewer.frame()
        browser.picture()  # one that is late
        Image.fromarray(browser.picture()).quantize(256, dither=Image.Dither.NONE).save(REPO / "docs" / "img" / "browser.png", optimize=True)


if __name__ == "__main__":
    keep_picture()
