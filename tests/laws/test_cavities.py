"""Bodies in the cavities of others, as signed distance fields: a cup is filled, a nut turns down a bolt; nothing is launched, and no energy appears."""

import mujoco
import numpy as np
from field_scenes import geom, names_of, scene

from newtonish import mjw

SIDES, OUTER, INNER, TALL, FLOOR = 16, 0.1, 0.08, 0.16, 0.02
GRAIN = 0.02


def cup() -> str:
    """A cup with a round cavity as one closed mesh: rings outside below and above, inside above and below, and the middles of both floors."""
    turn = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rings = [(OUTER, 0.0), (OUTER, TALL), (INNER, TALL), (INNER, FLOOR)]
    points = [(r * np.cos(a), r * np.sin(a), z) for r, z in rings for a in turn] + [(0, 0, 0), (0, 0, FLOOR)]
    faces = []
    for i in range(SIDES):
        j = (i + 1) % SIDES
        for ring in range(3):
            a, b, c, d = ring * SIDES + i, ring * SIDES + j, (ring + 1) * SIDES + j, (ring + 1) * SIDES + i
            faces += [(a, b, c), (a, c, d)]
        faces += [(4 * SIDES, j, i), (4 * SIDES + 1, 3 * SIDES + i, 3 * SIDES + j)]
    text = ("".join(f"{x:.6f} " for p in points for x in p), "".join(f"{v} " for f in faces for v in f))
    return f'<mesh name="cup" vertex="{text[0]}" face="{text[1]}"/>'


def energies(mjm, mjd, qpos, qvel) -> float:
    mjd.qpos[:], mjd.qvel[:] = qpos, qvel
    mujoco.mj_forward(mjm, mjd)
    mujoco.mj_energyPos(mjm, mjd)
    mujoco.mj_energyVel(mjm, mjd)
    return float(mjd.energy.sum())


def test_a_cup_is_filled(device):
    """Grains dropped into the mesh of a cup, whose hull they could not enter: all come to rest inside it, as in MuJoCo; two unequal worlds."""
    places = [(0.0, 0.0), (0.03, 0.01), (-0.02, 0.03), (0.01, -0.035), (-0.03, -0.02)]
    grains = "".join(f'<body pos="{x} {y} {0.07 + 0.045 * i}"><freejoint/><geom size="{GRAIN}"/></body>' for i, (x, y) in enumerate(places))
    mjm = mujoco.MjModel.from_xml_string(f'<mujoco><asset>{cup()}</asset><worldbody><geom type="sdf" mesh="cup"/>{grains}</worldbody></mujoco>')
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    start = np.tile(mjm.qpos0, (2, 1))
    start[1, 0::7] += 0.004
    d.qpos.assign(start.astype(np.float32))
    mjd = mujoco.MjData(mjm)
    before = [energies(mjm, mjd, q, np.zeros(mjm.nv)) for q in start]
    fastest = 0.0
    for _ in range(50):
        mjw.step(m, d, 10)
        fastest = max(fastest, float(np.abs(d.qvel.numpy()).reshape(2, -1, 6)[..., :3].max()))
        for w in range(2):
            assert energies(mjm, mjd, d.qpos.numpy()[w], d.qvel.numpy()[w]) < 1.0001 * before[w]
    drop = 0.07 + 0.045 * len(places)
    assert fastest < np.sqrt(2.0 * 9.81 * drop)  # nothing is launched
    mujoco.mj_resetData(mjm, mjd)
    for _ in range(500):
        mujoco.mj_step(mjm, mjd)
    for state in (*d.qpos.numpy(), mjd.qpos):
        at = state.reshape(-1, 7)[:, :3]
        assert (np.linalg.norm(at[:, :2], axis=1) < INNER - GRAIN + 2e-3).all()
        assert (at[:, 2] > FLOOR + GRAIN - 2e-3).all() and (at[:, 2] < TALL).all()


def test_a_nut_turns_down_a_bolt(device):
    """By its weight, along the thread: a twelfth of a metre a turn, and as fast as in MuJoCo; two unequal worlds."""
    nut = f'<body pos="0 0 .75" euler="180 0 0"><joint name="nut" type="free" damping="30"/>{geom("nut")}</body>'
    bolt = f'<body euler="180 0 0">{geom("bolt")}</body>'
    mjm = scene(["nut", "bolt"], nut + bolt, 'sdf_iterations="10" sdf_initpoints="40"')
    mjm.geom_friction[:] = 0.01
    mjm.geom_solref[:], mjm.geom_solimp[:, :3] = (0.01, 1.0), (0.95, 0.99, 0.0001)
    m = mjw.put_model(mjm, device=device, sdf=names_of(mjm))
    d = mjw.make_data(m, 2)
    start = np.tile(mjm.qpos0, (2, 1))
    start[1, 2] += 0.003
    d.qpos.assign(start.astype(np.float32))
    mjd = mujoco.MjData(mjm)
    places = []
    for _ in range(2):
        mjw.step(m, d, 150)
        for _ in range(150):
            mujoco.mj_step(mjm, mjd)
        places.append(np.vstack([d.qpos.numpy(), mjd.qpos]).astype(np.float64))
    for first, last in zip(*places, strict=True):
        turned = 2.0 * np.arccos(min(1.0, abs(first[3:] @ last[3:]) / np.linalg.norm(first[3:]) / np.linalg.norm(last[3:])))
        assert turned > 0.1
        np.testing.assert_allclose(first[2] - last[2], turned / (2.0 * np.pi) / 12.0, rtol=0.1)
    np.testing.assert_allclose(d.qpos.numpy()[:, :3], np.tile(mjd.qpos[:3], (2, 1)), atol=2e-4)
    np.testing.assert_allclose(d.qvel.numpy()[:, 5], mjd.qvel[5], rtol=0.04)
