"""Convex contacts in whole models: boxes at rest, a robot of meshes, contacts in MuJoCo's order, our own import."""

import mujoco
import numpy as np
from collision_oracle import read, theirs
from convex_oracle import collide, scene
from paths import shared_model

from newtonish import mjw

STACK = """<mujoco><option timestep=".002"/><worldbody><geom type="plane" size="3 3 .1"/>{bodies}</worldbody></mujoco>"""


def stack(kinds: list[str]) -> mujoco.MjModel:
    sizes = {"box": ".1 .12 .05", "cylinder": ".1 .05"}
    bodies = "".join(f'<body pos="{0.01 * k} 0 {0.05 + 0.1 * k}"><freejoint/><geom type="{kind}" size="{sizes[kind]}"/></body>' for k, kind in enumerate(kinds))
    return mujoco.MjModel.from_xml_string(STACK.format(bodies=bodies))


def test_a_stack_of_boxes_stays_at_rest(device):
    mjm = stack(["box", "box", "box"])
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    start = d.qpos.numpy()
    start[1, ::7] += 0.005
    d.qpos.assign(start)
    for _ in range(500):
        mjw.step(m, d)
    assert np.abs(d.qvel.numpy()).max() < 1e-3
    assert np.abs(d.qpos.numpy() - start).max() < 3e-3
    assert (d.ncon.numpy() == 12).all()


def test_boxes_and_a_cylinder_stay_at_rest(device):
    mjm = stack(["box", "cylinder", "box"])
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    start = d.qpos.numpy()
    for _ in range(500):
        mjw.step(m, d)
    assert np.abs(d.qvel.numpy()).max() < 2e-3
    assert np.abs(d.qpos.numpy() - start).max() < 3e-3


def test_worlds_without_contact_and_capacity(device):
    """Worlds differ: apart, touching; a world with too little room keeps what fits and says so."""
    mjm = scene("box", "box")
    poses = np.zeros((2, 14))
    poses[:, 3] = poses[:, 10] = 1.0
    poses[:, 9] = (0.7, 0.61)
    d = collide(mjm, poses, device, nconmax=3)
    assert d.ncon.numpy().tolist() == [0, 3]
    assert d.ncon_needed.numpy().tolist() == [0, 4]
    assert d.overflow.numpy()[0] == 0
    assert d.overflow.numpy()[1] != 0


def random_barkour(mjm: mujoco.MjModel, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    start = mjm.key_qpos[0] if mjm.nkey else mjm.qpos0
    poses = np.tile(start, (count, 1))
    for q in poses:
        q[2] = rng.uniform(0.02, 0.3)
        q[3:7] = rng.standard_normal(4)
        q[3:7] /= np.linalg.norm(q[3:7])
        q[7:] += rng.uniform(-1.0, 1.0, mjm.nq - 7)
    return poses


def by_pair(c) -> dict[tuple[int, int], np.ndarray]:
    """Distances of the contacts of each pair of geoms."""
    pairs: dict[tuple[int, int], list[float]] = {}
    for geoms, dist in zip(c.geom, c.dist, strict=True):
        pairs.setdefault((int(geoms[0]), int(geoms[1])), []).append(float(dist))
    return {key: np.array(value) for key, value in pairs.items()}


def test_a_robot_of_meshes_against_mujoco(device):
    """Pairs in MuJoCo's order; the deepest point of each pair agrees, the number of points in nine of ten."""
    mjm = mujoco.MjModel.from_xml_path(str(shared_model("barkour_vb/scene.xml")))
    poses = random_barkour(mjm, 30)
    same, total = 0, 0
    for a, b in zip(read(collide(mjm, poses, device, nconmax=300)), theirs(mjm, poses), strict=True):
        mine, his = by_pair(a), by_pair(b)
        common = [key for key in his if key in mine]
        assert common == [key for key in mine if key in his]
        assert all(np.abs(his[key]).max() < 1e-4 for key in set(mine) ^ set(his) if key in his)
        for key in common:
            total += 1
            same += len(mine[key]) == len(his[key])
            if key[0] == 0:  # the plane: a closed form
                assert abs(mine[key].min() - his[key].min()) < 2e-6
    assert total > 200
    assert same > 0.9 * total


def test_small_hulls_that_lean_on_each_other(device):
    """Turned cubes of 19 mm: as many contacts as MuJoCo has, also where its patch looks another way than the shortest way out."""
    mjm = mujoco.MjModel.from_xml_path(str(shared_model("rubik_cube/cube_3x3x3.xml")))
    rng, poses = np.random.default_rng(0), np.tile(mjm.qpos0, (2, 1))
    for qpos in poses:
        mujoco.mj_integratePos(mjm, qpos, 0.1 * rng.standard_normal(mjm.nv), 1.0)
        rng.standard_normal(mjm.nv)
    poses = poses.astype(np.float32).astype(float)
    for a, b in zip(read(collide(mjm, poses, device, nconmax=200)), theirs(mjm, poses), strict=True):
        mine, his = by_pair(a), by_pair(b)
        assert len(his) > 30
        assert {key: len(dist) for key, dist in mine.items()} == {key: len(dist) for key, dist in his.items()}


def test_our_import_has_the_same_contacts(device):
    """Meshes read, compiled and collided by our own code: the deepest points are those of MuJoCo's compiled model."""
    path = str(shared_model("barkour_vb/scene.xml"))
    mjm = mujoco.MjModel.from_xml_path(path)
    m, d = mjw.load(path, nworld=2, nconmax=300, device=device)
    poses = random_barkour(mjm, 2)
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    mjw.collision(m, d)
    for a, b in zip(read(d), theirs(mjm, poses), strict=True):
        mine, his = by_pair(a), by_pair(b)
        assert len(his) > 3
        assert set(mine) == set(his)
        assert max(abs(mine[key].min() - his[key].min()) for key in his) < 2e-5
