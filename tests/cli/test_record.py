"""``newtonish record`` and ``simulate --picture``: files of every kind, drawn without a display, and what is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from newtonish.cli.main import main
from newtonish.viewer import Replay

SCENE = """
<mujoco>
  <worldbody>
    <camera name="above" pos="0 0 5" fovy="45"/>
    <geom type="plane" size="5 5 .1" rgba="0 0 1 1"/>
    <body name="ball" pos="0 0 1">
      <freejoint/>
      <geom size=".5" rgba="1 0 0 1" contype="0" conaffinity="0"/>
      <site name="s"/>
    </body>
  </worldbody>
  <actuator><motor name="lift" site="s" gear="0 0 50 0 0 0" ctrllimited="true" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="left" qpos="-1 0 1 1 0 0 0"/></keyframe>
</mujoco>
"""
SMALL = ["--size", "80x60", "--camera", "above"]


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(SCENE)
    return str(path)


def record(scene, out, *words) -> int:
    return main(["record", scene, "--out", str(out), *SMALL, *words])


def frames(path) -> list[np.ndarray]:
    with Image.open(path) as image:
        found = []
        for i in range(getattr(image, "n_frames", 1)):
            image.seek(i)
            found.append(np.asarray(image.convert("RGB")).astype(int))
        return found


def red(picture) -> np.ndarray:
    """Rows and columns where the ball is seen."""
    return np.argwhere((picture[..., 0] > 60) & (picture[..., 2] < 0.5 * picture[..., 0]))


def test_a_picture_shows_the_end(scene, tmp_path, capsys):
    assert record(scene, tmp_path / "a.png", "--seconds", "0") == 0
    assert f"1 frame of {tmp_path.name}/scene.xml, 0 s, written to" in capsys.readouterr().out
    assert record(scene, tmp_path / "b.png", "--seconds", "0.3") == 0
    high, low = (red(frames(tmp_path / name)[0]) for name in ("a.png", "b.png"))
    assert len(high) > len(low) > 50  # it has fallen away from the camera
    for seen in (high, low):
        np.testing.assert_allclose(seen.mean(axis=0), (29.5, 39.5), atol=1.0)


def test_keyframes_and_pushes_move_what_is_seen(scene, tmp_path):
    assert record(scene, tmp_path / "a.png", "--seconds", "0", "--keyframe", "left") == 0
    assert red(frames(tmp_path / "a.png")[0])[:, 1].mean() < 30
    assert record(scene, tmp_path / "b.apng", "--seconds", "0.2", "--fps", "50", "--push", "ball=20000,0,5000@0.1+0.1") == 0
    film = frames(tmp_path / "b.apng")
    columns = [red(picture)[:, 1].mean() for picture in film]
    assert len(film) == 10
    np.testing.assert_allclose(columns[:6], 39.5, atol=0.5)
    assert columns[-1] > 41


def test_controls_are_random_and_repeat(scene, tmp_path):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        words = ["--control", "random", "--seed", seed, "--seconds", "0.2", "--fps", "20"]
        assert record(scene, tmp_path / f"{name}.npz", *words) == 0
    a, b, c = (Replay(tmp_path / f"{name}.npz") for name in "abc")
    for replay in (a, b, c):
        replay.forward(3)
    np.testing.assert_array_equal(a.state.body_q.numpy(), b.state.body_q.numpy())
    assert (a.state.body_q.numpy() != c.state.body_q.numpy()).any()
    assert a.moments == (3, 0) and a.time == pytest.approx(0.15, abs=2e-3)


def test_films(scene, tmp_path):
    assert record(scene, tmp_path / "a.gif", "--seconds", "0.2", "--fps", "25") == 0
    assert len(frames(tmp_path / "a.gif")) == 5
    assert record(scene, tmp_path / "a.mp4", "--seconds", "0.2", "--fps", "25") == 0
    assert (tmp_path / "a.mp4").read_bytes()[4:8] == b"ftyp"
    assert record(scene, tmp_path / "a_%02d.png", "--seconds", "0.1", "--fps", "20") == 0
    assert (tmp_path / "a_00.png").exists() and (tmp_path / "a_01.png").exists()


def test_depth_and_segmentation(scene, tmp_path):
    """The camera is five metres above the ground; the ball's top is three and a half below it."""
    assert record(scene, tmp_path / "d.npz", "--depth", "--seconds", "0") == 0
    assert record(scene, tmp_path / "s.npz", "--segmentation", "--seconds", "0") == 0
    with np.load(tmp_path / "d.npz") as store:
        depth = store["depth"][0]
    assert depth[30, 40] == pytest.approx(3.5, abs=0.01) and depth[2, 2] == pytest.approx(5.0, abs=0.01)
    with np.load(tmp_path / "s.npz") as store:
        what = store["segmentation"][0]
    assert (what[30, 40] != what[2, 2]).any() and (what >= 0).all()
    assert record(scene, tmp_path / "d.png", "--depth", "--seconds", "0") == 0
    assert record(scene, tmp_path / "s.png", "--segmentation", "--seconds", "0") == 0
    grey, tints = frames(tmp_path / "d.png")[0], frames(tmp_path / "s.png")[0]
    assert (grey[..., 0] == grey[..., 2]).all() and grey[30, 40, 0] > grey[2, 2, 0] > 0
    assert len(np.unique(tints.reshape(-1, 3), axis=0)) == 2


def test_one_world_of_several(scene, tmp_path):
    """Drawn alone, a world is where the camera of the model looks; all of them lie on a grid."""
    words = ["--worlds", "4", "--seconds", "0.05", "--control", "random"]
    assert record(scene, tmp_path / "a.png", *words, "--world", "3") == 0
    np.testing.assert_allclose(red(frames(tmp_path / "a.png")[0]).mean(axis=0), (29.5, 39.5), atol=1.0)
    assert main(["record", scene, "--out", str(tmp_path / "b.png"), "--size", "160x120", *words]) == 0
    assert len(red(frames(tmp_path / "b.png")[0])) > 100


def test_the_free_camera(scene, tmp_path):
    free = ["--distance", "4", "--azimuth", "90", "--elevation", "-10"]
    out = ["--seconds", "0", "--size", "80x60"]
    for name, words in (("a", ["--lookat", "0,0,1"]), ("b", ["--track", "ball"]), ("c", ["--lookat", "1,0,1"])):
        assert main(["record", scene, "--out", str(tmp_path / f"{name}.png"), *out, *free, *words]) == 0
    middle, tracked, beside = (red(frames(tmp_path / f"{name}.png")[0]).mean(axis=0) for name in "abc")
    np.testing.assert_allclose(middle, (29.5, 39.5), atol=1.0)
    np.testing.assert_allclose(tracked, middle, atol=1.0)
    assert beside[1] < 30  # looking along y, x is to the right


def test_page_that_plays(scene, tmp_path, capsys):
    out = tmp_path / "run.html"
    assert main(["record", scene, "--out", str(out), "--seconds", "0.2", "--fps", "10"]) == 0
    assert "2 frames" in capsys.readouterr().out
    assert "__VISER_EMBED_DATA__" in out.read_text()
    assert main(["record", scene, "--out", str(out), "--depth"]) == 2
    assert "colours on a page" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "a.avi"], ".mp4, .gif, .png, .apng, .npz"),
        (["--out", "none/a.png"], "does not exist"),
        (["--out", "a.png", "--depth", "--segmentation"], "one of both"),
        (["--out", "a.png", "--camera", "side"], "'above'"),
        (["--out", "a.png", "--track", "leg"], "ball"),
        (["--out", "a.png", "--push", "leg=1,0,0"], "ball"),
        (["--out", "a.png", "--push", "ball"], "BODY=FX,FY,FZ@START+SECONDS"),
        (["--out", "a.png", "--keyframe", "up"], "left"),
        (["--out", "a.png", "--world", "1"], "0 to 0"),
        (["--out", "a.png", "--size", "big"], "800x600"),
        (["--out", "a.png", "--fps", "0"], "frames a second"),
        (["--out", "a.png", "--seconds", "-1"], "0 or more"),
        (["--out", "a.png", "--lookat", "1,2"], "three numbers"),
        (["--out", "a.png", "--show", "everything"], "contactforce"),
        ([], "--out"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(scene, tmp_path, capsys, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    assert main(["record", scene, "--seconds", "0", "--size", "80x60", *words]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and said in lines[0] and lines[0].startswith("newtonish record: error: ")
    assert [path.name for path in tmp_path.iterdir()] == ["scene.xml"]


def test_a_simulation_ends_in_a_picture(scene, tmp_path, capsys):
    assert main(["simulate", scene, "--worlds", "4", "--steps", "20", "--picture", str(tmp_path / "end.png")]) == 0
    assert "picture written to" in capsys.readouterr().out
    assert frames(tmp_path / "end.png")[0].shape == (600, 800, 3) and len(red(frames(tmp_path / "end.png")[0])) > 1000
    assert main(["simulate", scene, "--picture", str(tmp_path / "end.jpg")]) == 2
    assert ".png" in capsys.readouterr().err


WITHOUT = "import sys; sys.modules['pyglet'] = None; from newtonish.cli.main import main; sys.exit(main({words!r}))"


@pytest.mark.parametrize("words", [["record", "arm", "--out", "a.png"], ["simulate", "arm", "--picture", "a.png"], ["view", "arm"]])
def test_without_opengl_one_line_says_what_is_missing(tmp_path, words):
    done = subprocess.run([sys.executable, "-c", WITHOUT.format(words=words)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(lines) == 1 and "pyglet is missing; pip install" in lines[0], done.stderr
    assert not list(tmp_path.iterdir())


def test_without_a_display_a_window_is_refused_in_one_line(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-m", "newtonish", "view", "arm"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "a display" in done.stderr and "xvfb-run" in done.stderr


def test_nothing_but_drawing_imports_pyglet(tmp_path):
    code = (
        "import sys; from newtonish.cli.main import main; import newtonish.viewer.record, newtonish.viewer.scene, newtonish.viewer.replay;"
        "from newtonish.viewer import Simulation, ViewerFile, ViewerNull;"
        "assert main(['record', 'arm', '--seconds', '0.1', '--out', 'run.npz']) == 0; assert 'pyglet' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ("film.mp4", "film.gif", "film.npz", "film.usdc"))
def test_an_interrupted_film_holds_what_was_drawn(scene, tmp_path, name, monkeypatch, capsys):
    from newtonish.viewer.simulation import Simulation

    step = Simulation.step

    def interrupted(simulation) -> None:
        if simulation.time > 0.25:
            raise KeyboardInterrupt
        step(simulation)

    monkeypatch.setattr(Simulation, "step", interrupted)
    out = tmp_path / name
    assert record(scene, out, "--seconds", "1", "--fps", "20") == 130
    said = capsys.readouterr()
    assert f"6 frames of {tmp_path.name}/scene.xml, 0.3 s, written to" in said.out and "interrupted" in said.err
    if name == "film.mp4":
        assert pytest.importorskip("imageio_ffmpeg").count_frames_and_secs(str(out))[0] == 6
    elif name == "film.gif":
        assert len(frames(out)) == 6
    elif name == "film.npz":
        assert Replay(out).moments == (0, 5)
    assert not [path for path in tmp_path.iterdir() if "part" in path.name]


def test_interrupted_before_the_first_frame_leaves_nothing(scene, tmp_path, monkeypatch):
    from newtonish.viewer.record import Artist

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Artist, "draw", interrupted)
    assert record(scene, tmp_path / "film.mp4") == 130
    assert not (tmp_path / "film.mp4").exists()
