"""Arguments of the commands that show a model: view, record and profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from newtonish.cli.arguments import duration, natural, number, picture_size, positive, push, rate, vector
from newtonish.cli.options import add_option

__all__ = ["add_looking"]

_MODEL = "MJCF, URDF or USD file, or built-in name (default: humanoid)"
_PUSH = "push a body, in newtons and seconds; may be repeated (default start and length: @0.5+0.2)"


def add_looking(commands: Any, view: Callable[[Any], int], serve: Callable[[Any], int], record: Callable[[Any], int], profile: Callable[[Any], int]) -> None:
    """Add the four commands, each with the function that carries it out."""
    _view(commands.add_parser("view", help="open a window on a simulation, or play a recorded run")).set_defaults(run=view)
    _serve(commands.add_parser("serve", help="show a simulation to everyone who opens a page in a browser")).set_defaults(run=serve)
    _record(commands.add_parser("record", help="simulate and write a film, a picture, a run, or depth")).set_defaults(run=record)
    _profile(commands.add_parser("profile", help="show where the time of a step goes and how the solver converges")).set_defaults(run=profile)


def _source(parser: Any, worlds: int) -> None:
    """What is simulated, and from where on."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help=_MODEL)
    parser.add_argument("--worlds", type=positive, default=worlds, metavar="N", help=f"worlds (default: {worlds})")
    parser.add_argument("--device", default="cpu", metavar="D", help="Warp device (default: cpu)")
    parser.add_argument("--keyframe", metavar="NAME", help="begin at a keyframe, by name or number")
    add_option(parser)


def _looks_through(parser: Any) -> None:
    """Where one looks from."""
    parser.add_argument("--camera", metavar="NAME", help="a camera of the model, by name or number (default: a free one)")
    parser.add_argument("--track", metavar="BODY", help="let the free camera follow a body")
    parser.add_argument("--lookat", type=vector, metavar="X,Y,Z", help="point in the middle of the free camera's picture")
    parser.add_argument("--distance", type=number, metavar="M", help="of the free camera from it")
    parser.add_argument("--azimuth", type=number, metavar="DEG", help="direction of the free camera: 0 looks along x, 90 along y")
    parser.add_argument("--elevation", type=number, metavar="DEG", help="of the free camera's direction; -90 looks straight down")
    parser.add_argument(
        "--show", metavar="LIST", help="switch what is drawn: contactpoint,contactforce,joint,com,...,frame=body,label=joint (labels: not in films)"
    )


def _acts(parser: Any) -> None:
    """What acts on the model."""
    parser.add_argument("--control", choices=("zero", "random"), default="zero", help="(default: zero)")
    parser.add_argument("--seed", type=natural, default=0, metavar="S", help="seed of the controls (default: 0)")
    parser.add_argument("--push", type=push, action="append", metavar="BODY=FX,FY,FZ@T+S", help=_PUSH)


def _page(parser: Any) -> None:
    """Where the page is."""
    parser.add_argument("--port", type=positive, default=8080, metavar="N", help="of the page; the next free one where it is in use (default: 8080)")
    about = "address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for whoever reaches it, without a password (default: 127.0.0.1)"
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help=about)


def _serve(parser: Any) -> Any:
    _source(parser, 1)
    _page(parser)
    parser.add_argument("--paused", action="store_true", help="begin paused")
    _looks_through(parser)
    _acts(parser)
    return parser


def _view(parser: Any) -> Any:
    _source(parser, 1)
    parser.add_argument("--web", action="store_true", help="in a browser, where there is no display")
    _page(parser)
    parser.add_argument("--size", type=picture_size, default=(1280, 800), metavar="WxH", help="size of the window (default: 1280x800)")
    parser.add_argument("--paused", action="store_true", help="begin paused")
    _looks_through(parser)
    _acts(parser)
    return parser


def _record(parser: Any) -> Any:
    _source(parser, 1)
    out = "the file: .mp4, .gif, .apng; .html: a page that plays it; .png: the last frame, or all with %%04d in the name; .npz: a run for 'newtonish view'; .usda, .usdc: a stage"
    parser.add_argument("--out", required=True, metavar="FILE", help=out)
    parser.add_argument("--seconds", type=duration, default=5.0, metavar="S", help="length (default: 5)")
    parser.add_argument("--fps", type=rate, default=60.0, metavar="N", help="frames a second (default: 60)")
    parser.add_argument("--size", type=picture_size, default=(800, 600), metavar="WxH", help="size of the pictures (default: 800x600)")
    _looks_through(parser)
    parser.add_argument("--world", type=natural, metavar="K", help="draw this world only (default: all, on a grid)")
    parser.add_argument("--depth", action="store_true", help="depth in place of colours; metres in an .npz file")
    parser.add_argument("--segmentation", action="store_true", help="what is seen where in place of colours; numbers in an .npz file")
    _acts(parser)
    return parser


def _profile(parser: Any) -> Any:
    _source(parser, 1)
    parser.add_argument("--steps", type=positive, default=500, metavar="N", help="time steps (default: 500)")
    parser.add_argument("--samples", type=positive, default=20, metavar="N", help="how often the stages are timed (default: 20)")
    parser.add_argument("--control", choices=("zero", "random"), default="random", help="(default: random)")
    parser.add_argument("--seed", type=natural, default=0, metavar="S", help="seed of the controls (default: 0)")
    parser.add_argument("--plot", metavar="FILE", help="draw stages, convergence, contacts and rows (needs matplotlib)")
    return parser
