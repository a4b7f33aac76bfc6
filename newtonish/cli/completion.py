"""``newtonish completion SHELL``: a script that completes commands, options, built-in models and files ([101](decisions/101.md))."""

from __future__ import annotations

from argparse import Action, Namespace
from typing import Any

from newtonish.cli.arguments import UsageError
from newtonish.cli.models import FILES, SCENES
from newtonish.errors import problem

__all__ = ["SHELLS", "run", "script"]

SHELLS = ("bash", "zsh", "tcsh")
_WORDS = " ".join([*FILES, *(f"{kind}_10" for kind in SCENES)])
_PREAMBLE = {
    "bash": f'_newtonish_models() {{ compgen -W "{_WORDS}" -- "$1"; compgen -f -- "$1"; }}',
    "zsh": f"_newtonish_models() {{ _alternative 'models:model:({_WORDS})' 'files:file:_files' }}",
}
_MODEL = {"bash": "_newtonish_models", "zsh": "_newtonish_models", "tcsh": "f"}


def _is_file(action: Action) -> bool:
    names = action.metavar if isinstance(action.metavar, str) else ""
    return "FILE" in names or names in ("IN", "OUT")


def script(shell: str) -> str:
    """The script for a shell.

    Raises:
        UsageError: shtab is not installed.
    """
    try:
        import shtab
    except ImportError:
        remedy = "install it with pip install 'newtonish[completion]'"
        raise UsageError(problem("completion", "no package shtab", "an installed shtab", remedy)) from None
    from newtonish.cli.main import build_parser

    parser = build_parser()
    for each in (parser, *_commands(parser).values()):
        for action in each._actions:
            if action.dest in ("model", "source") and not action.option_strings:
                action.complete = _MODEL  # type: ignore[attr-defined]
            elif _is_file(action):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return shtab.complete(parser, shell=shell, preamble=_PREAMBLE)  # type: ignore[arg-type]  (a dictionary by shells, as its documentation says)


def _commands(parser: Any) -> dict[str, Any]:
    return next(action for action in parser._actions if action.dest == "command").choices


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    print(script(arguments.shell))
    return 0
