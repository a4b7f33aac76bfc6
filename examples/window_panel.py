"""A panel of one's own in the window: a wave that drives a joint, with its amplitude, its shape and what comes of it.

Run with ``python examples/window_panel.py``, or with ``--web`` for a page in a browser.
"""

import argparse
import math
from typing import Any

from newtonish.assets import asset_path
from newtonish.viewer import Simulation


def add_wave(viewer: Any, simulation: Simulation) -> dict[str, Any]:
    """Let a wave drive the first control, and give it a panel.

    Args:
        viewer: Any viewer; those without a screen show nothing.
        simulation: What is driven.

    Returns:
        The wave's settings, which the panel changes.
    """
    wave: dict[str, Any] = {"on": True, "amplitude": 0.5, "shape": "sine"}

    def drive(simulation: Simulation) -> None:
        phase = math.sin(4.0 * simulation.time)
        value = phase if wave["shape"] == "sine" else math.copysign(1.0, phase)
        simulation.set_control(0, wave["amplitude"] * value if wave["on"] else 0.0)

    simulation.drive = drive  # called before every step
    panel = viewer.add_panel("Wave")
    panel.switch("on", lambda: wave["on"], lambda on: wave.update(on=on))
    panel.slider("amplitude", 0.0, 2.0, lambda: wave["amplitude"], lambda value: wave.update(amplitude=value))
    panel.choice("shape", ("sine", "square"), lambda: wave["shape"], lambda name: wave.update(shape=name))
    panel.value("first joint [rad]", lambda: simulation.joints()[0].value)
    panel.button("start over", simulation.reset)
    return wave


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--web", action="store_true", help="a page in a browser")
    if parser.parse_args().web:
        from newtonish.viewer import ViewerWeb as Viewer
    else:
        from newtonish.viewer import ViewerGL as Viewer
    shown = Simulation(asset_path("arm.xml"))
    window = Viewer()
    add_wave(window, shown)
    window.run(shown)
