"""Every case at every setting of the lanes in every order of them: what the tests take one of a case from. It takes hours.

python tests/gpu_emulation/all_lanes.py                              # everything; exit code 1 where something went wrong
python tests/gpu_emulation/all_lanes.py mannequin cg --settings "2;8"  # some of it
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

if __name__ == "__main__":  # as a command, not installed
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]

import warp as wp
from cases import CASES
from comparison import compare
from emulation.emulator import Schedule
from settings import SCHEDULES, SETTINGS

ALL = ("", *SETTINGS)  # as the mapping chooses, and as it may be told


def run(case, setting: str, schedule: Schedule) -> bool:
    """One of them, with a line that tells how it went."""
    begin, said = time.perf_counter(), "equal"
    try:
        compare(case, setting, schedule)
    except Exception as error:  # of whichever kind: the others are run all the same
        said = f"{type(error).__name__}: {error}"
    print(f"{case.name}, lanes {setting or 'of the mapping'}, {schedule.name.lower()}, {time.perf_counter() - begin:.0f} s: {said}", flush=True)
    return said == "equal"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [case.name for case in CASES]
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(names)} (default: all)")
    parser.add_argument("--settings", help=f"separated by semicolons, of which an empty one leaves the choice to the mapping (default: {';'.join(ALL)})")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(names):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    wp.config.quiet = True
    chosen = [case for case in CASES if not arguments.cases or case.name in arguments.cases]
    settings = arguments.settings.split(";") if arguments.settings is not None else ALL
    went_well = [run(case, setting, schedule) for setting in settings for case in chosen for schedule in SCHEDULES]
    print(f"{went_well.count(False)} of {len(went_well)} went wrong")
    return 0 if all(went_well) else 1


if __name__ == "__main__":
    sys.exit(main())
