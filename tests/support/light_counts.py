"""One scene under 1 to 8 lights of each kind, drawn here and by MuJoCo: prints how far apart the pictures are, as JSON.

    MUJOCO_GL=egl PYTHONPATH=tests/support python tests/support/light_counts.py            # 96 scenes
    MUJOCO_GL=egl PYTHONPATH=tests/support python tests/support/light_counts.py --short    # 16 of them

Needs EGL. ``tests/newtonish/viewer/test_lights.py`` holds the figures.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

from newtonish.viewer.draw import OffscreenRenderer
from newtonish.viewer.loading import build_model
from newtonish.viewer.scene import SceneMaker

WIDTH, HEIGHT = 112, 84
COUNTS = range(1, 9)
KINDS = {"directional": ("directional",), "spot": ("spot",), "both": ("spot", "directional")}

SCENE = """
<mujoco>
  <statistic center="0 0 .2" extent="1.2"/>
  <visual><headlight active="{head}" diffuse=".3 .3 .3" ambient=".1 .1 .1" specular="0 0 0"/><global offwidth="112" offheight="84"/>
    <quality shadowsize="2048" offsamples="4"/><map shadowclip="2" shadowscale=".9"/></visual>
  <asset>
    <texture name="floor" type="2d" builtin="checker" rgb1=".5 .55 .6" rgb2=".3 .35 .4" width="64" height="64"/>
    <material name="floor" texture="floor" texrepeat="4 4"/><material name="arm" rgba=".15 .15 .17 1" specular=".3" shininess=".4"/>
  </asset>
  <worldbody>
    {lights}
    <geom type="plane" size="2 2 .1" pos="0 0 -.4" material="floor"/>
    <geom name="table" type="box" size=".6 .4 .02" rgba=".6 .5 .4 1"/>
    <geom type="box" size=".02 .02 .2" pos=".55 .35 -.2" rgba=".3 .3 .3 1"/><geom type="box" size=".02 .02 .2" pos="-.55 .35 -.2" rgba=".3 .3 .3 1"/>
    <geom type="box" size=".02 .02 .2" pos=".55 -.35 -.2" rgba=".3 .3 .3 1"/><geom type="box" size=".02 .02 .2" pos="-.55 -.35 -.2" rgba=".3 .3 .3 1"/>
    <body name="left" pos="-.45 0 .02"><joint axis="0 0 1"/>
      <geom type="cylinder" size=".06 .06" pos="0 0 .06" material="arm"/><geom type="capsule" size=".03" fromto="0 0 .1 -.05 0 .35" material="arm"/>
      <body pos="-.05 0 .35"><joint axis="0 1 0"/><geom type="capsule" size=".025" fromto="0 0 0 .3 0 .05" material="arm"/></body></body>
    <body name="right" pos=".45 0 .02"><joint axis="0 0 1"/>
      <geom type="cylinder" size=".06 .06" pos="0 0 .06" material="arm"/><geom type="capsule" size=".03" fromto="0 0 .1 .05 0 .35" material="arm"/>
      <body pos=".05 0 .35"><joint axis="0 1 0"/><geom type="capsule" size=".025" fromto="0 0 0 -.3 0 .05" material="arm"/></body></body>
    <body name="cube" pos="0 .05 .06"><freejoint/><geom type="box" size=".04 .04 .04" rgba=".9 .2 .2 1"/></body>
  </worldbody>
</mujoco>
"""


def scene(count: int, kind: str, casts: bool, head: bool) -> str:
    """A table with two arms, as ALOHA's, under lights that stand around it; each a little stronger than the one before."""
    lights = []
    for i, type_ in zip(range(count), itertools.cycle(KINDS[kind])):
        turn = 2 * np.pi * i / count + 0.4
        place = np.array([1.1 * np.cos(turn), 1.1 * np.sin(turn), 1.5 + 0.1 * i])
        strength = (0.8 + 0.1 * i) / (1 + 0.5 * count)
        numbers = {"pos": place, "dir": -place, "diffuse": strength * np.array([1.0, 0.9, 0.8]), "specular": 0.1 * np.ones(3)}
        text = " ".join(f'{name}="{" ".join(f"{v:.4g}" for v in value)}"' for name, value in numbers.items())
        lights.append(f'<light {text} type="{type_}" castshadow="{str(casts).lower()}" cutoff="50" exponent="3"/>')
    return SCENE.format(lights="\n    ".join(lights), head=str(head).lower())


def theirs(text: str) -> np.ndarray:
    """MuJoCo's picture of a scene."""
    mjm = mujoco.MjModel.from_xml_string(text)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    with mujoco.Renderer(mjm, HEIGHT, WIDTH) as renderer:
        renderer.update_scene(mjd)
        return renderer.render().copy()


def ours(text: str, renderer: OffscreenRenderer) -> np.ndarray:
    """Our picture of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lights.xml"
        path.write_text(text, encoding="utf-8")
        model, _ = build_model(path, 1, "cpu")
    renderer.draw(SceneMaker(model, checker=False, sun=False).make(model.state()))
    return renderer.color()


def scenes(short: bool) -> list[tuple[int, str, bool, bool]]:
    """Count, kind, shadows and headlight of each scene: all, or for each count two that differ in all but the kind."""
    if not short:
        return list(itertools.product(COUNTS, KINDS, (False, True), (False, True)))
    kinds = itertools.cycle(KINDS)
    return [(count, kind, casts, casts == (count % 2 > 0)) for count in COUNTS for kind in (next(kinds),) for casts in (False, True)]


def measure(short: bool) -> dict[str, dict[str, float]]:
    """For each scene the largest difference of a channel's mean and the mean difference of pixels, of 255."""
    found = {}
    with OffscreenRenderer(WIDTH, HEIGHT) as renderer:
        for count, kind, casts, head in scenes(short):
            text = scene(count, kind, casts, head)
            difference = ours(text, renderer).astype(float) - theirs(text)
            name = f"{count} {kind}, {'with' if casts else 'without'} shadows, {'with' if head else 'without'} headlight"
            found[name] = {"color": float(np.abs(difference.mean(axis=(0, 1))).max()), "pixel": float(np.abs(difference).mean())}
    return found


if __name__ == "__main__":
    print(json.dumps(measure("--short" in sys.argv)))
