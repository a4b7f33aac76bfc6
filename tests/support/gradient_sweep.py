"""Derivatives of a step of thirty models against MuJoCo's in float64: every integrator, both cones, Newton and CG.

    python tests/support/gradient_sweep.py [MODEL ...] [--saved FILE] [--page docs/derivatives.md]

Each model is taken with the settings of ``COMBINATIONS`` at states that MuJoCo's steps under random controls lead to, three unequal worlds.
The reference is ``mjd_transitionFD``, centred, eps 1e-6, in float64, with the solver at its minimum and the search for contacts of convex shapes at its
end: where the latter stops as soon as the depth is known, the point of a shallow curve is still a part of a millimetre away and moves as the search does. CG may
stop at a step that gains nothing while its gradient is still 1e-7 of the forces, which differences divide by their eps: where they do not agree, all iterations
are taken. A state is smooth where a fifth of that eps
gives the same matrices to 1e-4 of their norm, and differences to one side the same to 3e-4; a world goes on until it has found such a state, and counts where a
step of both sides changes velocities alike to 1e-3. Where no state of a world is smooth in that sense and MuJoCo searches for contacts of curved shapes, whose
normals jump by 1e-9 to 1e-8 however long it searches, the reference is the median of quotients with eight eps of 2e-5 to 9e-5, half of which and the other
half agree to 1e-3. The error is relative to the norm of A or B.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path

import mujoco
import numpy as np
import oracle
import warp as wp
from gradient_checks import reference
from paths import SHARED

from newtonish import mjw
from newtonish.errors import NewtonishError

BEGIN, END = "<!-- models: written by tests/support/gradient_sweep.py -->\n", "<!-- end of models -->"
MODELS = (
    "dm_humanoid/humanoid.xml", "gym_ant/ant.xml", "gym_walker2d/walker2d_v5.xml", "gym_half_cheetah/half_cheetah.xml", "dmc_cartpole/cartpole.xml",
    "dmc_manipulator/manipulator.xml", "dmc_fish/fish.xml", "barkour_vb/scene.xml", "barkour_vb/scene_hfield_mjx.xml", "unitree_g1/scene.xml",
    "xarm7/scene.xml", "allegro_hand/scene_right.xml", "cassie/scene.xml", "skydio_x2/scene.xml", "softfoot/scene.xml", "wx250s/scene.xml",
    "metaworld_drawer/sawyer_xyz/sawyer_drawer.xml", "myofinger/myo_sim/finger/myofinger_v0.xml", "myofinger/myo_sim/finger/motorfinger_v0.xml",
    "myotorso/myo_sim/torso/myotorso.xml", "arm21/arm21.xml", "sensor_zoo/sensor.xml", "sensor_zoo/model.xml", "rubik_cube/cube_3x3x3.xml",
    "replicate_scenes/newton_cradle.xml", "replicate_scenes/helix.xml", "small_mechanisms/car/car.xml", "small_mechanisms/slider_crank/slider_crank.xml",
    "small_mechanisms/balloons/balloons.xml", "surfacevel/carousel.xml",
)  # fmt: skip
COMBINATIONS = (
    ("EULER", "PYRAMIDAL", "NEWTON"),
    ("EULER", "ELLIPTIC", "CG"),
    ("RK4", "PYRAMIDAL", "CG"),
    ("IMPLICIT", "ELLIPTIC", "NEWTON"),
    ("IMPLICITFAST", "PYRAMIDAL", "NEWTON"),
    ("DISCRETE", "ELLIPTIC", "NEWTON"),
)
STEPS, TRIES, GOAL = 60, 8, 1e-3
WIDE, SCATTER = tuple(1e-5 * k for k in range(2, 10)), 1e-3
SEARCHED = (int(mujoco.mjtGeom.mjGEOM_ELLIPSOID), int(mujoco.mjtGeom.mjGEOM_CYLINDER))


@dataclass
class Line:
    """What came of one model under one combination."""

    model: str
    combination: tuple[str, ...]
    nv: int = 0
    contacts: int = 0
    """The most of a world."""
    worlds: int = 0
    """Those at a smooth state where steps of both sides do the same."""
    apart: int = 0
    """Those where they do not, as points of convex contacts are chosen otherwise."""
    error: float = np.nan
    differences: float = np.nan
    """Of ``transition_fd``, with the best of its eps."""
    refused: list[str] = field(default_factory=list)


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Difference relative to the norm."""
    return float(np.linalg.norm(ours - theirs) / max(np.linalg.norm(theirs), 1e-12)) if theirs.size else 0.0


def _smooth(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> tuple[np.ndarray, np.ndarray] | None:
    """The reference at a state; None if it is not smooth there."""
    usual = mjm.opt.tolerance
    tolerances = (usual, 0.0) if mjm.opt.solver == mujoco.mjtSolver.mjSOL_CG else (usual,)
    found = None
    for mjm.opt.tolerance in tolerances:
        here, finer, aside = reference(mjm, mjd), reference(mjm, mjd, 2e-7), reference(mjm, mjd, 1e-7, centred=False)
        if max(map(distance, finer, here)) <= 1e-4 and max(map(distance, aside, here)) <= 3e-4:
            found = here
            break
    mjm.opt.tolerance = usual
    return found


def settle(pair: oracle.Pair, own: mujoco.MjModel) -> list[tuple[np.ndarray, np.ndarray] | None]:
    """Let worlds go on under their ``own`` settings until each is at a smooth state of float32 numbers; the references there, None where none was found."""
    found: list = []
    for world, mjd in enumerate(pair.mjds):
        rng = np.random.default_rng([7, world])
        matrices, coarse = None, None
        for _ in range(TRIES):
            for name in ("qpos", "qvel", "act", "ctrl"):
                getattr(mjd, name)[:] = getattr(mjd, name).astype(np.float32)
            mujoco.mj_normalizeQuat(pair.mjm, mjd.qpos)
            mujoco.mj_forward(pair.mjm, mjd)
            matrices = _smooth(pair.mjm, mjd)
            if matrices is not None:
                break
            if coarse is None and np.isin(pair.mjm.geom_type[mjd.contact.geom], SEARCHED).any():
                coarse = _median(pair.mjm, mjd)
            for _ in range(3):
                if pair.mjm.nu:
                    mjd.ctrl[:] = oracle.random_controls(pair.mjm, rng)
                mujoco.mj_step(own, mjd)
        if matrices is None and coarse is not None:
            matrices, state = coarse
            mujoco.mj_copyData(mjd, pair.mjm, state)
        found.append(matrices)
    oracle.push(pair)
    return found


def _median(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> tuple[tuple[np.ndarray, np.ndarray], mujoco.MjData] | None:
    """References by many eps, entry by entry, and the state, unless the eps say different things."""
    all_eps = [reference(mjm, mjd, eps) for eps in WIDE]
    whole, one, other = ([np.median(matrices, axis=0) for matrices in zip(*part, strict=True)] for part in (all_eps, all_eps[::2], all_eps[1::2]))
    if max(map(distance, one, other)) > SCATTER:
        return None
    state = mujoco.MjData(mjm)
    mujoco.mj_copyData(state, mjm, mjd)
    return (whole[0], whole[1]), state


def _take_up(mjm: mujoco.MjModel, combination: tuple[str, ...]) -> None:
    """Give a model the settings of a combination, and let its solver end at the minimum, its search for contacts at the shapes' own points."""
    integrator, cone, solver = combination
    mjm.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    mjm.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone}")
    mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
    mjm.opt.noslip_iterations = 0
    mjm.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    mjm.opt.tolerance, mjm.opt.iterations, mjm.opt.ls_iterations = 1e-14, 500, 100
    mjm.opt.ccd_tolerance, mjm.opt.ccd_iterations = 1e-14, 1000


def pair_of(path: Path, combination: tuple[str, ...], device: str) -> tuple[oracle.Pair, mujoco.MjModel]:
    """Worlds where the model's own settings lead to, under those of the combination from now on; and the model with its own."""
    start = oracle.load(path, 3, device=device)
    oracle.advance(start, STEPS)
    mjm = copy.deepcopy(start.mjm)
    _take_up(mjm, combination)
    m = mjw.put_model(mjm, strict=False, device=device)
    return oracle.Pair(mjm, start.mjds, m, mjw.make_data(m, start.nworld)), start.mjm


def worst(ours: tuple[wp.array, wp.array], theirs: list) -> float:
    """The largest error of a matrix in a world that has a reference."""
    hosts = [array.numpy().astype(float) for array in ours]
    return max(max(map(distance, (host[w] for host in hosts), pair)) for w, pair in enumerate(theirs) if pair is not None)


def measure(model: str, combination: tuple[str, ...], device: str = "cpu", differences: bool = True) -> Line:
    """One model under one combination."""
    line = Line(model, combination)
    path = Path(model) if Path(model).is_absolute() else SHARED / model
    pair, own = pair_of(path, combination, device)
    theirs = settle(pair, own)
    line.nv, line.contacts = pair.mjm.nv, max(mjd.ncon for mjd in pair.mjds)
    mjw.step(pair.m, pair.d)
    for world, (mjd, velocity) in enumerate(zip(pair.mjds, pair.d.qvel.numpy(), strict=True)):
        moved = mujoco.MjData(pair.mjm)
        mujoco.mj_copyData(moved, pair.mjm, mjd)
        mujoco.mj_step(pair.mjm, moved)
        if theirs[world] is not None and distance(velocity - mjd.qvel, moved.qvel - mjd.qvel) > GOAL:
            theirs[world] = None
            line.apart += 1
    oracle.push(pair)
    line.worlds = sum(matrices is not None for matrices in theirs)
    if not line.worlds:
        return line
    nx = 2 * pair.mjm.nv + pair.mjm.na
    ours = tuple(wp.zeros((pair.nworld, nx, n), dtype=float, device=device) for n in (nx, pair.mjm.nu))
    try:
        mjw.transition(pair.m, pair.d, *ours)
        line.error = worst(ours, theirs)
    except NewtonishError as error:
        line.refused = [text.removeprefix("transition: ").split("; allowed")[0] for text in str(error).splitlines()][:3]
    if differences:
        line.differences = min(_by_differences(pair, ours, theirs, eps) for eps in (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3))
    return line


def _by_differences(pair: oracle.Pair, ours: tuple[wp.array, wp.array], theirs: list, eps: float) -> float:
    try:
        mjw.transition_fd(pair.m, pair.d, eps, True, *ours)
    except NewtonishError:
        return np.inf
    return worst(ours, theirs)


def table(lines: list[Line]) -> str:
    """One row a model: what each integrator's error is, and that of differences with the first combination."""
    heads = [" ".join(word.lower() for word in combination) for combination in COMBINATIONS]
    rows = ["| model | nv | contacts | " + " | ".join(heads) + " | differences |", "|---|---|---|" + "---|" * (len(heads) + 1)]
    for model in dict.fromkeys(line.model for line in lines):
        mine = {line.combination: line for line in lines if line.model == model}
        cells = [_cell(mine.get(combination)) for combination in COMBINATIONS]
        first = next(iter(mine.values()))
        span = f"{first.differences:.0e}" if np.isfinite(first.differences) else ""
        contacts = max(line.contacts for line in mine.values())
        rows.append(f"| {model.removesuffix('.xml')} | {first.nv} | {contacts} | {' | '.join(cells)} | {span} |")
    return "\n".join(rows) + "\n"


def _cell(line: Line | None) -> str:
    if line is None:
        return ""
    if line.refused:
        return "refused"
    return f"{line.error:.0e}" if line.worlds else "other contacts" if line.apart else "no smooth state"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--combination", type=int, nargs="*", default=range(len(COMBINATIONS)), help="numbers of those that are taken")
    parser.add_argument("--saved", type=Path, help="results so far: models in it are not measured again, new ones are added")
    parser.add_argument("--page", type=Path, help="page whose table is written")
    parser.add_argument("--no-differences", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = (
        [Line(**{**entry, "combination": tuple(entry["combination"])}) for entry in json.loads(args.saved.read_text())]
        if args.saved and args.saved.exists()
        else []
    )
    done = {(line.model, line.combination) for line in lines}
    for model in args.models:
        for number in args.combination:
            if (model, COMBINATIONS[number]) in done:
                continue
            line = measure(model, COMBINATIONS[number], differences=not args.no_differences)
            lines.append(line)
            print(f"{model:60s} {'/'.join(line.combination):32s} nv {line.nv:3d} contacts {line.contacts:3d} smooth {line.worlds} apart {line.apart} error {line.error:.1e}"
                  f" differences {line.differences:.1e} {'; '.join(line.refused)}", flush=True)  # fmt: skip
            if args.saved:
                args.saved.write_text(json.dumps([asdict(line) for line in lines]))
    within = sum(line.error <= GOAL for line in lines)
    print(f"{within} of {len(lines)} within {GOAL:.0e}")
    if args.page:
        text = args.page.read_text(encoding="utf-8")
        head, tail = text.split(BEGIN)[0], text.split(END)[1]
        args.page.write_text(head + BEGIN + "\n" + table(lines) + "\n" + END + tail, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
