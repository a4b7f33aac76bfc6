"""Variables of a variant's CUDA text begin as zero.

Warp declares all variables of a function at its top, without a value, and sets those of an ``if`` within it. NVIDIA's compiler finds no value on the other
path, and takes the variable for one that holds its number from the turn of a loop before: each of them then has a register through the whole loop. Set to
zero, it has one where it is used (decision 033).
"""

from __future__ import annotations

import re

_DECLARED = re.compile(r"^(\s+(?:wp::)?(?:bool|u?int(?:8|16|32|64)|float(?:32|64)) var_\d+);$", re.M)


def zeroed(text: str) -> str:
    """The text of a module with a value for each number that is declared without one."""
    return _DECLARED.sub(r"\1 = 0;", text)
