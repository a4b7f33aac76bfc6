"""Pictures of a model's cameras in all worlds, by casting rays on the device; under mujoco_warp's names."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError, problem
from newtonish.kernels.runtime.launch import gathered, is_gpu
from newtonish.kernels.sensor.picture import TILE, Looks, Views, draw, take_depth, take_rgb, take_seg
from newtonish.kernels.smooth.camlight import camlight
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.arguments import array_of
from newtonish.mjw.casting import make_surfaces
from newtonish.mjw.matching import check_pair, integer
from newtonish.mjw.recording import side_by_side
from newtonish.mjw.replay import get_num_threads

__all__ = ["RenderContext", "create_render_context", "get_depth", "get_rgb", "get_segmentation", "refit_bvh", "refit_splat_bvh", "render"]

_LARGEST = 4096
_RGB, _DEPTH, _SEG = 1, 2, 16
"""Bits of MuJoCo's ``cam_output``."""
_BEYOND = {"samples_per_pixel": 1, "splat_position": None}
"""Settings of mujoco_warp that would change pictures, and the only value of each that is allowed."""
_PLAIN = ("use_textures", "enable_specular", "enable_emission", "enable_vertex_normals")
"""Settings of mujoco_warp that colours here do without; asked for by name they are told of."""
_SKYBOX = 2
"""MuJoCo's type of textures for a sky."""


class RenderContext:
    """Which cameras are drawn and what of them, with the pictures of the last ``render``; see :func:`create_render_context`.

    Attributes:
        nworld: Number of worlds.
        nrender: Number of cameras that are drawn.
        cam_id: Their numbers.
        cam_res: (width, height) of each.
        depth_data, seg_data, rgb_data: (nworld, pixels) of all pictures one after another, as ``get_depth`` and its like take them apart.
        depth_adr, seg_adr, rgb_adr: Arrays of int32: where those of each camera begin, -1: it has none.
        begins: The same numbers as lists, by "depth", "seg" and "rgb".
        settings: The other arguments of ``create_render_context``, kept as they were given.
    """

    def __init__(self, nworld: int, cameras: list[int], sizes: list[tuple[int, int]], wanted: dict[str, list[bool]], device: Any) -> None:
        self.nworld, self.nrender, self.cam_id, self.cam_res = nworld, len(cameras), cameras, sizes
        self.settings: dict[str, Any] = {}
        self.device = device
        begins = {name: _begins(sizes, flags) for name, flags in wanted.items()}
        self.begins = {name: first for name, (first, _) in begins.items()}
        self.depth_adr: wp.array = wp.array(self.begins["depth"], dtype=wp.int32, device=device)
        self.seg_adr: wp.array = wp.array(self.begins["seg"], dtype=wp.int32, device=device)
        self.rgb_adr: wp.array = wp.array(self.begins["rgb"], dtype=wp.int32, device=device)
        self.depth_data = wp.zeros((nworld, begins["depth"][1]), dtype=wp.float32, device=device)
        self.seg_data = wp.full((nworld, begins["seg"][1]), wp.vec2i(-1, -1), dtype=wp.vec2i, device=device)
        self.rgb_data = wp.zeros((nworld, begins["rgb"][1]), dtype=wp.uint32, device=device)
        rows = [(camera, *size, *(begins[name][0][at] for name in ("depth", "seg", "rgb"))) for at, (camera, size) in enumerate(zip(cameras, sizes))]
        tiles = [(at, x, y) for at, (width, height) in enumerate(sizes) for y in range(0, height, TILE) for x in range(0, width, TILE)]
        self.views = Views()
        self.views.view = wp.array(np.array(rows, dtype=np.int32).reshape(-1, 6), device=device)
        self.views.tile = wp.array(np.array(tiles, dtype=np.int32).reshape(-1, 3), device=device)


def _begins(sizes: list[tuple[int, int]], wanted: list[bool]) -> tuple[list[int], int]:
    """Where the pixels of each camera begin, and how many there are."""
    begins, total = [], 0
    for (width, height), is_wanted in zip(sizes, wanted):
        begins.append(total if is_wanted else -1)
        total += width * height if is_wanted else 0
    return begins, total


def create_render_context(
    mjm: Any, nworld: int = 1, cam_res: Any = None, render_rgb: Any = None, render_depth: Any = None, render_seg: Any = None,
    cam_active: Sequence[Any] | None = None, enabled_geom_groups: Sequence[int] = (0, 1, 2),
    background_color: Sequence[float] = (0.0, 0.0, 0.0, 1.0), device: Any = None, **settings: Any,
) -> RenderContext:  # fmt: skip
    """Choose the cameras whose pictures ``render`` makes, and take the memory for them.

    Args:
        mjm: a compiled model (``mujoco.MjModel``), or a Model of ours.
        nworld: number of worlds.
        cam_res: (width, height) of all pictures, or one for each camera; None: the cameras' own resolution [pixels].
        render_rgb, render_depth, render_seg: whether colours, depths and segmentation are made, for all cameras or one by one; None: what the
            camera's ``output`` in the model says.
        cam_active: cameras by number or name, or a truth value for each; None: all.
        enabled_geom_groups: groups of geoms that are seen.
        background_color: where nothing is seen; red, green, blue, opacity from 0 to 1.
        device: of the pictures; None: that of a Model of ours, or Warp's current one.
        settings: others of mujoco_warp's; kept and not used.

    Returns:
        A context for ``render``.

    Raises:
        ModelError: there is no such camera, or a number of sizes or flags is not that of the cameras.
        UnsupportedError: several samples a pixel or splats are asked for, or shadows in colours.

    Warns:
        NewtonishWarning: a model's sky is asked for, and the background's colour is there; or textures, highlights or emission are.
    """
    for name, allowed in _BEYOND.items():
        if settings.get(name, allowed) is not allowed and settings.get(name, allowed) != allowed:
            _refuse(name, settings[name], allowed)
    nworld = integer("create_render_context: nworld", nworld, 1)
    cameras = _cameras(mjm, cam_active)
    sizes = [_size(size) for size in _one_each("cam_res", cam_res, cameras, _field(mjm, "cam_resolution").reshape(-1, 2), pair=True)]
    output = _field(mjm, "cam_output").reshape(-1) if hasattr(mjm, "cam_output") else np.full(int(mjm.ncam), _RGB)
    wanted = {
        name: [bool(flag) for flag in _one_each(f"render_{name}", given, cameras, output & bit)]
        for name, given, bit in (("rgb", render_rgb, _RGB), ("depth", render_depth, _DEPTH), ("seg", render_seg, _SEG))
    }
    if any(wanted["rgb"]):
        _check_colours(mjm, settings)
    device = wp.get_device(getattr(mjm, "device", None) if device is None else device)
    rc = RenderContext(nworld, cameras, sizes, wanted, device)
    rc.settings = {"cam_res": cam_res, **settings}
    rc.views.groups = sum(1 << integer("create_render_context: enabled_geom_groups", group, 0) for group in set(enabled_geom_groups))
    red, green, blue, alpha = (int(255 * float(np.clip(value, 0.0, 1.0))) for value in background_color)
    rc.views.background = alpha << 24 | red << 16 | green << 8 | blue
    head = getattr(getattr(mjm, "vis", None), "headlight", None)
    if head is None:
        rc.views.head_ambient, rc.views.head_diffuse = wp.vec3(0.1, 0.1, 0.1), wp.vec3(0.4, 0.4, 0.4)  # MuJoCo's defaults
    elif head.active:
        rc.views.head_ambient, rc.views.head_diffuse = wp.vec3(*map(float, head.ambient)), wp.vec3(*map(float, head.diffuse))
    return rc


def _refuse(name: str, given: Any, allowed: Any) -> None:
    remedy = "leave it out, or draw with newtonish.viewer.Renderer"
    raise UnsupportedError(problem(f"create_render_context: {name}", repr(given), repr(allowed), remedy))


def _check_colours(mjm: Any, settings: dict[str, Any]) -> None:
    """Refuse shadows, and tell of what is not drawn: frameworks ask for a sky whatever the model has."""
    if settings.get("use_shadows", False):
        _refuse("use_shadows", settings["use_shadows"], False)
    if settings.get("render_skybox", False) and np.any(np.asarray(getattr(mjm, "tex_type", ())) == _SKYBOX):
        text = problem("create_render_context: render_skybox", "True, and a sky in the model", "the colour of background_color", "choose that colour")
        warnings.warn(text, NewtonishWarning, stacklevel=3)
    asked = [name for name in _PLAIN if settings.get(name)]
    if asked:
        text = problem("create_render_context: " + ", ".join(asked), "True", "colours without these", "leave them out, or draw with newtonish.viewer.Renderer")
        warnings.warn(text, NewtonishWarning, stacklevel=3)


def _field(mjm: Any, name: str) -> np.ndarray:
    """A field of a compiled model or of one of ours, as numbers."""
    value = getattr(mjm, name)
    return value.numpy() if isinstance(value, wp.array) else np.asarray(value)


def _cameras(mjm: Any, active: Sequence[Any] | None) -> list[int]:
    """Numbers of the cameras that are drawn."""
    count = int(mjm.ncam)
    if active is None:
        return list(range(count))
    given = list(active)
    if given and all(isinstance(one, bool | np.bool_) for one in given) and len(given) == count:
        return np.flatnonzero(given).tolist()
    names = list(mjm.names["cam"]) if isinstance(mjm, Model) else [mjm.camera(i).name for i in range(count)]
    found = [names.index(one) if isinstance(one, str) and one in names else one for one in given]
    for one in found:
        if isinstance(one, str | bool) or not 0 <= int(one) < count:
            allowed = f"0 to {count - 1}, names ({', '.join(filter(None, names))}), or {count} truth values" if count else "none, the model has no cameras"
            raise ModelError(problem("create_render_context: cam_active", repr(one), allowed, "choose cameras of the model"))
    return [int(one) for one in found]


def _one_each(name: str, given: Any, cameras: list[int], own: np.ndarray, pair: bool = False) -> list[Any]:
    """One value for each camera: the model's own, the same for all, or as given."""
    if given is None:
        return [own[camera] for camera in cameras]
    single = isinstance(given, tuple) if pair else isinstance(given, bool | np.bool_)
    values = [given] * len(cameras) if single else list(given)
    if pair and len(values) == 1:
        values = values * len(cameras)
    if len(values) != len(cameras):
        allowed = f"one for all, or {len(cameras)}"
        raise ModelError(problem(f"create_render_context: {name}", f"{len(values)} values", allowed, "give one for each camera that is drawn"))
    return values


def _size(size: Any) -> tuple[int, int]:
    width, height = (integer("create_render_context: cam_res", side, 1) for side in size)
    if max(width, height) > _LARGEST:
        text = problem("create_render_context: cam_res", f"({width}, {height})", f"1 to {_LARGEST} pixels", "draw smaller pictures")
        raise ModelError(text)
    return width, height


def refit_bvh(m: Model, d: Data, rc: RenderContext) -> None:
    """Nothing: rays find geoms where they are."""


def refit_splat_bvh(rc: RenderContext) -> None:
    """Nothing: there are no splats."""


def render(m: Model, d: Data, rc: RenderContext) -> None:
    """Make the pictures of all cameras of a context in all worlds.

    Depths are measured along the camera's axis [m], 0 where nothing is seen; segmentation is the number of the geom and ``ObjType.GEOM``, -1 and -1 where nothing
    is seen; colours are shaded by Lambert's cosine, lit by the model's lights and its headlight, without textures, highlights and shadows.

    Args:
        m: model.
        d: data with geom poses of the present ``qpos``, as after ``kinematics`` or ``forward``; cameras and lights are placed here.
        rc: context; receives the pictures.

    Worlds are shared out to the threads of a CPU. Can be captured after a first call outside.

    Raises:
        ModelError: the context is of another number of worlds, cameras or another device.
    """
    check_pair("render", m, d)
    if rc.nworld != d.nworld or rc.device != d.device or max(rc.cam_id, default=-1) >= m.ncam:
        given, allowed = f"a context of {rc.nworld} worlds on {rc.device}", f"{d.nworld} worlds on {d.device}, and cameras of the model"
        raise ModelError(problem("render: rc", given, allowed, "make it with create_render_context for this model"))
    if not rc.nrender:
        return
    make_surfaces(m, d)
    camlight(m, d)
    given = m, d, rc.views, _looks(m), rc.depth_data, rc.seg_data, rc.rgb_data
    threads = 1 if is_gpu(d.device) or d.device.is_capturing else min(get_num_threads(), d.nworld)
    if threads < 2:
        draw(*given, 0, d.nworld)
        return
    with gathered() as commands:
        for i in range(threads):
            first, last = (d.nworld * k // threads for k in (i, i + 1))
            draw(*given, first, last - first)
    side_by_side([command.launch for command in commands])


def _looks(m: Model) -> Looks:
    """Colours and lights of a model as they are now."""
    looks = Looks()
    for name in Looks.vars:
        setattr(looks, name, getattr(m, name))
    return looks


def get_depth(rc: RenderContext, camera_index: int, depth_scale: float, depth_out: wp.array) -> None:
    """Depths of one camera, divided by ``depth_scale`` [m] and limited to 0 to 1, into (nworld, height, width) float32.

    Raises:
        ModelError: there is no such picture, or the array has another shape.
    """
    first = _place("get_depth", rc, rc.begins["depth"], camera_index, depth_out, wp.float32)
    take_depth(rc.depth_data, first, float(depth_scale), depth_out)


def get_segmentation(rc: RenderContext, camera_index: int, seg_out: wp.array) -> None:
    """Geom and kind at each pixel of one camera, -1 and -1 for nothing, into (nworld, height, width) vec2i.

    Raises:
        ModelError: there is no such picture, or the array has another shape.
    """
    first = _place("get_segmentation", rc, rc.begins["seg"], camera_index, seg_out, wp.vec2i)
    take_seg(rc.seg_data, first, seg_out)


def get_rgb(rc: RenderContext, camera_index: int, rgb_out: wp.array) -> None:
    """Colours of one camera from 0 to 1, into (nworld, height, width) vec3.

    Raises:
        ModelError: there is no such picture, or the array has another shape.
    """
    first = _place("get_rgb", rc, rc.begins["rgb"], camera_index, rgb_out, wp.vec3)
    take_rgb(rc.rgb_data, first, rgb_out)


def _place(name: str, rc: RenderContext, begins: list[int], camera: int, out: Any, dtype: Any) -> int:
    """Where a camera's picture begins; its array is checked."""
    if not 0 <= camera < rc.nrender or begins[camera] < 0:
        made = ", ".join(str(at) for at, begin in enumerate(begins) if begin >= 0) or "none"
        text = problem(f"{name}: camera_index", str(camera), f"pictures of this kind: {made}", "ask for it in create_render_context")
        raise ModelError(text)
    width, height = rc.cam_res[camera]
    array_of(f"{name}: array", rc, out, dtype, (rc.nworld, height, width))
    return begins[camera]
