"""Frames into files: one picture, numbered pictures, animated PNG and GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from newtonish.errors import ModelError, problem
from newtonish.files import replacing

__all__ = ["SUFFIXES", "Encoder", "open_encoder"]


class Encoder:
    """Writes frames (height, width, 3) uint8, all of one size.

    Args:
        path: The file.
        fps: Frames a second of the clip.

    Attributes:
        one: Whether the file holds one picture, so that only the last frame counts.
        written: Files that there are after ``close``.
    """

    one = False

    def __init__(self, path: Path, fps: float) -> None:
        self.path, self.fps = path, float(fps)
        self.written: list[Path] = []

    def add(self, frame: np.ndarray) -> None:
        """Take over the next frame."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish the file."""

    def abandon(self) -> None:
        """Stop without a file, after something went wrong elsewhere."""


class Still(Encoder):
    """One picture: the last frame."""

    one = True

    def add(self, frame: np.ndarray) -> None:
        self._last = Image.fromarray(frame)

    def close(self) -> None:
        with replacing(self.path) as partial:
            self._last.save(partial)
        self.written.append(self.path)


class Numbered(Encoder):
    """A picture for each frame, numbered where the name has ``%d`` or ``%04d``."""

    def add(self, frame: np.ndarray) -> None:
        path = self.path.with_name(self.path.name % len(self.written))
        with replacing(path) as partial:
            Image.fromarray(frame).save(partial)
        self.written.append(path)


class Animation(Encoder):
    """An animated PNG, every frame as it is."""

    _FORMAT = "PNG"

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        self._frames: list[Image.Image] = []

    def add(self, frame: np.ndarray) -> None:
        self._frames.append(Image.fromarray(frame))

    def _timing(self) -> Any:
        return 1e3 / self.fps

    def close(self) -> None:
        first, *others = self._frames
        options = {"append_images": others, "duration": self._timing(), "loop": 0} if others else {}
        first.save(self.path, format=self._FORMAT, save_all=bool(others), **options)
        self.written.append(self.path)


class Gif(Animation):
    """An animated GIF of 256 colours a frame.

    Its clock counts hundredths of a second, and programs slow down frames of less than two: of a faster clip every second frame is
    taken, or third, and so on, and delays alternate so that the clip keeps its length.
    """

    _FORMAT = "GIF"

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        self._stride = max(1, int(np.ceil(self.fps / 50.0 - 1e-9)))
        self._seen = 0

    def add(self, frame: np.ndarray) -> None:
        if self._seen % self._stride == 0:
            self._frames.append(Image.fromarray(frame).quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
        self._seen += 1

    def _timing(self) -> list[int]:
        """Milliseconds of each frame, multiples of ten."""
        ends = np.round(np.arange(len(self._frames) + 1) * self._stride * 100.0 / self.fps).astype(int)
        return (10 * np.diff(ends)).tolist()


class Mp4(Encoder):
    """H.264 in MP4; an odd row or column is doubled, since the format wants even sizes."""

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        self._program = ffmpeg()
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, frame: np.ndarray) -> None:
        if self._process is None:
            self._start(*frame.shape[1::-1])
        try:
            self._process.stdin.write(np.ascontiguousarray(frame).tobytes())
        except BrokenPipeError:
            self._fail()

    def _start(self, width: int, height: int) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (read after the process has ended)
        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{self.fps:g}", "-i", "-"]
        pad = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:0:0"]
        target = ["-an", *pad, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", os.fspath(self.path.resolve())]
        command = [self._program, "-y", "-loglevel", "error", *source, *target]
        # a session of its own: an interrupt from the keyboard is ours to answer, by closing the film
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True)

    def _fail(self) -> None:
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines() or ["no message"]
        self._process = None
        text = problem(f"{self.path}: ffmpeg", said[-1], "an ffmpeg that writes H.264 (libx264)", "install another one, or write a .gif")
        raise ModelError(text)

    def close(self) -> None:
        if self._process is None:
            return
        self._process.stdin.close()
        if self._process.wait():
            self._fail()
        self.written.append(self.path)

    def abandon(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self.path.unlink(missing_ok=True)


def ffmpeg() -> str:
    """The ffmpeg that writes MP4: the one on the PATH, else that of the package imageio-ffmpeg.

    Raises:
        ModelError: There is none.
    """
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        remedy = "pip install 'newtonish[view]' or apt-get install ffmpeg, or write a .gif"
        raise ModelError(problem(".mp4", "no ffmpeg", "ffmpeg on the PATH or the package imageio-ffmpeg", remedy)) from None


_KINDS: dict[str, type[Encoder]] = {".png": Still, ".apng": Animation, ".gif": Gif, ".mp4": Mp4}

SUFFIXES = tuple(_KINDS)
"""Ends of the names of files that frames can be written to."""


def open_encoder(path: Path, fps: float) -> Encoder:
    """What writes frames to a file, by the end of its name; a name with ``%`` is that of numbered pictures.

    Raises:
        ModelError: Another end, or no ffmpeg for a film.
    """
    suffix = path.suffix.lower()
    if suffix not in _KINDS:
        raise ModelError(problem(str(path), f"a name that ends in {suffix!r}", ", ".join(SUFFIXES), "choose one of these"))
    if suffix == ".png" and "%" in path.name:
        try:
            path.name % 0
        except (TypeError, ValueError):
            raise ModelError(problem(str(path), "a name with '%'", "one %d or %04d in it", "correct the name")) from None
        return Numbered(path, fps)
    return _KINDS[suffix](path, fps)
