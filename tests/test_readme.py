"""The README's commands are there word for word, and CI runs the second one."""

import re

from paths import REPO

README = (REPO / "README.md").read_text(encoding="utf-8")
INSTALL_AND_RUN = "pip install -e . && newtonish simulate"
INSTALL_AND_TEST = 'pip install -e ".[test]" && pytest'


def test_both_commands_stand_in_a_code_block() -> None:
    blocks = re.findall(r"```(?:sh|bash)\n(.*?)```", README, flags=re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    assert INSTALL_AND_RUN in lines
    assert INSTALL_AND_TEST in lines


def test_ci_runs_the_second_command_literally() -> None:
    script = (REPO / ".ci" / "run").read_text(encoding="utf-8")
    assert INSTALL_AND_TEST in [line.strip() for line in script.splitlines()]


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", README):
        if "://" not in target:
            assert (REPO / target).exists(), target
