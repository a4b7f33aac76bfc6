"""Arguments of ``newtonish tune``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from newtonish.cli.arguments import natural, number, positive

__all__ = ["add_tune"]


def add_tune(commands: Any, tune: Callable[[Any], int]) -> None:
    """Add the command to a parser's commands."""
    about = "say what a model's gains come to in newtons and metres, and which are bad; with --spec, find gains that meet it"
    parser = commands.add_parser("tune", help=about)
    parser.add_argument("model", metavar="MODEL", help="MJCF, URDF or USD file, .npz archive, or built-in name")
    parser.add_argument("--pose", metavar="KEY", help="keyframe, by name or number (default: the first one, or the reference pose)")
    search = parser.add_argument_group("finding gains")
    search.add_argument(
        "--spec", metavar="F=X,...", help="upper bounds of rise, settle, overshoot, steady, force, depth, energy, as in settle=0.2,overshoot=0.05"
    )
    search.add_argument("--joint", metavar="NAME,...", help="joints or patterns (default: all)")
    search.add_argument("--test", choices=("step", "sine", "impact"), default="step", help="test; an impact tunes joint limits (default: step)")
    search.add_argument("--payload", default="0", metavar="KG,...", help="masses at the end of each joint's chain, each a scenario (default: 0)")
    search.add_argument("--payload-body", metavar="BODY", help="body that carries them")
    search.add_argument("--poses", type=positive, default=3, metavar="N", help="poses, all but the first drawn from the ranges (default: 3)")
    search.add_argument("--quantile", type=number, default=1.0, metavar="Q", help="share of scenarios that have to meet the bounds (default: 1)")
    search.add_argument("--candidates", type=positive, default=8, metavar="N", help="gains of each joint at once (default: 8)")
    search.add_argument("--generations", type=positive, default=15, metavar="N", help="how often, at most (default: 15)")
    search.add_argument("--optimizer", choices=("cma", "grid"), default="cma", help="search (default: cma)")
    search.add_argument("--step", type=number, default=0.1, metavar="X", help="size of steps or amplitude of sines, rad or m (default: 0.1)")
    search.add_argument("--frequency", type=number, default=1.0, metavar="HZ", help="of sines (default: 1)")
    search.add_argument("--speed", type=number, default=1.0, metavar="V", help="of impacts, rad/s or m/s (default: 1)")
    search.add_argument("--seed", type=natural, default=0, metavar="S", help="seed of poses and search (default: 0)")
    search.add_argument("--device", default="cpu", metavar="D", help="Warp device (default: cpu)")
    search.add_argument("--out", metavar="FILE", help="write the gains: .xml a changed copy of the file, .usda a layer, .py lines of Python, .json")
    search.add_argument("--plot", metavar="FILE", help="draw responses and trade-offs (needs matplotlib)")
    search.add_argument("--resume", metavar="FILE", help="keep the search in a file, and go on from there if it exists")
    parser.set_defaults(run=tune)
