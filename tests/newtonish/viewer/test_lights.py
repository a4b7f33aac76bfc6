"""One to eight lights, with and without shadows and headlight: each picture is as bright as MuJoCo's."""

import json
import os
import subprocess
import sys

import pytest
from paths import REPO


@pytest.fixture(scope="module")
def measured():
    """The comparison, in a process of its own, for MuJoCo chooses its OpenGL when it is imported."""
    environment = os.environ | {"MUJOCO_GL": "egl", "PYTHONPATH": str(REPO / "tests" / "support"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(REPO / "tests" / "support" / "light_counts.py"), "--short"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, cwd=REPO)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_every_number_of_lights_is_as_bright_as_in_mujoco(measured):
    """Lights saturate together or by themselves as in MuJoCo's passes, and all of them throw shadows."""
    assert len(measured) == 16
    for name, found in measured.items():
        assert found["color"] < 2.0, (name, found)
        assert found["pixel"] < 3.0, (name, found)
