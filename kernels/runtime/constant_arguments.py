"""Groups of arrays that a kernel hands to functions out of line stay where a GPU has arguments, in constant memory.

A function out of line is given an address. An argument that may be written has none until it is copied: each thread would begin by writing
a kilobyte for each group to its local memory, and read the arrays' addresses from there. Arguments that are declared constant have one. Nothing writes to them.

For this to hold, groups have to come from the kernel to such a function by reference (``wp.ref``), as one that is passed by value is a copy.
"""

from __future__ import annotations

import re

_ENTRY = re.compile(r'(extern "C" [^\n]*?__global__ void [^{]*?\(\n)(.*?)(\)\n\{\n)', re.S)
_GROUP = re.compile(r"^(\s+)([A-Z]\w*_[0-9a-f]{8}) (var_\w+)", re.M)


def with_constant_arguments(text: str) -> str:
    """The text of a module whose kernels have their groups in constant memory."""
    return _ENTRY.sub(lambda entry: entry[1] + _GROUP.sub(r"\1const __grid_constant__ \2 held_\3", entry[2]) + entry[3] + _names(entry[2]), text)


def _names(arguments: str) -> str:
    return "".join(f"    {kind}& {name} = const_cast<{kind}&>(held_{name});\n" for _, kind, name in _GROUP.findall(arguments))
