"""MuJoCo's own objects beside a solver, and its C code in place of our kernels, where the package ``mujoco`` is installed.

The one file of the library that imports ``mujoco``, inside a function and when asked to (docs/decisions/113.md). An ``MjModel`` is what MuJoCo's
compiler makes of a world as MJCF; numbers that MJCF has no words for are then written over those that it chose.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from newtonish.common.compiled_fields import FIELDS
from newtonish.common.constants import MINVAL
from newtonish.errors import UnsupportedError, problem
from newtonish.mjw.mjdata import get_data_into, put_worlds

__all__ = ["NativeWorlds", "import_mujoco"]

_NUMBERS = ("body_", "jnt_", "dof_", "geom_", "site_", "tendon_", "actuator_", "eq_", "pair_", "qpos")
_SIZES = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "ntendon", "neq", "nmocap")
_STATE = ("qpos", "qvel")
_INPUTS = ("ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
_KEPT = ("act", "qacc_warmstart", "eq_active", "history", "plastic", "userdata")
"""What else a step starts from, and a reset puts back."""


ROUNDING = 0.9
"""Share of the mean inertia below which more than rounding is left out of it."""


def import_mujoco(who: str) -> Any:
    """The package ``mujoco``; ``who`` is named in errors.

    Raises:
        UnsupportedError: It is not installed.
    """
    try:
        import mujoco
    except ImportError:
        remedy = "pip install mujoco, or use newtonish's own kernels and arrays (solver.mjw_model, solver.mjw_data)"
        raise UnsupportedError(problem(who, "no package mujoco", "MuJoCo 4.0, installed", remedy)) from None
    return mujoco


class NativeWorlds:
    """An ``MjModel`` of each world, one for all where they are alike, and an ``MjData`` of each.

    Args:
        solver: It has ``model``, and ``compiled``, its conversion.
        worlds: Number of worlds, from the first one on.
        who: Named in errors.

    Attributes:
        models: ``mujoco.MjModel`` by world.
        data: ``mujoco.MjData`` by world.

    Raises:
        UnsupportedError: MuJoCo is not installed, or its compiler does not take the model.
    """

    def __init__(self, solver: Any, worlds: int, who: str) -> None:
        self._mujoco = import_mujoco(who)
        self._solver, self._who = solver, who
        first = self._compile(0)
        alike = not solver.compiled.batched
        self.models = [first if w == 0 or alike else self._compile(w) for w in range(worlds)]
        self.data = [self._mujoco.MjData(model) for model in self.models]

    def _compile(self, world: int) -> Any:
        """MuJoCo's model of one world."""
        from newtonish.exporters.mjcf import world_text

        compiled = self._solver.compiled
        text, problems = world_text(self._solver, world, self._who)
        try:
            model = self._mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            self._refuse([*problems, " ".join(str(error).split())])
        sizes = {name: (int(getattr(model, name)), int(getattr(compiled, name))) for name in _SIZES}
        wrong = [f"{name} = {theirs} instead of {ours}" for name, (theirs, ours) in sizes.items() if theirs != ours]
        if wrong:
            self._refuse([*problems, *wrong])
        for name in FIELDS:
            _take(model, name, compiled.world(name, world))
        mean = np.atleast_1d(compiled.batched.get("meaninertia", compiled.stat.meaninertia))
        # MuJoCo takes its progress relative to all inertia, and ours to that of what moves freely: kinematic bodies would hide the others'
        share = float(mean[world % len(mean)]) / max(float(model.stat.meaninertia), MINVAL)
        model.opt.tolerance *= share if share < ROUNDING else 1.0
        return model

    def _refuse(self, lines: list[str]) -> NoReturn:
        remedy = "use solver.compiled, solver.mjw_model and solver.mjw_data, which are newtonish's own"
        raise UnsupportedError(problem(self._who, "; ".join(lines), "a model that MuJoCo's compiler takes", remedy))

    def follow(self) -> None:
        """Take over the numbers of a conversion that was made anew.

        An ``MjModel`` stays the same object, unless it is replaced: worlds that shared it now differ, or the mass matrix has other entries.
        """
        shared, alike = all(model is self.models[0] for model in self.models), not self._solver.compiled.batched
        first = self._renew(0)
        for world in range(1, len(self.models)):
            self._install(world, first if shared and alike else self._renew(world, keep=not shared))
        self._install(0, first)

    def _renew(self, world: int, keep: bool = True) -> Any:
        """The model of one world as it is converted now: the old object where that can be."""
        old, new = self.models[world], self._compile(world)
        if not (keep and _same_shapes(old, new)):
            return new
        _refresh(old, new)
        return old

    def _install(self, world: int, model: Any) -> None:
        """Let a world go on with a model, with data of its own if that is another one."""
        if model is self.models[world]:
            return
        before, data = self.data[world], self._mujoco.MjData(model)
        for name in (*_STATE, *_INPUTS, *_KEPT):
            if hasattr(data, name):
                getattr(data, name)[...] = getattr(before, name)
        data.time = before.time
        self.models[world], self.data[world] = model, data

    def read_inputs(self, d: Any, follow: bool) -> None:
        """Copy inputs of our Data into each ``MjData``; positions and velocities too where steps ``follow`` the state."""
        self._read(d, (*_STATE, *_INPUTS) if follow else _INPUTS, range(len(self.data)))

    def read_all(self, d: Any, worlds: Iterable[int]) -> None:
        """Copy everything that a step starts from, of some worlds."""
        worlds = list(worlds)
        self._read(d, (*_STATE, *_INPUTS, *_KEPT), worlds)
        time = d.time.numpy()
        for world in worlds:
            self.data[world].time = float(time[world])

    def read_mocap(self, d: Any) -> None:
        """Copy poses of mocap bodies."""
        self._read(d, ("mocap_pos", "mocap_quat"), range(len(self.data)))

    def read_active(self, d: Any) -> None:
        """Copy which equality constraints are switched on."""
        self._read(d, ("eq_active",), range(len(self.data)))

    def _read(self, d: Any, names: tuple[str, ...], worlds: Iterable[int]) -> None:
        for name in names:
            source = getattr(d, name)
            host = source.numpy()
            for world in worlds if source.size else ():
                target = getattr(self.data[world], name, np.zeros(0)).reshape(-1)
                target[:] = host[world].reshape(-1)[: target.size]

    def read_results(self, d: Any, world: int) -> None:
        """Copy state, inputs and results of one world of our Data into its ``MjData``."""
        get_data_into(self.data[world], self.models[world], d, world)

    def forward(self, dt: float | None = None) -> None:
        """Evaluate each world where it is, for a step of ``dt`` [s]; None: of the model's. What the next step starts from stays."""
        for model, data in zip(self.models, self.data):
            if dt is not None:  # actuators may depend on it
                model.opt.timestep = dt
            before = data.qacc_warmstart.copy()
            self._mujoco.mj_forward(model, data)
            data.qacc_warmstart[:] = before

    def step(self, dt: float) -> None:
        """Advance each world by ``dt`` [s]."""
        for model, data in zip(self.models, self.data):
            model.opt.timestep = dt
            self._mujoco.mj_step(model, data)

    def write_results(self, m: Any, d: Any) -> None:
        """Copy state, results, contacts and rows of all worlds into our Data."""
        put_worlds(m, self.models, self.data, d)


def _take(model: Any, name: str, values: np.ndarray) -> None:
    """Write a field of the conversion into an ``MjModel``, if it is one of numbers that both have."""
    target = getattr(model, name, None)
    numbers = name.startswith(_NUMBERS) and name != "actuator_lengthrange"  # which MuJoCo's compiler measures, and our solver on the device
    if numbers and isinstance(target, np.ndarray) and target.dtype.kind == "f" and target.size == values.size:
        target.reshape(-1)[:] = values.reshape(-1)


def _arrays(model: Any) -> dict[str, np.ndarray]:
    """The arrays of an ``MjModel`` by name."""
    found = {name: getattr(model, name, None) for name in dir(type(model)) if not name.startswith("_")}
    return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}


def _same_shapes(model: Any, new: Any) -> bool:
    """Whether every array of one model fits into another."""
    return {name: array.shape for name, array in _arrays(model).items()} == {name: array.shape for name, array in _arrays(new).items()}


def _refresh(model: Any, new: Any) -> None:
    """Let an ``MjModel`` have the arrays of another one; options but gravity and tolerance stay as they were set."""
    arrays = _arrays(new)
    for name, target in _arrays(model).items():
        target[...] = arrays[name]
    model.opt.gravity[:] = new.opt.gravity
    model.opt.tolerance = new.opt.tolerance
    for name in ("meaninertia", "meanmass", "meansize", "extent"):
        setattr(model.stat, name, getattr(new.stat, name))
    model.stat.center[:] = new.stat.center
