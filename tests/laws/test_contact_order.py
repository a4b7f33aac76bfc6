"""With ``m.opt.symmetric_contacts`` nothing about contacts depends on which of two geoms a model names first."""

import mujoco
import numpy as np
import pytest
from collision_oracle import matching, read
from contact_order import LIKE, both_ways, identical
from convex_oracle import SHAPES, collide, explicit_pair, scene

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo, mjw
from newtonish.kernels.collision.stage import collision

POSES = 60
LIKE = [tuple(pair.split("-")) for pair in LIKE]
LINED_UP = ("capsule", "box", "wedge", "pebble")  # much is equal, and what wins depends on the order


@pytest.mark.parametrize(("first", "second"), LIKE)
def test_geoms_that_change_places_have_the_same_contacts_to_the_bit(first, second, device):
    """Every pose: the same points and depths in the same order, opposite normals, tangents of one plane."""
    for how in ("deep", "resting", "lined up"):
        if how == "resting" and "sphere" in (first, second):
            continue  # a sphere has no flat side
        one, other, poses, swapped = both_ways(first, second, how, POSES)
        contacts = read(collide(one, poses, device, symmetric=True)), read(collide(other, swapped, device, symmetric=True))
        touching = sum(len(a) > 0 for a in contacts[0])
        assert touching > POSES // 8
        assert not [k for k, (a, b) in enumerate(zip(*contacts, strict=True)) if not identical(a, b)], how


@pytest.mark.parametrize("kind", LINED_UP)
def test_the_option_is_what_makes_them_so(kind, device):
    one, other, poses, swapped = both_ways(kind, kind, "lined up", POSES)
    contacts = zip(read(collide(one, poses, device)), read(collide(other, swapped, device)), strict=True)
    assert not all(identical(a, b) for a, b in contacts)


@pytest.mark.parametrize(("first", "second"), LIKE)
def test_an_explicit_pair_may_name_its_geoms_in_either_order(first, second, device):
    poses = both_ways(first, second, "deep", POSES, seed=53)[2]
    touching = 0
    ways = [read(collide(explicit_pair(first, second, *names), poses, device, symmetric=True)) for names in (("a", "b"), ("b", "a"))]
    for a, b in zip(*ways, strict=True):
        touching += len(a) > 0
        assert identical(a, b, sign=1.0 if a.geom.tolist() == b.geom.tolist() else -1.0)
    assert touching > POSES // 4


@pytest.mark.parametrize(("first", "second"), [("capsule", "box"), ("sphere", "cylinder"), ("cylinder", "wedge"), ("ellipsoid", "box")])
def test_contacts_of_two_types_are_left_as_they_are(first, second, device):
    """Their order is that of the types, so there is nothing to choose."""
    mjm = scene(first, second)
    poses = both_ways(first, second, "deep", POSES)[2]
    for a, b in zip(read(collide(mjm, poses, device)), read(collide(mjm, poses, device, symmetric=True)), strict=True):
        assert identical(a, b, sign=1.0)


def test_the_option_may_be_set_between_steps(device):
    """A model of simple shapes takes the kernel that knows all shapes; its contacts are the same within rounding."""
    mjm = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 .12"><freejoint/><geom {SHAPES["capsule"]} euler="90 0 0"/></body>
        <body pos=".05 .02 .28"><freejoint/><geom {SHAPES["capsule"]} euler="90 40 0"/></body></worldbody></mujoco>"""
    )
    m = mjw.put_model(mjm, device=device)
    assert m.opt.symmetric_contacts == 0
    d = mjw.make_data(m, 3, nconmax=12, njmax=48)
    qpos = np.tile(mjm.qpos0, (3, 1))
    qpos[1:, 7] += [0.01, -0.08]
    d.qpos.assign(qpos.astype(np.float32))
    for _ in range(20):
        mjw.step(m, d)
    found = []
    for symmetric in (False, True):
        m.opt.symmetric_contacts = symmetric
        mjw.kinematics(m, d)
        collision(m, d)
        found.append(read(d))
    for a, b in zip(*found, strict=True):
        assert len(a) == len(b) > 0
        np.testing.assert_allclose(a.dist[matching(a, b)], b.dist, atol=1e-6)
    mjw.step(m, d)
    assert np.isfinite(d.qpos.numpy()).all()


def accelerations(names: tuple[str, str], symmetric: bool, device: str) -> np.ndarray:
    """Of two blocks of which one leans on the other, in three unequal worlds, (3, 2, 6); that of "a" first."""
    bodies = "".join(f'<body name="{n}"><freejoint/><geom type="mesh" mesh="block"/></body>' for n in names)
    corners = "  ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.05, 0.05))
    asset = f'<asset><mesh name="block" vertex="{corners}"/></asset>'
    m = mjw.put_model(mujoco.MjModel.from_xml_string(f"<mujoco>{asset}<worldbody>{bodies}</worldbody></mujoco>"), device=device)
    m.opt.symmetric_contacts = symmetric
    d = mjw.make_data(m, 3, nconmax=8, njmax=32)
    qpos = np.zeros((3, 2, 7), dtype=np.float32)
    qpos[:, :, 3] = 1.0
    leaning = qpos[:, names.index("b")]
    leaning[:, :3] = [[0.02, 0.03, 0.092], [0.04, -0.03, 0.09], [-0.05, 0.01, 0.088]]
    leaning[:, 4:6] = np.sin(np.deg2rad([[1.5, -1.0], [0.5, 1.5], [-1.0, 1.0]]))  # up to 3.6 degrees
    d.qpos.assign(qpos.reshape(3, 14))
    mjw.forward(m, d)
    assert (d.ncon.numpy() > 1).all()
    return d.qacc.numpy().reshape(3, 2, 6)[:, [names.index("a"), names.index("b")]]


def test_bodies_accelerate_alike_whichever_is_named_first(device):
    for symmetric in (False, True):
        one, other = accelerations(("a", "b"), symmetric, device), accelerations(("b", "a"), symmetric, device)
        apart = np.linalg.norm(one - other, axis=(1, 2)) / np.linalg.norm(one, axis=(1, 2))
        assert (apart < 1e-4).all() if symmetric else (apart > 1e-2).any(), (symmetric, apart)  # MuJoCo's patches turn


def test_the_solver_takes_the_option_of_its_model(device):
    """SolverMuJoCo's arguments are Newton's; the option is set on its Model and survives a notification."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    for height in (0.0, 0.19):
        body = builder.add_body(xform=((0.0, 0.0, height), (0.0, 0.0, 0.0, 1.0)))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(device=device)
    solver, state = SolverMuJoCo(model), model.state()
    solver.mjw_model.opt.symmetric_contacts = True
    solver.step(state, state, None, None, 0.005)
    solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    assert solver.mjw_model.opt.symmetric_contacts == 1
    assert int(solver.mjw_data.ncon.numpy()[0]) >= 4
