"""The option ``--guard-pages`` bites: a write one element past an array ends the process, within it does not."""

import subprocess
import sys

import pytest
from paths import REPO

WRITE = """
import sys
sys.path.insert(0, "tests/support")
import ctypes, guard_pages
import warp as wp
guard_pages.install()
array = wp.zeros(5, dtype=float, device="cpu")
ctypes.memset(array.ptr, 0, int(sys.argv[1]))
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pages are protected as Linux does it")
@pytest.mark.parametrize(("size", "caught"), [(20, False), (24, True)])
def test_a_write_past_an_array_is_caught(size: int, caught: bool) -> None:
    run = subprocess.run([sys.executable, "-c", WRITE, str(size)], cwd=REPO, capture_output=True, text=True)
    assert ("done" not in run.stdout) == (run.returncode != 0) == caught, run.stderr
