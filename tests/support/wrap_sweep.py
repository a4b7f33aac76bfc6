"""Tendons over one sphere or cylinder in many poses, from paths that just touch the geom to deep ones, against MuJoCo.

    python tests/support/wrap_sweep.py [--poses 80000] [--device cpu]

Every pose places two sites, a side site and the geom, each on bodies of their own. The straight line between the sites passes
the centre at a depth of 1e-8 to 1 radius below the surface, or by as much outside of it. Three tendons go through the sites:
without a side site, with one outside of the geom, and with one inside.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import mujoco
import numpy as np

from newtonish import mjw

SIDES = ("none", "outside", "inside")
KINDS = ("sphere", "cylinder")
SLIDES = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
MODEL = """<mujoco><worldbody>
  <body><freejoint/><geom name="w" type="{kind}" size="{radius} .3"/></body>
  <body>{slides}<geom size=".001"/><site name="a"/></body>
  <body>{slides}<geom size=".001"/><site name="b"/></body>
  <body>{slides}<geom size=".001"/><site name="outside"/></body>
  <body>{slides}<geom size=".001"/><site name="inside"/></body></worldbody>
  <tendon>
  <spatial><site site="a"/><geom geom="w"/><site site="b"/></spatial>
  <spatial><site site="a"/><geom geom="w" sidesite="outside"/><site site="b"/></spatial>
  <spatial><site site="a"/><geom geom="w" sidesite="inside"/><site site="b"/></spatial></tendon></mujoco>"""


@dataclass
class Sweep:
    """Lengths [m] and gradients of both sides; a row for each pose, a column for each of ``SIDES``."""

    depth: np.ndarray  # of the straight line below the surface, in radii; negative: outside
    length: np.ndarray
    moment: np.ndarray
    mujoco_length: np.ndarray
    mujoco_moment: np.ndarray

    def errors(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Absolute errors of length, and of the gradient with rotations over the radius; the worst entry of each pose."""
        k = SIDES.index(side)
        return np.abs(self.length - self.mujoco_length)[:, k], np.abs(self.moment - self.mujoco_moment)[:, k].max(axis=-1)


def _poses(kind: str, radius: float, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the joints, and the depths."""
    depth = 10.0 ** rng.uniform(-8.0, 0.0, count) * np.where(rng.random(count) < 0.8, 1.0, -1.0)
    before, after = radius * 10.0 ** rng.uniform(-0.3, 1.0, (2, count))
    across = (1.0 - depth) * radius
    # sites lie outside of the geom
    before, after = (np.maximum(x, np.sqrt(np.maximum(radius**2 - across**2, 0.0)) + 0.05 * radius) for x in (before, after))
    local = np.zeros((4, count, 3))
    local[0, :, :2] = np.stack([before, across], axis=-1)
    local[1, :, :2] = np.stack([-after, across], axis=-1)
    angle = rng.uniform(0.0, 2.0 * np.pi, (2, count))
    reach = radius * np.stack([rng.uniform(1.05, 3.0, count), rng.uniform(0.0, 0.95, count)])
    local[2:, :, :2] = reach[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    if kind == "cylinder":
        local[:3, :, 2] = rng.uniform(-3.0, 3.0, (3, count)) * radius
    spin = rng.uniform(0.0, 2.0 * np.pi, count)  # about the axis of the plane
    c, s = np.cos(spin), np.sin(spin)
    local = np.stack([c * local[..., 0] - s * local[..., 1], s * local[..., 0] + c * local[..., 1], local[..., 2]], axis=-1)
    quat = rng.standard_normal((count, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    centre = rng.uniform(-0.2, 0.2, (count, 3))
    qpos = np.zeros((count, 19))
    qpos[:, :3], qpos[:, 3:7] = centre, quat
    turned = np.zeros(3)
    for i in range(count):
        for k in range(4):
            mujoco.mju_rotVecQuat(turned, local[k, i], quat[i])
            qpos[i, 7 + 3 * k : 10 + 3 * k] = centre[i] + turned
    return qpos.astype(np.float32), depth


def sweep(kind: str, count: int, seed: int = 0, radius: float = 0.05, device: str = "cpu") -> Sweep:
    """``count`` poses of one kind of geom, through MuJoCo one by one and through ours as worlds of one batch."""
    mjm = mujoco.MjModel.from_xml_string(MODEL.format(kind=kind, radius=radius, slides=SLIDES))
    qpos, depth = _poses(kind, radius, count, np.random.default_rng(seed))
    mjd = mujoco.MjData(mjm)
    lengths, moments = np.zeros((count, 3)), np.zeros((count, 3, mjm.nv))
    for i, q in enumerate(qpos):
        mjd.qpos[:] = q
        mujoco.mj_kinematics(mjm, mjd)
        mujoco.mj_comPos(mjm, mjd)
        mujoco.mj_tendon(mjm, mjd)
        lengths[i] = mjd.ten_length
        moments[i] = _dense(mjm, np.asarray(mjd.ten_J))
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, count)
    d.qpos.assign(qpos)
    for stage in (mjw.kinematics, mjw.com_pos, mjw.tendon):
        stage(m, d)
    ours = np.stack([_dense(mjm, row) for row in d.ten_J.numpy()])
    for array in (ours, moments):
        array[..., 3:6] /= radius
    return Sweep(depth, d.ten_length.numpy(), ours, lengths, moments)


def _dense(mjm: mujoco.MjModel, values: np.ndarray) -> np.ndarray:
    dense = np.zeros((mjm.ntendon, mjm.nv))
    for t, (adr, nnz) in enumerate(zip(mjm.ten_J_rowadr, mjm.ten_J_rownnz, strict=True)):
        dense[t, mjm.ten_J_colind[adr : adr + nnz]] = values.ravel()[adr : adr + nnz]
    return dense


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=80_000, help="in all, half of them of each kind of geom")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    for number, kind in enumerate(KINDS):
        found = sweep(kind, args.poses // len(KINDS), seed=number, device=args.device)
        for side in SIDES:
            length, moment = found.errors(side)
            print(
                f"{kind:8s} side site {side:7s} {length.size} poses: length off by at most {length.max():.1e} m, "
                f"{(length > 1e-4).sum()} by more than 0.1 mm; gradient by at most {moment.max():.1e}, {(moment > 1e-2).sum()} by more than 0.01"
            )


if __name__ == "__main__":
    main()
