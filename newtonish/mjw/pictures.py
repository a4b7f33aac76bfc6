"""What mujoco_warp has for pictures: contexts are made, since ray sensors ask for one, and pictures are refused."""

from __future__ import annotations

from typing import Any, NoReturn

from newtonish.errors import UnsupportedError, problem
from newtonish.kernels.structs.container import Data, Model

__all__ = ["RenderContext", "create_render_context", "get_depth", "get_rgb", "get_segmentation", "refit_bvh", "refit_splat_bvh", "render"]


class RenderContext:
    """Settings of a camera's picture, kept as they were given; rays of sensors need nothing of it.

    Attributes:
        nworld: Number of worlds.
        settings: The other arguments of ``create_render_context``.
    """

    def __init__(self, nworld: int, settings: dict[str, Any]) -> None:
        self.nworld, self.settings = nworld, settings


def create_render_context(mjm: Any, nworld: int = 1, **settings: Any) -> RenderContext:
    """A context for functions that ask for one; no picture comes of it.

    Args:
        mjm: a compiled model.
        nworld: number of worlds.
        settings: those of mujoco_warp's function of this name.
    """
    return RenderContext(nworld, settings)


def refit_bvh(m: Model, d: Data, rc: RenderContext) -> None:
    """Nothing: rays find geoms where they are."""


def refit_splat_bvh(rc: RenderContext) -> None:
    """Nothing, as no picture is made."""


def render(m: Model, d: Data, rc: RenderContext) -> NoReturn:
    """Refused: no picture is made here.

    Raises:
        UnsupportedError: always.
    """
    _refuse("render")


def get_rgb(rc: RenderContext, camera_index: int, rgb_out: Any) -> NoReturn:
    """Refused, as ``render`` is."""
    _refuse("get_rgb")


def get_depth(rc: RenderContext, camera_index: int, depth_scale: float, depth_out: Any) -> NoReturn:
    """Refused, as ``render`` is."""
    _refuse("get_depth")


def get_segmentation(rc: RenderContext, camera_index: int, seg_out: Any) -> NoReturn:
    """Refused, as ``render`` is."""
    _refuse("get_segmentation")


def _refuse(name: str) -> NoReturn:
    allowed = "distances and geoms along rays (mjw.rays, rangefinder sensors, also of whole cameras)"
    raise UnsupportedError(problem(f"mjw.{name}", "a call for pictures of cameras", allowed, "take these, or draw with newtonish.viewer"))
