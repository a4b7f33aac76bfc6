"""Every Python block of the README and the pages runs when it is pasted alone, and every shell command is one that there is.

A block that builds on another one says so in its first line (``# continues the block above``, ``# continues the first block of this page``) and
is run with the names that the other one leaves. A block that cannot run here says what it needs (``# needs a GPU: ...``), and has to compile at least.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from paths import REPO

from newtonish.cli.main import build_parser
from newtonish.cli.output import mark_json

PAGES = {path.relative_to(REPO).as_posix(): path.read_text(encoding="utf-8") for path in [REPO / "README.md", *sorted((REPO / "docs").rglob("*.md"))]}
PYTHON = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
NOT_RUN = re.compile(r"^```py\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"^```(?:sh|bash)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
ABOVE, FIRST = "# continues the block above\n", "# continues the first block of this page\n"
OTHERS = ("cd ", "git clone ", "apt install ", "export ", "python unpack.py", "python there/", "sphinx-build ", "echo ")
"""Beginnings of commands that are not ours."""


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if PYTHON.search(text)])
def test_blocks_run_alone(page, tmp_path, monkeypatch):
    names: list[dict] = []  # that each block leaves behind
    for number, code in enumerate(PYTHON.findall(PAGES[page])):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        path = folder / "block.py"
        path.write_text(code, encoding="utf-8")  # Warp reads functions from the file
        compiled = compile(code, str(path), "exec")
        before = names[-1] if code.startswith(ABOVE) else names[0] if code.startswith(FIRST) else {}
        names.append({**before, "__name__": "__main__", "__file__": str(path)})
        if not code.startswith("# needs "):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compiled, names[-1])


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if NOT_RUN.search(text)])
def test_blocks_that_are_not_run_compile(page):
    for code in NOT_RUN.findall(PAGES[page]):
        compile(code, page, "exec")


def commands(text: str) -> list[str]:
    """Every command of the shell blocks, comments and variables of the environment left out."""
    lines = [line for block in SHELL.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    parts = [part for line in lines for part in " ".join(shlex.split(line, comments=True)).split(" && ")]
    return [re.sub(r"^(?:[A-Z_]+=\S+ +)+", "", re.split(r" >+ ", part.strip())[0]) for part in parts if part.strip()]


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if SHELL.search(text)])
def test_shell_commands_are_ones_that_there_are(page):
    extras = set(re.findall(r"^(\w+) = \[", (REPO / "pyproject.toml").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for command in commands(PAGES[page]):
        words = command.split()
        if words[0] == "newtonish":
            known_to_the_parser(words[1:], page)
        elif words[0] == "pip":
            assert words[1] == "install", command
            assert {name for word in words for name in re.findall(r"\[(\w+)\]", word)} <= extras, command
        elif words[:2] == ["python", "-m"]:
            assert (REPO / (words[2].replace(".", "/") + ".py")).is_file() or words[2] in ("venv", "mujoco.viewer"), command
        elif words[0] == "python" and not command.startswith(OTHERS):
            options_are_in_the_source(words[1:], command)
        else:
            assert words[0] in ("pytest", "ruff", "newtonish") or command.startswith(OTHERS), f"{page}: {command}"


def known_to_the_parser(words: list[str], page: str) -> None:
    """The command's words suit its parser; files need not be there."""
    try:
        build_parser().parse_args(mark_json(words))
    except SystemExit as stop:  # of --help and --version
        assert not stop.code, f"{page}: {words}"


def options_are_in_the_source(words: list[str], command: str) -> None:
    """A script of the repository is there and has the options, itself or by a neighbour that it imports."""
    path = REPO / words[0]
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files, command
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    neighbours = (path.parent / f"{name}.py" for name in re.findall(r"^from (\w+) import", source, flags=re.MULTILINE))
    source += "".join(file.read_text(encoding="utf-8") for file in neighbours if file.is_file())
    for word in words[1:]:
        if word.startswith("--"):
            assert f'"{word.split("=")[0]}"' in source, f"{command}: {word}"


INLINE = re.compile(r"`newtonish ([a-z]+)")


def test_commands_in_the_text_are_known():
    known = set(next(action for action in build_parser()._actions if action.dest == "command").choices)
    for page, text in PAGES.items():
        assert set(INLINE.findall(text)) <= known, page


def test_every_command_is_documented():
    known = set(next(action for action in build_parser()._actions if action.dest == "command").choices)
    assert known <= {name for text in PAGES.values() for name in INLINE.findall(text)} | {
        words.split()[1] for text in PAGES.values() for words in commands(text) if words.startswith("newtonish ") and len(words.split()) > 1
    }


def test_figures_of_pages_exist():
    for page, text in PAGES.items():
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
            assert (REPO / Path(page).parent / target).is_file(), f"{page}: {target}"
