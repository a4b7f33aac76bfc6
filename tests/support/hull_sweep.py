"""Contacts of every mesh of the shared models, by our importer and by MuJoCo's compiler: ``python tests/support/hull_sweep.py [EVERY]``.

Each mesh is put on a block and against a copy of itself, turned at random and a little too deep, in unequal worlds. The two models
that the kernels get, from ``mjw.load`` and from ``mjw.put_model`` of MuJoCo's, must have the same faces, and find the same contacts.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import mujoco
import numpy as np

from newtonish import mjw

__all__ = ["compare", "contacts", "mesh_files", "scene"]

WORLDS = 24
DEPTH = 0.002
"""How deep a mesh lies in the block, as a share of its size."""
EQUAL = 1e-4
"""Difference of equal distances, as a share of the mesh's size."""


def mesh_files(shared: Path) -> list[Path]:
    """Mesh files below a folder that MuJoCo reads, in order."""
    return sorted(p for p in shared.rglob("*") if p.suffix.lower() in (".obj", ".stl"))


def scene(file: Path, folder: Path, settings: str = "") -> Path:
    """Write a model of a block, the mesh on a free joint above it, and a copy."""
    kind = file.suffix.lower()[1:]
    text = f"""<mujoco><compiler boundmass="1e-6" boundinertia="1e-9"/><asset><mesh name="m" file="{file}" content_type="model/{kind}" inertia="shell" {settings}/></asset>
      <worldbody><geom type="box" size="50 50 50" pos="0 0 -50" contype="1" conaffinity="1"/>
      <body name="a"><freejoint/><geom type="mesh" mesh="m" contype="3" conaffinity="3"/></body>
      <body name="b"><freejoint/><geom type="mesh" mesh="m" contype="2" conaffinity="2"/></body></worldbody></mujoco>"""
    path = folder / "scene.xml"
    path.write_text(text, encoding="utf-8")
    return path


def poses(model: mujoco.MjModel, seed: int = 0) -> np.ndarray:
    """Coordinates of the worlds: the first body a little deep in the block, the second a little deep in the first."""
    rng, points = np.random.default_rng(seed), np.array(model.mesh_vert, dtype=np.float64)
    size = float(np.ptp(points, axis=0).max())
    data, qpos = mujoco.MjData(model), np.zeros((WORLDS, 14))
    for world in range(WORLDS):
        for body in (1, 2):
            quat = rng.standard_normal(4)
            data.qpos[7 * body - 7 : 7 * body] = [0.0, 0.0, 0.0, *(quat / np.linalg.norm(quat))]
        mujoco.mj_kinematics(model, data)
        low, high = np.zeros(2), np.zeros(2)
        for k in (0, 1):
            z = (data.geom_xpos[1 + k] + points @ data.geom_xmat[1 + k].reshape(3, 3).T)[:, 2]
            low[k], high[k] = z.min(), z.max()
        qpos[world] = data.qpos
        qpos[world, 2] = -low[0] - DEPTH * size
        qpos[world, 7:10] = [*(0.05 * size * rng.standard_normal(2)), qpos[world, 2] + high[0] - low[1] - 0.1 * size]
    return qpos


def contacts(m: mjw.Model, qpos: np.ndarray) -> list[np.ndarray]:
    """Distance, place and normal of each world's contacts, in an order that does not depend on the model's."""
    d = mjw.make_data(m, len(qpos))
    d.qpos.assign(qpos.astype(np.float32))
    mjw.forward(m, d)
    found = []
    for world, count in enumerate(d.ncon.numpy()):
        frame = d.contact.frame.numpy()[world, :count].reshape(count, 9)[:, :3]
        rows = np.column_stack([d.contact.dist.numpy()[world, :count], d.contact.pos.numpy()[world, :count], frame])
        found.append(rows[np.lexsort(np.round(rows[:, :4], 5).T)])
    return found


def compare(file: Path, folder: Path, settings: str = "") -> tuple[int, int, int, float]:
    """Number of poses, of those with equal contacts, of contacts, and the largest difference of a distance in mesh sizes."""
    path = scene(file, folder, settings)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded, put = mjw.load(str(path), device="cpu")[0], mjw.put_model(theirs, device="cpu")
        qpos = poses(theirs)
        ours, others = contacts(loaded, qpos), contacts(put, qpos)
    size = float(np.ptp(theirs.mesh_vert, axis=0).max())
    same = [i for i in range(WORLDS) if len(ours[i]) == len(others[i])]
    off = [float(np.abs(np.sort(ours[i][:, 0]) - np.sort(others[i][:, 0])).max(initial=0.0)) / size for i in same]
    return WORLDS, sum(share < EQUAL for share in off), sum(map(len, others)), max(off, default=0.0)


def main() -> None:
    from paths import SHARED

    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    total = np.zeros(3, dtype=int)
    with tempfile.TemporaryDirectory() as folder:
        for file in mesh_files(SHARED)[::every]:
            try:
                poses_, same, count, worst = compare(file, Path(folder))
            except (ValueError, mujoco.FatalError) as error:
                print(f"{file.name}: {' '.join(str(error).split())[:90]}")
                continue
            total += poses_, same, count
            if same < poses_:
                print(f"{file.name}: {same} of {poses_} poses with equal contacts, distances within {worst:.1e} of its size")
    print(f"{total[0]} poses, {total[1]} with equal contacts, {total[2]} contacts")


if __name__ == "__main__":
    main()
