"""Physics: one world on the CPU, with the methods that programs written for PyMJCF call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish import mjw
from newtonish.common.enums import DisableBit
from newtonish.errors import ModelError, NewtonishError, NewtonishWarning, problem
from newtonish.mjcf.parser import from_path, from_xml_string
from newtonish.mjw.from_file import read_compiled
from newtonish.physics.arrays import DataArrays, ModelArrays
from newtonish.physics.binding import Binding, EmptyBinding
from newtonish.physics.elements import id_of, namespace_of
from newtonish.physics.named import Named

__all__ = ["Physics"]


class Physics:
    """A simulation of one world on the CPU.

    Attributes:
        m: The Model of ``newtonish.mjw``.
        d: Its Data, with one world.
        compiled: MuJoCo's arrays, as the model was made.
        model: Arrays of ``mjModel`` by name, without the world axis.
        data: Arrays of ``mjData`` by name, views that can be written into.
        named: ``named.model`` and ``named.data``: the same arrays, whose first axis takes names of objects.
        legacy_step: Whether a step ends with positions and velocities of the new state, as in dm_control; otherwise they are the old one's.
    """

    def __init__(self, root: Any) -> None:
        """Compile a root element of ``newtonish.mjcf``."""
        self.legacy_step, self._suppressed = True, False
        self._load(root)

    @classmethod
    def from_mjcf_model(cls, mjcf_model: Any) -> Physics:
        """Of a root element, with all that is attached to it."""
        return cls(mjcf_model)

    @classmethod
    def from_xml_string(cls, xml_string: str, assets: dict[str, bytes | str] | None = None) -> Physics:
        """Of the text of a model; ``assets`` are contents of the files that it names."""
        return cls(from_xml_string(xml_string, assets=assets))

    @classmethod
    def from_xml_path(cls, file_path: str) -> Physics:
        """Of an MJCF file."""
        return cls(from_path(file_path))

    def reload_from_mjcf_model(self, mjcf_model: Any) -> None:
        """Become what a new Physics of the model would be."""
        self._load(mjcf_model)

    def _load(self, root: Any) -> None:
        self.compiled, _, _ = read_compiled(root)
        self.m = mjw.put_model(self.compiled, device="cpu")
        self.d = mjw.make_data(self.m, 1)
        self.model, self.data = ModelArrays(self.m, self.compiled), DataArrays(self.d)
        self.named = SimpleNamespace(model=Named(self.model, mjw.Model, self.compiled), data=Named(self.data, mjw.Data, self.compiled))
        self._bindings: dict[Any, Any] = {(): EmptyBinding()}
        self._dirty = False
        self.after_reset()

    def bind(self, mjcf_elements: Any) -> Any:
        """Arrays of an element, or of several of one kind, by MuJoCo's names without the kind's prefix.

        ``physics.bind(joint).qpos = 0.3`` writes the simulation's array, and ``physics.bind(site).xpos`` is then that of the new pose.

        Args:
            mjcf_elements: An element of the model that this was made of, or an iterable of elements of one kind.

        Raises:
            ModelError: It is no element, the kinds differ, or it is not in this simulation.
        """
        single = not hasattr(mjcf_elements, "__iter__")
        key = mjcf_elements if single else tuple(mjcf_elements)
        if key not in self._bindings:
            elements = (mjcf_elements,) if single else key
            spaces = sorted({namespace_of(element) for element in elements})
            if len(spaces) > 1:
                raise ModelError(problem("bind", f"elements of kinds {', '.join(spaces)}", "one kind", "bind each kind by itself"))
            self._bindings[key] = Binding(self, spaces[0], [id_of(element, self.compiled) for element in elements], single)
        return self._bindings[key]

    @property
    def is_dirty(self) -> bool:
        """Whether something was written on which other arrays depend."""
        return self._dirty

    def mark_as_dirty(self) -> None:
        """Say that something was written, so that the next read of a result computes it."""
        self._dirty = True

    def forward_if_dirty(self) -> None:
        """Compute what depends on what was written since the last time."""
        if self._dirty:
            self.forward()

    def forward(self) -> None:
        """Compute everything that follows from the state and the inputs; the state stays."""
        mjw.forward(self.m, self.d)
        self._dirty = False

    def step(self, nstep: int = 1) -> None:
        """Advance by ``nstep`` time steps.

        Raises:
            NewtonishError: The state is no longer finite; the simulation goes on in the reference pose.
        """
        with self.check_invalid_state():
            mjw.step(self.m, self.d, nstep)
        if self.legacy_step:
            mjw.step1(self.m, self.d)
        self._dirty = False

    def reset(self, keyframe_id: int | None = None) -> None:
        """Go to the reference pose, or to a keyframe, without forces of actuators."""
        if keyframe_id is None:
            mjw.reset_data(self.m, self.d)
        else:
            mjw.reset_data_keyframe(self.m, self.d, keyframe_id)
        self.after_reset()

    def after_reset(self) -> None:
        """Compute everything without forces of actuators."""
        with self.disable("actuation"):
            self.forward()

    @contextmanager
    def reset_context(self) -> Iterator[Physics]:
        """Reset, let the block set the state, and compute what follows from it."""
        self.reset()
        yield self
        self.after_reset()

    @contextmanager
    def disable(self, *flags: str) -> Iterator[None]:
        """Switch off parts of the model by the names of MJCF's flags: ``actuation``, ``contact``, ``gravity``, ..."""
        before = int(self.m.opt.disableflags)
        try:
            self.m.opt.disableflags = before | sum(int(DisableBit[flag.upper()]) for flag in set(flags))
            yield
        finally:
            self.m.opt.disableflags = before

    def time(self) -> float:
        """Time [s]."""
        return self.data.time

    def timestep(self) -> float:
        """Time step [s]."""
        return float(self.compiled.opt.timestep)

    def control(self) -> np.ndarray:
        """A copy of the controls (nu,)."""
        return self.data.ctrl.copy()

    def set_control(self, control: Any) -> None:
        """Set the controls (nu,)."""
        self.data.ctrl = control

    def position(self) -> np.ndarray:
        """A copy of the coordinates (nq,)."""
        return self.data.qpos.copy()

    def velocity(self) -> np.ndarray:
        """A copy of the velocities (nv,)."""
        return self.data.qvel.copy()

    def activation(self) -> np.ndarray:
        """A copy of the activations (na,)."""
        return self.data.act.copy()

    def state(self) -> np.ndarray:
        """Coordinates, velocities and activations in one array."""
        return np.concatenate([self.data.qpos, self.data.qvel, self.data.act])

    get_state = state

    def set_state(self, state: Any) -> None:
        """Set what ``state`` gives."""
        state = np.asarray(state)
        ends = np.cumsum([len(self.data.qpos), len(self.data.qvel), len(self.data.act)])
        if state.shape != (ends[-1],):
            raise ModelError(problem("set_state", f"shape {state.shape}", f"({ends[-1]},)", "pass what state() gave"))
        self.data.qpos, self.data.qvel, self.data.act = np.split(state, ends[:-1])
        self.mark_as_dirty()

    @contextmanager
    def check_invalid_state(self) -> Iterator[None]:
        """Raise a NewtonishError if the state is no longer finite after the block, or was put back into the reference pose for that."""
        before = int(self.d.nonfinite.numpy()[0])
        yield
        if int(self.d.nonfinite.numpy()[0]) != before or not np.all(np.isfinite(self.state())):
            text = problem("Physics", "a state that is not finite", "finite numbers", "take a smaller time step or weaker forces")
            if not self._suppressed:
                raise NewtonishError(text)
            warnings.warn(text, NewtonishWarning, stacklevel=4)

    @contextmanager
    def suppress_physics_errors(self) -> Iterator[None]:
        """Let states that are not finite be warnings in the block."""
        before, self._suppressed = self._suppressed, True
        try:
            yield
        finally:
            self._suppressed = before

    def free(self) -> None:
        """Let go of what was bound; memory is freed with the object."""
        self._bindings = {(): EmptyBinding()}
