"""Shader programs: compiled once, uniforms set only when they change."""

from __future__ import annotations

import ctypes

import numpy as np
from pyglet import gl

__all__ = ["Program"]


def _text(text: str):
    """A C string and the pointer type that glShaderSource wants."""
    buffer = ctypes.create_string_buffer(text.encode())
    return buffer, ctypes.cast(ctypes.pointer(ctypes.pointer(buffer)), ctypes.POINTER(ctypes.POINTER(gl.GLchar)))


def _log(read, name: int) -> str:
    """What the compiler or linker said."""
    buffer, length = ctypes.create_string_buffer(4096), gl.GLsizei()
    read(name, 4096, length, buffer)
    return buffer.value.decode(errors="replace")


class Program:
    """One vertex and one fragment shader, linked.

    Args:
        vertex: Source of the vertex shader without its version line.
        fragment: Source of the fragment shader without its version line.
        defines: Names that the preprocessor of both gets, with their values.

    Raises:
        RuntimeError: If a driver refuses the source, with what it said.
    """

    def __init__(self, vertex: str, fragment: str, defines: dict[str, int] | None = None) -> None:
        head = "#version 330 core\n" + "".join(f"#define {name} {value}\n" for name, value in (defines or {}).items())
        self.name = gl.glCreateProgram()
        shaders = []
        for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            shader = gl.glCreateShader(kind)
            kept, pointer = _text(head + source)
            gl.glShaderSource(shader, 1, pointer, None)
            gl.glCompileShader(shader)
            done = gl.GLint()
            gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, done)
            if not done.value:
                raise RuntimeError(f"the OpenGL driver refuses a shader: {_log(gl.glGetShaderInfoLog, shader)}")
            gl.glAttachShader(self.name, shader)
            shaders.append(shader)
        gl.glLinkProgram(self.name)
        done = gl.GLint()
        gl.glGetProgramiv(self.name, gl.GL_LINK_STATUS, done)
        if not done.value:
            raise RuntimeError(f"the OpenGL driver refuses to link shaders: {_log(gl.glGetProgramInfoLog, self.name)}")
        for shader in shaders:
            gl.glDeleteShader(shader)
        self._places: dict[str, int] = {}
        self._values: dict[str, object] = {}

    def use(self) -> Program:
        """Make it the current program."""
        gl.glUseProgram(self.name)
        return self

    def set(self, **values: object) -> None:
        """Set uniforms of the current program by name.

        An int is an integer or a sampler's unit, a float a float; arrays of floats are vectors by their last axis of 2 to 4 (a further
        axis makes an array of them), of shape (..., 4, 4) matrices. Names that the program does not use are passed over.
        """
        for name, value in values.items():
            kept = value if isinstance(value, (int, float)) else np.ascontiguousarray(value, np.float32)
            key = kept if isinstance(kept, (int, float)) else kept.tobytes()
            if self._values.get(name) == key:
                continue
            self._values[name] = key
            place = self._places.get(name)
            if place is None:
                place = self._places[name] = gl.glGetUniformLocation(self.name, name.encode())
            if place >= 0:
                _upload(place, kept)

    def close(self) -> None:
        """Delete it."""
        gl.glDeleteProgram(self.name)


VECTORS = {2: gl.glUniform2fv, 3: gl.glUniform3fv, 4: gl.glUniform4fv}


def _upload(place: int, value) -> None:
    """One uniform; a one-dimensional array of other lengths than 2 to 4 would be ambiguous and is not used."""
    if isinstance(value, int):
        gl.glUniform1i(place, value)
    elif isinstance(value, float):
        gl.glUniform1f(place, value)
    else:
        data = value.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        if value.shape[-2:] == (4, 4):
            gl.glUniformMatrix4fv(place, value.size // 16, gl.GL_TRUE, data)
        else:
            VECTORS[value.shape[-1]](place, value.size // value.shape[-1], data)
