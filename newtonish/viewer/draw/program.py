"""Shader programs: compiled once, uniforms set only when they change."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import NamedTuple

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


class _Kind(NamedTuple):
    """How uniforms of one declared type are uploaded: numbers of an element, their C type, the call for ``count`` elements."""

    width: int
    number: type
    upload: Callable[[int, int, ctypes.c_void_p], None]


def _kind(width: int, number: type, setter: Callable) -> _Kind:
    pointer = ctypes.POINTER(number)
    return _Kind(width, number, lambda place, count, data: setter(place, count, ctypes.cast(data, pointer)))


def _matrices(place: int, count: int, data: ctypes.c_void_p) -> None:
    gl.glUniformMatrix4fv(place, count, gl.GL_TRUE, ctypes.cast(data, ctypes.POINTER(gl.GLfloat)))  # ours have rows first


_INTEGER = _kind(1, gl.GLint, gl.glUniform1iv)
_KINDS: dict[int, _Kind] = {
    gl.GL_FLOAT: _kind(1, gl.GLfloat, gl.glUniform1fv),
    gl.GL_FLOAT_VEC2: _kind(2, gl.GLfloat, gl.glUniform2fv),
    gl.GL_FLOAT_VEC3: _kind(3, gl.GLfloat, gl.glUniform3fv),
    gl.GL_FLOAT_VEC4: _kind(4, gl.GLfloat, gl.glUniform4fv),
    gl.GL_FLOAT_MAT4: _Kind(16, gl.GLfloat, _matrices),
    gl.GL_INT: _INTEGER,
    gl.GL_SAMPLER_2D: _INTEGER,
    gl.GL_SAMPLER_CUBE: _INTEGER,
    gl.GL_SAMPLER_2D_ARRAY_SHADOW: _INTEGER,
}
"""Of every type that our shaders declare."""


class _Uniform(NamedTuple):
    """A uniform as the linked program has it: its place, its type, and how many elements it holds."""

    place: int
    kind: _Kind
    size: int


class Program:
    """One vertex and one fragment shader, linked.

    How a uniform is uploaded is taken from the type that the linked program declares, never from the shape of a value: four vectors of
    four are as many numbers as a matrix. pyglet's own ``ShaderProgram`` does the same, but asks pyglet's window for the driver's version
    and frees itself through it, and a context of EGL has no such window.

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
        self._uniforms = _declared(self.name)
        self._values: dict[str, object] = {}

    def use(self) -> Program:
        """Make it the current program."""
        gl.glUseProgram(self.name)
        return self

    def set(self, **values: object) -> None:
        """Set uniforms of the current program by name.

        Numbers or arrays of what the shader declares: n times four floats for ``vec4 name[n]``, (n, 4, 4) with rows first for
        ``mat4 name[n]``, a texture's unit for a sampler. Names that the program does not use are passed over.

        Raises:
            ValueError: The declared type has another number of elements.
        """
        for name, value in values.items():
            uniform = self._uniforms.get(name)
            if uniform is None:
                continue
            kept = np.ascontiguousarray(value, uniform.kind.number)
            key = kept.tobytes()
            if self._values.get(name) == key:
                continue
            count, rest = divmod(kept.size, uniform.kind.width)
            if rest or count < uniform.size:
                raise ValueError(f"uniform {name}: got {kept.size} numbers; it holds {uniform.size} times {uniform.kind.width}")
            uniform.kind.upload(uniform.place, count, kept.ctypes.data_as(ctypes.c_void_p))
            self._values[name] = key

    def close(self) -> None:
        """Delete it."""
        gl.glDeleteProgram(self.name)


def _declared(program: int) -> dict[str, _Uniform]:
    """The uniforms that a linked program uses, by name; arrays without their ``[0]``."""
    count, found = gl.GLint(), {}
    gl.glGetProgramiv(program, gl.GL_ACTIVE_UNIFORMS, count)
    text, size, kind = ctypes.create_string_buffer(256), gl.GLint(), gl.GLenum()
    for row in range(count.value):
        gl.glGetActiveUniform(program, row, len(text), None, size, kind, text)
        name = text.value.decode()
        found[name.removesuffix("[0]")] = _Uniform(gl.glGetUniformLocation(program, text.value), _KINDS[kind.value], size.value)
    return found
