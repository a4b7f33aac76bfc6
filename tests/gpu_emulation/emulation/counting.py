"""Basic blocks that count themselves: a call at the head of each, and a table of what each costs and where it comes from.

The text of LLVM's intermediate code is close to what a lane of a GPU executes (``measure.MACHINE_INSTRUCTIONS``), since asserts are left out and
products join the sums they go into. Weights are those of instructions that are a sequence on a GPU: divisions, roots, trigonometric functions.
"""

from __future__ import annotations

import re

_NOTHING = re.compile(
    r"^\s+(?:%\S+ = )?(?:phi |bitcast |extractelement |insertelement |shufflevector |freeze |unreachable|ret void"
    r"|(?:tail )?call void @llvm\.(?:dbg|lifetime|assume|experimental)|(?:tail |notail )?call void @emu_)"
)
_FLOAT_SEQUENCE = re.compile(r" fdiv | frem |@llvm\.sqrt\.|@sqrtf?\(")
_INTEGER_DIVISION = re.compile(r" [su]div | [su]rem ")
_FUNCTION = re.compile(r"@(?:sinf?|cosf?|tanf?|asinf?|acosf?|atan2?f?|powf?|expf?|exp2f?|logf?|log2f?|llvm\.(?:sin|cos|pow|exp|exp2|log|log2)\.)")
_DOUBLE = re.compile(r" f(?:add|sub|mul|div|neg) .*double")
_PRODUCT, _SUM = re.compile(r"^\s+(%\S+) = fmul .*float"), re.compile(r" = f(?:add|sub) ")
# a vector is several values on a GPU, whose memory alone is read and written by up to four words at a time
_VECTOR = re.compile(r" = (?:tail )?(?:f|add|sub|mul|shl|lshr|ashr|and|or|xor|select|icmp|call).*?<(\d+) x (?:float|double|i32)>")
_INSTRUCTION = re.compile(r"^  \S")
_LABEL = re.compile(r'^[\w.$\-"]+:')
_DEBUG = re.compile(r"!dbg !(\d+)")


def weight(line: str) -> int:
    """Instructions that a line of intermediate code stands for."""
    if _NOTHING.match(line):
        return 0
    vector = _VECTOR.search(line)
    return _weight_of_one(line) * (int(vector.group(1)) if vector else 1)


def _weight_of_one(line: str) -> int:
    if _FLOAT_SEQUENCE.search(line):
        return 9
    if _INTEGER_DIVISION.search(line):
        return 18
    if _FUNCTION.search(line):
        return 40
    if " getelementptr " in line:
        return 2 if re.search(r"i64 %", line) else 0
    if re.search(r" (?:sext|zext|trunc) ", line):
        return 0 if "to i64" in line or "i64 %" in line else 1
    if _DOUBLE.search(line):
        return 2
    return 1


def instrument(text: str, *, fused: bool = True) -> tuple[str, str]:
    """Intermediate code whose basic blocks call ``emu_count``, and a table.

    Returns:
        The code, and a line ``weight function<function<...`` for each block, the innermost inlined function first.
    """
    places = _Places(text)
    out: list[str] = []
    table: list[str] = []
    inside = False
    block: list[str] = []

    def close() -> None:
        if block:
            out.extend(_counted(block, len(table)))
            instructions = _instructions(block)
            table.append(f"{sum(map(weight, instructions)) - (_fused(instructions) if fused else 0)} {places.of(block)}")
            block.clear()

    for line in text.split("\n"):
        if line.startswith("define "):
            inside = True
            out.append(line)
        elif inside and line.startswith("}"):
            close()
            inside = False
            out.append(line)
        elif not inside:
            out.append(line)
        else:
            if _LABEL.match(line):
                close()
            block.append(line)
    declaration = "declare void @emu_count(i32)"
    return "\n".join([*out, declaration, ""]), "\n".join(table)


def _instructions(block: list[str]) -> list[str]:
    """Lines that begin an instruction, without the rest of those that go over several."""
    return [line for line in block if _INSTRUCTION.match(line) and not line.startswith("  ]")]


def _fused(instructions: list[str]) -> int:
    """Products that become one instruction with the sum they go into."""
    products = {found.group(1): weight(line) for line in instructions if (found := _PRODUCT.match(line))}
    sums = [line for line in instructions if _SUM.search(line)]
    taken = 0
    for line in sums:
        for name in re.findall(r"%[\w.]+", line.split(" = ", 1)[1]):
            if name in products:
                taken += products.pop(name)
                break  # one product a sum
    return taken


def _counted(block: list[str], number: int) -> list[str]:
    """The block with a call behind its phi instructions."""
    result, called = [], False
    for line in block:
        if not called and _INSTRUCTION.match(line) and " = phi " not in line:
            result.append(f"  call void @emu_count(i32 {number})")
            called = True
        result.append(line)
    return result


class _Places:
    """From a debug location to the names of the functions it is inlined in."""

    def __init__(self, text: str):
        self._lines = dict(re.findall(r"^!(\d+) = (?:distinct )?(!DI(?:Location|Subprogram|LexicalBlock\w*)\(.*)$", text, re.M))
        self._names: dict[str, str] = {}

    def of(self, block: list[str]) -> str:
        for line in block:
            if found := _DEBUG.search(line):
                return self._path(found.group(1))
        return "?"

    def _path(self, location: str) -> str:
        if location not in self._names:
            line = self._lines.get(location, "")
            name = self._function(line)
            outer = re.search(r"inlinedAt: !(\d+)", line)
            self._names[location] = name + ("<" + self._path(outer.group(1)) if outer else "")
        return self._names[location]

    def _function(self, line: str) -> str:
        while line and not line.startswith("!DISubprogram"):
            scope = re.search(r"scope: !(\d+)", line)
            line = self._lines.get(scope.group(1), "") if scope else ""
        name = re.search(r'name: "([^"]*)"', line)
        return name.group(1) if name else "?"
