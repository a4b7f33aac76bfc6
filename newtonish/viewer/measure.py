"""What a picture costs: ``python -m newtonish.viewer.measure MODEL`` draws a model off screen and prints the median milliseconds.

The time is split into making the scene (numpy), drawing (OpenGL, until everything is on the picture) and reading the pixels back. Wall
time is what one waits; processor time tells what a machine costs that other programs use as well.
"""

from __future__ import annotations

import argparse
import statistics
import time

from newtonish.viewer.scene import SceneMaker
from newtonish.viewer.simulation import Simulation

__all__ = ["main", "measure"]


def measure(simulation: Simulation, size: tuple[int, int], frames: int = 60, shadows: bool = True, as_window: bool = True) -> dict[str, float]:
    """Medians over pictures of a moving model, in milliseconds.

    Args:
        simulation: The model; advanced a 60th of a second before each picture, which is not measured.
        size: Width and height [pixels].
        frames: Pictures that are measured.
        shadows: Whether there are shadows.
        as_window: Whether it is drawn as a window would here; otherwise as finely as a recorder does.

    Returns:
        ``scene``, ``draw``, ``read``, ``frame`` (the first two, which a window needs), ``processor`` (the same on all cores),
        ``instances``, ``draws``.

    Raises:
        ViewerUnavailable: Pictures cannot be drawn here.
    """
    from newtonish.viewer.draw import OffscreenRenderer

    maker = SceneMaker(simulation.model, simulation.solver)
    camera = maker.free_camera()
    taken: dict[str, list[float]] = {name: [] for name in ("scene", "draw", "read", "frame", "processor")}
    quality = {"samples": None, "shadow_size": None} if as_window else {"samples": 4, "shadow_size": 2048}
    if not shadows:
        quality["shadow_size"] = 0
    with OffscreenRenderer(*size, **quality) as renderer:
        for number in range(frames + 5):
            simulation.run_until(simulation.time + 1 / 60)
            start, spent = time.perf_counter(), time.process_time()
            scene = maker.make(simulation.state, camera=camera)
            made = time.perf_counter()
            renderer.draw(scene)
            renderer.finish()
            drawn, used = time.perf_counter(), time.process_time()
            renderer.color()
            read = time.perf_counter()
            if number >= 5:  # shaders and coarser meshes are made for the first pictures
                parts = (made - start, drawn - made, read - drawn, drawn - start, used - spent)
                for name, seconds in zip(taken, parts, strict=True):
                    taken[name].append(1e3 * seconds)
        counts = {"instances": float(len(scene.instances)), "draws": float(renderer.draws)}
    return {name: statistics.median(values) for name, values in taken.items()} | counts


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m newtonish.viewer.measure", description="measure what pictures of a model cost")
    parser.add_argument("model", help="a model file")
    parser.add_argument("--size", default="800x600", help="width and height in pixels (default: 800x600)")
    parser.add_argument("--frames", type=int, default=60, help="pictures that are measured (default: 60)")
    parser.add_argument("--worlds", type=int, default=1, help="worlds that are drawn (default: 1)")
    given = parser.parse_args(arguments)
    width, height = (int(part) for part in given.size.split("x"))
    simulation = Simulation(given.model, worlds=given.worlds)
    kinds = (("as a window", True, True), ("without shadows", False, True), ("as a recorder", True, False))
    print(f"{given.model}, {width} x {height}, median of {given.frames} pictures, milliseconds")
    print(f"{'':18}{'scene':>8}{'draw':>8}{'read':>8}{'frame':>8}{'processor':>11}{'pictures/s':>12}")
    for name, shadows, as_window in kinds:
        found = measure(simulation, (width, height), given.frames, shadows, as_window)
        columns = "".join(f"{found[part]:8.1f}" for part in ("scene", "draw", "read", "frame"))
        print(f"{name:18}{columns}{found['processor']:11.1f}{1e3 / found['frame']:12.0f}")
    print(f"{int(found['instances'])} instances, {int(found['draws'])} draw calls")


if __name__ == "__main__":
    main()
