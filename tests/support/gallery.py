"""Twenty-two models drawn here beside the same view by MuJoCo's renderer: the pictures and the table of ``docs/gallery.md``.

    MUJOCO_GL=egl PYTHONPATH=tests/support python tests/support/gallery.py             # writes docs/gallery.md and docs/img/gallery
    MUJOCO_GL=egl PYTHONPATH=tests/support python tests/support/gallery.py --measure   # prints the comparison as JSON, small pictures

Needs EGL and the folder of real models. ``tests/newtonish/viewer/test_gallery.py`` holds the comparison, and that the page is current.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from paths import REPO, SHARED
from PIL import Image

from newtonish.viewer.draw import OffscreenRenderer
from newtonish.viewer.scene import Kind, SceneMaker
from newtonish.viewer.simulation import Simulation

PAGE, PICTURES = REPO / "docs" / "gallery.md", REPO / "docs" / "img" / "gallery"
SIZE, SMALL = (360, 270), (160, 120)
BEGIN, END = "<!-- gallery: begin -->\n", "<!-- gallery: end -->\n"
OBJ_GEOM = 5


@dataclass
class View:
    """A model and the camera's position; what is not given is MuJoCo's free camera.

    Attributes:
        name: Of the pictures.
        file: In the folder of models.
        text: What there is to see.
        camera: Fields of the camera that differ.
        without: Pattern of what is left out of the file's text on both sides; empty: nothing.
    """

    name: str
    file: str
    text: str
    camera: dict[str, Any] = field(default_factory=dict)
    without: str = ""

    def text_or_path(self) -> str:
        """The file, or its text without what is left out."""
        path = SHARED / self.file
        return re.sub(self.without, "", path.read_text(encoding="utf-8")) if self.without else str(path)


VIEWS = (
    View("unitree_g1", "unitree_g1/scene.xml", "Unitree G1: meshes, a sky, an endless ground"),
    View("humanoid", "dm_humanoid/humanoid.xml", "a humanoid of capsules under two spots"),
    View("cassie", "cassie/scene.xml", "Cassie", {"distance": 2.0}),
    View("skydio_x2", "skydio_x2/scene.xml", "Skydio X2: texture coordinates of meshes, two lights"),
    View("allegro_hand", "allegro_hand/scene_right.xml", "an Allegro hand"),
    View("barkour", "barkour_vb/scene_hfield_mjx.xml", "Barkour on a height field", {"distance": 3.0}),
    View("wx250s", "wx250s/scene.xml", "a WidowX 250s arm", {"distance": 1.2}),
    View("manipulator", "dmc_manipulator/manipulator.xml", "a planar manipulator: fixed planes, tendons"),
    View("rubik", "rubik_cube/cube_3x3x3.xml", "a Rubik's cube: textures around boxes"),
    View("ant", "gym_ant/ant.xml", "an ant on a chequered ground", {"distance": 4.0}),
    View("xarm7", "xarm7/scene.xml", "a UFactory xArm 7 with its gripper", {"distance": 1.5}),
    View("softfoot", "softfoot/scene.xml", "SoftFoot: chains of wrapped tendons", {"distance": 0.5}),
    View("sawyer", "metaworld_drawer/sawyer_xyz/sawyer_drawer.xml", "a Sawyer at its drawer, in a room with a polished floor"),
    View("myofinger", "myofinger/myo_sim/finger/myofinger_v0.xml", "a finger with muscles"),
    View("half_cheetah", "gym_half_cheetah/half_cheetah.xml", "a half cheetah over a mirror", {"distance": 3.0}),
    View("newton_cradle", "replicate_scenes/newton_cradle.xml", "Newton's cradle over a mirror"),
    View("car", "small_mechanisms/car/car.xml", "a car"),
    View("balloons", "small_mechanisms/balloons/balloons.xml", "balloons on strings, over a mirror"),
    View("dominos", "sleep_dominos/dominos.xml", "dominos"),
    View("slider_crank", "small_mechanisms/slider_crank/slider_crank.xml", "three cranks, each driven by a slider"),
    View("myotorso", "myotorso/myo_sim/torso/myotorso.xml", "MyoTorso in its hall, over a polished floor in sRGB", {"distance": 3.0}),
    View("carousel", "surfacevel/carousel.xml", "a luggage carousel below five spots, without its point light", without=r'<light type="point"[^>]*>'),
)


def theirs(view: View, width: int, height: int) -> tuple[mujoco.MjModel, mujoco.MjvCamera, dict[str, np.ndarray]]:
    """MuJoCo's colours, depths [m], and geom of each pixel, -1 for none."""
    text = view.text_or_path()
    mjm = mujoco.MjModel.from_xml_string(text) if view.without else mujoco.MjModel.from_xml_path(text)
    mjd = mujoco.MjData(mjm)
    if mjm.nkey:
        mujoco.mj_resetDataKeyframe(mjm, mjd, 0)
    mujoco.mj_forward(mjm, mjd)
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(mjm, camera)
    for name, value in view.camera.items():
        setattr(camera, name, value)
    renderer = mujoco.Renderer(mjm, height, width)
    try:
        renderer.update_scene(mjd, camera)
        made = {"color": renderer.render().copy()}
        renderer.enable_depth_rendering()
        renderer.update_scene(mjd, camera)
        made["depth"] = renderer.render().copy()
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        renderer.update_scene(mjd, camera)
        seen = renderer.render()
        made["geom"] = np.where(seen[..., 1] == OBJ_GEOM, seen[..., 0], -1)
    finally:
        renderer.close()
    return mjm, camera, made


def ours(view: View, camera: mujoco.MjvCamera, width: int, height: int) -> dict[str, np.ndarray]:
    """The same of ours, the geoms by MuJoCo's numbers."""
    simulation = Simulation(view.text_or_path(), device="cpu")
    if simulation.keyframes:
        simulation.load_keyframe(0)
    maker = SceneMaker(simulation.model, simulation.solver, checker=False, sun=False)
    mine = maker.free_camera()
    for name in view.camera:
        setattr(mine, name, getattr(camera, name))
    with OffscreenRenderer(width, height) as renderer:
        renderer.draw(maker.make(simulation.state, camera=mine))
        color, depth, seen = renderer.color(), renderer.depth(), renderer.segmentation()
    geoms = maker.tables.maps.shape_to_geom
    geom = np.where(seen[..., 0] == Kind.GEOM, geoms[np.maximum(seen[..., 1], 0)], -1)
    return {"color": color, "depth": depth, "geom": geom}


def compare(mine: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> dict[str, float]:
    """How much two pictures differ.

    Returns:
        ``overlap``: pixels where something is in both, by those where something is in either. ``same``: share of pixels that show the same
        geom. ``depth``: 99 of 100 of those are at least this near to each other, relative. ``color``: largest difference of the mean of a
        channel, of 255. ``pixel``: mean difference of pixels, of 255.
    """
    here, there = mine["geom"] >= 0, wanted["geom"] >= 0
    same = mine["geom"] == wanted["geom"]
    inside = same & here
    apart = np.abs(mine["depth"] - wanted["depth"])[inside] / wanted["depth"][inside]
    difference = mine["color"].astype(float) - wanted["color"]
    return {
        "overlap": float((here & there).sum() / max(1, (here | there).sum())),
        "same": float(same.mean()),
        "depth": float(np.quantile(apart, 0.99)) if len(apart) else 0.0,
        "color": float(np.abs(difference.mean(axis=(0, 1))).max()),
        "pixel": float(np.abs(difference).mean()),
    }


def measure(view: View, size: tuple[int, int]) -> tuple[dict[str, float], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The comparison of a view, and both pictures."""
    _, camera, wanted = theirs(view, *size)
    mine = ours(view, camera, *size)
    return compare(mine, wanted), mine, wanted


def table(results: dict[str, dict[str, float]]) -> str:
    """The page's part between the marks."""
    lines = ["| Model | here | MuJoCo |", "|---|---|---|"]
    lines += [f"| {view.text} | ![{view.name}, drawn here](img/gallery/{view.name}.png) | ![{view.name}, drawn by MuJoCo](img/gallery/{view.name}_mujoco.png) |"
              for view in VIEWS]  # fmt: skip
    lines += ["", "| Model | silhouette | same geom | depth | mean colour | pixels |", "|---|---|---|---|---|---|"]
    for view in VIEWS:
        r = results[view.name]
        lines.append(f"| `{view.file}` | {r['overlap']:.2%} | {r['same']:.2%} | {r['depth']:.0e} | {r['color']:.1f} | {r['pixel']:.1f} |")
    return "\n".join(lines) + "\n"


def write() -> None:
    """Draw everything and write the pictures and the table."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    results = {}
    for view in VIEWS:
        results[view.name], mine, wanted = measure(view, SIZE)
        for name, made in ((view.name, mine), (f"{view.name}_mujoco", wanted)):
            picture = Image.fromarray(made["color"]).quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
            picture.save(PICTURES / f"{name}.png", optimize=True)
        print(view.name, results[view.name], flush=True)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + table(results) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    if "--measure" in sys.argv:
        chosen = [view for view in VIEWS if view.name in sys.argv] or VIEWS
        print(json.dumps({view.name: measure(view, SMALL)[0] for view in chosen}))
    else:
        write()
