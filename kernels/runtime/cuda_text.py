"""Changing the CUDA text that Warp writes for modules of ours, before it is compiled.

Where text is made is no interface that Warp promises: where it is missing, text stays as Warp has it, and kernels take more registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp


def rewrite(rewritten: Callable[[Any, str], str]) -> bool:
    """From now on, let ``rewritten(module, text)`` say what is compiled for a GPU.

    Returns:
        Whether that can be done with this version of Warp.
    """
    builder = getattr(getattr(getattr(wp, "_src", None), "context", None), "ModuleBuilder", None)
    codegen = getattr(builder, "codegen", None)
    if not callable(codegen):
        return False

    def codegen_rewritten(self: Any, device: str) -> str:
        text = codegen(self, device)
        return rewritten(self.module, text) if device == "cuda" else text

    builder.codegen = codegen_rewritten
    return True
