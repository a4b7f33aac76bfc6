"""The scene's lights as the shader's numbers, and what each light that throws shadows sees."""

from __future__ import annotations

import numpy as np

from newtonish.viewer.scene import Light, LightType, Scene

__all__ = ["MAX_LIGHTS", "in_view", "light_kinds", "light_uniforms", "pixel_widths", "shadow_views", "sorted_lights"]

MAX_LIGHTS = 8
NO_CONE = -1.0


def sorted_lights(lights: list[Light], shadows: bool) -> tuple[list[Light], int]:
    """Those that can be drawn, the ones with shadows first, and how many of these there are."""
    usable = [light for light in lights if light.type != LightType.IMAGE][:MAX_LIGHTS]
    casting = [light for light in usable if light.castshadow and not light.headlight] if shadows else []
    casting = [light for light in casting if light.type != LightType.POINT]
    chosen = {id(light) for light in casting}
    return casting + [light for light in usable if id(light) not in chosen], len(casting)


def light_kinds(lights: list[Light]) -> str:
    """A letter for each light: ``d`` directional, ``s`` a spot with a cone, ``p`` one that shines to all sides."""
    return "".join("d" if light.type == LightType.DIRECTIONAL else "s" if light.type == LightType.SPOT and light.cutoff <= 90 else "p" for light in lights)


def light_uniforms(lights: list[Light]) -> dict[str, np.ndarray]:
    """The shader's arrays for lights in their order."""
    position, axis, fall = np.zeros((len(lights), 4)), np.zeros((len(lights), 4)), np.zeros((len(lights), 4))
    for row, light in enumerate(lights):
        direction = np.asarray(light.direction, float)
        direction = direction / max(np.linalg.norm(direction), 1e-12)
        axis[row] = (*direction, NO_CONE)
        if light.type == LightType.DIRECTIONAL:
            position[row, :3] = -direction
            fall[row] = (1, 0, 0, 0)
        else:
            position[row] = (*light.position, 1)
            fall[row] = (*light.attenuation, light.exponent)
            if light.type == LightType.SPOT and light.cutoff <= 90:
                axis[row, 3] = np.cos(np.radians(light.cutoff))
    colors = {name: np.array([getattr(light, name) for light in lights], float) for name in ("ambient", "diffuse", "specular")}
    uniforms = {"light_position": position, "light_axis": axis, "light_fall": fall}
    return uniforms | {f"light_{name}": value for name, value in colors.items()}


def shadow_views(scene: Scene, lights: list[Light], centers: np.ndarray, radii: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4, 4) matrices from the world to each light's clip coordinates, and (n,) widths of a pixel there.

    A directional light's picture is as large as the things that throw shadows into the view, so that no pixel is wasted; it moves in
    whole pixels, so that edges do not shimmer. A pixel's width is in metres, for a spot at the distance of one metre.

    Args:
        scene: The scene.
        lights: Those that throw shadows.
        centers, radii: Spheres around what throws shadows.
        size: Pixels of a picture's side.
    """
    views, widths = np.zeros((len(lights), 4, 4)), np.zeros(len(lights))
    for row, light in enumerate(lights):
        forward = np.asarray(light.direction, float)
        forward = forward / max(np.linalg.norm(forward), 1e-12)
        side = np.cross(forward, (0.0, 1.0, 0.0) if abs(forward[1]) < 0.9 else (1.0, 0.0, 0.0))
        side /= np.linalg.norm(side)
        axes = np.stack([side, np.cross(side, forward), -forward])
        if light.type == LightType.DIRECTIONAL:
            views[row], widths[row] = _directional(axes, centers, radii, size)
        else:
            views[row], widths[row] = _spot(axes, np.asarray(light.position, float), light, scene, centers, radii, size)
    return views, widths


def _directional(axes: np.ndarray, centers: np.ndarray, radii: np.ndarray, size: int) -> tuple[np.ndarray, float]:
    """A box along the light's direction around everything that throws shadows."""
    if not len(centers):
        centers, radii = np.zeros((1, 3)), np.ones(1)
    placed = centers @ axes.T
    low, high = (placed - radii[:, None]).min(axis=0), (placed + radii[:, None]).max(axis=0)
    half = 0.5 * float(max(high[0] - low[0], high[1] - low[1], 1e-3)) * (1 + 4 / size)
    half = 1.05 ** np.ceil(np.log(half) / np.log(1.05))  # changes seldom
    width = 2 * half / size
    middle = np.round(0.5 * (low + high)[:2] / width) * width
    depth = max(high[2] - low[2], 1e-3)
    matrix = np.eye(4)
    matrix[0, :3], matrix[0, 3] = axes[0] / half, -middle[0] / half
    matrix[1, :3], matrix[1, 3] = axes[1] / half, -middle[1] / half
    matrix[2, :3], matrix[2, 3] = -2 * axes[2] / depth, (high[2] + low[2]) / depth
    return matrix, width


def _spot(axes, position, light: Light, scene: Scene, centers, radii, size: int) -> tuple[np.ndarray, float]:
    """A pyramid around the part of the cone that has shadows."""
    angle = np.radians(min(2 * light.cutoff * scene.shadow_scale, 160.0))
    distance = (centers - position) @ -axes[2] if len(centers) else np.array([1.0])
    reach = distance + (radii if len(centers) else 1.0)
    far = max(float(reach.max(initial=0.0)), 0.02 * scene.extent)
    near = max(float((distance - (radii if len(centers) else 1.0)).min(initial=far)), 0.01 * far)
    scale = 1 / np.tan(0.5 * angle)
    view = np.eye(4)
    view[:3, :3], view[:3, 3] = axes, -axes @ position
    lens = np.zeros((4, 4))
    lens[0, 0] = lens[1, 1] = scale
    lens[2, 2], lens[2, 3], lens[3, 2] = -(far + near) / (far - near), -2 * far * near / (far - near), -1.0
    return lens @ view, 2 / (scale * size)


def in_view(rows: np.ndarray, centers: np.ndarray, radii: np.ndarray, view: np.ndarray) -> np.ndarray:
    """Those of the rows that are seen, or all where none is: shadows are as fine as what is seen needs them.

    Args:
        rows: Of instances.
        centers, radii: Spheres around all instances, in the world.
        view: (4, 4) from the world to clip coordinates.
    """
    placed = centers[rows] @ view[:, :3].T + view[:, 3]
    slack = radii[rows] * np.linalg.norm(view[:2, :3], axis=1).max()
    inside = (np.abs(placed[:, :2]) <= placed[:, 3:] + slack[:, None]).all(axis=1)
    return rows[inside] if inside.any() else rows


def pixel_widths(lights: list[Light], widths: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """(n,) width of a pixel of the finest of the lights' pictures at places [m].

    Args:
        lights: Those that throw shadows.
        widths: Of their pixels, as :func:`shadow_views` gives them.
        centers: (n, 3) the places.
    """
    found = np.full(len(centers), np.inf)
    for light, width in zip(lights, widths, strict=True):
        away = 1.0 if light.type == LightType.DIRECTIONAL else np.linalg.norm(centers - np.asarray(light.position), axis=1)
        found = np.minimum(found, width * away)
    return found
