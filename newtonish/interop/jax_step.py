"""Steps as a function that JAX differentiates, compiles and maps over worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.interop.arrays import imported
from newtonish.interop.steps import RESULTS, SMOOTH, StepResult, Steps
from newtonish.mjw import Data, Model

__all__ = ["JaxStep", "jax_step"]


def jax_step(m: Model, d: Data, nstep: int = 1, record: bool = False) -> JaxStep:
    """Steps as a function of arrays of JAX, for ``jax.grad``, ``jax.jit``, ``jax.vmap`` and ``jax.lax.scan``.

    It is that of one world; axes in front of an input's own, and those that ``vmap`` adds, are worlds. They go through the worlds of ``d`` as many at a
    time as it has, so give it as many as there are. Each call goes to the host and back (``jax.pure_callback``), also on a GPU.

    Args:
        m: model, as ``mjw.step_vjp`` takes it.
        d: data that is worked with; what is in it beside the inputs (model fields, mocap poses, equalities) stays as it is while JAX uses the function.
        nstep: steps of a call.
        record: give the state after each step, and not only the last one.

    Raises:
        ModelError, UnsupportedError, CapacityError: as of ``mjw.Trajectory``.
        ModuleNotFoundError: JAX is not installed.
    """
    return JaxStep(m, d, nstep, record)


class JaxStep:
    """A function from a state and inputs to the next state; see ``jax_step``."""

    def __init__(self, m: Model, d: Data, nstep: int = 1, record: bool = False) -> None:
        self._jax = imported("jax", "pip install jax")
        self._steps = Steps(m, d, nstep, record)
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

        Axes of worlds are those of ``qpos``; what lacks them is the same in all worlds.

        Returns:
            Arrays of float32; those of the state have gradients. A world that was reset because a number was not finite has NaN for gradients.

        Raises:
            ModelError: an array of another shape.
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
        worlds = self._jax.numpy.shape(qpos)[:-1]
        inputs = {name: self._fitted(name, value, worlds) for name, value in given.items() if value is not None}
        return StepResult(**self._function(inputs))

    def _fitted(self, name: str, value: Any, worlds: tuple[int, ...]) -> Any:
        """An array of every world and step, float32."""
        jnp, shape = self._jax.numpy, self._steps.inputs[name]
        array = jnp.asarray(value, jnp.float32)
        single = self._steps.trajectory.nstep == 1 and name in ("ctrl", "qfrc_applied", "xfrc_applied")
        if single and array.shape in (shape[1:], (*worlds, *shape[1:])):
            array = array.reshape((*array.shape[: array.ndim - len(shape) + 1], *shape))
        if array.shape not in (shape, (*worlds, *shape)):
            allowed = f"{(*worlds, *shape)}, or {shape} for all worlds"
            raise ModelError(problem(f"jax_step: {name}", f"shape {array.shape}", allowed, "reshape it"))
        return jnp.broadcast_to(array, (*worlds, *shape))


def _differentiable(jax: Any, steps: Steps) -> Any:
    """A function of a dict of inputs with a gradient of its own."""
    host = _Host(steps)

    def run(inputs: dict[str, Any]) -> dict[str, Any]:
        worlds = inputs["qpos"].shape[:-1]
        shapes = {name: jax.ShapeDtypeStruct((*worlds, *shape), np.float32) for name, shape in steps.results.items()}
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


class _Host:
    """Both functions on arrays of NumPy, whose leading axes are worlds."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def forward(self, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        steps, rows = self._steps, _Rows(self._steps, inputs)
        found = {name: np.zeros((rows.count, *shape), np.float32) for name, shape in steps.results.items()}
        found["lost"] = np.zeros(rows.count, np.int32)
        for part in rows.parts():
            arrays = rows.taken(inputs, steps.inputs, part)
            results = rows.empty(steps.results)
            lost, _ = steps.forward(arrays, results)
            rows.put(found, results | {"lost": lost}, part)
        return rows.shaped(found)

    def backward(self, inputs: dict[str, Any], qpos: Any, lost: Any, bars: dict[str, Any]) -> dict[str, np.ndarray]:
        steps, rows = self._steps, _Rows(self._steps, inputs)
        found = {name: np.zeros((rows.count, *steps.inputs[name]), np.float32) for name in inputs}
        for part in rows.parts():
            arrays = rows.taken(inputs, steps.inputs, part)
            given = rows.taken(bars, steps.results, part)
            after = rows.taken({"qpos": qpos}, steps.results, part)["qpos"]
            gone = wp.array(rows.some(np.asarray(lost).reshape(-1), part), dtype=wp.int32, device=steps.d.device)
            wanted = rows.empty({name: steps.inputs[name] for name in inputs if name != "qacc_warmstart"})
            steps.backward(arrays, after, (gone, steps.constants()), given, wanted)
            rows.put(found, wanted, part)
        return rows.shaped(found)


class _Rows:
    """Worlds of JAX, as many at a time as the Data has; the last ones stand for those that lack."""

    def __init__(self, steps: Steps, inputs: dict[str, Any]) -> None:
        self._d = steps.d
        self._worlds = np.shape(inputs["qpos"])[:-1]
        self.count = int(np.prod(self._worlds, dtype=int))

    def parts(self) -> list[slice]:
        return [slice(first, min(first + self._d.nworld, self.count)) for first in range(0, self.count, self._d.nworld)]

    def some(self, array: np.ndarray, part: slice) -> np.ndarray:
        lacking = self._d.nworld - (part.stop - part.start)
        return np.ascontiguousarray(np.concatenate([array[part], np.repeat(array[part.stop - 1 : part.stop], lacking, axis=0)]) if lacking else array[part])

    def taken(self, arrays: dict[str, Any], shapes: dict[str, tuple[int, ...]], part: slice) -> dict[str, wp.array]:
        rows = {name: np.asarray(array, np.float32).reshape(self.count, *shapes[name]) for name, array in arrays.items()}
        return {name: wp.array(self.some(array, part), dtype=float, device=self._d.device) for name, array in rows.items()}

    def empty(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, wp.array]:
        return {name: wp.zeros((self._d.nworld, *shape), dtype=float, device=self._d.device) for name, shape in shapes.items()}

    def put(self, found: dict[str, np.ndarray], arrays: dict[str, wp.array], part: slice) -> None:
        for name, array in arrays.items():
            found[name][part] = array.numpy()[: part.stop - part.start]

    def shaped(self, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: array.reshape((*self._worlds, *array.shape[1:])) for name, array in found.items()}
