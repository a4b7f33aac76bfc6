"""Damaged files through every reader: ``python hostile_files.py KIND COUNT [SEED]``, kinds ``mjcf``, ``urdf``, ``usd``.

Each file ends as a model or as an error of ours. Prints how many were tried, read, refused, and ended in another exception, and the longest
processor time that one took. A file that takes longer than ``LONGEST`` counts as hanging.
"""

from __future__ import annotations

import collections
import random
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutations import drop_elements, mutate, swap_values
from paths import OWN, REPO

LONGEST = 60  # seconds


class Hanging(BaseException):
    """A file took too long."""


def seeds(kind: str) -> list[bytes]:
    """Files to damage."""
    if kind == "mjcf":
        paths = [*sorted(OWN.glob("*.xml")), *sorted((REPO / "newtonish/assets").glob("*.xml"))]
        return [path.read_bytes() for path in paths if path.stat().st_size < 12_000]
    if kind == "usd":
        return usd_seeds()
    sys.path.insert(0, str(REPO / "tests/importers"))
    from test_urdf_fuzz import OWN as robot

    return [robot]


def usd_seeds() -> list[bytes]:
    """Stages that our own writer makes of models."""
    from saved import compiled

    from newtonish.exporters.usd import save_to_usd

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for path in ("tendon_zoo.xml", "equality_zoo.xml", "fixed_tendons.xml"):
            for ending in (".usda", ".usdc"):
                out = Path(folder) / f"m{ending}"
                save_to_usd(compiled(OWN / path), out)
                found.append(out.read_bytes())
                out.unlink()
    return found


def attempt(kind: str, path: Path) -> None:
    from newtonish import ModelBuilder

    {"mjcf": ModelBuilder.add_mjcf, "urdf": ModelBuilder.add_urdf, "usd": ModelBuilder.add_usd}[kind](ModelBuilder(), str(path))


def run(kind: str, count: int, seed: int = 0) -> dict[str, float]:
    """Try ``count`` damaged files."""
    from newtonish.errors import NewtonishError

    def too_long(*_) -> None:
        raise Hanging

    found: collections.Counter[str] = collections.Counter()
    slowest = 0.0
    good = seeds(kind)
    signal.signal(signal.SIGALRM, too_long)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(count):
            draw = random.Random(f"{seed} {i}")
            data = draw.choice(good)
            text = not data.startswith(b"PXR-USDC")
            data = (draw.choice((mutate, mutate, swap_values, drop_elements)) if text else mutate)(data, draw)
            path = Path(folder) / {"mjcf": "m.xml", "urdf": "m.urdf", "usd": f"m{i}.usda" if text else f"m{i}.usdc"}[kind]
            path.write_bytes(data)
            begin = time.process_time()
            signal.alarm(LONGEST)
            try:
                attempt(kind, path)
                found["read"] += 1
            except NewtonishError:
                found["refused"] += 1
            except Hanging:
                found["hung"] += 1
                print(f"{kind} {i}: hung", file=sys.stderr)
            except Exception as error:
                found["foreign"] += 1
                print(f"{kind} {i}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            finally:
                signal.alarm(0)
            slowest = max(slowest, time.process_time() - begin)
            path.unlink()
    return {"tried": count, **{name: found[name] for name in ("read", "refused", "foreign", "hung")}, "slowest": round(slowest, 2)}


if __name__ == "__main__":
    print(sys.argv[1], run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0))
