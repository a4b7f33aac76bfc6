"""Entry point of the ``newtonish`` command: arguments in, exit code out.

Exit codes: 0 done, 1 an internal failure, 2 something wrong with the request or the model file,
3 bounds of ``tune`` that are not met, 130 interrupted.
Whatever goes wrong is said on stderr in one line per problem; NEWTONISH_TRACEBACK=1 shows Python's traceback instead.
Nothing heavy is imported before the arguments are known to be good.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from newtonish import __version__
from newtonish.cli.arguments import Parser, natural, number, numbers, positive
from newtonish.cli.identify_arguments import add_identify
from newtonish.cli.looking import add_looking
from newtonish.cli.options import add_option
from newtonish.cli.output import STDOUT, add_output, carry_out, is_quiet, mark_json
from newtonish.cli.tune_options import add_tune
from newtonish.errors import NewtonishError

__all__ = ["build_parser", "main"]

_COMMANDS = (
    "simulate",
    "replay",
    "view",
    "serve",
    "record",
    "profile",
    "bench",
    "info",
    "warmup",
    "convert",
    "compare",
    "tune",
    "identify",
    "list",
    "doctor",
    "completion",
)


def _simulate(arguments: argparse.Namespace) -> int:
    from newtonish.cli.simulate import run

    return run(arguments)


def _replay(arguments: argparse.Namespace) -> int:
    from newtonish.cli.replay import run

    return run(arguments)


def _view(arguments: argparse.Namespace) -> int:
    from newtonish.cli.view import run

    return run(arguments)


def _serve(arguments: argparse.Namespace) -> int:
    from newtonish.cli.view import serve

    return serve(arguments)


def _record(arguments: argparse.Namespace) -> int:
    from newtonish.cli.record import run

    return run(arguments)


def _profile(arguments: argparse.Namespace) -> int:
    from newtonish.cli.profile import run

    return run(arguments)


def _bench(arguments: argparse.Namespace) -> int:
    from newtonish.cli.bench.command import run

    return run(arguments)


def _info(arguments: argparse.Namespace) -> int:
    from newtonish.cli.info import run

    return run(arguments)


def _warmup(arguments: argparse.Namespace) -> int:
    from newtonish.cli.warmup import run

    return run(arguments)


def _convert(arguments: argparse.Namespace) -> int:
    from newtonish.cli.convert import run

    return run(arguments)


def _compare(arguments: argparse.Namespace) -> int:
    from newtonish.cli.compare import run

    return run(arguments)


def _tune(arguments: argparse.Namespace) -> int:
    from newtonish.cli.tune import run

    return run(arguments)


def _identify(arguments: argparse.Namespace) -> int:
    from newtonish.cli.identify import run

    return run(arguments)


def _doctor(arguments: argparse.Namespace) -> int:
    from newtonish.cli.doctor import run

    return run(arguments)


def _list(arguments: argparse.Namespace) -> int:
    from newtonish.cli.listing import run

    return run(arguments)


def _completion(arguments: argparse.Namespace) -> int:
    from newtonish.cli.completion import run

    return run(arguments)


def build_parser() -> Parser:
    """The command line's grammar; each command stores its function under ``run``."""
    parser = Parser(prog="newtonish", description="MuJoCo physics in NVIDIA Warp, for many worlds at once.")
    parser.add_argument("--version", action="version", version=f"newtonish {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    simulate = commands.add_parser("simulate", help="simulate a model in many worlds and print a table")
    simulate.add_argument("model", nargs="?", metavar="MODEL", help="MJCF, URDF or USD file, or built-in name (default: humanoid)")
    simulate.add_argument("--worlds", type=positive, default=1024, metavar="N", help="worlds (default: 1024)")
    simulate.add_argument("--steps", type=positive, default=1000, metavar="N", help="time steps (default: 1000)")
    simulate.add_argument("--device", default="cpu", metavar="D", help="Warp device (default: cpu)")
    simulate.add_argument("--control", choices=("zero", "random"), default="random", help="(default: random)")
    simulate.add_argument("--seed", type=natural, default=0, metavar="S", help="seed of the controls (default: 0)")
    simulate.add_argument("--out", metavar="FILE", help="write the trajectory: .npz, or .csv for the first world as text")
    simulate.add_argument("--record", metavar="FILE", help="write start and controls for 'bench --replay' (.npz)")
    simulate.add_argument("--picture", metavar="FILE", help="draw the first world at the end to a .png file")
    about = "keep the last 100 steps of every world, and write those of worlds that failed, for 'newtonish replay' (.npz)"
    simulate.add_argument("--record-failures", metavar="FILE", help=about)
    add_option(simulate)
    simulate.set_defaults(run=_simulate)

    replay = commands.add_parser("replay", help="take the recorded steps of worlds that failed again, and show what led to it")
    replay.add_argument("file", metavar="FILE", help="what 'simulate --record-failures' or mjw.FlightRecorder.dump wrote (.npz)")
    replay.add_argument("--model", metavar="MODEL", help="the model (default: the file that the record names)")
    replay.add_argument("--world", type=natural, metavar="K", help="show this world only (default: the first five)")
    replay.add_argument("--steps", type=positive, default=10, metavar="N", help="last steps that are shown of a world (default: 10)")
    replay.add_argument("--device", default="cpu", metavar="D", help="Warp device (default: cpu)")
    replay.add_argument("--picture", metavar="FILE", help="draw the first of these worlds as its last step began to a .png file")
    replay.set_defaults(run=_replay)

    add_looking(commands, view=_view, serve=_serve, record=_record, profile=_profile)

    bench = commands.add_parser("bench", help="measure steps per second beside MuJoCo, mujoco_warp and Newton")
    about = "MJCF, URDF or USD files, or built-in models by name: humanoid, humanoids_N, boxes_N, arm, ... (default: humanoid)"
    bench.add_argument("model", nargs="*", metavar="MODEL", help=about)
    bench.add_argument("--suite", action="store_true", help="measure all built-in models, in 1 to 8192 worlds")
    bench.add_argument("--worlds", type=numbers, metavar="N[,N...]", help="numbers of worlds (default: 1024)")
    bench.add_argument("--steps", type=positive, metavar="N", help="steps per turn (default: 100, or a whole replay)")
    bench.add_argument("--repeats", type=positive, metavar="N", help="turns per engine (default: 5)")
    bench.add_argument("--threads", type=positive, default=1, metavar="N", help="threads of newtonish and mujoco_batch (default: 1)")
    clock = "time turns by seconds, or by those of processor time, which other programs disturb less (default: wall)"
    bench.add_argument("--clock", choices=("wall", "processor"), default="wall", help=clock)
    bench.add_argument("--vs", default="mujoco,mujoco_warp", metavar="LIST", help="mujoco,mujoco_batch,mujoco_warp,newton, or 'none'")
    bench.add_argument("--device", default="cpu", metavar="D", help="Warp device (default: cpu)")
    bench.add_argument("--seed", type=natural, default=0, metavar="S", help="seed of noise and controls (default: 0)")
    add_option(bench)
    bench.add_argument("--replay", metavar="FILE", help="play the controls that 'simulate --record' wrote")
    bench.add_argument("--nconmax", type=positive, metavar="N", help="newtonish's contact slots a world (default: estimated)")
    bench.add_argument("--njmax", type=positive, metavar="N", help="newtonish's constraint rows a world (default: estimated)")
    bench.add_argument("--stages", action="store_true", help="time each stage of newtonish's step by itself")
    bench.add_argument("--no-startup", action="store_true", help="skip the cold and warm start measurement")
    bench.add_argument("--markdown", metavar="FILE[#SECTION]", help="write the tables to a Markdown file, between its figure marks")
    bench.add_argument("--plot", metavar="FILE", help="draw cost against worlds and model size (needs matplotlib)")
    bench.set_defaults(run=_bench)

    info = commands.add_parser("info", help="print a model's sizes and memory, and what was kept, approximated and ignored")
    info.add_argument("model", metavar="FILE", help="MJCF, URDF or USD file, or built-in name")
    info.add_argument("--all", action="store_true", help="print a line for every place of every element and attribute instead")
    info.set_defaults(run=_info)

    warmup = commands.add_parser("warmup", help="compile the kernels of models ahead of time")
    warmup.add_argument("model", nargs="*", metavar="MODEL", help="MJCF, URDF or USD files (default: the packaged humanoid)")
    warmup.add_argument("--device", default="cpu", metavar="D", help="Warp device, or 'none' with --arch (default: cpu)")
    warmup.add_argument("--arch", default="", metavar="LIST", help="CUDA architectures, such as 80,90; no GPU is needed")
    warmup.set_defaults(run=_warmup)

    convert = commands.add_parser("convert", help="write a model as canonical MJCF, a USD stage, or its compiled arrays (.npz)")
    convert.add_argument("source", metavar="IN", help="MJCF, URDF or USD file, .npz archive, or built-in name")
    convert.add_argument("out", metavar="OUT", help="file to write, .xml, .usda, .usdc, .usd or .npz")
    convert.add_argument("--decompose", type=number, metavar="C", help="cut colliding meshes into convex parts, up to concavity C, such as 0.05 (needs coacd)")
    convert.add_argument("--compiled", action="store_true", help="write MJCF from the compiled arrays: one file, nothing implied")
    convert.add_argument("--allow-outside", action="store_true", help="copy meshes and pictures from outside of the model's folder as well")
    convert.set_defaults(run=_convert)

    compare = commands.add_parser("compare", help="compile and simulate a model here and in MuJoCo, and show the differences")
    compare.add_argument("model", metavar="FILE", help="MJCF, URDF or USD file, .npz archive, or built-in name")
    compare.add_argument("--steps", type=positive, default=200, metavar="N", help="time steps side by side (default: 200)")
    compare.add_argument("--seed", type=natural, metavar="S", help="drive both by random controls (default: no controls)")
    compare.add_argument("--plot", metavar="FILE", help="draw the growth of the difference (needs matplotlib)")
    compare.set_defaults(run=_compare)

    add_tune(commands, _tune)

    add_identify(commands, _identify)

    listing = commands.add_parser("list", help="print the built-in models and tasks")
    listing.set_defaults(run=_list)

    doctor = commands.add_parser("doctor", help="check versions, cores, GPU, driver, display and cache, and say what is slower here and why")
    doctor.set_defaults(run=_doctor)

    completion = commands.add_parser("completion", help="print a shell script that completes commands, options and models")
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"), help='eval "$(newtonish completion bash)" in ~/.bashrc')
    completion.set_defaults(run=_completion)

    for each in commands.choices.values():
        add_output(each)
    for each in (parser, *commands.choices.values()):  # before the command and behind it
        about = "show what Warp says while it starts, compiles and loads; twice: also why it compiles something again"
        each.add_argument("-v", "--verbose", action="count", default=0 if each is parser else argparse.SUPPRESS, help=about)
    return parser


def _with_nearest(message: str) -> str:
    """A message that lists the names that there are, with the one that was probably meant as its remedy."""
    match = re.search(r"got (?:\w+ )?'([^']+)'; allowed: ([^;]+);", message)
    if match is None or "did you mean" in message:
        return message
    known = [name.strip().strip("'") for name in match[2].split(",")]
    near = get_close_matches(match[1], known, n=1)
    return f"{message[: match.end()]} did you mean {near[0]}?" if near else message


def _say(prefix: str, messages: Sequence[str], said: list[str]) -> None:
    """Print each message as one line on stderr."""
    messages = [_with_nearest(message) for message in messages]
    said += messages
    for message in messages:
        print(f"{prefix}: error: {' '.join(message.split())}", file=sys.stderr)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line, without the place in our own source that Python would name."""
    if not is_quiet():
        print(f"warning: {' '.join(str(message).split())}", file=sys.stderr)


def _guarded(prefix: str, action: Callable[[], int], said: list[str]) -> int:
    """Run a command and turn whatever it raises into lines on stderr, which are added to ``said``, and an exit code."""
    debug = os.environ.get("NEWTONISH_TRACEBACK", "") not in ("", "0")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            return action()
    except KeyboardInterrupt:
        print(f"{prefix}: interrupted", file=sys.stderr)
        said.append("interrupted")
        return 130
    except BrokenPipeError:  # the reader of our output, `head` for instance, has left
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (kept open: the interpreter flushes it on exit)
        return 0
    except NewtonishError as error:
        if debug:
            raise
        _say(prefix, error.problems or [str(error)], said)
        return 2
    except OSError as error:
        if debug:
            raise
        _say(prefix, [f"{error.filename}: {error.strerror}" if error.filename else str(error)], said)
        return 2
    except Exception as error:
        if debug:
            raise
        _say(prefix, [f"internal {type(error).__name__}: {error} (NEWTONISH_TRACEBACK=1 shows where)"], said)
        return 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = mark_json(list(sys.argv[1:] if argv is None else argv))
    prefix = f"newtonish {words[0]}" if words and words[0] in _COMMANDS else "newtonish"

    said: list[str] = []

    def action() -> int:
        parser = build_parser()
        near = get_close_matches(words[0], _COMMANDS, n=1) if words and words[0] not in _COMMANDS else []
        if near:
            parser.error(f"no command {words[0]!r}; did you mean {near[0]}?")
        arguments = parser.parse_args(words)
        arguments.words = words
        if arguments.verbose:
            from newtonish.verbosity import set_verbosity

            set_verbosity("info" if arguments.verbose == 1 else "debug")
        if arguments.command is None:
            parser.error(f"no command given; allowed: {', '.join(_COMMANDS)}")
        return carry_out(arguments)

    try:
        code = _guarded(prefix, action, said)
        if said and f"--json={STDOUT}" in words:
            print(json.dumps({"exit": code, "errors": said}, indent=1))
        return code
    except SystemExit as stop:  # argparse leaves this way after --help and --version
        return int(stop.code or 0)
