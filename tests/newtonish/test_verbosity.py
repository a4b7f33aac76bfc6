"""What Warp says about newtonish is silent, until set_verbosity, ``logging`` or -v asks for it.

``tests/kernels/test_warp_settings.py`` has a program that sees nothing of it.
"""

import logging
import subprocess
import sys

import pytest
import warp as wp
from paths import OWN

import newtonish
from newtonish.cli.main import build_parser
from newtonish.verbosity import route_warp

STEP = f"""
import newtonish
newtonish.set_verbosity("info")
from newtonish import mjw
m, d = mjw.load({str(OWN / "mjcf_tree.xml")!r}, nworld=1)
mjw.step(m, d)
"""


class Listener:
    """A logger of Warp's that keeps what it is told."""

    def __init__(self):
        self.lines = []

    def info(self, message, *_, **__):
        self.lines.append(message)

    debug = warning = error = info


@pytest.fixture
def listener():
    before = wp.get_logger()
    own = Listener()
    wp.set_logger(own)
    route_warp()
    yield own
    wp.set_logger(before)


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=300)


def test_set_verbosity_shows_the_start_and_every_module_on_stderr():
    done = run("-c", STEP)
    assert done.stdout == ""
    assert "Warp 1." in done.stderr and "Module newtonish.kernels.reset" in done.stderr


def test_the_command_line_shows_the_start_too():
    done = run("-m", "newtonish", "info", "arm", "-v")
    assert "Warp 1." in done.stderr and "Warp 1." not in done.stdout


@pytest.mark.parametrize(("words", "count"), [(["info", "arm"], 0), (["-v", "info", "arm"], 1), (["info", "-vv", "arm"], 2)])
def test_v_may_stand_before_the_command_and_behind_it(words, count):
    assert build_parser().parse_args(words).verbose == count


def test_lines_about_newtonish_go_to_logging_and_others_to_the_logger_before(listener, caplog):
    route_warp()  # a second time is of no effect
    logger = wp.get_logger()
    with caplog.at_level(logging.INFO, "newtonish"):
        logger.info("Module newtonish.kernels.reset 1234567 load on device 'cpu' took 1.00 ms  (cached)")
        logger.info("    Module my_program 1234567 load on device 'cpu' took 1.00 ms  (cached)")
        logger.warning("something odd")
    assert [record.message[:22] for record in caplog.records] == ["Module newtonish.kerne"]
    assert [line.strip()[:17] for line in listener.lines] == ["Module my_program", "something odd"]


@pytest.mark.parametrize("level", ["loud", None, True])
def test_other_levels_are_refused(level):
    with pytest.raises(ValueError, match="set_verbosity: got"):
        newtonish.set_verbosity(level)
