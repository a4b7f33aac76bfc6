"""Steps as a function that PyTorch differentiates."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.interop.arrays import imported
from newtonish.interop.steps import RESULTS, SMOOTH, StepResult, Steps
from newtonish.mjw import Data, Model

__all__ = ["TorchStep", "torch_step"]


def torch_step(m: Model, d: Data, nstep: int = 1, record: bool = False) -> TorchStep:
    """Steps of all worlds as a function of tensors, with gradients by ``backward``.

    Args:
        m: model, as ``mjw.step_vjp`` takes it.
        d: data that is worked with: each call begins with the state that is given to it, and leaves in ``d`` what it ends with. Several calls may wait
            for their ``backward``; its model fields, mocap poses and equalities are those that it has in each call.
        nstep: steps of a call, whose number is not limited by memory: ``backward`` takes them again.
        record: give the state after each step, and not only the last one.

    Raises:
        ModelError, UnsupportedError, CapacityError: as of ``mjw.Trajectory``.
        ModuleNotFoundError: PyTorch is not installed.
    """
    return TorchStep(m, d, nstep, record)


class TorchStep:
    """A function from a state and inputs to the next state; see ``torch_step``."""

    def __init__(self, m: Model, d: Data, nstep: int = 1, record: bool = False) -> None:
        self._torch = imported("torch", "pip install torch")
        self._steps = Steps(m, d, nstep, record)

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
            qpos: (nworld, nq) tensor, position; quaternions are normalized before they are used.
            qvel: (nworld, nv), velocity.
            act: (nworld, na), activation; None: 0.
            ctrl: (nworld, nu), controls, or (nworld, nstep, nu), those of each step; None: 0.
            qfrc_applied: (nworld, nv) or (nworld, nstep, nv), applied generalized forces; None: 0.
            xfrc_applied: (nworld, nbody, 6) or (nworld, nstep, nbody, 6), force and torque on bodies, world frame; None: 0.
            qacc_warmstart: (nworld, nv), that of the last result, which spares the solver iterations; None: 0.

        All of them may lack the axis of worlds: they are the same in all worlds then. Types are converted to float32 and back.

        Returns:
            Tensors; those of the state have gradients. A world that was reset because a number was not finite has NaN for gradients.

        Raises:
            ModelError: a tensor of another shape.
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
        tensors = {name: self._fitted(name, value) for name, value in given.items() if value is not None}
        found = _function().apply(self._steps, tuple(tensors), *tensors.values())
        return StepResult(*(tensor.to(qpos.dtype) for tensor in found))

    def _fitted(self, name: str, value: Any) -> Any:
        """A tensor of every world and step, float32, on the device of the simulation."""
        torch, steps = self._torch, self._steps
        shape = steps.inputs[name]
        if not isinstance(value, torch.Tensor):
            raise ModelError(problem(f"torch_step: {name}", f"a {type(value).__name__}", "a tensor", "pass torch.as_tensor(...)"))
        tensor = value.to(wp.device_to_torch(steps.d.device), torch.float32)
        full = (steps.d.nworld, *shape)
        of_steps = name in ("ctrl", "qfrc_applied", "xfrc_applied")
        short = shape[1:] if of_steps else shape
        if tensor.shape == short:
            tensor = tensor.expand(full)
        elif of_steps and tensor.shape == (steps.d.nworld, *short):
            tensor = tensor.unsqueeze(1).expand(full)
        elif tensor.shape != full:
            allowed = f"{full} or {(steps.d.nworld, *short)}" if of_steps else f"{full}"
            raise ModelError(problem(f"torch_step: {name}", f"shape {tuple(tensor.shape)}", f"{allowed}, or {short} for all worlds", "reshape it"))
        return tensor.contiguous()


@functools.cache
def _function() -> Any:
    """The class, which is derived from one of PyTorch's."""
    import torch

    class Step(torch.autograd.Function):
        """Steps and their adjoint on tensors."""

        @staticmethod
        def forward(ctx: Any, steps: Steps, names: tuple[str, ...], *tensors: Any) -> tuple[Any, ...]:
            results = {name: torch.empty((steps.d.nworld, *steps.results[name]), device=tensors[0].device) for name in RESULTS}
            with _stream(steps):
                lost, constant = steps.forward(_arrays(dict(zip(names, tensors, strict=True))), _arrays(results))
                ctx.steps, ctx.names, ctx.kept = steps, names, (lost, constant)
            ctx.save_for_backward(*tensors, results["qpos"])
            ctx.mark_non_differentiable(results["sensordata"], results["qacc_warmstart"])
            ctx.set_materialize_grads(False)
            return tuple(results.values())

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
            *tensors, qpos = ctx.saved_tensors
            needed = dict(zip(ctx.names, ctx.needs_input_grad[2:], strict=True))
            inputs = dict(zip(ctx.names, tensors, strict=True))
            wanted = {name: torch.zeros_like(inputs[name]) for name, needs in needed.items() if needs and name != "qacc_warmstart"}
            bars = {name: grad.contiguous() for name, grad in zip(RESULTS, grads, strict=True) if grad is not None and name in SMOOTH}
            with _stream(ctx.steps):
                ctx.steps.backward(_arrays(inputs), wp.from_torch(qpos, requires_grad=False), ctx.kept, _arrays(bars), _arrays(wanted))
            return None, None, *(wanted.get(name) for name in ctx.names)

    return Step


def _arrays(tensors: dict[str, Any]) -> dict[str, wp.array]:
    return {name: wp.from_torch(tensor.detach(), requires_grad=False) for name, tensor in tensors.items()}


def _stream(steps: Steps) -> Any:
    """Let the simulation work on PyTorch's stream."""
    import torch

    if not steps.d.device.is_cuda:
        return contextlib.nullcontext()
    return wp.ScopedStream(wp.stream_from_torch(torch.cuda.current_stream(wp.device_to_torch(steps.d.device))))
