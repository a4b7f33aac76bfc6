"""Planes and boxes whose material has ``reflectance`` mirror what stands before them.

The scene is drawn once more from behind each mirror, cut off at its surface, with its colours times the reflectance, and added to the colours of
the mirror. As in MuJoCo's renderer, highlights are not dimmed, and what is overlit is dimmed before it is cut off. Of a box, the face towards its z axis mirrors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyglet import gl

from newtonish.viewer.draw.instances import OPAQUE, Batch, InstanceSet
from newtonish.viewer.draw.program import Program
from newtonish.viewer.draw.targets import Picture, PictureTexture
from newtonish.viewer.scene import Scene

__all__ = ["MOST", "Mirror", "MirrorPicture", "mirrors_of"]

MOST = 8
"""Mirrors that are drawn: each costs a picture of the scene."""

SLACK = 1e-4
"""What lies less than this far before a mirror is not mirrored, in sizes of the model: the mirror itself, by rounding."""


@dataclass
class Mirror:
    """A mirror that is seen from its front.

    Attributes:
        row: Of the scene's instances.
        plane: (4,) its normal, and the offset that makes the dot product with (x, y, z, 1) a point's height above it [m].
        reflectance: Of its material.
    """

    row: int
    plane: np.ndarray
    reflectance: float

    def reflection(self) -> np.ndarray:
        """(4, 4) from points to their mirror images."""
        normal, matrix = self.plane[:3], np.eye(4)
        matrix[:3, :3] -= 2.0 * np.outer(normal, normal)
        matrix[:3, 3] = -2.0 * self.plane[3] * normal
        return matrix

    def image(self, scene: Scene) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(4, 4) view, place of the eye and direction of sight from behind the mirror."""
        reflection, camera = self.reflection(), scene.camera
        return camera.view() @ reflection, reflection[:3, :3] @ camera.position + reflection[:3, 3], reflection[:3, :3] @ camera.forward

    def clip(self, scene: Scene) -> np.ndarray:
        """(4,) plane before which things are mirrored."""
        return self.plane - np.array([0.0, 0.0, 0.0, SLACK * scene.extent])


def mirrors_of(scene: Scene, flat: np.ndarray) -> list[Mirror]:
    """The mirrors of a picture, at most :data:`MOST`.

    Args:
        scene: The scene.
        flat: (entries,) which entries of its library are planes.
    """
    shown = scene.instances
    strength = np.array([0.0, *(material.reflectance for material in scene.materials)])[np.where(shown.material < 0, 0, shown.material + 1)]
    found = []
    for row in np.flatnonzero((strength > 0.0) & (shown.color[:, 3] >= OPAQUE)):
        is_plane = flat[shown.triangles[row]]
        if not is_plane and scene.library[shown.triangles[row]].name != "box":
            continue
        normal = shown.rotation[row, :, 2].astype(float)
        surface = shown.position[row] + (0.0 if is_plane else shown.scale[row, 2]) * normal
        plane = np.append(normal, -normal @ surface)
        if plane @ np.append(scene.camera.position, 1.0) > 0.0:
            found.append(Mirror(int(row), plane, float(strength[row])))
    return found[:MOST]


class MirrorPicture:
    """What is seen in a mirror, in the pixels at which the main picture shows the mirror.

    Args:
        width, height, samples: As of the main picture.
    """

    def __init__(self, width: int, height: int, samples: int) -> None:
        self._drawn, self._smooth = Picture(width, height, samples), PictureTexture(width, height)

    def begin(self) -> None:
        """Draw into it: black where nothing is mirrored, mirror images run round the other way, and the mirror cuts them off."""
        self._drawn.bind()
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        gl.glFrontFace(gl.GL_CW)
        gl.glEnable(gl.GL_CLIP_DISTANCE0)

    def end(self) -> None:
        """It is drawn."""
        gl.glFrontFace(gl.GL_CCW)
        gl.glDisable(gl.GL_CLIP_DISTANCE0)
        self._drawn.copy_to(self._smooth.name, drawn=True)

    def add(self, mirror: Mirror, held: InstanceSet, program: Program, view: np.ndarray) -> None:
        """Add it to the mirror's pixels of the current picture.

        Args:
            mirror: Whose image it is.
            held: Instances, the mirror among them.
            program: The shader of mirrors, current.
            view: (4, 4) from the world to clip coordinates.
        """
        place = int(np.flatnonzero(held.rows == mirror.row)[0])
        batch = next(batch for batch in held.batches if batch.first <= place < batch.first + batch.count)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._smooth.texture)
        program.set(project_view=view, image=0, capped=0)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE)
        gl.glDepthMask(gl.GL_FALSE)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(-1.0, -1.0)
        held.draw(Batch(batch.mesh, batch.material, place, 1))
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)

    def close(self) -> None:
        """Free it."""
        self._drawn.close()
        self._smooth.close()
