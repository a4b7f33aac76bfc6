"""Damaged files through every reader, each tried in a process that may die: ``python hostile_files.py KIND COUNT [SEED]``, kinds ``mjcf``, ``urdf``, ``usd``.

Each file ends as a model or as an error of ours. Prints how many were tried, read, refused, ended in another exception, took too long, and killed the
process; which ones, and those that took long, go to standard error. ``python hostile_files.py keep KIND NUMBER [SEED]`` writes the file of that number
into the working folder.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutations import drop_elements, mutate, swap_values
from paths import OWN, REPO
from tried import MARK, run_trials

LONG, LONGEST, WAITING = 5, 60, 900
"""Processor time from which a file is named, and from which it hangs; time after which one that waits for something hangs [s]."""
MEMORY = 12 << 30
"""Address space of a process that reads files [bytes]: what is refused only by the machine shall not take the machine along."""
ENDINGS = {"mjcf": ".xml", "urdf": ".urdf", "usd": ".usda"}
BINARY = b"PXR-USDC"


class Hanging(BaseException):
    """A file took too long."""


def seeds(kind: str, folder: Path) -> list[bytes]:
    """Files to damage; what has to be made is left in the folder, for the process after this one."""
    if kind == "mjcf":
        paths = [*sorted(OWN.glob("*.xml")), *sorted((REPO / "newtonish/assets").glob("*.xml"))]
        return [path.read_bytes() for path in paths if path.stat().st_size < 12_000]
    if kind == "usd":
        if not list(folder.glob("seed*")):
            write_stages(folder)
        return [path.read_bytes() for path in sorted(folder.glob("seed*"))]
    sys.path.insert(0, str(REPO / "tests/importers"))
    from test_urdf_fuzz import OWN as robot

    return [robot]


def write_stages(folder: Path) -> None:
    """Stages as text and as bytes: those that our own writer makes of models, and one of what it does not write."""
    from pxr import Sdf
    from saved import compiled
    from usd_stages import EVERYTHING

    from newtonish.exporters.usd import save_to_usd

    for path in ("tendon_zoo.xml", "equality_zoo.xml", "fixed_tendons.xml"):
        for ending in (".usda", ".usdc"):
            save_to_usd(compiled(OWN / path), folder / f"seed_{path[:-4]}{ending}")
    layer = Sdf.Layer.CreateAnonymous()
    if not layer.ImportFromString(EVERYTHING):
        raise RuntimeError("hostile_files: the stage of everything is none")
    for ending in (".usda", ".usdc"):
        layer.Export(str(folder / f"seed_everything{ending}"))


def damaged(kind: str, good: list[bytes], number: int, seed: int) -> tuple[bytes, str]:
    """The content of a damaged file, and the ending of its name."""
    draw = random.Random(f"{seed} {number}")
    data = draw.choice(good)
    binary = data.startswith(BINARY)
    changed = mutate(data, draw) if binary else draw.choice((mutate, mutate, swap_values, drop_elements))(data, draw)
    return changed, ".usdc" if binary else ENDINGS[kind]


def attempt(kind: str, path: Path) -> None:
    from newtonish import ModelBuilder

    {"mjcf": ModelBuilder.add_mjcf, "urdf": ModelBuilder.add_urdf, "usd": ModelBuilder.add_usd}[kind](ModelBuilder(), str(path))


def too_long(*_: object) -> None:
    raise Hanging


def child(kind: str, first: int, count: int, seed: int, folder: Path) -> None:
    """Try some, and print a letter for each when it is over: a process that dies has printed one less than it began."""
    from newtonish.errors import NewtonishError

    warnings.simplefilter("ignore")
    good = seeds(kind, folder)
    signal.signal(signal.SIGPROF, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for i in range(first, first + count):
        data, ending = damaged(kind, good, i, seed)
        path = folder / f"m{i}{ending}"  # a name of its own: the USD library remembers what it has read
        path.write_bytes(data)
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        signal.alarm(WAITING)  # ends the process, also where a library does not come back
        try:
            attempt(kind, path)
            letter = "o"
        except NewtonishError:
            letter = "r"
        except Hanging:
            letter = "h"
            print(f"{kind} {i}: hung", file=sys.stderr)
        except Exception as error:
            letter = "x"
            print(f"{kind} {i}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        finally:
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_PROF, 0)
        if time.process_time() - begin > LONG:
            print(f"{kind} {i}: {time.process_time() - begin:.1f} s", file=sys.stderr)
        print(MARK + letter, end="", flush=True)
        path.unlink()


def run(kind: str, count: int, seed: int = 0) -> dict[str, int]:
    """Try ``count`` damaged files; how many were refused, ran on, ended in another exception, hung, or in a crash."""
    return run_trials(str(Path(__file__).resolve()), count, seed, kind, before=(kind,))


def keep(kind: str, number: int, seed: int = 0) -> None:
    """Write a damaged file into the working folder."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        data, ending = damaged(kind, seeds(kind, Path(folder)), number, seed)
    Path(f"{kind}_{seed}_{number}{ending}").write_bytes(data)


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(sys.argv[2], *map(int, sys.argv[3:6]), Path(sys.argv[6]))
    elif sys.argv[1] == "keep":
        keep(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        print(sys.argv[1], run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0))
