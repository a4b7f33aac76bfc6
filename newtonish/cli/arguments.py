"""Argument types and checks shared by the commands; everything wrong becomes one line through :class:`UsageError`."""

from __future__ import annotations

import argparse
import logging
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from newtonish.collector import paused
from newtonish.errors import NewtonishError, problem

__all__ = [
    "Parser",
    "UsageError",
    "duration",
    "natural",
    "number",
    "numbers",
    "output_path",
    "picture_size",
    "positive",
    "push",
    "rate",
    "use_device",
    "vector",
]


LARGEST_SIDE = 8192
"""Pixels that a picture may be wide or high."""


class UsageError(NewtonishError):
    """The command line asks for something that cannot be done."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage, so that an error stays one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}{self._nearest(message)} (see '{self.prog} --help')")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's; unknown options are reported by the command's own parser, which knows the ones that there are."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            commands = next((action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)), {})
            parser = commands.get(getattr(found, "command", None) or "", self)
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found

    def _nearest(self, message: str) -> str:
        """What was probably meant, where a message names something that there is not."""
        match = re.match(r"unrecognized arguments: (-\S+)", message) or re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if match is None:
            return ""
        known = re.findall(r"[\w.-]+", match[2]) if match.re.groups == 2 else [name for name in self._option_string_actions if name.startswith("--")]
        near = get_close_matches(match[1].split("=")[0], known, n=1)
        return f"; did you mean {near[0]}?" if near else ""


def _integer(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: a whole number of at least {least}")
    return value


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    return _integer(text, 1)


def natural(text: str) -> int:
    """Read a whole number of at least 0."""
    return _integer(text, 0)


def numbers(text: str) -> list[int]:
    """Read whole numbers of at least 1, separated by commas."""
    return list(dict.fromkeys(positive(part.strip()) for part in text.split(",")))


def number(text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: a finite number")
    return value


def duration(text: str) -> float:
    """Read a number of seconds, zero or more."""
    value = number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: seconds, 0 or more")
    return value


def rate(text: str) -> float:
    """Read frames a second."""
    value = number(text)
    if not 0.0 < value <= 1000.0:
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: more than 0, at most 1000 frames a second")
    return value


def vector(text: str) -> list[float]:
    """Read three numbers separated by commas."""
    parts = text.split(",")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: three numbers separated by commas, such as 0,0,1")
    return [number(part) for part in parts]


def picture_size(text: str) -> tuple[int, int]:
    """Read width and height such as 800x600."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.strip().lower())
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(8 <= side <= LARGEST_SIDE for side in size):
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: WIDTHxHEIGHT, each 8 to {LARGEST_SIDE} pixels, such as 800x600")
    return size


def push(text: str) -> tuple[str, list[float], float, float]:
    """Read a push, BODY=FX,FY,FZ@START+SECONDS; it starts at 0.5 s and lasts 0.2 s where that is left out."""
    match = re.fullmatch(r"(?P<body>[^=]+)=(?P<force>[^@]+)(?:@(?P<start>[^+]+)(?:\+(?P<length>.+))?)?", text)
    if match is None:
        allowed = "BODY=FX,FY,FZ@START+SECONDS in newtons and seconds, such as torso=0,80,0@1+0.2"
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: {allowed}")
    return match["body"], vector(match["force"]), duration(match["start"] or "0.5"), duration(match["length"] or "0.2")


def output_path(option: str, text: str | None) -> Path | None:
    """Check before a long run that a result can be written where it was asked for."""
    if text is None:
        return None
    path = Path(text)
    folder = path.parent
    if path.is_dir():
        raise UsageError(problem(f"{option} {text!r}", "a folder", "a file name", "add a file name to the path"))
    if not folder.is_dir():
        raise UsageError(problem(f"{option} {text!r}", f"a file in {str(folder)!r}, which does not exist", "an existing folder", "create the folder first"))
    target = path if path.exists() else folder
    if not os.access(target, os.W_OK):
        raise UsageError(problem(f"{option} {text!r}", f"{str(target)!r} without write permission", "a writable place", "choose another path"))
    return path


@contextmanager
def _held_stderr() -> Iterator[list[str]]:
    """Hold back what native code writes to stderr; the list receives it when the block ends."""
    held: list[str] = []
    sys.stderr.flush()
    with tempfile.TemporaryFile(mode="w+", errors="replace") as store:
        saved = os.dup(2)
        os.dup2(store.fileno(), 2)
        try:
            yield held
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            store.seek(0)
            held.append(store.read())


def use_device(name: str) -> Any:
    """Start Warp quietly and return the device called ``name``; list the devices there are when it is missing.

    Warp's native start-up warns when it finds no GPU driver. Beside a run on the CPU that is noise, and beside our own
    message about a missing GPU it says the same again, so it only shows when a GPU is used.
    """
    with paused():
        import warp as wp

        from newtonish.verbosity import route_warp

    route_warp()
    with _held_stderr() as held:
        wp.init()
    try:
        with _held_stderr():  # asking for a GPU where there is none makes the native part complain as well
            device = wp.get_device(name)
    except (ValueError, RuntimeError) as error:
        known = ", ".join(str(entry) for entry in wp.get_devices())
        remedy = "use --device cpu"
        if name.startswith("cuda") and not wp.is_cuda_available():
            remedy += ", or install a CUDA driver: Warp sees no NVIDIA GPU on this machine"
        raise UsageError(problem("--device", repr(name), known, remedy)) from error
    if device.is_cuda or logging.getLogger("newtonish").isEnabledFor(logging.INFO):
        sys.stderr.write(held[0])
    return device
