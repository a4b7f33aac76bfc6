"""Steps as a function that JAX differentiates, compiles and maps over worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.interop.arrays import imported
from newtonish.interop.steps import DRIVEN, RESULTS, SMOOTH, StepResult, Steps
from newtonish.mjw import Data, Model

__all__ = ["JaxStep", "jax_step"]


def jax_step(m: Model, d: Data, nstep: int = 1, record: bool = False, fields: Iterable[str] = ()) -> JaxStep:
    """Steps as a function of arrays of JAX, for ``jax.grad``, ``jax.jit``, ``jax.vmap`` and ``jax.lax.scan``.

    It is that of one world; axes in front of an input's own, and those that ``vmap`` adds, are worlds. They go through the worlds of ``d`` as many at a
    time as it has, so give it as many as there are. Each call goes to the host and back (``jax.pure_callback``), also on a GPU.

    Args:
        m: model, as ``mjw.step_vjp`` takes it.
        d: data that is worked with; what is in it beside the inputs (mocap poses, equalities) and fields of the model that are no inputs stay as they are while
            JAX uses the function. Calls begin at time 0.
        nstep: steps of a call.
        record: give the state after each step, and not only the last one.
        fields: names of the model's fields that calls may be given values of, as ``mjw.step_vjp`` names them: ``("body_mass", "opt.gravity")``. The model itself
            stays as it is.

    Derivatives are those of reverse mode, once: ``jax.jvp``, ``jax.jacfwd`` and ``jax.hessian`` are errors of JAX's.

    Raises:
        ModelError, UnsupportedError, CapacityError: as of ``mjw.Trajectory``; also a field without a gradient, and data made with ``on_nonfinite="stop"``.
        ModuleNotFoundError: JAX is not installed.
    """
    return JaxStep(m, d, nstep, record, fields)


class JaxStep:
    """A function from a state and inputs to the next state; see ``jax_step``."""

    def __init__(self, m: Model, d: Data, nstep: int = 1, record: bool = False, fields: Iterable[str] = ()) -> None:
        self._jax = imported("jax", "pip install jax")
        self._steps = Steps(m, d, nstep, record, fields, "jax_step")
        self._function = _differentiable(self._jax, self._steps)

    def __call__(
        self,
        qpos: Any,
        qvel: Any,
        act: Any = None,
        ctrl: Any = None,
        qfrc_applied: Any = None,
        xfrc_applied: Any = None,
        qacc_warmstart: Any = None,
        *,
        fields: Mapping[str, Any] | None = None,
    ) -> StepResult:
        """Take the steps.

        Args:
            qpos: (..., nq), position, ... being axes of worlds, or none; quaternions are normalized before they are used.
            qvel: (..., nv), velocity.
            act: (..., na), activation; None: 0.
            ctrl: (..., nstep, nu), controls of each step; (..., nu) if ``nstep`` is 1; None: 0.
            qfrc_applied: (..., nstep, nv), applied generalized forces, likewise.
            xfrc_applied: (..., nstep, nbody, 6), force and torque on bodies, world frame, likewise.
            qacc_warmstart: (..., nv), that of the last result, which spares the solver iterations; None: 0.
            fields: from names to (..., and the shape of one world's), values of fields of the model that stand for its own in this call: as ``m.body_mass``,
                but vectors are numbers of the last axis, (..., ngeom, 3) for ``geom_friction``. What a compiler derives from them stays.

        Axes of worlds are those of ``qpos``; what lacks them is the same in all worlds.

        Returns:
            Arrays of float32; those of the state and of sensors have gradients. A world that was reset because a number was not finite has NaN for gradients.

        Raises:
            ModelError: something that is no array of real numbers, another shape, or a field that ``jax_step`` was not told of.

        The way back raises the error of JAX's callback, with our words in it, for a contact without a derivative, and for a sensor without one if the cost
        depends on ``sensordata``.
        """
        given = {
            "qpos": qpos,
            "qvel": qvel,
            "act": act,
            "ctrl": ctrl,
            "qfrc_applied": qfrc_applied,
            "xfrc_applied": xfrc_applied,
            "qacc_warmstart": qacc_warmstart,
        }
        arrays = {name: self._array(name, value) for name, value in given.items() if value is not None or name in ("qpos", "qvel")}
        labels = {name: f"fields[{name!r}]" for name in self._steps.fields}
        arrays |= {name: self._array(labels[name], value) for name, value in self._steps.given_fields(fields).items()}
        worlds = arrays["qpos"].shape[:-1]
        return StepResult(**self._function({name: self._fitted(name, labels.get(name, name), array, worlds) for name, array in arrays.items()}))

    def _array(self, label: str, value: Any) -> Any:
        """An array of float32."""
        jnp = self._jax.numpy
        try:
            if value is None:
                raise TypeError
            array = jnp.asarray(value)
        except (TypeError, ValueError):
            remedy = "pass jax.numpy.asarray(...)"
            raise ModelError(problem(f"jax_step: {label}", f"a {type(value).__name__}", "an array of real numbers", remedy)) from None
        if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
            raise ModelError(problem(f"jax_step: {label}", f"an array of {array.dtype}", "an array of real numbers", "convert it"))
        return array.astype(jnp.float32)

    def _fitted(self, name: str, label: str, array: Any, worlds: tuple[int, ...]) -> Any:
        """An array of every world and step."""
        shape = _of_world(self._steps.inputs, self._steps.worlds[0])[name]
        single = self._steps.trajectory.nstep == 1 and name in DRIVEN
        if single and array.shape in (shape[1:], (*worlds, *shape[1:])):
            array = array.reshape((*array.shape[: array.ndim - len(shape) + 1], *shape))
        if array.shape not in (shape, (*worlds, *shape)):
            allowed = f"{(*worlds, *shape)}, or {shape} for all worlds" if worlds else str(shape)
            raise ModelError(problem(f"jax_step: {label}", f"shape {array.shape}", allowed, "reshape it"))
        return self._jax.numpy.broadcast_to(array, (*worlds, *shape))


def _differentiable(jax: Any, steps: Steps) -> Any:
    """A function of a dict of inputs with a gradient of its own."""
    host = _Host(steps)
    results = _of_world(steps.results, steps.worlds[1])

    def run(inputs: dict[str, Any]) -> dict[str, Any]:
        worlds = inputs["qpos"].shape[:-1]
        shapes = {name: jax.ShapeDtypeStruct((*worlds, *shape), np.float32) for name, shape in results.items()}
        shapes["lost"] = jax.ShapeDtypeStruct(worlds, np.int32)
        return jax.pure_callback(host.forward, shapes, inputs, vmap_method="broadcast_all")

    @jax.custom_vjp
    def function(inputs: dict[str, Any]) -> dict[str, Any]:
        found = run(inputs)
        return {name: found[name] for name in RESULTS}

    def forward(inputs: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        found = run(inputs)
        return {name: found[name] for name in RESULTS}, (inputs, found["qpos"], found["lost"])

    def backward(kept: Any, bars: dict[str, Any]) -> tuple[dict[str, Any]]:
        inputs, qpos, lost = kept
        shapes = {name: jax.ShapeDtypeStruct(array.shape, np.float32) for name, array in inputs.items()}
        given = {name: bars[name] for name in SMOOTH}
        return (jax.pure_callback(host.backward, shapes, inputs, qpos, lost, given, vmap_method="broadcast_all"),)

    function.defvjp(forward, backward)
    return function


def _of_world(shapes: dict[str, tuple[int, ...]], worlds: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Shapes without the axis of worlds."""
    return {name: (*shape[: worlds[name]], *shape[worlds[name] + 1 :]) for name, shape in shapes.items()}


class _Host:
    """Both functions on arrays of NumPy, whose leading axes are worlds."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def forward(self, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        steps, rows = self._steps, _Rows(self._steps, inputs)
        found = rows.zeros(_of_world(steps.results, steps.worlds[1]))
        found["lost"] = np.zeros(rows.count, np.int32)
        for part in rows.parts():
            results = _empty(steps, steps.results)
            lost, _ = steps.forward(rows.taken(inputs, steps.worlds[0], part), results)
            rows.put(found, results | {"lost": lost}, steps.worlds[1] | {"lost": 0}, part)
        return rows.shaped(found)

    def backward(self, inputs: dict[str, Any], qpos: Any, lost: Any, bars: dict[str, Any]) -> dict[str, np.ndarray]:
        steps, rows = self._steps, _Rows(self._steps, inputs)
        shapes = {name: shape for name, shape in steps.inputs.items() if name in inputs}
        found = rows.zeros(_of_world(shapes, steps.worlds[0]))
        for part in rows.parts():
            arrays = rows.taken(inputs, steps.worlds[0], part)
            given = rows.taken({name: bar for name, bar in bars.items() if np.any(bar)}, steps.worlds[1], part)
            after = rows.taken({"qpos": qpos}, steps.worlds[1], part)["qpos"]
            gone = rows.taken({"lost": lost}, {"lost": 0}, part, np.int32)["lost"]
            wanted = _empty(steps, {name: shape for name, shape in shapes.items() if name != "qacc_warmstart"})
            steps.backward(arrays, after, (gone, steps.constants()), given, wanted)
            rows.put(found, wanted, steps.worlds[0], part)
        return rows.shaped(found)


def _empty(steps: Steps, shapes: dict[str, tuple[int, ...]]) -> dict[str, wp.array]:
    return {name: wp.zeros(shape, dtype=float, device=steps.d.device) for name, shape in shapes.items()}


class _Rows:
    """Worlds of JAX, as many at a time as the Data has; the last one stands for those that lack."""

    def __init__(self, steps: Steps, inputs: dict[str, Any]) -> None:
        self._d = steps.d
        self._leading = np.shape(inputs["qpos"])[:-1]
        self.count = int(np.prod(self._leading, dtype=int))

    def parts(self) -> list[slice]:
        return [slice(first, min(first + self._d.nworld, self.count)) for first in range(0, self.count, self._d.nworld)]

    def taken(self, arrays: dict[str, Any], worlds: dict[str, int], part: slice, dtype: Any = np.float32) -> dict[str, wp.array]:
        """Arrays of as many worlds as the Data has."""
        found: dict[str, wp.array] = {}
        lacking = self._d.nworld - (part.stop - part.start)
        for name, array in arrays.items():
            host = np.asarray(array, dtype)
            rows = host.reshape(self.count, *host.shape[len(self._leading) :])[part]
            rows = np.concatenate([rows, np.repeat(rows[-1:], lacking, axis=0)]) if lacking else rows
            ordered = np.ascontiguousarray(np.moveaxis(rows, 0, worlds[name]))
            found[name] = wp.array(ordered, dtype=wp.dtype_from_numpy(dtype), device=self._d.device)
        return found

    def zeros(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
        return {name: np.zeros((self.count, *shape), np.float32) for name, shape in shapes.items()}

    def put(self, found: dict[str, np.ndarray], arrays: dict[str, wp.array], worlds: dict[str, int], part: slice) -> None:
        for name, array in arrays.items():
            found[name][part] = np.moveaxis(array.numpy(), worlds[name], 0)[: part.stop - part.start]

    def shaped(self, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: array.reshape((*self._leading, *array.shape[1:])) for name, array in found.items()}
