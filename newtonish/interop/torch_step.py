"""Steps as a function that PyTorch differentiates."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Mapping
from typing import Any

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.interop.arrays import imported
from newtonish.interop.steps import DRIVEN, RESULTS, SMOOTH, StepResult, Steps
from newtonish.mjw import Data, Model

__all__ = ["TorchStep", "torch_step"]


def torch_step(m: Model, d: Data, nstep: int = 1, record: bool = False, fields: Iterable[str] = ()) -> TorchStep:
    """Steps of all worlds as a function of tensors, with gradients by ``backward``.

    Args:
        m: model, as ``mjw.step_vjp`` takes it.
        d: data that is worked with: each call begins with the state that is given to it at time 0, and leaves in ``d`` what it ends with. Several calls may
            wait for their ``backward``; mocap poses and equalities are those that ``d`` has in each call, fields of the model that are no inputs must stay.
        nstep: steps of a call, whose number is not limited by memory: ``backward`` takes them again.
        record: give the state after each step, and not only the last one.
        fields: names of the model's fields that calls may be given values of, as ``mjw.step_vjp`` names them: ``("body_mass", "opt.gravity")``. The model itself
            stays as it is.

    Derivatives are those of ``backward``, once: no second ones, none in forward mode, and no transforms of ``torch.func``; PyTorch says so where one asks for
    them. ``torch.compile`` leaves a call as it is, between two graphs.

    Raises:
        ModelError, UnsupportedError, CapacityError: as of ``mjw.Trajectory``; also a field without a gradient, and data made with ``on_nonfinite="stop"``.
        ModuleNotFoundError: PyTorch is not installed.
    """
    return TorchStep(m, d, nstep, record, fields)


class TorchStep:
    """A function from a state and inputs to the next state; see ``torch_step``."""

    def __init__(self, m: Model, d: Data, nstep: int = 1, record: bool = False, fields: Iterable[str] = ()) -> None:
        self._torch = imported("torch", "pip install torch")
        self._steps = Steps(m, d, nstep, record, fields, "torch_step")
        self._apply = self._torch.compiler.disable(_function().apply)

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
            qpos: (nworld, nq) tensor, position; quaternions are normalized before they are used.
            qvel: (nworld, nv), velocity.
            act: (nworld, na), activation; None: 0.
            ctrl: (nworld, nu), controls, or (nstep, nworld, nu), those of each step; None: 0.
            qfrc_applied: (nworld, nv) or (nstep, nworld, nv), applied generalized forces; None: 0.
            xfrc_applied: (nworld, nbody, 6) or (nstep, nworld, nbody, 6), force and torque on bodies, world frame; None: 0.
            qacc_warmstart: (nworld, nv), that of the last result, which spares the solver iterations; None: 0.
            fields: from names to (nworld, and the shape of one world's), values of fields of the model that stand for its own in this call: as
                ``m.body_mass``, but vectors are numbers of the last axis, (nworld, ngeom, 3) for ``geom_friction``. What a compiler derives from them stays.

        All of them may lack the axis of worlds too: they are the same in all worlds then. Types are converted to float32 and back, devices likewise.

        Returns:
            Tensors of the type of ``qpos``; those of the state and of sensors have gradients. A world that was reset because a number was not finite has NaN
            for gradients.

        Raises:
            ModelError: something that is no tensor of real numbers, another shape, or a field that ``torch_step`` was not told of.

        ``backward`` raises UnsupportedError for a contact without a derivative, and for a sensor without one if the cost depends on ``sensordata``.
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
        needed = ("qpos", "qvel")
        tensors = {name: self._fitted(name, value) for name, value in given.items() if value is not None or name in needed}
        tensors |= {name: self._fitted(name, value, f"fields[{name!r}]") for name, value in self._steps.given_fields(fields).items()}
        found = self._apply(self._steps, tuple(tensors), *tensors.values())
        kind = qpos.dtype if qpos.dtype.is_floating_point else self._torch.float32
        return StepResult(*(tensor.to(qpos.device, kind) for tensor in found))

    def _fitted(self, name: str, value: Any, label: str = "") -> Any:
        """A tensor of every world and step, float32, on the device of the simulation."""
        torch, steps, label = self._torch, self._steps, f"torch_step: {label or name}"
        if not isinstance(value, torch.Tensor):
            raise ModelError(problem(label, f"a {type(value).__name__}", "a tensor", "pass torch.as_tensor(...)"))
        if value.is_complex() or value.dtype == torch.bool or value.layout != torch.strided or value.is_meta:
            kind = "complex" if value.is_complex() else "meta" if value.is_meta else str(value.layout).removeprefix("torch.")
            raise ModelError(problem(label, f"a {kind} tensor of {value.dtype}", "a dense tensor of real numbers", "convert it"))
        full = steps.inputs[name]
        shapes = [full[i:] for i in range(3 if name in DRIVEN else 2)]
        if tuple(value.shape) not in shapes:
            allowed = " or ".join(map(str, shapes))
            raise ModelError(problem(label, f"shape {tuple(value.shape)}", allowed, "reshape it"))
        return value.to(wp.device_to_torch(steps.d.device), torch.float32).expand(full).contiguous()


@functools.cache
def _function() -> Any:
    """The class, which is derived from one of PyTorch's."""
    import torch

    class Step(torch.autograd.Function):
        """Steps and their adjoint on tensors."""

        @staticmethod
        def forward(ctx: Any, steps: Steps, names: tuple[str, ...], *tensors: Any) -> tuple[Any, ...]:
            results = {name: torch.empty(steps.results[name], device=tensors[0].device) for name in RESULTS}
            with _stream(steps):
                lost, constant = steps.forward(_arrays(dict(zip(names, tensors, strict=True))), _arrays(results))
                ctx.steps, ctx.names, ctx.kept = steps, names, (lost, constant)
            ctx.save_for_backward(*tensors, results["qpos"])
            ctx.mark_non_differentiable(results["qacc_warmstart"])
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


def _arrays(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: wp.from_torch(tensor.detach(), requires_grad=False) for name, tensor in tensors.items()}


def _stream(steps: Steps) -> Any:
    """Let the simulation work on PyTorch's stream."""
    import torch

    if not steps.d.device.is_cuda:
        return contextlib.nullcontext()
    return wp.ScopedStream(wp.stream_from_torch(torch.cuda.current_stream(wp.device_to_torch(steps.d.device))))
