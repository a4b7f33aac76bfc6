"""Contact sensors against MuJoCo: every way to match, every reduction and every field, in unequal moving worlds."""

import mujoco
import numpy as np
import oracle
import pytest
from sensor_oracle import outputs

from newtonish import mjw

MATCHES = (
    "", 'geom1="floor"', 'geom2="floor"', 'geom1="floor" geom2="foot"', 'geom1="foot" geom2="floor"', 'body1="leg"', 'body2="leg"',
    'body1="leg" body2="world"', 'body1="world" body2="leg"', 'subtree1="base"', 'subtree2="base"', 'subtree1="base" body2="world"',
    'subtree1="base" geom2="ball"', 'geom1="ball" subtree2="base"', 'body1="ball" subtree2="world"', 'subtree1="base" subtree2="base"',
    'site="zone"', 'site="zone" geom2="floor"', 'site="zone" subtree2="base"', 'site="corner" body2="world"', 'geom1="box" body2="ball"',
)  # fmt: skip
FIELDS = ("found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel")
REDUCTIONS = ("none", "mindist", "maxforce", "netforce")


def sensors(data: tuple[str, ...], reduce: str, num: int) -> str:
    """One sensor for each way to match."""
    fields = [f for f in data if reduce != "netforce" or f not in ("linvel", "angvel")]
    return "".join(f'<contact {match} data="{" ".join(fields)}" reduce="{reduce}" num="{num}"/>' for match in MATCHES)


def scene(content: str, cone: str = "elliptic") -> mujoco.MjModel:
    """Things that fall on a floor and on each other, with contacts of one to eight points, condim 1 to 6."""
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option cone="{cone}" timestep=".002" iterations="50"/><worldbody>
        <geom name="floor" type="plane" size="3 3 .1" friction="1 .02 .002"/><site name="zone" type="box" size=".6 .3 .15" pos=".1 0 .1"/>
        <body name="base" pos="0 0 .32"><freejoint/><geom name="trunk" type="box" size=".2 .1 .05"/>
          <site name="corner" type="sphere" size=".25" pos=".2 .1 -.2"/>
          <body name="leg" pos=".15 0 -.05"><joint name="hip" axis="0 1 0" range="-30 30"/><geom type="capsule" size=".04 .1" pos="0 0 -.1" condim="4"/>
            <geom name="foot" type="box" size=".08 .05 .02" pos="0 0 -.24" condim="6"/></body>
          <body name="arm" pos="-.15 0 -.05"><joint axis="0 1 0"/><geom type="capsule" size=".04 .12" pos="0 0 -.14"/></body></body>
        <body name="ball" pos=".05 .02 .5"><freejoint/><geom name="ball" size=".1" condim="1"/></body>
        <body name="box" pos=".5 0 .099" euler="0 0 20"><freejoint/><geom name="box" type="box" size=".1 .1 .1"/></body>
        <body name="lid" pos=".52 .03 .245"><freejoint/><geom name="lid" type="box" size=".09 .12 .05"/></body></worldbody>
        <sensor>{content}</sensor></mujoco>"""
    )


def compared(mjm: mujoco.MjModel, device: str, steps: tuple[int, ...] = (60, 150)) -> int:
    """Compare all outputs in moving worlds; returns how many sensors have found contacts in some world."""
    pair = oracle.from_model(mjm, nworld=3, device=device, nconmax=48, njmax=320)
    met = np.zeros(mjm.nsensor, dtype=bool)
    for count in steps:
        oracle.advance(pair, count)
        for mjd in pair.mjds:
            for name in ("qpos", "qvel", "qacc_warmstart"):
                getattr(mjd, name)[:] = getattr(mjd, name).astype(np.float32)
        oracle.push(pair)
        oracle.forward(pair)
        for world in range(pair.nworld):
            assert pair.mjds[world].ncon > 0 and pair.d.ncon.numpy()[world] == pair.mjds[world].ncon
            for s, (name, ours, theirs) in enumerate(outputs(pair, world)):
                oracle.close(f"{name} {MATCHES[s]}", ours, theirs, 2e-3, world)
                met[s] |= bool(np.any(theirs))
    return int(met.sum())


@pytest.mark.parametrize("num", [1, 3, 40])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_every_match_and_reduction(reduce: str, num: int, device: str) -> None:
    assert compared(scene(sensors(FIELDS, reduce, num)), device) > 15


@pytest.mark.parametrize("data", [FIELDS[:1], FIELDS[1:3], FIELDS[3:5], FIELDS[5:7], FIELDS[7:], FIELDS[1::3]])
def test_parts_of_the_fields(data: tuple[str, ...], device: str) -> None:
    assert compared(scene(sensors(data, "mindist", 4), "pyramidal"), device, (180,)) > 15


def test_the_forces_add_up(device: str) -> None:
    """A law that needs no oracle: the resultant is the sum of the contacts that it reduces, in world axes."""
    content = "".join(f'<contact subtree1="base" data="{" ".join(FIELDS[:7])}" reduce="{r}" num="40"/>' for r in ("none", "netforce"))
    m = mjw.put_model(scene(content), device=device)
    d = mjw.make_data(m, 2, nconmax=48, njmax=320)
    for _ in range(150):
        mjw.step(m, d)
    mjw.forward(m, d)
    found = 0
    for w in range(2):
        slots = d.sensordata.numpy()[w, : 40 * 17].reshape(40, 17).astype(np.float64)
        whole = d.sensordata.numpy()[w, 40 * 17 :].astype(np.float64)
        count = int(whole[0])
        assert count == slots[0, 0] and np.all(slots[count:] == 0.0)
        total = np.zeros(3)
        for slot in slots[:count]:
            axes = np.stack([slot[11:14], slot[14:17], np.cross(slot[11:14], slot[14:17])])
            total += slot[1:4] @ axes
        np.testing.assert_allclose(whole[1:4], total, atol=2e-4 * np.linalg.norm(total))
        found += count
    assert found > 4
