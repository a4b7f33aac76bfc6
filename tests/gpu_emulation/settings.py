"""Settings of the lanes that ship, and which of them a case is run at where there is no time for all."""

from __future__ import annotations

from emulation.emulator import Schedule

from newtonish.kernels.runtime.lanes import CHOICES

SETTINGS = tuple(str(lanes) for lanes in CHOICES)
"""All kernels at so many lanes, of which those of the solver have 32 at least, or in small models 8 or 16."""

FEW = ("4", "64")
"""Those of cases whose kernels take minutes to compile: what has been compiled for one of them serves the others."""

SCHEDULES = (Schedule.RANDOM, Schedule.PREEMPTIVE, Schedule.DESCENDING)


def rotated(index: int, settings: tuple[str, ...] = SETTINGS) -> tuple[str, Schedule]:
    """A setting for the case of that number, so that as many cases in a row as there are settings have each of them once."""
    return settings[index % len(settings)], SCHEDULES[index // len(settings) % len(SCHEDULES)]
