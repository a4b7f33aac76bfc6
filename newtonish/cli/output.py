"""What a command leaves on stdout: tables for people, one JSON object for programs (``--json``), or nothing (``--quiet``).

A command prints tables as it goes and hands what it found to :func:`findings`. With ``--json`` the tables are held back and the findings are
printed; with ``--json FILE.json`` both are kept. A command without findings of its own gives its lines.
"""

from __future__ import annotations

import io
import json
import math
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO

from newtonish.cli.arguments import output_path
from newtonish.files import write_file

__all__ = ["STDOUT", "add_output", "carry_out", "findings", "is_quiet", "mark_json"]

STDOUT = "-"
"""The value of ``--json`` without a file."""


_state = {"quiet": False}


@contextmanager
def _hushed(on: bool) -> Iterator[None]:
    """Inside, nothing is shown on stderr but errors, if ``on``."""
    before, _state["quiet"] = _state["quiet"], on or _state["quiet"]
    try:
        yield
    finally:
        _state["quiet"] = before


def is_quiet() -> bool:
    """Whether warnings and progress are left out."""
    return _state["quiet"]


def add_output(parser: Any) -> None:
    """The two options, unless the command has its own."""
    taken = parser._option_string_actions
    if "--json" not in taken:
        parser.add_argument("--json", metavar="[FILE.json]", help="print what was found as JSON, and nothing else; or write it to a file beside the tables")
    if "--quiet" not in taken:
        short = [] if "-q" in taken else ["-q"]
        parser.add_argument(*short, "--quiet", action="store_true", help="print nothing but errors")


def mark_json(words: list[str]) -> list[str]:
    """``--json`` takes the next word only if that is a .json file, so that a model's name behind it stays one."""
    pairs = zip(words, [*words[1:], ""], strict=False)
    return [f"--json={STDOUT}" if word == "--json" and not after.endswith(".json") else word for word, after in pairs]


def findings(arguments: Namespace, content: dict[str, Any]) -> None:
    """Hand over what a command found; numbers that are not finite become null."""
    arguments.findings = content


class _Tee(io.TextIOBase):
    """Keeps what is written, and passes it on to a stream if there is one."""

    def __init__(self, stream: TextIO | None) -> None:
        self.kept = io.StringIO()
        self._stream = stream

    def write(self, text: str) -> int:
        if self._stream is not None:
            self._stream.write(text)
        return self.kept.write(text)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"


def carry_out(arguments: Namespace) -> int:
    """Run the command of ``arguments``, and write what it leaves where the arguments say."""
    where = arguments.json
    quiet = bool(getattr(arguments, "quiet", False))
    if where is None and not quiet:
        return arguments.run(arguments)
    path = None if where in (None, STDOUT) else output_path("--json", where)
    tee = _Tee(None if quiet or where == STDOUT else sys.stdout)
    with redirect_stdout(tee), _hushed(quiet):
        code = arguments.run(arguments)
    if where is not None:
        text = _text(arguments, tee.kept.getvalue(), code)
        if path is None:
            print(text)
        else:
            write_file(path, text + "\n")
            if not quiet:
                print(f"figures written to {path}")
    return code


def _text(arguments: Namespace, printed: str, code: int) -> str:
    """The findings as JSON; else what was printed, if that is JSON; else its lines."""
    content = getattr(arguments, "findings", None)
    if content is None:
        try:
            content = json.loads(printed)
        except ValueError:
            content = {"command": arguments.command, "exit": code, "output": [line for line in printed.splitlines() if line.strip()]}
    return json.dumps(_finite(content), indent=1)


def _finite(value: Any) -> Any:
    """The same in JSON's words: numbers that are not finite are null, paths are text."""
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):  # a number of numpy's
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
