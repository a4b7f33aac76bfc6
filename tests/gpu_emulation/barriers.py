"""Barriers of a kernel taken out one by one: each must be missed, by a report or by another result, or it is redundant.

python tests/gpu_emulation/barriers.py solve                     # of a case and lanes: --case mannequin --setting 8
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # as a command, not installed
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]

import numpy as np
import warp as wp
from cases import CASES, Case
from emulation.emulator import Emulator, Schedule, arrays_of
from emulation.stepping import launching_plainly, prepare
from lanes_setting import lanes_set

from newtonish.kernels.runtime import launch as launching
from newtonish.kernels.runtime.lanes import choice_of, name_of

WORLDS = 2
_BARRIER = re.compile(r"(?<!void )\b(?:sync_\d+\(\)|SYNC\(\)|SYNC_WARP\(\));")
_HEAD = re.compile(r'^(?:static CUDA_CALLABLE [^\n(]*?(\w+)\(|extern "C" [^\n]*__global__ )', re.M)


@dataclass(frozen=True)
class Barrier:
    """A barrier in the text of a module.

    Attributes:
        function: whose text it stands in, as it is called in Python; of the kernel itself: ``kernel``.
        number: of the barriers of that function, from 0.
        begin, end: where in the text.
    """

    function: str
    number: int
    begin: int
    end: int

    @property
    def name(self) -> str:
        return f"{self.function} {self.number}"


def barriers_of(text: str) -> list[Barrier]:
    """Every barrier of a module's text; the function ``sync`` is the barrier itself."""
    heads = [(found.start(), re.sub(r"_\d+$", "", found.group(1) or "kernel")) for found in _HEAD.finditer(text)]
    counts: dict[str, int] = {}
    result = []
    for found in _BARRIER.finditer(text):
        before = [name for start, name in heads if start < found.start()]
        if not before or before[-1] == "sync":
            continue
        number = counts.get(before[-1], 0)
        counts[before[-1]] = number + 1
        result.append(Barrier(before[-1], number, *found.span()))
    return result


class _Found(Exception):
    """The launch that was looked for has been noted."""


class Bench:
    """One launch of a step, to be repeated with changed text.

    Args:
        case: model and options.
        kernel: its name in settings of the lanes.
        setting: of NEWTONISH_LANES.
    """

    def __init__(self, case: Case, kernel: str, setting: str):
        m = case.load()
        d, unused = (prepare(m, WORLDS, case.warm) for _ in range(2))
        emulator = Emulator(schedule=Schedule.DESCENDING)

        def note(launched: wp.Kernel, device: Any, dim: Any, inputs: list[Any], block_dim: int) -> None:
            launching.prepared(launched.module)
            lanes = choice_of(launched).lanes
            if name_of(launched) == kernel:
                self._launch = (launched, dim, inputs, block_dim, lanes)
                raise _Found
            emulator.launch(launched, dim, inputs, block_dim, lanes)

        with lanes_set(setting), launching_plainly():
            with launching.planned(for_cuda=True):
                case.function(m, unused)
            try:
                with launching.launched_by(note, on_gpu=True):
                    case.function(m, d)
                raise ValueError(f"{case.name} does not launch {kernel}")
            except _Found:
                pass
        self._d = d  # holds the arrays
        self._arrays = [array for value in self._launch[2] for array in arrays_of(value)]
        self._before = [array.numpy().copy() for array in self._arrays]

    def run(self, change: Callable[[str], str]) -> tuple[list[str], list[np.ndarray]]:
        """Reports, and all arrays after the launch of the changed text."""
        for array, values in zip(self._arrays, self._before, strict=True):
            array.assign(values)
        module = self._launch[0].module.name
        emulator = Emulator(schedule=Schedule.DESCENDING, change=lambda name, text: change(text) if name == module else text)
        emulator.launch(*self._launch)
        return emulator.reports(), [array.numpy().copy() for array in self._arrays]

    def reached(self) -> list[Barrier]:
        """The barriers that are met in this launch."""
        found: list[Barrier] = []

        def marked(text: str) -> str:
            found.extend(barriers_of(text))
            for barrier in reversed(found):
                text = f'{text[: barrier.end]} _wp_assert("{barrier.name}", "", 0);{text[barrier.end :]}'
            return text

        reports, _ = self.run(marked)
        met = {report.rsplit(": ", 1)[1] for report in reports if report.startswith("ASSERTION")}
        return [barrier for barrier in found if barrier.name in met]

    def verdicts(self) -> Iterator[tuple[Barrier, str]]:
        """Each of them, and what came of taking it out; nothing where it was not missed."""
        reports, expected = self.run(lambda text: text)
        assert not reports, "\n".join(reports)
        for barrier in self.reached():
            reports, results = self.run(lambda text, gone=barrier: text[: gone.begin] + ";" + text[gone.end :])
            same = all(np.array_equal(one, other, equal_nan=one.dtype.kind == "f") for one, other in zip(expected, results, strict=True))
            yield barrier, reports[0].split(" | ")[0] if reports else "" if same else "another result"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", help="name as in settings of NEWTONISH_LANES")
    parser.add_argument("--case", default="mannequin", choices=[case.name for case in CASES], metavar="CASE", help="default: mannequin")
    parser.add_argument("--setting", default="", help="of NEWTONISH_LANES (default: the mapping's choice)")
    arguments = parser.parse_args()
    wp.config.quiet = True
    (case,) = (case for case in CASES if case.name == arguments.case)
    for barrier, verdict in Bench(case, arguments.kernel, arguments.setting).verdicts():
        print(f"{barrier.name}: {verdict or 'NOT MISSED'}", flush=True)


if __name__ == "__main__":
    main()
