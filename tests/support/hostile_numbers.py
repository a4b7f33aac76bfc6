"""Numbers out of place in archives, in models and in states, each tried in a process that may die: ``python hostile_numbers.py KIND COUNT [SEED]``.

Kinds: ``archive`` (one number of an archive's index arrays or sizes changed, or bytes of it damaged, then loaded and stepped), ``edit`` (one
entry of an integer array of a model on the device), ``compiled`` (one entry of an integer array of MuJoCo's model), ``history`` (the buffers of delays, also by
``set_state``). Prints one line: how many were tried, refused, ran on, ended in another exception, and killed the process.
"""

from __future__ import annotations

import copy
import functools
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from paths import OWN, REPO
from tried import MARK, run_trials

MODELS = ("tendon_zoo.xml", "all_sensors.xml", "fixed_tendons.xml", "equality_zoo.xml", "smooth_zoo.xml")
VALUES = (1_000_000, -1_000_000, 100_000, -2, -1, 0, 1, 7, 50, 2**31 - 1)
STEPS = 2


def sources() -> list[Path]:
    return [
        path for path in (*(OWN / name for name in MODELS), REPO / "newtonish/assets/arm_gripper.xml", REPO / "newtonish/assets/hand_cube.xml") if path.exists()
    ]


def wrong_entry(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    changed = array.copy()
    changed.reshape(-1)[int(rng.integers(changed.size))] = VALUES[int(rng.integers(len(VALUES)))] if rng.random() < 0.7 else int(rng.integers(-3, 60))
    return changed


def try_archive(rng: np.random.Generator, folder: Path) -> None:
    from newtonish import mjw

    made = sorted(folder.glob("good*.npz"))
    if not made:
        from saved import compiled

        from newtonish.exporters.archive import write_archive

        for i, path in enumerate(sources()):
            write_archive(folder / f"good{i}.npz", compiled(path), path.name, {"mode": "none"})
        made = sorted(folder.glob("good*.npz"))
    good = made[int(rng.integers(len(made)))]
    bad = folder / "bad.npz"
    if rng.random() < 0.15:
        data = bytearray(good.read_bytes())
        for at in rng.integers(0, len(data), int(rng.integers(1, 20))):
            data[at] = int(rng.integers(256))
        bad.write_bytes(data)
    else:
        with np.load(good) as found:
            arrays = {name: found[name] for name in found.files}
        numbers = [name for name, array in arrays.items() if array.dtype.kind in "iu" and array.size and name != "header"]
        floats = [name for name, array in arrays.items() if array.dtype.kind == "f" and array.size]
        if rng.random() < 0.85:
            name = numbers[int(rng.integers(len(numbers)))]
            with np.errstate(over="ignore"):
                arrays[name] = wrong_entry(arrays[name].astype(np.int64), rng).astype(arrays[name].dtype)
        else:
            name = floats[int(rng.integers(len(floats)))]
            arrays[name] = arrays[name].copy()
            arrays[name].reshape(-1)[int(rng.integers(arrays[name].size))] = rng.choice([np.nan, np.inf, -1.0, 1e30, 0.0])
        np.savez(bad, **arrays)
    m, d = mjw.load(bad, nworld=2)
    for _ in range(STEPS):
        mjw.step(m, d)


def put(rng: np.random.Generator, change=None):
    """A model and its data; without a change the same ones again."""
    from newtonish import mjw

    paths = sources()
    path = paths[int(rng.integers(len(paths)))]
    if change is None and path in _put:
        return _put[path]
    mjm = copy.copy(_compiled(path))
    if change:
        change(mjm)
    m = mjw.put_model(mjm, strict=False)
    d = mjw.make_data(m, 2)
    if change is None:
        _put[path] = m, d
    return m, d


_put: dict[Path, tuple] = {}


@functools.cache
def _compiled(path: Path):
    import mujoco

    return mujoco.MjModel.from_xml_path(str(path))


def try_edit(rng: np.random.Generator, folder: Path) -> None:
    from newtonish import mjw

    m, d = put(rng)
    mjw.step(m, d)
    names = [name for name, (_, f) in m.FLAT.items() if f.dims is not None and f.dtype.__name__ in ("int32", "vec2i", "vec3i") and getattr(m, name).size]
    name = names[int(rng.integers(len(names)))]
    given = getattr(m, name).numpy().copy()
    changed = wrong_entry(given, rng)
    try:
        if rng.random() < 0.5:
            setattr(m, name, changed)
        else:
            getattr(m, name).assign(changed)
        for _ in range(STEPS):
            mjw.step(m, d)
    finally:
        getattr(m, name).assign(given)


def try_compiled(rng: np.random.Generator, folder: Path) -> None:
    from newtonish import mjw

    def change(mjm) -> None:
        names = [n for n in dir(mjm) if n[0] != "_" and isinstance(getattr(mjm, n), np.ndarray) and getattr(mjm, n).dtype.kind in "iu" and getattr(mjm, n).size]
        array = getattr(mjm, names[int(rng.integers(len(names)))])
        with np.errstate(over="ignore"):
            array[...] = wrong_entry(array.astype(np.int64), rng).astype(array.dtype)

    m, d = put(rng, change)
    for _ in range(STEPS):
        mjw.step(m, d)


def try_history(rng: np.random.Generator, folder: Path) -> None:
    import warp as wp

    from newtonish import mjw
    from newtonish.common.enums import State

    text = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
      <actuator><motor joint="j" nsample="5" delay=".006" interp="cubic"/></actuator><sensor><jointpos joint="j" nsample="4" delay=".004" interval=".004"/></sensor></mujoco>"""
    m, d = mjw.load(text, nworld=2)
    mjw.step(m, d)
    history = d.history.numpy().copy()
    history[0, int(rng.integers(history.shape[1]))] = rng.choice([np.nan, np.inf, -np.inf, 1e9, -1e9, 1e30, 3.7, -1.0])
    if rng.random() < 0.5:
        d.history.assign(history)
    else:
        mjw.set_state(m, d, wp.array(history, dtype=wp.float32), int(State.HISTORY))
    for _ in range(6):
        mjw.step(m, d)


TRIALS = {"archive": try_archive, "edit": try_edit, "compiled": try_compiled, "history": try_history}


def child(kind: str, first: int, count: int, seed: int, folder: Path) -> None:
    """Try some, and print a letter for each when it is over: a process that dies has printed one less than it began."""
    import warp as wp

    from newtonish.errors import NewtonishError

    wp.config.quiet = True
    warnings.simplefilter("ignore")
    for i in range(first, first + count):
        try:
            TRIALS[kind](np.random.default_rng((seed, i)), folder)
            letter = "o"
        except NewtonishError:
            letter = "r"
        except Exception as error:
            letter = "x"
            print(f"{kind} {i}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        print(MARK + letter, end="", flush=True)


def run(kind: str, count: int, seed: int = 0) -> dict[str, int]:
    """Try ``count`` numbers; how many were refused, ran on, ended in another exception, or in a crash."""
    return run_trials(__file__, count, seed, kind, before=(kind,))


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(sys.argv[2], *map(int, sys.argv[3:6]), Path(sys.argv[6]))
    else:
        print(sys.argv[1], run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0))
