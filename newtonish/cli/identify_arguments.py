"""Arguments of ``newtonish identify``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from newtonish.cli.arguments import natural, number, positive

__all__ = ["add_identify"]


def add_identify(commands: Any, action: Callable[[argparse.Namespace], int]) -> None:
    """Add the command's arguments."""
    parser = commands.add_parser("identify", help="find masses, friction, gains, ... of a model from recorded motions")
    parser.add_argument("model", metavar="MODEL", help="MJCF, URDF or USD file, .npz archive, or built-in name")
    parser.add_argument("log", nargs="+", metavar="LOG", help=".csv or .npz: time, and columns such as ctrl:NAME, qpos:JOINT, qvel:JOINT, sensor:NAME")
    parser.add_argument("--fit", metavar="LIST", help="kinds, or KIND:PATTERN, separated by commas (default: mass,armature,damping,frictionloss)")
    parser.add_argument("--bounds", type=_range, action="append", metavar="NAME=LOW:HIGH", help="range of parameters, by name or pattern; may be repeated")
    parser.add_argument(
        "--initial", type=_assignment, action="append", metavar="NAME=VALUE", help="begin there instead of at the model's value; may be repeated"
    )
    parser.add_argument("--weight", type=_assignment, action="append", metavar="COLUMN=W", help="factor on a column, or on qpos, qvel, sensor; may be repeated")
    parser.add_argument("--log-weights", type=_numbers, metavar="W[,W...]", help="a factor for each log")
    parser.add_argument("--ignore", metavar="LIST", help="columns of the logs to leave out, separated by commas")
    parser.add_argument("--start", type=_numbers, metavar="Q[,Q...]", help="qpos in which logs begin, at rest, where positions are not logged")
    parser.add_argument("--segment", type=number, metavar="S", help="seconds of the pieces that logs are cut into (default: 0.5)")
    parser.add_argument("--method", choices=("lm", "cma"), default="lm", help="Levenberg-Marquardt, or CMA-ES for rough problems (default: lm)")
    parser.add_argument("--iterations", type=positive, default=30, metavar="N", help="at most; of cma generations (default: 30)")
    parser.add_argument("--confidence", type=number, default=0.95, metavar="P", help="of the intervals (default: 0.95)")
    parser.add_argument("--seed", type=natural, default=0, metavar="S", help="of cma and of proposed motions (default: 0)")
    parser.add_argument("--device", default="cpu", metavar="D", help="Warp device (default: cpu)")
    parser.add_argument("--state", "--resume", metavar="FILE", help="keep the search in a file after each iteration, and go on from it if it is there")
    parser.add_argument("--out", metavar="FILE", help="write what was found: .xml (MJCF), .usda (a layer over the stage), .py, or .json")
    parser.add_argument("--plot", metavar="FILE", help="draw estimates, residuals and motions (needs matplotlib)")
    parser.add_argument("--excitation", metavar="FILE", help="write controls proposed for the next log (.csv)")
    parser.add_argument("--excitation-seconds", type=number, default=10.0, metavar="S", help="their length (default: 10)")
    parser.set_defaults(run=action)


def _assignment(text: str) -> tuple[str, float]:
    name, sign, value = text.rpartition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: NAME=NUMBER, such as damping:elbow=0.2")
    return name, number(value)


def _range(text: str) -> tuple[str, tuple[float, float]]:
    name, sign, value = text.rpartition("=")
    low, colon, high = value.partition(":")
    if not (sign and name and colon):
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: NAME=LOW:HIGH, such as mass:*=0.1:3")
    return name, (number(low), number(high))


def _numbers(text: str) -> list[float]:
    return [number(part) for part in text.split(",")]
