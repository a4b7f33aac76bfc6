"""Frames in files: what comes out again, how long it lasts, and what is refused."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from newtonish.errors import ModelError
from newtonish.viewer import encoders
from newtonish.viewer.encoders import open_encoder

FRAMES = [np.full((46, 61, 3), (40 * i, 0, 200 - 40 * i), dtype=np.uint8) for i in range(5)]


def write(path, fps=25.0, frames=FRAMES):
    encoder = open_encoder(path, fps)
    for frame in frames:
        encoder.add(frame)
    encoder.close()
    return encoder


def read(path) -> tuple[list[np.ndarray], list[float]]:
    found, times = [], []
    with Image.open(path) as image:
        for i in range(image.n_frames):
            image.seek(i)
            found.append(np.asarray(image.convert("RGB")).astype(int))
            times.append(image.info.get("duration", 0))
    return found, times


def test_a_picture_is_the_last_frame(tmp_path):
    encoder = write(tmp_path / "a.png")
    assert encoder.one and encoder.written == [tmp_path / "a.png"]
    (image,), _ = read(tmp_path / "a.png")
    np.testing.assert_array_equal(image, FRAMES[-1])


def test_numbered_pictures(tmp_path):
    encoder = write(tmp_path / "a%03d.png")
    assert not encoder.one and [path.name for path in encoder.written] == [f"a00{i}.png" for i in range(5)]
    for path, frame in zip(encoder.written, FRAMES, strict=True):
        np.testing.assert_array_equal(read(path)[0][0], frame)


def test_animated_png_keeps_every_frame(tmp_path):
    write(tmp_path / "a.apng", fps=50.0)
    images, times = read(tmp_path / "a.apng")
    np.testing.assert_array_equal(images, FRAMES)
    assert times == [20.0] * 5
    write(tmp_path / "b.apng", frames=FRAMES[:1])
    assert len(read(tmp_path / "b.apng")[0]) == 1


@pytest.mark.parametrize(("fps", "kept", "length"), [(25.0, [0, 1, 2, 3, 4], 200), (60.0, [0, 2, 4], 100), (30.0, [0, 1, 2, 3, 4], 170)])
def test_a_gif_keeps_its_length(tmp_path, fps, kept, length):
    write(tmp_path / "a.gif", fps=fps)
    images, times = read(tmp_path / "a.gif")
    assert sum(times) == length and all(time >= 20 for time in times)
    for image, frame in zip(images, kept, strict=True):
        np.testing.assert_allclose(image, FRAMES[frame], atol=20)  # 256 colours out of cubes


def decoded(path) -> np.ndarray:
    """Frames of a film, with its own size."""
    command = [encoders.ffmpeg(), "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, 46, 62, 3).astype(int)  # an odd width grows by one


def test_a_film(tmp_path):
    assert write(tmp_path / "a.mp4").written == [tmp_path / "a.mp4"]
    film = decoded(tmp_path / "a.mp4")
    assert len(film) == 5
    for frame, expected in zip(film, FRAMES, strict=True):
        np.testing.assert_allclose(frame[10:30, 10:40].mean((0, 1)), expected[0, 0], atol=12)


def test_the_package_brings_an_ffmpeg_of_its_own(tmp_path, monkeypatch):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert encoders.ffmpeg() == imageio_ffmpeg.get_ffmpeg_exe()
    write(tmp_path / "a.mp4")
    assert len(decoded(tmp_path / "a.mp4")) == 5


def test_without_ffmpeg_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ModelError, match=r"no ffmpeg.*newtonish\[view\].*\.gif"):
        open_encoder(tmp_path / "a.mp4", 25.0)


def test_an_ffmpeg_that_fails_is_quoted(tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho 'Unknown encoder libx264' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    with pytest.raises(ModelError, match="Unknown encoder libx264"):
        write(tmp_path / "a.mp4", frames=FRAMES * 40)


def test_an_abandoned_film_leaves_nothing(tmp_path):
    encoder = open_encoder(tmp_path / "a.mp4", 25.0)
    encoder.add(FRAMES[0])
    encoder.abandon()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "words"), [("a.avi", r"\.png, \.apng, \.gif, \.mp4"), ("a%q.png", "%04d"), ("a%d%d.png", "%04d")])
def test_other_names_are_refused(tmp_path, name, words):
    with pytest.raises(ModelError, match=words):
        open_encoder(tmp_path / name, 25.0)
