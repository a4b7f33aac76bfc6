"""Contacts of signed distance fields against MuJoCo's, one by one; order among other pairs, capacity, the caller's functions, what is refused."""

import mujoco
import numpy as np
import pytest
import trimesh
import warp as wp
from collision_oracle import random_quaternion, read
from field_scenes import NAMES, geom, names_of, pair, scene

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError
from newtonish.mjw.record import read_model
from newtonish.mjw.tables.face_order import face_order

NWORLD = 8
# share of contacts that are MuJoCo's to 1e-5: descents from some starts part where a field has an edge, and end in another dent
PAIRS = {
    ("sphere", "torus"): 1.0, ("capsule", "gear"): 0.97, ("ellipsoid", "nut"): 0.97, ("cylinder", "bowl"): 1.0, ("box", "torus"): 0.93,
    ("torus", "torus"): 0.99, ("nut", "bolt"): 0.9, ("plane", "torus"): 1.0, ("plane", "wedge"): 1.0, ("sphere", "wedge"): 0.97,
    ("wedge", "torus"): 0.95, ("wedge", "cube"): 0.95, ("mesh", "torus"): 1.0, ("mesh", "gear"): 0.97, ("mesh", "wedge"): 1.0, ("mesh", "bolt"): 1.0,
}  # fmt: skip


def random_poses(mjm: mujoco.MjModel, count: int, seed: int, spread: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    poses = np.zeros((count, mjm.nq))
    for pose in poses:
        for j in range(mjm.njnt):
            pose[7 * j : 7 * j + 3] = rng.uniform(-spread, spread, 3) if j == mjm.njnt - 1 else 0.0
            pose[7 * j + 3 : 7 * j + 7] = random_quaternion(rng)
    return poses


def ours(mjm, poses, device, nconmax=120, **options):
    m = mjw.put_model(mjm, device=device, **({"sdf": names_of(mjm)} | options))
    d = mjw.make_data(m, len(poses), nconmax=nconmax, njmax=8)
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    mjw.collision(m, d)
    return read(d), d


def theirs(mjm, d):
    """MuJoCo's contacts with the poses of geoms as they are in float32, which move contacts by less than 1e-6."""
    found, mjd = [], mujoco.MjData(mjm)
    for qpos, pos, mat in zip(d.qpos.numpy(), d.geom_xpos.numpy(), d.geom_xmat.numpy(), strict=True):
        mjd.qpos[:] = qpos
        mujoco.mj_fwdPosition(mjm, mjd)
        mjd.geom_xpos[:], mjd.geom_xmat[:] = pos, mat.reshape(-1, 9)
        mujoco.mj_collision(mjm, mjd)
        found.append({name: np.array(getattr(mjd.contact, name)) for name in ("dist", "pos", "frame", "geom", "dim", "includemargin")})
    return found


def equal_ones(a, b) -> int:
    """How many of MuJoCo's contacts are among ours."""
    if not len(a) or not len(b["dist"]):
        return 0
    near = np.abs(a.dist[:, None] - b["dist"]) < 1e-5
    near &= np.abs(a.pos[:, None] - b["pos"]).max(axis=-1) < 1e-5
    near &= np.abs(a.frame[:, None] - b["frame"]).max(axis=-1) < 1e-3
    near &= (a.geom[:, None] == b["geom"]).all(axis=-1)
    return int(near.any(axis=0).sum())


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_contacts_of_a_pair(kinds, device):
    mjm = pair(*kinds)
    found, d = ours(mjm, random_poses(mjm, NWORLD, 7, 0.15 if "wedge" in kinds else 0.3), device)
    wanted = theirs(mjm, d)
    total = sum(len(b["dist"]) for b in wanted)
    same = sum(equal_ones(a, b) for a, b in zip(found, wanted, strict=True))
    assert total > (8 if kinds[0] == "mesh" else 20) or kinds[0] == "plane"
    assert same >= PAIRS[kinds] * total, f"{same} of {total}"
    for a, b in zip(found, wanted, strict=True):
        assert abs(len(a) - len(b["dist"])) <= 2
        assert (a.dist <= 0.0).all() or kinds[0] == "plane"


def test_the_order_of_triangles_is_mujocos():
    """By the tree of a compiled model, and by our own where there is none: the fifty ends that are kept depend on it."""
    for mesh in (trimesh.creation.icosphere(2, 0.1), trimesh.creation.torus(0.2, 0.08), trimesh.creation.annulus(0.1, 0.2, 0.05)):
        numbers = [" ".join(map(str, array.ravel().tolist())) for array in (np.round(mesh.vertices, 5), mesh.faces)]
        asset = f'<mesh name="m" vertex="{numbers[0]}" face="{numbers[1]}"/>'
        mjm = mujoco.MjModel.from_xml_string(f'<mujoco><asset>{asset}</asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>')
        record = read_model(mjm)
        wanted = face_order(record, 0)
        record.mesh_bvhadr = np.zeros(0, dtype=np.int32)
        np.testing.assert_array_equal(face_order(record, 0), wanted)


def test_among_other_pairs(device):
    """In the order of pairs, with the pairs that are no fields in between; two unequal worlds."""
    kinds = ["torus", "wedge", "box", "sphere", "capsule"]
    bodies = "".join(f'<body pos="0 0 {0.08 * i}"><freejoint/>{geom(kind)}</body>' for i, kind in enumerate(kinds))
    mjm = scene(kinds, geom("plane") + bodies)
    poses = np.tile(mjm.qpos0, (2, 1))
    poses[1, 7:10] += (0.05, -0.03, 0.02)
    found, d = ours(mjm, poses, device, nconmax=400)
    for a, b in zip(found, theirs(mjm, d), strict=True):
        pairs = list(dict.fromkeys(map(tuple, a.geom)))
        assert pairs == list(dict.fromkeys(map(tuple, b["geom"]))) and len(pairs) > 6
        assert equal_ones(a, b) >= 0.9 * len(b["dist"])


def test_no_room(device):
    """What there is no room for is left out and flagged; the rest is as before."""
    mjm = pair("torus", "torus")
    poses = random_poses(mjm, 4, 3, 0.1)
    whole, _ = ours(mjm, poses, device)
    few, d = ours(mjm, poses, device, nconmax=5)
    assert d.overflow.numpy().all()
    for a, b in zip(few, whole, strict=True):
        np.testing.assert_array_equal(a.dist, b.dist[:5])
    assert (d.ncon_needed.numpy() == [len(b) for b in whole]).all()


def test_options(device):
    """Starts and iterations are options, of the model and of its source."""
    mjm = pair("torus", "torus")
    poses = random_poses(mjm, 3, 3, 0.1)
    mjm.opt.sdf_initpoints, mjm.opt.sdf_iterations = 9, 3
    wanted, d = ours(mjm, poses, device)
    assert sum(map(len, wanted)) > 9 and max(map(len, wanted)) <= 9
    assert sum(equal_ones(a, b) for a, b in zip(wanted, theirs(mjm, d), strict=True)) == sum(map(len, wanted))
    mjm.opt.sdf_initpoints, mjm.opt.sdf_iterations = 40, 10
    m = mjw.put_model(mjm, device=device, sdf=names_of(mjm))
    d = mjw.make_data(m, len(poses), nconmax=120, njmax=8)
    m.opt.sdf_initpoints, m.opt.sdf_iterations = 9, 3
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    mjw.collision(m, d)
    for a, b in zip(read(d), wanted, strict=True):
        np.testing.assert_array_equal(a.dist, b.dist)


@pytest.mark.parametrize("make", ["make_data", "put_data"])
def test_data_of_the_compiled_model(device, make):
    """mujoco_warp's way: what the fields are, put_model was told; Data of the compiled model belongs to that Model all the same."""
    mjm = pair("torus", "torus")
    poses, mjd = random_poses(mjm, 2, 3, 0.1), mujoco.MjData(mjm)
    wanted, _ = ours(mjm, poses, device)
    m = mjw.put_model(mjm, device=device, sdf=names_of(mjm))
    d = mjw.make_data(mjm, 2, nconmax=120, device=device) if make == "make_data" else mjw.put_data(mjm, mjd, 2, nconmax=120)
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    mjw.collision(m, d)
    for a, b in zip(read(d), wanted, strict=True):
        assert len(b.dist)
        np.testing.assert_array_equal(a.dist, b.dist)


@wp.func
def ball(x: wp.vec3d, prm: mjw.FieldParameters) -> wp.float64:
    return wp.length(x) - prm[0]


@wp.func
def ball_gradient(x: wp.vec3d, prm: mjw.FieldParameters) -> wp.vec3d:
    return wp.normalize(x)


@pytest.mark.parametrize("gradient", [None, ball_gradient], ids=["differences", "gradient"])
def test_a_function_of_the_callers(device, gradient):
    """A ball by a Warp function in place of a mesh: the contacts of a box with it are where the ball is."""
    mjm = scene(["box", "cube"], f"<body><freejoint/>{geom('box')}</body><body><freejoint/>{geom('cube', 'name=%round%').replace('%', chr(34))}</body>")
    poses = random_poses(mjm, 8, 1, 0.2)
    found, d = ours(mjm, poses, device, sdf={"round": mjw.DistanceField(ball, gradient, parameters=(0.09,))})
    touched = 0
    for w, a in enumerate(found):
        centre = d.geom_xpos.numpy()[w, 1]
        for pos, frame, dist in zip(a.pos, a.frame, a.dist, strict=True):
            surface = pos - 0.5 * dist * frame[:3]  # where the search ended, on the ball or inside it
            assert np.linalg.norm(surface - centre) <= 0.09 + 1e-5
            touched += 1
    assert touched > 40


def test_functions_share_a_kernel(device):
    mjm = scene(["cube"], f"<body><freejoint/>{geom('cube', 'name=%a%').replace('%', chr(34))}</body><body><freejoint/>{geom('cube')}</body>")
    one, two = (mjw.put_model(mjm, device=device, sdf={"a": mjw.DistanceField(ball, parameters=(r,))}) for r in (0.1, 0.2))
    assert one.field_kernel is two.field_kernel
    assert one.sdf.prm.numpy()[0, 0] == 0.1 and two.sdf.prm.numpy()[0, 0] == 0.2


def test_what_is_refused():
    mjm = pair("box", "torus")
    with pytest.raises(UnsupportedError, match=r"geom 1: type sdf.*plugin instance 'torus'.*mujoco.sdf.torus.*pass sdf="):
        mjw.put_model(mjm)
    with pytest.raises(ModelError, match=r"sdf: got 'ring'.*torus"):
        mjw.put_model(mjm, sdf={"ring": NAMES["torus"]})
    with pytest.raises(ModelError, match=r"sdf\['torus'\]: got 'torus'.*mujoco.sdf.nut"):
        mjw.put_model(mjm, sdf={"torus": "torus"})
    with pytest.raises(ModelError, match=r"DistanceField: distance: got a function.*@wp.func"):
        mjw.DistanceField(lambda x, prm: 0.0)
    with pytest.raises(ModelError, match="broadphase SAP_TILE"):
        mjw.put_model(mjm, sdf=names_of(mjm), broadphase=mjw.BroadphaseType.SAP_TILE)
    mjm.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    with pytest.raises(UnsupportedError, match="option flag sleep"):
        mjw.put_model(mjm, sdf=names_of(mjm))


def test_rays_do_not_pass_unnoticed(device):
    """Rays do not meet fields: they are refused by the geom's name, unless it is transparent."""
    for more, seen in (("name='ring'", True), ("name='ring' rgba='1 1 1 0'", False)):
        mjm = scene(["torus"], geom("torus", more))
        m = mjw.put_model(mjm, device=device, sdf=names_of(mjm))
        d = mjw.make_data(m, 2)
        start, way = (wp.array([[v]], dtype=wp.vec3, device=m.device) for v in ((0.2, 0.0, 1.0), (0.0, 0.0, -1.0)))
        if seen:
            with pytest.raises(UnsupportedError, match="rays: geom 'ring': got type sdf"):
                mjw.ray(m, d, start, way)
        else:
            assert mjw.ray(m, d, start, way)[0].numpy().tolist() == [[-1.0], [-1.0]]


def test_left_out_without_a_name(device):
    """``strict=False``: geoms whose field is not known touch nothing, and all else is simulated."""
    mjm = pair("box", "torus")
    with pytest.warns(UserWarning, match="torus"):
        m = mjw.put_model(mjm, device=device, strict=False)
    d = mjw.make_data(m, 2)
    mjw.step(m, d)
    assert (d.ncon.numpy() == 0).all() and np.isfinite(d.qpos.numpy()).all()


def test_a_step_as_in_mujoco(device):
    """A wedge falls on the floor and a ball on the wedge: the same motion for a fifth of a second of contacts; unequal worlds."""
    bodies = f'<body pos="0 0 .01">{"<freejoint/>"}{geom("wedge")}</body><body pos=".1 .1 .3"><freejoint/>{geom("sphere")}</body>'
    mjm = scene(["wedge", "sphere"], geom("plane") + bodies)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    start = np.tile(mjm.qpos0, (2, 1))
    start[1, 7] += 0.02
    d.qpos.assign(start.astype(np.float32))
    data = [mujoco.MjData(mjm) for _ in range(2)]
    for mjd, qpos in zip(data, start, strict=True):
        mjd.qpos[:] = qpos
    touched = 0
    for _ in range(100):
        mjw.step(m, d)
        for mjd in data:
            mujoco.mj_step(mjm, mjd)
            touched += bool((mjd.contact.geom == [2, 1]).all(axis=1).any())
    assert touched > 20
    np.testing.assert_allclose(d.qpos.numpy(), [mjd.qpos for mjd in data], atol=2e-3)
