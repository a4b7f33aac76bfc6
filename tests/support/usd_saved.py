"""Written stages against the models they come from: imported again and compiled, array by array.

    python tests/support/usd_saved.py [MODEL ...]

does it for every MJCF and URDF of the shared models (or those whose names contain a word), and prints a line for each.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from paths import OWN, SHARED
from saved import difference

from newtonish import ModelBuilder
from newtonish.common.compiled_fields import FIELDS
from newtonish.common.enums import EqType
from newtonish.convert import CompiledModel, convert
from newtonish.errors import NewtonishError
from newtonish.exporters.usd import save_to_usd

ROUNDED = ("body_sameframe", "geom_sameframe", "site_sameframe", "body_simple")
"""Short cuts that are taken where two frames are equal to the last bit; stages hold single precision."""

KNOWN = {"allegro_hand_description_right.urdf": ("geom_quat", "mesh_quat")}
"""Models with a mesh two of whose principal moments are equal to four digits, so that rounding turns its frame about the third axis."""

LOOKS = ("light_texid",)
"""Pictures of lights are not written."""


def built(source: Any, **arguments: Any) -> ModelBuilder:
    """What our importers make of a file."""
    builder = ModelBuilder()
    kind = {".xml": "add_mjcf", ".urdf": "add_urdf"}.get(Path(str(source)).suffix, "add_usd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(builder, kind)(str(source), **arguments)
    return builder


def compiled(builder: ModelBuilder) -> CompiledModel:
    """The arrays of what was built."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return convert(builder.finalize(device="cpu"))


def differences(origin: CompiledModel, path: Path, **arguments: Any) -> list[str]:
    """What differs between arrays and those of the stage that was written of them; ``arguments`` are those of ``add_usd``."""
    again = compiled(built(path, **arguments))
    wrong = [line for name in FIELDS if not name.startswith(LOOKS) for line in difference(name, *(_plain(m, name, origin) for m in (again, origin)))]
    wrong += difference("geom_filter_pairs", again.geom_filter_pairs, origin.geom_filter_pairs)
    for part in ("opt", "stat"):
        for name, value in vars(getattr(origin, part)).items():
            wrong += difference(f"{part}.{name}", getattr(getattr(again, part), name), value)
    return wrong


def _plain(m: CompiledModel, name: str, origin: CompiledModel) -> Any:
    """A field, without the sense of short cuts; vertices in units of the largest mesh."""
    value = np.array(getattr(m, name))
    if name == "mesh_vert" and value.size:
        return value / float(np.abs(origin.mesh_vert).max(initial=1.0))
    if name == "eq_data":  # of two quaternions for one rotation of a weld, that with a positive largest part
        weld = np.asarray(m.eq_type) == EqType.WELD
        part = np.take_along_axis(value[:, 6:10], np.abs(value[:, 6:10]).argmax(axis=1)[:, None], axis=1)
        value[:, 6:10] *= np.where(weld[:, None] & (part < 0.0), -1.0, 1.0)
    return value * 0 if name in ROUNDED else value


def models(words: list[str]) -> list[Path]:
    """The shared models, ours, and those of other formats, whose paths contain one of the words."""
    found = sorted([*OWN.glob("*.xml"), *SHARED.rglob("*.xml"), *SHARED.rglob("*.urdf")])
    return [path for path in found if not words or any(word in str(path) for word in words)]


def main(words: list[str]) -> int:
    """Write and compare every model; returns the number of those that differ."""
    failed = 0
    for path in models(words):
        if "<mujocoinclude" in path.read_text(errors="replace"):
            continue
        start = time.perf_counter()
        left: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / f"model{'.usda' if len(path.name) % 2 else '.usdc'}"
            try:
                builder = built(path)
            except NewtonishError as error:
                print(f"{path.parent.name}/{path.name}: not imported, {str(error).splitlines()[0][:80]}", flush=True)
                continue
            try:
                origin = compiled(builder)
                left = save_to_usd(origin, out).left_out
                wrong = differences(origin, out)
            except NewtonishError as error:
                wrong = [f"{type(error).__name__}: {line}" for line in error.problems or [str(error)]]
        named = bool(left) or (bool(wrong) and all(line.startswith(KNOWN.get(path.name, ("?",))) for line in wrong))
        failed += bool(wrong) and not named
        print(
            f"{path.parent.name}/{path.name}: {'named: ' * (bool(wrong) and named)}{'; '.join(wrong) or 'equal'} {left or ''} ({time.perf_counter() - start:.1f} s)",
            flush=True,
        )
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
