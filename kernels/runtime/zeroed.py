"""Variables of a variant's CUDA text begin as zero.

Warp declares all variables of a function at its top, without a value, and sets those of an ``if`` within it. NVIDIA's compiler finds no value on the other
path, and takes the variable for one that holds its number from the turn of a loop before: each of them then has a register through the whole loop. Set to
zero, it has one where it is used (decision 033).

Where text is made is no interface that Warp promises: where it is missing, variables stay as Warp has them, and kernels take more registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import warp as wp

_DECLARED = re.compile(r"^(\s+(?:wp::)?(?:bool|u?int(?:8|16|32|64)|float(?:32|64)) var_\d+);$", re.M)


def zeroed(text: str) -> str:
    """The text of a module with a value for each number that is declared without one."""
    return _DECLARED.sub(r"\1 = 0;", text)


def zero_those_of(ours: Callable[[Any], bool]) -> bool:
    """From now on, zero the variables of modules for which ``ours`` says so.

    Returns:
        Whether that can be done with this version of Warp.
    """
    builder = getattr(getattr(getattr(wp, "_src", None), "context", None), "ModuleBuilder", None)
    codegen = getattr(builder, "codegen", None)
    if not callable(codegen):
        return False

    def codegen_zeroed(self: Any, device: str) -> str:
        text = codegen(self, device)
        return zeroed(text) if device == "cuda" and ours(self.module) else text

    builder.codegen = codegen_zeroed
    return True
