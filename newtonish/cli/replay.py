"""``newtonish replay FILE``: the recorded steps of worlds that failed, taken again and tabulated."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path
from newtonish.cli.picture import check_picture, draw
from newtonish.errors import problem

__all__ = ["run"]

_SHOWN = 5
"""Worlds that are shown before the rest is only counted."""


def _show(flight: Any, most: int) -> None:
    """The last steps of a world."""
    rows: list[list[str]] = []
    red: list[int] = []
    for step in flight.steps[-most:]:
        again = {None: "", True: "to the bit", False: "no"}[step.repeated]
        if step.failure:
            red.append(len(rows))
        rows.append([f"{step.time:.6g}", str(step.ncon), str(step.nefc), str(step.niter), f"{step.largest_qvel:.4g}", again, step.failure])
    header = ("time [s]", "contacts", "rows", "iterations", "largest velocity", "repeats", "failed")
    tables.grid(f"world {flight.world}: the last {len(rows)} of {len(flight.steps)} recorded steps", header, rows, left=0, red=red)


def _verdict(flights: list[Any]) -> str:
    """How many of the steps that could be compared repeat."""
    compared = [step.repeated for flight in flights for step in flight.steps if step.repeated is not None]
    text = f"{sum(compared)} of {len(compared)} steps repeat to the bit"
    return text if all(compared) else f"{text}; after the others the program set the state, or another device or version took them"


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    picture = output_path("--picture", arguments.picture)
    if picture is not None:
        check_picture(picture)
    device = use_device(arguments.device)
    from newtonish import mjw

    file = Path(arguments.file)
    given = None if arguments.model is None else str(model_path(arguments.model))
    with short_warnings(file):
        _, _, flights = mjw.replay_flight(file, source=given, device=str(device))
    if arguments.world is not None:
        worlds = [flight.world for flight in flights]
        flights = [flight for flight in flights if flight.world == arguments.world]
        if not flights:
            allowed = ", ".join(map(str, worlds[:20])) + ", ..." * (len(worlds) > 20)
            raise UsageError(problem(f"--world {arguments.world}", "a world that is not in the record", allowed, "choose one of these"))
    for flight in flights[:_SHOWN]:
        _show(flight, arguments.steps)
    if len(flights) > _SHOWN:
        print(f"{len(flights) - _SHOWN} more worlds: {', '.join(str(flight.world) for flight in flights[_SHOWN:][:20])}")
    print(_verdict(flights))
    if picture is not None:
        source = _source_of(file) if given is None else given
        draw(Path(source), {"final_qpos": flights[0].qpos[-1:]}, picture)
        print(f"picture written to {picture}")
    return 0


def _source_of(file: Path) -> str:
    """The model that a record names."""
    from newtonish.mjw import sealed
    from newtonish.mjw.flights import KIND

    return str(sealed.read(file, KIND)[0]["source"])
