"""Variables of a variant's CUDA text begin as zero, in each turn of a loop.

Warp declares all variables of a function at its top, without a value, and sets those of an ``if`` within it. NVIDIA's compiler finds no value on the other
path, and takes the variable for one that holds its number from the turn of a loop before: each of them then has a register through the whole loop. Set to
zero, it has one where it is used (decision 033). A zero at the top is of no use within a loop, at whose end a variable would still hold
what the turn before has left there: what is set under a condition within a loop, and read nowhere else, begins each turn as zero.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"(?:wp::)?(?:bool|u?int(?:8|16|32|64)|float(?:32|64))"
_DECLARED = re.compile(rf"^(\s+{_NUMBER} var_\d+);$", re.M)
_HELD = re.compile(rf"^\s+({_NUMBER}|wp::(?:vec|mat|quat|transform)_t<.*>) (var_\d+)(?: = 0)?;$")
_NAME = re.compile(r"\bvar_\d+\b")
_BODY = re.compile(r"^\{$.*?^\}$", re.M | re.S)
# a loop is a label, where a ``while`` works out its condition, a test, which goes behind the loop, and a label behind it
_BEGIN = re.compile(r"\s*start_(\w+):;")
_TEST = re.compile(r"\s*if \(.*\) goto end_(\w+);")
_END = re.compile(r"\s*end_(\w+):;")


class _Loop(NamedTuple):
    test: int  # line behind which a turn begins
    end: int  # line of the label behind the loop
    depth: int  # of the braces around the test


def zeroed(text: str) -> str:
    """The text of a module with a value for each number that is declared without one, and for what is set under a condition in each turn of a loop."""
    return _BODY.sub(lambda body: _zeroed_by_turns(body[0]), _DECLARED.sub(r"\1 = 0;", text))


def _zeroed_by_turns(body: str) -> str:
    """The body of a function in which variables that are set under a condition within a loop, and occur nowhere else, begin each turn as zero."""
    if not _BEGIN.search(body):
        return body
    lines = body.split("\n")
    depths = _depths(lines)
    types: dict[str, str] = {}
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        if declared := _HELD.fullmatch(line):
            types[declared[2]] = declared[1]
        else:
            for name in _NAME.findall(line):
                first.setdefault(name, number)
                last[name] = number
    loops = _loops(lines, depths)
    for name in sorted(types.keys() & first.keys()):
        around = [loop for loop in loops if loop.test < first[name] and last[name] < loop.end]
        if around and depths[first[name]] > around[-1].depth:
            lines[around[-1].test] += f" {name} = {types[name]}();"
    return "\n".join(lines)


def _depths(lines: list[str]) -> list[int]:
    """How many braces are around each line."""
    found = []
    depth = 0
    for line in lines:
        depth -= line.lstrip().startswith("}")
        found.append(depth)
        depth += line.endswith("{")
    return found


def _loops(lines: list[str], depths: list[int]) -> list[_Loop]:
    """The loops of a function, those within others behind them."""
    found = []
    tests: dict[str, int | None] = {}
    for number, line in enumerate(lines):
        if begin := _BEGIN.fullmatch(line):
            tests[begin[1]] = None
        elif (test := _TEST.fullmatch(line)) and tests.get(test[1], number) is None:  # others leave the loop from within
            tests[test[1]] = number
        elif (end := _END.fullmatch(line)) and (place := tests.get(end[1])) is not None:
            found.append(_Loop(place, number, depths[place]))
    return sorted(found)
