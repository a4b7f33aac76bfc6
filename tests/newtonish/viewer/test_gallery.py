"""Twenty-two real models drawn here and by MuJoCo's renderer: silhouettes, depths and colours agree, and the page shows them."""

import json
import os
import subprocess
import sys

import pytest
from paths import REPO, shared_model

PAGE, PICTURES = REPO / "docs" / "gallery.md", REPO / "docs" / "img" / "gallery"


@pytest.fixture(scope="module")
def measured():
    """The comparison of all views in small pictures, in a process of its own, for MuJoCo chooses its OpenGL when it is imported."""
    shared_model("unitree_g1/scene.xml")
    environment = os.environ | {"MUJOCO_GL": "egl", "PYTHONPATH": str(REPO / "tests" / "support"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(REPO / "tests" / "support" / "gallery.py"), "--measure"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, cwd=REPO)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_geometry_and_pose_agree(measured):
    """Nearly every pixel shows the same geom, at the same depth; what is left are edges."""
    assert len(measured) == 22
    for name, found in measured.items():
        assert found["overlap"] > 0.99, (name, found)
        assert found["same"] > 0.99, (name, found)
        assert found["depth"] < 1e-4, (name, found)


def test_colours_agree(measured):
    """Means of channels to a few of 255 levels, and pixels in the mean: lights, materials and textures are the same."""
    for name, found in measured.items():
        assert found["color"] < 6.0, (name, found)
        assert found["pixel"] < 9.0, (name, found)


def test_the_page_shows_all_of_them(measured):
    """Both pictures of every view lie where the page looks for them, and are small."""
    page = PAGE.read_text(encoding="utf-8")
    for name in measured:
        for file in (f"{name}.png", f"{name}_mujoco.png"):
            assert f"(img/gallery/{file})" in page
            assert 2_000 < (PICTURES / file).stat().st_size < 120_000
