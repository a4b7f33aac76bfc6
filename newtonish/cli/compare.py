"""``newtonish compare FILE``: a model compiled and simulated here and by MuJoCo, side by side.

First the compiled arrays, field by field; then both engines step from the reference pose under the same controls. Differences of
positions and velocities grow in any chaotic motion, from single precision's first digits on: what counts is where they begin
and how fast they grow.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.bench.engine import PeerMissing
from newtonish.cli.controls import Controls, control_limits
from newtonish.cli.figures import check_matplotlib, save_figure
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path
from newtonish.cli.output import findings
from newtonish.errors import problem

__all__ = ["run"]

TOLERANCE = 1e-5
"""Difference, relative to one and to the size of a number, above which a field counts as different."""

SHOWN = 12
MARKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_NOT_COMPARED = ("mesh_graph", "mesh_graphadr", "mesh_normal", "mesh_normaladr", "mesh_normalnum", "body_bvhadr", "body_bvhnum")
"""Hulls, normals for viewers and bounding volumes, which each side makes in its own way."""


class FieldDifference(NamedTuple):
    """The worst place of a field: both numbers, and their difference by one plus the size of MuJoCo's."""

    name: str
    place: str
    ours: float
    theirs: float
    error: float


class Sample(NamedTuple):
    """Both engines after a number of steps: the largest differences, and the contacts of each."""

    step: int
    qpos: float
    qvel: float
    contacts: int
    contacts_mujoco: int


def compare_fields(compiled: Any, theirs: Any) -> tuple[int, list[FieldDifference]]:
    """Number of fields compared, and the differences, worst first; another shape is an infinite difference."""
    from newtonish.common.compiled_fields import FIELDS

    found, count = [], 0
    values = {name: (getattr(compiled, name), getattr(theirs, name)) for name in FIELDS if hasattr(theirs, name)}
    values |= {f"opt.{name}": (value, getattr(theirs.opt, name)) for name, value in vars(compiled.opt).items()}
    for name, (ours, other) in values.items():
        if name in _NOT_COMPARED or name.endswith("_user"):
            continue
        count += 1
        ours, other = _numbers(ours), _numbers(other)
        if ours.shape != other.shape:
            found.append(FieldDifference(name, f"shape {ours.shape} against {other.shape}", np.nan, np.nan, np.inf))
            continue
        if name.endswith("quat") and ours.size:  # both signs are one rotation
            ours = ours * np.where(np.sum(ours * other, axis=-1, keepdims=True) < 0, -1.0, 1.0)
        error = np.abs(ours - other) / (1.0 + np.abs(other))
        if error.size and error.max() > 0.0:
            at = np.unravel_index(int(error.argmax()), error.shape)
            place = f"[{', '.join(map(str, map(int, at)))}]" if at else ""
            found.append(FieldDifference(name, place, float(ours[at]), float(other[at]), float(error[at])))
    return count, sorted(found, key=lambda f: -f.error)


def _numbers(value: Any) -> np.ndarray:
    """A field as numbers; MuJoCo gives texts as bytes."""
    return np.asarray(np.frombuffer(value, dtype=np.uint8) if isinstance(value, bytes) else value, dtype=np.float64)


def compare_motion(mjw: Any, m: Any, d: Any, peer: Any, steps: int, seed: int | None) -> list[Sample]:
    """Step both engines from the reference pose; one sample after every step."""
    low, high = control_limits(peer.model.actuator_ctrlrange, peer.model.actuator_ctrllimited)
    controls = Controls("zero" if seed is None else "random", low, high, 1, seed or 0)
    samples: list[Sample] = []
    for signal, held in controls.turn(steps):
        for _ in range(held):
            if signal.size:
                d.ctrl.assign(signal)
            mjw.step(m, d)
            peer.advance(signal, 1)
            theirs = peer.first
            gaps = [float(np.abs(ours.numpy()[0] - other).max(initial=0.0)) for ours, other in ((d.qpos, theirs.qpos), (d.qvel, theirs.qvel))]
            samples.append(Sample(len(samples) + 1, *gaps, int(d.ncon.numpy()[0]), int(theirs.ncon)))
    return samples


def _print_fields(count: int, found: list[FieldDifference]) -> None:
    """The worst fields as a table."""
    different = sum(f.error > TOLERANCE for f in found)
    title = f"Compiled arrays: {count} fields, {different or 'none'} of them different by more than {TOLERANCE:g}; the worst"
    rows = [(f.name, f.place, f"{f.ours:.7g}", f"{f.theirs:.7g}", f"{f.error:.1e}") for f in found[:SHOWN]]
    if rows:
        tables.grid(title, ("field", "at", "newtonish", "mujoco", "difference"), rows, left=2)
    else:
        print(f"\nCompiled arrays: {count} fields, all equal to the last digit")


def _print_motion(samples: list[Sample], seed: int | None) -> None:
    """The growth of the difference as a table."""
    marks = sorted({*(mark for mark in MARKS if mark <= len(samples)), len(samples)})
    rows = [(str(s.step), f"{s.qpos:.1e}", f"{s.qvel:.1e}", str(s.contacts), str(s.contacts_mujoco)) for s in (samples[i - 1] for i in marks)]
    how = "without controls" if seed is None else f"under random controls (seed {seed})"
    title = f"Side by side from the reference pose, {how}: largest differences"
    tables.grid(title, ("step", "qpos", "qvel", "contacts", "mujoco's"), rows, left=0)


def _plot(samples: list[Sample], name: str, path: Path) -> None:
    """Draw the growth of the difference."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for field in ("qpos", "qvel"):
        axes.semilogy([s.step for s in samples], [max(getattr(s, field), 1e-12) for s in samples], label=field)
    axes.set(xlabel="step", ylabel="largest difference", title=f"{name}: newtonish against mujoco")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    save_figure(figure, path, dpi=100)


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    path = model_path(arguments.model)
    picture = output_path("--plot", arguments.plot)
    if picture is not None:
        check_matplotlib()
    use_device("cpu")
    from newtonish import mjw
    from newtonish.cli.bench.peers import make
    from newtonish.mjw.from_file import read_compiled

    try:
        peer = make("mujoco", path, 1, "cpu")
    except PeerMissing as missing:
        remedy = "install it with pip install mujoco" if "not installed" in str(missing) else "see 'newtonish info' for what newtonish makes of it"
        raise UsageError(problem("compare: mujoco", str(missing), "MuJoCo and a model that it loads", remedy)) from None
    with short_warnings(path):
        count, found = compare_fields(read_compiled(str(path))[0], peer.model)
    _print_fields(count, found)
    with short_warnings(path, limit=None), tables.working("compiling and stepping"):
        m, d = mjw.load(str(path), device="cpu")
        samples = compare_motion(mjw, m, d, peer, arguments.steps, arguments.seed)
    _print_motion(samples, arguments.seed)
    if picture is not None:
        _plot(samples, path.name, picture)
        print(f"picture written to {picture}")
    figures = {
        "model": str(path),
        "seed": arguments.seed,
        "fields": count,
        "differences": [f._asdict() for f in found],
        "steps": [s._asdict() for s in samples],
    }
    findings(arguments, figures)
    return 0
