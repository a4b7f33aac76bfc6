"""Draws a scene: shadows, opaque things, what mirrors show, sky, transparent things; reads colours, depth and what is seen where.

The order of passes follows MuJoCo's renderer ("OpenGL Rendering" of its programming guide); shadows are depth pictures from each light
(L. Williams, Casting curved shadows on curved surfaces, SIGGRAPH 1978).
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from pyglet import gl

from newtonish.viewer.draw import shaders
from newtonish.viewer.draw.instances import Batches, InstanceSet
from newtonish.viewer.draw.lights import in_view, light_kinds, light_uniforms, pixel_widths, shadow_views, sorted_lights
from newtonish.viewer.draw.meshes import MeshStore
from newtonish.viewer.draw.mirrors import Mirror, MirrorPicture, mirrors_of
from newtonish.viewer.draw.program import Program
from newtonish.viewer.draw.targets import IdTarget, Picture, ShadowTarget
from newtonish.viewer.draw.textures import TextureStore
from newtonish.viewer.scene import Material, Scene

__all__ = ["Renderer", "is_software"]

SOFTWARE = ("llvmpipe", "softpipe", "swrast", "SwiftShader", "GDI Generic")
HORIZON = 0.7
"""Distance of MuJoCo's horizon, in distances of the far plane."""

NO_HAZE = {"haze": np.zeros(4), "haze_end": 1.0}
TO_TEXTURE = np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0, 1]])


def is_software() -> bool:
    """Whether the current context is drawn by a processor, for which fewer pixels and triangles are worth a great deal."""
    name = ctypes.cast(gl.glGetString(gl.GL_RENDERER), ctypes.c_char_p).value or b""
    return any(part in name.decode(errors="replace") for part in SOFTWARE)


class Renderer:
    """Draws scenes with the OpenGL context that is current, into framebuffers of its own.

    Args:
        width, height: Of the pictures [pixels].
        samples: Samples a pixel: 1, or more for smooth edges (as many as the driver has). None: 4, or 1 where a processor draws.
        shadow_size: Side of the pictures that lights see [pixels]; 0 draws without shadows. None: 2048, or 512 where a processor
            draws.

    Attributes:
        wireframe: Whether only the triangles' edges are drawn.
        reflections: Whether materials with ``reflectance`` mirror. By default not where a processor draws a window.
        cell: How coarse meshes with many triangles may become where they are small [pixels]; 0 draws all triangles. Shadows
            take twice as much. By default only where a processor draws a window.
        gradient: Colours of the sky above and below where a scene has none; None: its background.
        draws: Draw calls of the last picture.
    """

    def __init__(self, width: int, height: int, samples: int | None = None, shadow_size: int | None = None) -> None:
        quick = samples is None and is_software()
        samples = (1 if quick else 4) if samples is None else samples
        shadow_size = (512 if is_software() else 2048) if shadow_size is None else shadow_size
        self.width, self.height, self.samples, self.shadow_size = width, height, samples, shadow_size
        self.wireframe, self.reflections = False, not quick
        self.cell = 4.0 if quick else 0.0
        self.gradient: tuple | None = None
        self.draws = 0
        self._meshes, self._textures, self._batches = MeshStore(), TextureStore(), Batches()
        self._picture = Picture(width, height, samples)
        self._ids: IdTarget | None = None
        self._identified = False
        self._shadow: ShadowTarget | None = None
        self._mirror: MirrorPicture | None = None
        self._programs: dict[tuple, Program] = {}
        self._scene: Scene | None = None
        self._bare = gl.GLuint()
        gl.glGenVertexArrays(1, self._bare)

    def resize(self, width: int, height: int) -> None:
        """Draw pictures of another size from now on."""
        if (width, height) == (self.width, self.height):
            return
        self.width, self.height = width, height
        self._picture.close()
        self._picture = Picture(width, height, self.samples)
        if self._ids is not None:
            self._ids.close()
            self._ids = None
        if self._mirror is not None:
            self._mirror.close()
            self._mirror = None

    def draw(self, scene: Scene) -> None:
        """Draw a scene; :meth:`color`, :meth:`depth` and :meth:`segmentation` read this picture until the next."""
        self._scene, self._identified, self.draws = scene, False, 0
        self._meshes.update(scene.library)
        self._textures.update(scene.textures)
        self._batches.update(scene, self._meshes, self.height, self.cell)
        lights, shadows = sorted_lights(scene.lights, self.shadow_size > 0)
        uniforms = self._common(scene, lights)
        if shadows:
            uniforms |= self._draw_shadows(scene, lights[:shadows])
        self._picture.bind()
        gl.glClearColor(*scene.background, 1.0)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_MULTISAMPLE)
        if self.wireframe:
            gl.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
        self._draw_set(self._batches.opaque, scene, uniforms, light_kinds(lights), shadows)
        if self.wireframe:
            gl.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_FILL)
        elif self.reflections:
            for mirror in mirrors_of(scene, self._meshes.flat):
                self._draw_mirror(mirror, scene, uniforms, light_kinds(lights))
        self._draw_sky(scene)
        self._draw_clear(scene, uniforms, light_kinds(lights))
        gl.glBindVertexArray(0)

    def _draw_clear(self, scene: Scene, uniforms: dict, lights: str) -> None:
        """Transparent things, over what is behind them."""
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        self._draw_set(self._batches.clear, scene, uniforms, lights, 0)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)

    def _draw_mirror(self, mirror: Mirror, scene: Scene, uniforms: dict, lights: str) -> None:
        """What a mirror shows, without shadows and sky, added to its pixels."""
        if self._mirror is None:
            self._mirror = MirrorPicture(self.width, self.height, self.samples)
        view, eye, sight = mirror.image(scene)
        lens = scene.camera.projection(self.width / self.height)
        mirrored = uniforms | {"project_view": lens @ view, "eye": eye, "cut": mirror.clip(scene), "dim": mirror.reflectance}
        if scene.camera.orthographic:
            mirrored["sight"] = sight
        self._mirror.begin()
        self._draw_set(self._batches.opaque, scene, mirrored, lights, 0)
        self._draw_clear(scene, mirrored, lights)
        self._mirror.end()
        self._picture.bind()
        self._mirror.add(mirror, self._batches.opaque, self._program("MIRROR"), uniforms["project_view"])
        self.draws += 1

    def color(self) -> np.ndarray:
        """(height, width, 3) uint8 colours of the last picture, the top row first."""
        return self._picture.read()

    def depth(self) -> np.ndarray:
        """(height, width) float32 distances along the line of sight [m]; where nothing is, that of the far plane."""
        return self._identify().metres()

    def segmentation(self) -> np.ndarray:
        """(height, width, 2) int32: the kind of what is seen and which it is, -1 and -1 where nothing is. Decor is not seen through."""
        return self._identify().ids()

    def present(self, framebuffer: int = 0) -> None:
        """Copy the last picture into another framebuffer of the same size, by default the window's."""
        self._picture.copy_to(framebuffer)

    def finish(self) -> None:
        """Wait until everything is drawn."""
        gl.glFinish()

    def canvas(self) -> None:
        """Make the finished picture what further drawing, such as an overlay's, goes to."""
        self._picture.smooth()

    def close(self) -> None:
        """Free everything; the context has to be current."""
        for part in (self._meshes, self._textures, self._batches, self._picture, self._ids, self._shadow, self._mirror, *self._programs.values()):
            if part is not None:
                part.close()
        gl.glDeleteVertexArrays(1, self._bare)

    def _program(self, kind: str, lights: str = "", **defines: int) -> Program:
        """One of the shaders, compiled when it is first needed, current."""
        key = (kind, lights, *defines.values())
        if key not in self._programs:
            vertex, fragment = getattr(shaders, f"{kind}_VERTEX"), getattr(shaders, f"{kind}_FRAGMENT")
            if kind == "SCENE":
                fragment = shaders.scene_fragment(lights, defines["SHADOWS"])
                defines["LIGHTS"] = len(lights)
            self._programs[key] = Program(vertex, fragment, defines)
        return self._programs[key].use()

    def _view(self, scene: Scene) -> np.ndarray:
        """World to clip coordinates of the picture."""
        return scene.camera.projection(self.width / self.height) @ scene.camera.view()

    def _common(self, scene: Scene, lights: list) -> dict:
        """Uniforms that all things share."""
        camera = scene.camera
        uniforms: dict[str, Any] = {**light_uniforms(lights)} if lights else {}
        uniforms["ambience"] = np.full(3, 0.0 if lights else 0.3)
        uniforms |= {"project_view": self._view(scene), "dim": 1.0}
        uniforms["eye"] = camera.position
        uniforms["cut"] = np.array([0.0, 0.0, 0.0, 1.0])  # nothing: some drivers look at it although it is switched off
        uniforms["sight"] = camera.forward if camera.orthographic else np.zeros(3)
        if scene.fog[3] > 0:
            uniforms["haze"] = np.array([*scene.fog[:3], scene.fog_range[0]])
            uniforms["haze_end"] = float(scene.fog_range[1])
        else:
            uniforms["haze"], uniforms["haze_end"] = np.zeros(4), 1.0
        return uniforms

    def _draw_set(self, drawn: InstanceSet, scene: Scene, uniforms: dict, lights: str, shadows: int) -> None:
        """Every batch of a set with its material."""
        ready = set()
        endless = self._endless(scene)
        for batch in drawn.batches:
            material = scene.materials[batch.material] if batch.material >= 0 else Material()
            texture = self._texture_mode(material)
            gleam = int(material.specular > 0)
            program = self._program("SCENE", lights, TEXTURE=texture, SHADOWS=shadows, GLEAM=gleam)
            if id(program) not in ready:
                program.set(**uniforms, image=0, shadow=1)
                ready.add(id(program))
            if texture:
                gl.glActiveTexture(gl.GL_TEXTURE0)
                gl.glBindTexture(gl.GL_TEXTURE_2D if texture == 1 else gl.GL_TEXTURE_CUBE_MAP, self._textures.names[material.texture])
            if endless is not None:
                ground = batch.mesh.flat and endless in drawn.rows[batch.first : batch.first + batch.count]
                program.set(**(self._ground_haze(scene) if ground else NO_HAZE))
            shine = np.array([material.emission, material.specular, max(128 * material.shininess, 1e-3)])
            program.set(shine=shine, capped=int(batch.mesh.capped), explicit_uv=int(batch.mesh.explicit_uv))
            self._cull(batch.mesh.flat)
            drawn.draw(batch)
            self.draws += 1

    def _endless(self, scene: Scene) -> int | None:
        """Row of the first endless ground that fades into the sky's haze; None for none, as below it or in fog."""
        if scene.skybox < 0 or scene.haze[3] <= 0 or scene.fog[3] > 0:
            return None
        shown, camera = scene.instances, scene.camera
        rows = np.flatnonzero(self._meshes.flat[shown.triangles] & (shown.scale[:, 0] >= 0.9 * camera.far))
        if not len(rows) or (camera.position - shown.position[rows[0]]) @ shown.rotation[rows[0], :, 2] <= 0:
            return None
        return int(rows[0])

    def _ground_haze(self, scene: Scene) -> dict:
        """Uniforms of the ground's haze: MuJoCo's is a cone from the ground to the height of the eye at the horizon."""
        horizon, part = HORIZON * scene.camera.far, scene.haze[3]
        return {"haze": np.array([*scene.haze[:3], max((1 - part) * horizon, 1e-6)]), "haze_end": -part * horizon}

    def _texture_mode(self, material: Material) -> int:
        """0 for none, 1 for flat, 2 for cubes."""
        if material.texture < 0:
            return 0
        return 2 if self._textures.cubes[material.texture] else 1

    def _cull(self, flat: bool) -> None:
        """The insides of closed things are not drawn; planes have two sides."""
        if flat or self.wireframe:
            gl.glDisable(gl.GL_CULL_FACE)
        else:
            gl.glEnable(gl.GL_CULL_FACE)

    def _draw_shadows(self, scene: Scene, lights: list) -> dict:
        """What each light sees; the uniforms that look it up."""
        if self._shadow is None or self._shadow.lights < len(lights) or self._shadow.width != self.shadow_size:
            if self._shadow is not None:
                self._shadow.close()
            self._shadow = ShadowTarget(self.shadow_size, len(lights))
        batches = self._batches
        rows = in_view(batches.throwing, batches.centers, batches.radii, self._view(scene))
        views, widths = shadow_views(scene, lights, batches.centers[rows], batches.radii[rows], self.shadow_size)
        batches.update_casters(scene, self._meshes, pixel_widths(lights, widths, batches.centers), 2 * self.cell)
        program = self._program("SHADOW")
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_DEPTH_CLAMP)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(1.5, 4.0)
        for layer, view in enumerate(views):
            self._shadow.bind_layer(layer)
            program.set(project_view=view)
            for batch in batches.casters.batches:
                program.set(capped=int(batch.mesh.capped))
                batches.casters.draw(batch)
                self.draws += 1
        gl.glDisable(gl.GL_DEPTH_CLAMP)
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glActiveTexture(gl.GL_TEXTURE1)
        gl.glBindTexture(gl.GL_TEXTURE_2D_ARRAY, self._shadow.texture)
        return {"shadow_view": TO_TEXTURE @ views, "shadow_width": np.stack([widths, widths], axis=1)}

    def _draw_sky(self, scene: Scene) -> None:
        """What is behind everything."""
        cube = scene.skybox >= 0
        if not cube and self.gradient is None:
            return
        program = self._program("SKY", TEXTURE=2 if cube else 0)
        if cube:
            gl.glActiveTexture(gl.GL_TEXTURE0)
            gl.glBindTexture(gl.GL_TEXTURE_CUBE_MAP, self._textures.names[scene.skybox])
        else:
            program.set(top=np.array(self.gradient[0]), bottom=np.array(self.gradient[1]))
        camera = scene.camera
        left, right, bottom, top, near, _ = camera.frustum(self.width / self.height)
        to_ray = np.zeros((4, 4))
        if camera.orthographic:
            to_ray[:3, 3] = camera.forward
        else:
            to_ray[:3, 0], to_ray[:3, 1] = 0.5 * (right - left) * camera.right, 0.5 * (top - bottom) * np.asarray(camera.up)
            to_ray[:3, 3] = near * np.asarray(camera.forward) + 0.5 * (left + right) * camera.right + 0.5 * (bottom + top) * camera.up
        haze, ground, endless = np.zeros(4), np.zeros(4), self._endless(scene)
        if endless is not None:
            shown = scene.instances
            normal = shown.rotation[endless, :, 2]
            haze, ground = np.array(scene.haze), np.array([*normal, (camera.position - shown.position[endless]) @ normal])
            ground[3] /= HORIZON * camera.far
        program.set(to_ray=to_ray / np.abs(to_ray).max(), image=0, haze=haze, ground=ground)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glBindVertexArray(self._bare)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)
        self.draws += 1

    def _identify(self) -> IdTarget:
        """Draw what is seen where, once a picture."""
        if self._scene is None:
            raise RuntimeError("nothing has been drawn yet: call draw(scene) first")
        if self._ids is None:
            self._ids = IdTarget(self.width, self.height)
        if self._identified:
            return self._ids
        scene, camera = self._scene, self._scene.camera
        self._ids.bind()
        gl.glDepthMask(gl.GL_TRUE)
        self._ids.clear(camera.far)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_BLEND)
        program = self._program("ID")
        program.set(project_view=self._view(scene), depth_row=-camera.view()[2])
        for drawn in (self._batches.opaque, self._batches.clear):
            drawn.identify(scene.instances)
            for batch in drawn.batches:
                program.set(capped=int(batch.mesh.capped))
                self._cull(batch.mesh.flat)
                drawn.draw(batch, ids=True)
        self._identified = True
        gl.glBindVertexArray(0)
        return self._ids
