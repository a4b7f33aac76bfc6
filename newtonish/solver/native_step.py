"""A step by MuJoCo's C code between the same push and pull as one of ours (``use_mujoco_cpu``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.errors import ModelError, problem
from newtonish.solver.pull import pull
from newtonish.solver.push import push

if TYPE_CHECKING:
    import warp as wp

    from newtonish.kernels.bridge.frames import Maps
    from newtonish.solver.arguments import StepArguments
    from newtonish.solver.native import NativeWorlds
    from newtonish.solver.push import Inputs

__all__ = ["NativeStepper"]


class NativeStepper:
    """Steps of one solver, called as ``newtonish.solver.recorded.Stepper`` is. Everything crosses the host, so steps cannot be captured.

    Args:
        model: The Newton model.
        m: Model of ``newtonish.mjw``.
        d: Its Data, which receives what MuJoCo finds.
        maps: Index maps on the device.
        inputs: Reads a control's arrays.
        arguments: What states and controls must be like.
        native: MuJoCo's objects of all worlds.
    """

    def __init__(self, model: Any, m: Any, d: Any, maps: Maps, inputs: Inputs, arguments: StepArguments, native: NativeWorlds) -> None:
        self._model, self._m, self._d, self._maps, self._inputs = model, m, d, maps, inputs
        self._arguments, self._native = arguments, native

    def __call__(self, state_in: Any, state_out: Any, control: Any, dt: float, outputs: list[tuple[str, wp.array]], follow: bool, contacts: Any = None) -> None:
        """Advance all worlds by ``dt`` [s]; arguments as of ``Stepper``, but for contacts, which MuJoCo finds."""
        m, d = self._m, self._d
        if d.device.is_capturing:
            raise ModelError(problem("SolverMuJoCo.step", "a call while a graph is captured", "calls outside", "leave use_mujoco_cpu out"))
        self._arguments.check(state_in, state_out, control)
        push(m, d, self._maps, self._inputs, state_in, control, dt, follow)
        self._native.read_inputs(d, follow)
        if outputs:
            from newtonish.kernels.bridge.outputs import write_outputs

            self._native.forward(dt)
            self._native.write_results(m, d)
            write_outputs(m, d, self._maps, outputs)
        self._native.step(dt)
        self._native.write_results(m, d)
        pull(m, d, self._maps, self._model, state_in, state_out)
