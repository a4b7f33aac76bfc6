"""Heaps fit into the capacities that are estimated; what an island's Hessian lacked is told of, with the step."""

import warnings

import mujoco
import numpy as np
import pytest

from newtonish import mjw
from newtonish.common.enums import OverflowType
from newtonish.errors import NewtonishWarning
from newtonish.mjw.capacity import estimate, first_hessian, hessian_size

SIZES = {"box": ".1 .08 .07", "sphere": ".1", "capsule": ".05 .08", "cylinder": ".08 .09", "ellipsoid": ".1 .08 .06"}
SPACE = 0.22


def heap(kinds: tuple[str, ...], side: int, layers: int, options: str = "", spread: float = 1.0) -> str:
    """Bodies in layers over a floor, in a box without a lid unless they are spread out."""
    rng, bodies = np.random.default_rng(1), []
    for i in range(side * side * layers):
        layer, place = divmod(i, side * side)
        x, y = (spread * SPACE * (k - 0.5 * (side - 1)) + 0.01 * rng.random() for k in divmod(place, side))
        kind, turn = kinds[i % len(kinds)], 20.0 * rng.random(3)
        bodies.append(
            f'<body pos="{x:.4f} {y:.4f} {0.15 + layer * SPACE:.4f}" euler="{turn[0]:.1f} {turn[1]:.1f} {turn[2]:.1f}">'
            f'<freejoint/><geom type="{kind}" size="{SIZES[kind]}"/></body>'
        )
    w = 0.5 * SPACE * side + 0.1
    walls = [(f".05 {w} 1", f"{w} 0 1"), (f".05 {w} 1", f"{-w} 0 1"), (f"{w} .05 1", f"0 {w} 1"), (f"{w} .05 1", f"0 {-w} 1")]
    box = "".join(f'<geom type="box" size="{size}" pos="{pos}"/>' for size, pos in walls) if spread == 1.0 else ""
    return f'<mujoco><option timestep=".004" {options}/><worldbody><geom type="plane" size="0 0 1"/>{box}{"".join(bodies)}</worldbody></mujoco>'


def packing(side: int, layers: int) -> str:
    """Grains in rows, each on four others: twelve neighbours each."""
    pairs = [(k, side - k % 2) for k in range(layers)]
    grains = "".join(
        f'<body pos="{0.02 * i + 0.01 * (k % 2):.4f} {0.02 * j + 0.01 * (k % 2):.4f} {0.01 + 0.014142 * k:.6f}"><freejoint/><geom size=".01" gap=".001" adhesion=".02"/></body>'
        for k, n in pairs
        for i in range(n)
        for j in range(n)
    )
    return f'<mujoco><option timestep=".004"/><worldbody><geom type="plane" size="1 1 1"/>{grains}</worldbody></mujoco>'


SCENES = {
    "boxes": heap(("box",), 3, 5),
    "spheres": heap(("sphere",), 3, 5),
    "capsules": heap(("capsule",), 3, 5),
    "all kinds": heap(tuple(SIZES), 3, 5),
    "sand": packing(5, 5),
}


@pytest.mark.parametrize("scene", SCENES)
def test_what_mujoco_finds_in_a_heap_fits(scene: str) -> None:
    """Contacts and rows over 300 steps from where the bodies are, and from a drop at an angle."""
    mjm = mujoco.MjModel.from_xml_string(SCENES[scene])
    contacts, rows = estimate(mjw.put_model(mjm, device="cpu"), None, None)
    most = [0, 0]
    for drop in (0.0, 0.1):
        mjd = mujoco.MjData(mjm)
        mjd.qpos[2::7] += drop
        mjd.qvel[3::6] += 10.0 * drop * np.sin(np.arange(mjm.nbody - 1))
        for _ in range(300):
            mujoco.mj_step(mjm, mjd)
            most = np.maximum(most, (mjd.ncon, mjd.nefc))
    assert most[0] <= contacts and most[1] <= rows, (most, contacts, rows)
    assert most[0] > 1.5 * (mjm.nbody - 1)  # it is a heap


def test_a_heap_fits_in_every_world_and_with_its_hessian(device: str) -> None:
    """Forty-five spheres fall into a box, in two worlds that differ: no bit, no warning, no growth in 150 steps."""
    mjm = mujoco.MjModel.from_xml_string(SCENES["spheres"])
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    host = d.qpos.numpy()
    host[1, 2::7] += 0.05
    d.qpos.assign(host)
    room = d.nconmax, d.njmax, d.nhessian
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewtonishWarning)
        mjw.step(m, d, 150)
        assert not d.overflow.numpy().any()
    assert (d.nconmax, d.njmax, d.nhessian) == room
    assert d.ncon_needed.numpy().min() > 45 and d.nhessian_needed.numpy().max() > 32 * 270  # four blocks a row of blocks


def test_an_island_without_room_for_its_hessian_is_told_of_with_the_step(device: str, blind: None) -> None:
    """The second world's spheres meet first; there is room for the Hessian of one of them."""
    mjm = mujoco.MjModel.from_xml_string(SCENES["spheres"])
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    mjw.forward(m, d)
    d.isl.H = d.isl.H[:, :64].contiguous()
    d.room.follow(d)
    d.touch()
    mjd, coupled = mujoco.MjData(mjm), 0
    while not coupled:  # the step in which two spheres first touch
        mujoco.mj_step1(mjm, mjd)
        coupled = sum(mjm.geom_type[list(pair)].tolist() == [2, 2] for pair in mjd.contact.geom[: mjd.ncon])
        begin = mjd.time
        mujoco.mj_step2(mjm, mjd)
    with pytest.warns(NewtonishWarning, match="conjugate gradients") as caught:
        for _ in range(round(begin / mjm.opt.timestep) + 3):
            mjw.step(m, d)
            mjw.check_capacity(m, d)
    (text,) = [str(entry.message) for entry in caught]
    assert "world 0 and 1 more of 2" in text and f"in the step from time {begin:.6g}" in text and "room for" in text, text
    assert (d.overflow.numpy() == int(OverflowType.HESSIAN)).all() and d.nhessian >= d.nhessian_needed.numpy().max()
    mjw.reset_data(m, d, np.array([True, False]))
    assert (d.overflow_time.numpy()[:, 1] < 0.0).tolist() == [True, False]


def test_contacts_left_out_are_told_of_with_the_step(device: str) -> None:
    """Balls at two heights, in two worlds: the lower ones meet the floor first."""
    xml = """<mujoco><option timestep=".01"/><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 .2"><freejoint/><geom size=".1"/></body><body pos=".5 0 .25"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    mjd = mujoco.MjData(mjm)
    while mjd.ncon < 2:
        mujoco.mj_step1(mjm, mjd)
        begin = mjd.time
        mujoco.mj_step2(mjm, mjd)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2, nconmax=1, njmax=40)
    host = d.qpos.numpy()
    host[0, [2, 9]] += 1.0  # these are still in the air
    d.qpos.assign(host)
    with pytest.warns(NewtonishWarning, match="contacts left out") as caught:
        mjw.step(m, d, 30)
        mjw.check_capacity(m, d)
    assert f"world 1 of 2, first in the step from time {begin:.6g}:" in str(caught[0].message)


def test_only_heaps_get_room_for_the_hessian_of_a_heap() -> None:
    """Scattered bodies and few of them take what they did: four blocks a row of blocks. Conjugate gradients need no more either."""

    def room(xml: str) -> tuple[int, int, int]:
        m = mjw.put_model(mujoco.MjModel.from_xml_string(xml), device="cpu")
        return first_hessian(m), 64 * 4 * (m.size.npos // 8), hessian_size(m.size.npos // 8)

    for xml in (heap(("box",), 5, 1, spread=4.0), heap(("sphere",), 4, 4, 'solver="CG"')):
        least, plain, _ = room(xml)
        assert least == plain
    least, plain, full = room(heap(("sphere",), 4, 4))
    assert plain < least < full
