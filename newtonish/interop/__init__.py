"""A simulation in other frameworks: its arrays as tensors of PyTorch, arrays of JAX and NumPy, and its steps as functions that these differentiate.

``to_torch(d.qpos)`` is a tensor over the memory of ``d.qpos``; what is written into it in place is what the next step reads, and the
next step's result stands in it. ``tensors(d)`` gives every array of an object by its name. An array's axes come first, the components of
vectors and matrices after them: ``d.xpos`` of ``vec3`` with shape (nworld, nbody) is a tensor (nworld, nbody, 3).

``torch_step(m, d)`` and ``jax_step(m, d)`` are functions from a state and inputs to the next state, with gradients (``mjw.step_vjp``).

PyTorch and JAX are imported when they are asked for. On a GPU both work on streams of their own: let the simulation run on theirs
(``with wp.ScopedStream(wp.stream_from_torch(torch.cuda.current_stream())):``), or synchronise in between; ``torch_step`` does that by itself.
"""

from newtonish.interop.arrays import Tensors, tensors, to_jax, to_numpy, to_torch
from newtonish.interop.jax_step import JaxStep, jax_step
from newtonish.interop.steps import StepResult
from newtonish.interop.torch_step import TorchStep, torch_step

__all__ = ["JaxStep", "StepResult", "Tensors", "TorchStep", "jax_step", "tensors", "to_jax", "to_numpy", "to_torch", "torch_step"]
