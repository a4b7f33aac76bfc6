"""Worlds that are hit, beside worlds that are not: ``python chaos.py [WORLDS] [STEPS] [SEED]`` (1024 humanoids, 200 steps).

Every ten steps one world in twenty is hit: NaN in its state, controls or mocap pose, NaN in its geoms' sizes, infinite forces, or more contacts than
it has room for. Of the worlds that were not hit, every bit is compared with a run in which nobody was; those that were hit have to be back,
finite and in motion, and every event has to be reported once, by the right name. Prints one line.
"""

from __future__ import annotations

import collections
import sys
import warnings
from pathlib import Path

import numpy as np

EVERY, SHARE, HOLD = 10, 0.05, 5
"""Steps between hits, share of the worlds that are hit, steps after which what was broken is mended."""
KINDS = ("qpos", "qvel", "ctrl", "mocap_pos", "geom_size", "xfrc_applied", "qfrc_applied", "capacity")
COMPARED = ("qpos", "qvel", "act", "qacc_warmstart", "time", "nonfinite", "overflow", "ncon", "xpos")
NAMES = {
    "qpos": {"QPOS", "GEOM", "QACC"}, "qvel": {"QVEL", "QACC"}, "mocap_pos": {"MOCAP_POS"}, "geom_size": {"GEOM"},
    "xfrc_applied": {"XFRC_APPLIED"}, "qfrc_applied": {"QFRC_APPLIED"},
}  # fmt: skip
"""What the origin of a reset may be called."""
ROOM = 60  # contacts: more than a humanoid that lies on the floor makes
CROWD = 90  # balls, most of which touch the floor in a world that is hit with too many contacts


def model_text() -> str:
    """The packaged humanoid, a mocap body that pulls at its hand, and, far away, balls in a net of their own that can be dropped on the floor."""
    from newtonish.assets import HUMANOID, asset_path

    text = Path(asset_path(HUMANOID)).read_text(encoding="utf-8")
    hand = '<body name="handle" mocap="true" pos="0 0 3"><geom size=".02" contype="0" conaffinity="0"/></body>'
    block = "".join(f'<geom name="stud{i}" size=".02" pos="{0.1 * (i % 10)} {0.1 * (i // 10)} 0" mass=".1"/>' for i in range(CROWD))
    board = f'<body name="board" pos="40 40 5" gravcomp="1"><freejoint/>{block}</body>'
    text = text.replace("</worldbody>", hand + board + "</worldbody>", 1)
    return text.replace("</mujoco>", '<equality><connect body1="handle" body2="pelvis" anchor="0 0 0" active="false"/></equality></mujoco>', 1)


def run(nworld: int = 1024, steps: int = 200, seed: int = 0) -> dict[str, object]:
    """Step two copies of the worlds, one of which is hit, and compare."""
    from newtonish import mjw

    text = model_text()
    found: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    m, d = mjw.load(text, nworld=nworld, nconmax=ROOM, njmax=400, device="cpu")
    still, calm = mjw.load(text, nworld=nworld, nconmax=ROOM, njmax=400, device="cpu")
    m.geom_size = np.repeat(m.geom_size.numpy(), nworld, axis=0)
    good_size = m.geom_size.numpy().copy()
    start = d.qpos.numpy()
    start[:, :2] += np.linspace(-1.0, 1.0, nworld, dtype=np.float32)[:, None]
    draw = np.random.default_rng(seed)
    for data in (d, calm):
        data.qpos.assign(start)
        data.eq_active.fill_(True)
    hit_ever = np.zeros(nworld, dtype=bool)
    struck: dict[int, str] = {}
    board = m.nq - 7  # its free joint is the last one
    mjw.watch(m)  # counts bad controls, which are taken for zero as in MuJoCo
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for step in range(steps):
            if step % EVERY == 0:
                controls = draw.uniform(-0.5, 0.5, (nworld, m.nu)).astype(np.float32)
                d.ctrl.assign(controls)
                calm.ctrl.assign(controls)
                struck = _strike(m, d, draw, found, board)
                hit_ever[list(struck)] = True
                before = d.nonfinite.numpy().copy()
            if step % EVERY == HOLD:
                wrong += _reported(mjw, m, d, struck, before)
                _mend(m, d, struck, controls, good_size, mjw)
            mjw.step(m, d)
            mjw.step(still, calm)
    for name in COMPARED:
        ours, theirs = getattr(d, name).numpy()[~hit_ever], getattr(calm, name).numpy()[~hit_ever]
        if ours.tobytes() != theirs.tobytes():
            wrong.append(f"worlds that were not hit differ in {name}")
    wrong += _back(mjw, m, d, hit_ever)
    told = sum("contacts" in str(entry.message) for entry in caught)
    if found["capacity"] and told != 1:
        wrong.append(f"{told} warnings of capacities")
    return {
        "worlds": nworld, "steps": steps, "not hit": int((~hit_ever).sum()), "events": sum(found.values()), **dict(found), "wrong": len(wrong), "first": sorted(wrong, key=lambda text: text.split(",")[-1])[::max(1, len(wrong) // 8)][:8],
    }  # fmt: skip


def _strike(m: object, d: object, draw: np.random.Generator, found: collections.Counter[str], board: int) -> dict[int, str]:
    """Hit some worlds, each in one way."""
    struck = {}
    for w in draw.choice(d.nworld, max(1, round(SHARE * d.nworld)), replace=False):
        kind = KINDS[int(draw.integers(len(KINDS)))]
        found[kind] += 1
        struck[int(w)] = kind
        if kind == "capacity":
            host = d.qpos.numpy()
            host[w, board : board + 7] = [40.0, 40.0, 0.015, 1.0, 0.0, 0.0, 0.0]
            d.qpos.assign(host)
            continue
        array = getattr(m if kind == "geom_size" else d, kind)
        host = array.numpy()
        flat = host[w].reshape(-1)
        flat[int(draw.integers(flat.size)) if kind not in ("geom_size", "xfrc_applied") else 0 if kind == "geom_size" else 7] = (
            np.inf if kind.endswith("applied") else np.nan
        )
        array.assign(host)
    return struck


def _reported(mjw: object, m: object, d: object, struck: dict[int, str], before: np.ndarray) -> list[str]:
    """What is wrong with the reports of those that were struck."""
    wrong = []
    origins = {reset.world: reset for reset in mjw.resets(m, d)}
    counts, overflow = d.nonfinite.numpy() - before, d.overflow.numpy()
    controls = d.warning.numpy()[:, int(mjw.WarningType.BADCTRL)]
    for w, kind in struck.items():
        if kind == "capacity":
            if not overflow[w] or counts[w]:
                wrong.append(f"world {w}: a want of room was not flagged")
        elif kind == "ctrl":
            if counts[w] or not controls[w]:
                wrong.append(f"world {w}: a bad control was not counted, or reset the world")
        elif counts[w] < 1 or w not in origins or origins[w].kind.name not in NAMES[kind]:
            wrong.append(f"world {w}, {kind}: {counts[w]} resets, {origins[w].text if w in origins else 'none told'}")
        elif kind in ("qpos", "qvel") and counts[w] != 1:
            wrong.append(f"world {w}, {kind}: {counts[w]} resets for one event")
    quiet = np.ones(d.nworld, dtype=bool)
    quiet[list(struck)] = False
    if counts[quiet].any():
        wrong.append(f"{np.count_nonzero(counts[quiet])} worlds that were not struck were reset")
    return wrong


def _mend(m: object, d: object, struck: dict[int, str], controls: np.ndarray, good_size: np.ndarray, mjw: object) -> None:
    """Take away what broke them, and reset those whose contacts had no room."""
    worlds = list(struck)
    for array, good in ((m.geom_size, good_size), (d.ctrl, controls)):
        host = array.numpy()
        host[worlds] = good[worlds]
        array.assign(host)
    for array in (d.xfrc_applied, d.qfrc_applied):
        host = array.numpy()
        host[worlds] = 0.0
        array.assign(host)
    mask = np.zeros(d.nworld, dtype=bool)
    mask[worlds] = True
    mjw.reset_data(m, d, mask)
    active = d.eq_active.numpy()
    active[worlds] = True
    d.eq_active.assign(active)
    d.ctrl.assign(controls)


def _back(mjw: object, m: object, d: object, hit: np.ndarray) -> list[str]:
    """What is wrong with worlds that were hit, ten steps after the last of them was mended."""
    for _ in range(EVERY):
        mjw.step(m, d)
    wrong = []
    for name in ("qpos", "qvel"):
        if not np.isfinite(getattr(d, name).numpy()).all():
            wrong.append(f"{name} is not finite")
    if not (np.abs(d.qvel.numpy()[hit]) > 0.0).any(axis=1).all():
        wrong.append("a world that was hit does not move")
    if d.overflow.numpy().any() or d.nonfinite.numpy()[hit].any():
        wrong.append("a world that was mended is flagged")
    return wrong


if __name__ == "__main__":
    print("chaos", run(*(int(word) for word in sys.argv[1:])))
