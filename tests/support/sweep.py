"""Every model of the shared folder against MuJoCo, as it is written: a table, and the page made from it.

    python tests/support/sweep.py [MODEL ...] [--out FILE] [--page docs/conformance.md]
    python tests/support/sweep.py --wheel --page docs/conformance.md

A model is loaded by MuJoCo, put on the device, and compared stage by stage at three states: its first keyframe or reference
pose, and after 50 and 200 steps that MuJoCo makes under random controls, in unequal worlds. Nothing is switched off on either
side. ``--wheel`` takes the test models of MuJoCo that mujoco_warp brings in its wheel, which have a table of their own on the page
(``sweep_page.py``). ``--engine mujoco_warp`` measures the accelerations of mujoco_warp in the same states instead, as they come, with its
default capacities. Of the models of at most 60 degrees of freedom (``--largest 60``, three worlds, on a CPU) mujoco_warp 4.0
agrees with MuJoCo 4.0 at all three states in 75 of 89, in 30 of the 37 that move and are no unit-test file of a converter.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import agreement
import mujoco
import numpy as np
import oracle
import sweep_page
from device_arrays import compare
from paths import SHARED

from newtonish import mjw
from newtonish.errors import NewtonishError
from newtonish.mjw.supported import unsupported

STEPS = (0, 50, 200)
LARGE = 700  # degrees of freedom above which one world has to do


@dataclass
class Result:
    """A line of the table."""

    file: str
    nv: int = 0
    states: list[agreement.State] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    failure: str = ""
    imported: str = ""
    loaded: list[float] = field(default_factory=list)
    """Largest difference of accelerations at each state, as they come, of the model that our importer made."""
    seconds: float = 0.0

    def worlds(self) -> Iterator[tuple[int, int, agreement.World]]:
        for steps, state in zip(STEPS, self.states, strict=False):
            for number, world in enumerate(state.worlds):
                yield steps, number, world

    @property
    def agreeing(self) -> int:
        return sum(state.agrees for state in self.states)

    @property
    def coarse(self) -> int:
        return sum(state.coarse for state in self.states)

    @property
    def coarse_loaded(self) -> int:
        return sum(worst <= agreement.ISSUE for worst in self.loaded)

    @property
    def moves(self) -> bool:
        """Whether the model counts where moving models are counted: the unit-test files of a converter do not."""
        return self.nv > 0 and not self.file.startswith("converter_tests/")

    def worst(self, name: str) -> float:
        return max((getattr(world, name) for _, _, world in self.worlds()), default=np.nan)

    def errors(self) -> list[str]:
        """The first difference of each world that has one."""
        return [
            f"{steps} steps, world {number}: {world.errors[0]}" + f" (and {len(world.errors) - 1} more)" * (len(world.errors) > 1)
            for steps, number, world in self.worlds()
            if world.errors
        ]

    def remarks(self) -> list[str]:
        """Why states do not agree, and what is allowed to differ in those that do."""
        kinds: dict[str, int] = {}
        for _, _, world in self.worlds():
            for note in world.notes:
                kinds[kind(note)] = kinds.get(kind(note), 0) + 1
        notes = [f"{what} ({count})" for what, count in kinds.items()]
        return [self.failure] * bool(self.failure) + [f"refused: {line}" for line in self.refused] + self.errors() + notes

    def line(self) -> str:
        figures = f"{self.agreeing}/{len(STEPS)} {self.coarse}/{len(STEPS)} {self.coarse_loaded}/{len(STEPS)} {self.worst('qacc'):8.1e} {self.worst('verified_qacc'):8.1e}"
        return f"{self.file:62s} {self.nv:5d} {figures} {self.seconds:5.1f}s import: {self.imported} | {'; '.join(self.remarks())}"


def kind(note: str) -> str:
    """What sort of allowed difference a note tells of."""
    if note.startswith("contacts of convex"):
        return "points of convex contacts chosen otherwise"
    if note.startswith("capacity"):
        return "more contacts than the default room"
    if note.startswith("on a threshold"):
        return "a state on a threshold, compared beside it"
    if note.startswith("contact of geoms"):
        return "contact at the edge of detection or within rounding"
    return f"float32: {note.split(':')[0].split(' (')[0]}"


def wheel() -> Path:
    """The folder of test models in mujoco_warp's wheel."""
    found = importlib.util.find_spec("mujoco_warp")
    if found is None or found.origin is None:
        sys.exit("--wheel needs mujoco_warp: pip install mujoco-warp")
    return Path(found.origin).parent / "test_data"


def models(chosen: list[str], root: Path = SHARED) -> list[Path]:
    """The files of a folder asked for (parts of their names), or all."""
    files = sorted(root.rglob("*.xml"))
    return [path for path in files if not chosen or any(part in str(path.relative_to(root)) for part in chosen)]


def excluded(path: Path) -> str | None:
    """Why a file is not compared, or None."""
    if "<mujocoinclude" in path.read_text(encoding="utf-8", errors="replace"):
        return "a part that other files include"
    try:
        mjm = compiled(path)
    except ValueError as error:
        return f"MuJoCo does not compile it: {str(error).splitlines()[0]}"
    if mjm.nplugin:
        return "shapes of a plugin, whose distance functions have to be given"
    return "flexes are not simulated" if mjm.nflex else None


def compiled(path: Path) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(path))


def measured(mjm: mujoco.MjModel, steps: int, nworld: int, device: str) -> agreement.State:
    """Agreement after ``steps`` steps."""
    return agreement.measure(_after(mjm, steps, nworld, device))


def _after(mjm: mujoco.MjModel, steps: int, nworld: int, device: str) -> oracle.Pair:
    """Both sides after ``steps`` steps of MuJoCo's."""
    pair = oracle.from_model(mjm, nworld, device=device)
    oracle.advance(pair, steps)
    agreement.round_states(pair)
    return pair


def measured_through_load(path: Path, mjm: mujoco.MjModel, steps: int, nworld: int, device: str) -> float:
    """The same for what ``mjw.load`` makes of the file: the largest difference of accelerations, as they come."""
    pair = _after(mjm, steps, nworld, device)
    pair.m = mjw.load(str(path), nworld=1, device=device)[0]
    pair.m.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    pair.d = mjw.make_data(pair.m, nworld)
    agreement.run(pair)
    return max(agreement.relative(ours, mjd.qacc) for ours, mjd in zip(pair.d.qacc.numpy(), pair.mjds, strict=True))


def sweep(path: Path, device: str, nworld: int, root: Path = SHARED) -> Result:
    """Measure one model of a folder at all states, and its import."""
    result, start = Result(str(path.relative_to(root))), time.perf_counter()
    mjm = compiled(path)
    result.nv, result.refused = mjm.nv, unsupported(mjm)
    try:
        for steps in STEPS:
            result.states.append(measured(mjm, steps, nworld if mjm.nv <= LARGE else 1, device))
        for steps in STEPS:
            result.loaded.append(measured_through_load(path, mjm, steps, nworld if mjm.nv <= LARGE else 1, device))
    except Exception as error:
        result.failure = f"{type(error).__name__}: {error}".replace(f"{root}/", "").splitlines()[0]
        traceback.print_exc()
    result.imported = imported(path, device, root)
    result.seconds = time.perf_counter() - start
    return result


def imported(path: Path, device: str, root: Path = SHARED) -> str:
    """How our importer's arrays compare with those of MuJoCo's compiler."""
    try:
        compare(path, device)
    except NewtonishError as error:
        return "refused: " + " ".join(str(error).replace(f"{root}/", "").split())[:200]
    except AssertionError as error:
        return "differs: " + str(error).splitlines()[0][:120]
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:160]
    return "equal"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help="parts of file names; none: all")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--nworld", type=int, default=3)
    parser.add_argument("--largest", type=int, default=10**9, help="leave out models with more degrees of freedom")
    parser.add_argument("--out", type=Path, help="write the table to this file")
    parser.add_argument("--page", type=Path, help="write the documentation page to this file")
    parser.add_argument("--wheel", action="store_true", help="the test models in mujoco_warp's wheel instead")
    parser.add_argument("--engine", choices=("newtonish", "mujoco_warp"), default="newtonish")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if arguments.engine == "mujoco_warp":
        import peer_sweep  # takes seconds to load, and uses this file

        measure = peer_sweep.measure
    else:
        measure = sweep
    lines = [f"{'model':62s} {'nv':>5s} all as-it-comes through-load  qacc   qacc, its contacts"]
    results, left = [], []
    root = wheel() if arguments.wheel else SHARED
    for path in models(arguments.models, root):
        why = excluded(path)
        if why is None and compiled(path).nv > arguments.largest:
            why = "larger than asked for"
        if why:
            left.append(f"{path.relative_to(root)} ({why})")
            continue
        results.append(measure(path, arguments.device, arguments.nworld, root))
        lines.append(results[-1].line())
        print(lines[-1], flush=True)
        if arguments.out:
            arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    moving = [r for r in results if r.moves]
    summary = f"{sum(r.agreeing == 3 for r in results)} of {len(results)} agree, as it comes {sum(r.coarse == 3 for r in results)}; "
    summary += f"of {len(moving)} moving ones {sum(r.agreeing == 3 for r in moving)}, as it comes {sum(r.coarse == 3 for r in moving)}"
    print(summary)
    if arguments.out:
        arguments.out.write_text("\n".join([*lines, summary, "left out: " + "; ".join(left)]) + "\n", encoding="utf-8")
    if arguments.page:
        before = arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else ""
        write = sweep_page.with_wheel if arguments.wheel else sweep_page.page
        arguments.page.write_text(write(before, results, left, arguments.device, arguments.nworld, LARGE), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
