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
_BY_CONSTANT = re.compile(r" [su](?:div|rem) (?:exact )?i\d+ [^,]+, -?\d+")  # the high word of a product, shifted
_FUNCTION = re.compile(r"@(?:sinf?|cosf?|tanf?|asinf?|acosf?|atan2?f?|powf?|expf?|exp2f?|logf?|log2f?|llvm\.(?:sin|cos|pow|exp|exp2|log|log2)\.)")
_DOUBLE = re.compile(r" f(?:add|sub|mul|div|neg) .*double")
_PRODUCT, _SUM = re.compile(r"^\s+(%\S+) = fmul .*float"), re.compile(r" = f(?:add|sub) ")
# a vector is several values on a GPU, whose memory alone is read and written by up to four words at a time
_VECTOR = re.compile(r" = (?:tail )?(?:f|add|sub|mul|shl|lshr|ashr|and|or|xor|select|icmp|call).*?<(\d+) x (?:float|double|i32)>")
_INSTRUCTION = re.compile(r"^  \S")
_LABEL = re.compile(r'^[\w.$\-"]+:')
_KERNEL = re.compile(r"_cuda_kernel_forward\(")
_ENTRY = re.compile(r"@emu_\w+\(")  # of the emulation's own functions, which no GPU has
# what a function is given by value, and places in it; a kernel's lie in the constant memory of a GPU, where instructions find their operands
_BY_VALUE = re.compile(r"byval\([^()]*\)[^,]*? (%\d+)[,)]")
_PLACE_IN = re.compile(r"^\s+(%\S+) = getelementptr .*?ptr (%\d+), i64 \d+$")
_LOAD_OF = re.compile(r" = load [^,]+, ptr (%\d+),")
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
    if _BY_CONSTANT.search(line):
        return 4
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
    arguments: set[str] = set()  # of a kernel: where they lie

    def close() -> None:
        if block:
            out.extend(_counted(block, len(table)))
            instructions = [line for line in _instructions(block) if not _reads(line, arguments)]
            table.append(f"{sum(map(weight, instructions)) - (_fused(instructions) if fused else 0)} {places.of(block)}")
            block.clear()

    for line in text.split("\n"):
        if line.startswith("define "):
            inside = not _ENTRY.search(line)
            arguments = set(_BY_VALUE.findall(line)) if _KERNEL.search(line) else set()
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


def _reads(line: str, arguments: set[str]) -> bool:
    """Whether a line reads what a kernel is given; places within that are added to ``arguments``."""
    place = _PLACE_IN.match(line.split(", !dbg", 1)[0])
    if place and place.group(2) in arguments:
        arguments.add(place.group(1))
    load = _LOAD_OF.search(line)
    return bool(load) and load.group(1) in arguments


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
