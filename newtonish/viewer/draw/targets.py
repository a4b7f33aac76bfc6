"""Framebuffers: the picture with smooth edges, what is seen where with its depth, and the depths that lights see."""

from __future__ import annotations

import numpy as np
from pyglet import gl

from newtonish.viewer.draw.meshes import pointer
from newtonish.viewer.draw.textures import texture

__all__ = ["IdTarget", "Picture", "PictureTexture", "ShadowTarget", "most_samples"]


def most_samples() -> int:
    """How many samples a pixel the driver allows."""
    number = gl.GLint()
    gl.glGetIntegerv(gl.GL_MAX_SAMPLES, number)
    return number.value


class _Target:
    """A framebuffer and the renderbuffers it owns."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        name = gl.GLuint()
        gl.glGenFramebuffers(1, name)
        self.name = name.value
        self._owned: list[int] = []
        self._textures: list[int] = []
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)

    def attach(self, place: int, kind: int, samples: int = 0) -> None:
        """Give it a renderbuffer."""
        name = gl.GLuint()
        gl.glGenRenderbuffers(1, name)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, name.value)
        if samples:
            gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, kind, self.width, self.height)
        else:
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, kind, self.width, self.height)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, name.value)
        self._owned.append(name.value)

    def check(self) -> None:
        """Raise if the driver cannot draw into it."""
        status = gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER)
        if status != gl.GL_FRAMEBUFFER_COMPLETE:
            raise RuntimeError(f"the OpenGL driver refuses a framebuffer of {self.width} x {self.height} pixels (status {status:#x})")

    def bind(self) -> None:
        """Draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        gl.glViewport(0, 0, self.width, self.height)

    def read(self, channel: int, form: int, kind: int, channels: int, dtype: type) -> np.ndarray:
        """Pixels of one attachment, the top row first."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.name)
        gl.glReadBuffer(gl.GL_COLOR_ATTACHMENT0 + channel)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        pixels = np.empty((self.height, self.width, channels), dtype)
        gl.glReadPixels(0, 0, self.width, self.height, form, kind, pointer(pixels))
        return pixels[::-1]

    def close(self) -> None:
        """Free it."""
        gl.glDeleteFramebuffers(1, gl.GLuint(self.name))
        for name in self._owned:
            gl.glDeleteRenderbuffers(1, gl.GLuint(name))
        for name in self._textures:
            gl.glDeleteTextures(1, gl.GLuint(name))


class Picture:
    """Colours with several samples a pixel, made one when they are read or shown.

    Args:
        width, height: Pixels.
        samples: Samples a pixel, 1 for rough edges and more speed.
    """

    def __init__(self, width: int, height: int, samples: int) -> None:
        self.width, self.height = width, height
        samples = min(samples, most_samples())
        self._drawn = _Target(width, height)
        self._drawn.attach(gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8, samples if samples > 1 else 0)
        self._drawn.attach(gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24, samples if samples > 1 else 0)
        self._drawn.check()
        self._plain = self._drawn
        if samples > 1:
            self._plain = _Target(width, height)
            self._plain.attach(gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8)
            self._plain.check()
        self._smoothed = True

    def bind(self) -> None:
        """Draw into it."""
        self._drawn.bind()
        self._smoothed = False

    def smooth(self) -> None:
        """Average the samples; what is drawn afterwards into the result is not smoothed again."""
        if self._plain is not self._drawn and not self._smoothed:
            self.copy_to(self._plain.name, drawn=True)
        self._smoothed = True
        self._plain.bind()

    def copy_to(self, framebuffer: int, drawn: bool = False) -> None:
        """Copy the picture into another framebuffer of the same size, for instance the window's (0)."""
        source = self._drawn if drawn or not self._smoothed else self._plain
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, source.name)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, framebuffer)
        area = (0, 0, self.width, self.height)
        gl.glBlitFramebuffer(*area, *area, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def read(self) -> np.ndarray:
        """(height, width, 3) uint8 colours, the top row first."""
        self.smooth()
        return np.ascontiguousarray(self._plain.read(0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, 4, np.uint8)[..., :3])

    def close(self) -> None:
        """Free it."""
        self._drawn.close()
        if self._plain is not self._drawn:
            self._plain.close()


class PictureTexture(_Target):
    """Colours that a shader can look up."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height)
        edge = gl.GL_CLAMP_TO_EDGE
        self.texture = texture(gl.GL_TEXTURE_2D, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST, WRAP_S=edge, WRAP_T=edge)
        self._textures.append(self.texture)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture, 0)
        self.check()


class IdTarget(_Target):
    """Two integers a pixel that say what is seen, and its distance along the line of sight."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height)
        self.attach(gl.GL_COLOR_ATTACHMENT0, gl.GL_RG32I)
        self.attach(gl.GL_COLOR_ATTACHMENT1, gl.GL_R32F)
        self.attach(gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24)
        gl.glDrawBuffers(2, (gl.GLenum * 2)(gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1))
        self.check()

    def clear(self, far: float) -> None:
        """Nothing is seen, at the far end of the view."""
        gl.glClearBufferiv(gl.GL_COLOR, 0, (gl.GLint * 4)(-1, -1, -1, -1))
        gl.glClearBufferfv(gl.GL_COLOR, 1, (gl.GLfloat * 4)(far, 0, 0, 0))
        gl.glClearBufferfv(gl.GL_DEPTH, 0, (gl.GLfloat * 1)(1.0))

    def ids(self) -> np.ndarray:
        """(height, width, 2) int32."""
        return np.ascontiguousarray(self.read(0, gl.GL_RG_INTEGER, gl.GL_INT, 2, np.int32))

    def metres(self) -> np.ndarray:
        """(height, width) float32."""
        return np.ascontiguousarray(self.read(1, gl.GL_RED, gl.GL_FLOAT, 1, np.float32)[..., 0])


class ShadowTarget(_Target):
    """Square depth pictures, one a light, that compare when they are looked up."""

    def __init__(self, size: int, lights: int) -> None:
        super().__init__(size, size)
        self.lights = lights
        target, edge = gl.GL_TEXTURE_2D_ARRAY, gl.GL_CLAMP_TO_EDGE
        self.texture = texture(target, MIN_FILTER=gl.GL_LINEAR, MAG_FILTER=gl.GL_LINEAR, WRAP_S=edge, WRAP_T=edge,
                               COMPARE_MODE=gl.GL_COMPARE_REF_TO_TEXTURE, COMPARE_FUNC=gl.GL_LEQUAL)  # fmt: skip
        self._textures.append(self.texture)
        kind = gl.GL_DEPTH_COMPONENT
        gl.glTexImage3D(target, 0, gl.GL_DEPTH_COMPONENT24, size, size, lights, 0, kind, gl.GL_UNSIGNED_INT, None)
        gl.glDrawBuffers(1, (gl.GLenum * 1)(gl.GL_NONE))
        gl.glReadBuffer(gl.GL_NONE)

    def bind_layer(self, layer: int) -> None:
        """Draw what one light sees."""
        self.bind()
        gl.glFramebufferTextureLayer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, self.texture, 0, layer)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
