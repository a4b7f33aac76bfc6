"""``newtonish record MODEL --out FILE``: simulate and write a film, a picture, a USD stage that plays, a run to replay, or arrays of depth.

What is written, the end of the file's name says; :data:`SINKS` is the table of it. Pictures are drawn without a display.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import TextColumn, TimeRemainingColumn

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.controls import HOLD, Controls
from newtonish.cli.models import model_path
from newtonish.cli.options import apply_to_simulation
from newtonish.cli.progress import Progress, bar
from newtonish.errors import problem

__all__ = ["SINKS", "camera_of", "driver", "make_artist", "open_simulation", "run"]


def _images(path: Path, arguments: Namespace) -> Any:
    """Pictures and films."""
    from newtonish.viewer.encoders import open_encoder
    from newtonish.viewer.record import ImageSink

    return ImageSink(open_encoder(path, arguments.fps), make_artist(arguments), mode_of(arguments))


def _numbers(path: Path, arguments: Namespace) -> Any:
    """A run to replay, or numbers of depth and segmentation."""
    from newtonish.viewer.record import NumberSink, RunSink

    mode = mode_of(arguments)
    return RunSink(path) if mode == "color" else NumberSink(path, make_artist(arguments), mode)


def _page(path: Path, arguments: Namespace) -> Any:
    """A page that plays the run."""
    from newtonish.viewer.web.recording import PageSink

    if mode_of(arguments) != "color":
        raise UsageError(problem(f"--out {str(path)!r}", f"--{mode_of(arguments)}", "colours on a page", "write .png, .mp4 or .npz"))
    world = arguments.world
    return PageSink(path, arguments.fps, lambda maker, simulation: camera_of(maker, simulation, arguments), _options(arguments), world)


def _stage(path: Path, arguments: Namespace) -> Any:
    """Time-sampled poses over a USD stage."""
    from newtonish.viewer.record_usd import StageSink

    source = model_path(arguments.model)
    if path.exists() and path.samefile(source):
        raise UsageError(problem(f"--out {str(path)!r}", "the model's file", "another file", "name another one"))
    return StageSink(path, arguments.fps, None if arguments.world is None else [arguments.world], source=source)


SINKS: dict[str, Callable[[Path, Namespace], Any]] = {
    ".mp4": _images,
    ".gif": _images,
    ".png": _images,
    ".apng": _images,
    ".npz": _numbers,
    ".usd": _stage,
    ".usda": _stage,
    ".usdc": _stage,
    ".html": _page,
}
"""What takes the frames, by the end of the file's name: a function of the path and the arguments returns a Sink."""


def mode_of(arguments: Namespace) -> str:
    """``color``, ``depth`` or ``segmentation``."""
    if arguments.depth and arguments.segmentation:
        raise UsageError(problem("--depth", "--segmentation beside it", "one of both", "record twice"))
    return "depth" if arguments.depth else "segmentation" if arguments.segmentation else "color"


def _sink(path: Path, arguments: Namespace) -> Any:
    make = SINKS.get(path.suffix.lower())
    if make is None:
        text = problem(f"--out {str(path)!r}", f"a name that ends in {path.suffix!r}", ", ".join(SINKS), "choose one of these")
        raise UsageError(text)
    return make(path, arguments)


def make_artist(arguments: Namespace) -> Callable[[Any], Any]:
    """Returns the Artist of a simulation: size, camera and flags as the command line says."""

    def artist(simulation: Any) -> Any:
        from newtonish.viewer.record import Artist

        width, height = arguments.size
        world = arguments.world
        if world is not None and world >= simulation.worlds:
            raise UsageError(problem("--world", str(world), f"0 to {simulation.worlds - 1}", "choose a world, or more --worlds"))
        return Artist(simulation, width, height, lambda maker: camera_of(maker, simulation, arguments), _options(arguments), world)

    return artist


def camera_of(maker: Any, simulation: Any, arguments: Namespace) -> Any:
    """The camera that the command line asks for."""
    from newtonish.viewer.scene import Camera, CameraType

    world = arguments.world or 0
    if arguments.camera is not None:
        names = maker.camera_names()
        fixed = int(arguments.camera) if arguments.camera.isdigit() and arguments.camera not in names else arguments.camera
        return Camera(type=CameraType.FIXED, fixed=fixed, world=world)
    camera = maker.free_camera()
    if arguments.track is not None:
        camera.type, camera.body = CameraType.TRACKING, int(simulation.bodies(arguments.track)[world])
    for name in ("distance", "azimuth", "elevation", "lookat"):
        value = getattr(arguments, name)
        if value is not None:
            setattr(camera, name, np.asarray(value, dtype=np.float64) if name == "lookat" else value)
    return camera


def _options(arguments: Namespace) -> Any:
    """What is drawn beside MuJoCo's defaults."""
    from newtonish.viewer.scene import VisualOptions

    options = VisualOptions()
    options.show(arguments.show or "")
    return options


def open_simulation(arguments: Namespace) -> Any:
    """The simulation of a command line, at its keyframe, with its pushes."""
    path = model_path(arguments.model)
    device = use_device(arguments.device)
    from newtonish.viewer.simulation import Simulation

    simulation = Simulation(path, arguments.worlds, device=str(device))
    for line in simulation.messages[:5]:
        tables.console(stderr=True).print(f"warning: {line}", soft_wrap=True, markup=False)
    apply_to_simulation(simulation, getattr(arguments, "option", ()))
    if arguments.keyframe is not None:
        key = arguments.keyframe
        simulation.load_keyframe(int(key) if key.isdigit() and key not in simulation.keyframes else key)
    for body, force, start, seconds in arguments.push or ():
        simulation.push(body, force, start, seconds)
    return simulation


def driver(simulation: Any, kind: str, seed: int) -> Callable[[Any], None] | None:
    """What sets the controls before every step: random ones as ``newtonish simulate`` draws them, or nothing."""
    if kind == "zero" or not simulation.ctrl.size:
        return None
    sliders = simulation.controls()
    low, high = (np.array([[getattr(slider, side) for slider in sliders]], dtype=np.float32) for side in ("low", "high"))
    controls, count = Controls(kind, low, high, simulation.worlds, seed), 0

    def drive(simulation: Any) -> None:
        nonlocal count
        if count % HOLD == 0:
            simulation.ctrl = controls.sample()
        count += 1

    return drive


def _progress() -> Progress:
    return bar(TextColumn("{task.fields[frames]}"), TimeRemainingColumn())


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    path = output_path("--out", arguments.out)
    sink = _sink(path, arguments)
    done = 0
    with _progress() as progress:
        task = progress.add_task("compiling", total=None, frames="")  # until the first frame, where kernels are not in the cache yet

        def say(count: int, total: int) -> None:
            nonlocal done
            done = count
            progress.update(task, description="recording", completed=count, total=total, frames=f"{count}/{total} frames")

        try:
            simulation = open_simulation(arguments)
            from newtonish.viewer.record import record

            record(simulation, sink, arguments.seconds, arguments.fps, driver(simulation, arguments.control, arguments.seed), say)
        except KeyboardInterrupt:
            if sink.written:
                progress.stop()
                _tell(sink, simulation.name, done, done / arguments.fps)
            raise
    _tell(sink, simulation.name, done, arguments.seconds)
    return 0


def _tell(sink: Any, name: str, frames: int, seconds: float) -> None:
    """Say what was written where."""
    for line in getattr(getattr(sink, "viewer", None), "left_out", ()):
        print(f"not shown as it is: {line}")
    names = [str(name) for name in sink.written]
    shown = " and ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"
    what = "1 frame" if frames == 1 else f"{frames} frames"
    print(f"{what} of {name}, {seconds:g} s, written to {shown}")
