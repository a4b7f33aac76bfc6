"""Which pairs can collide: MuJoCo's rules on small trees and on real robots, where all its contacts must be found."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from collision_oracle import difference, ours, theirs
from paths import shared_model

from newtonish.common.enums import GeomType
from newtonish.kernels.collision.filter import SIMPLE_TYPES, SUPPORTED_TYPES, geom_pairs, unsupported_pairs

ROBOTS = [
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "barkour_vb/scene.xml",
    "unitree_g1/scene.xml",
    "dmc_manipulator/manipulator.xml",
]


def g(name: str, attributes: str = "") -> str:
    return f'<geom name="{name}" size=".1" {attributes}/>'


def masks(contype: int, conaffinity: int) -> str:
    return f'contype="{contype}" conaffinity="{conaffinity}"'


MASKS = {"a": (1, 0), "b": (0, 1), "c": (2, 4), "d": (4, 2), "e": (6, 0), "f": (0, 0)}
A_B = f'<body name="A"><freejoint/>{g("a")}{g("a2")}</body><body name="B"><freejoint/>{g("b")}{g("b2")}</body>'
CHAIN = f'<body name="A"><freejoint/>{g("a")}<body name="B"><joint/>{g("b")}<body name="C"><joint/>{g("c")}</body></body></body>'
TREES = {
    "same body": (f'<body><freejoint/>{g("a")}{g("b")}</body>', ""),
    "welded child": (f'<body><freejoint/>{g("a")}<body>{g("b")}</body></body>', ""),
    "parent and child": (CHAIN, ""),
    "parent and child, unfiltered": (CHAIN, "", '<option><flag filterparent="disable"/></option>'),
    "grandchild through a welded body": (
        f'<body><freejoint/>{g("a")}<body>{g("w")}<body><joint/>{g("b")}</body></body></body>', ""
    ),
    "child of the world": (g("w") + f'<body><joint/>{g("a")}</body>', ""),
    "child of a static body": (f'<body>{g("s")}<body><joint/>{g("a")}</body></body>' + g("w"), ""),
    "static bodies": (g("w") + f'<body>{g("s")}</body>' + f'<body>{g("t")}</body>', ""),
    "mocap": (f'<body mocap="true">{g("m")}</body><body><joint/>{g("a")}</body>' + g("w"), ""),
    "excluded": (A_B, '<exclude body1="B" body2="A"/>'),
    "excluded but explicit": (A_B, '<exclude body1="A" body2="B"/><pair geom1="b2" geom2="a" condim="1"/>'),
    "explicit pairs come first": (A_B + g("w"), '<pair geom1="b2" geom2="a2"/><pair geom1="b" geom2="a2" condim="1"/>'),
    "explicit, twice": (A_B, '<pair geom1="a" geom2="b" condim="1"/><pair geom1="b" geom2="a"/>'),
    "explicit in the world body": (g("v") + g("w"), '<pair geom1="v" geom2="w"/>'),
    "explicit on static bodies": (g("w") + f'<body>{g("s")}</body>', '<pair geom1="s" geom2="w"/>'),
    "explicit on one body": (f'<body><freejoint/>{g("a")}{g("b")}</body>', '<pair geom1="b" geom2="a"/>'),
    "types in any order": (
        '<body><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
        f'<body><freejoint/>{g("b")}<geom type="capsule" size=".1 .1"/></body>', ""
    ),
    "masks": (
        "".join(f"<body><freejoint/>{g(name, masks(*bits))}</body>" for name, bits in MASKS.items()) + g("w", masks(7, 0)), ""
    ),
}  # fmt: skip


@pytest.mark.parametrize("tree", list(TREES))
def test_rules(tree, device):
    """All geoms lie in one place: MuJoCo's contacts are then the pairs, in its order."""
    bodies, contact, *option = TREES[tree]
    mjm = mujoco.MjModel.from_xml_string(f"<mujoco>{''.join(option)}<worldbody>{bodies}</worldbody><contact>{contact}</contact></mujoco>")
    poses = np.stack([mjm.qpos0, mjm.qpos0])
    a, b = ours(mjm, poses, device, nconmax=32), theirs(mjm, poses)
    for found, expected in zip(a, b):
        np.testing.assert_array_equal(found.geom, expected.geom.reshape(-1, 2))
        np.testing.assert_array_equal(found.dim, expected.dim)


@pytest.mark.parametrize("robot", ROBOTS)
def test_contacts_of_robots(robot, device):
    """In random poses the contacts of all types in closed form are MuJoCo's, in MuJoCo's order."""
    mjm = mujoco.MjModel.from_xml_path(str(shared_model(robot)))
    rng = np.random.default_rng(1)
    poses = np.tile(mjm.qpos0, (24, 1))
    for qpos in poses:
        mujoco.mj_integratePos(mjm, qpos, 0.8 * rng.standard_normal(mjm.nv), 1.0)
    simulated = np.zeros((9, 9), dtype=bool)
    for pair in SIMPLE_TYPES:
        simulated[pair] = True
    total = 0
    for a, b in zip(ours(mjm, poses, device, nconmax=400), theirs(mjm, poses)):
        types = mjm.geom_type[b.geom.reshape(-1, 2)]
        b = b.only(np.flatnonzero(simulated[types[:, 0], types[:, 1]]))
        borderline = (np.abs(b.dist - b.includemargin) < 2e-6).sum()
        if borderline == 0:
            assert sorted(map(tuple, a.geom.tolist())) == sorted(map(tuple, b.geom.tolist()))
            # MuJoCo's tree of bounding boxes can change the order within one pair of bodies
            a, b = a.only(_order(mjm, a)), b.only(_order(mjm, b))
            np.testing.assert_array_equal(a.geom, b.geom)
            worst = difference(a, b)
            assert worst["dist"] < 2e-5 and worst["pos"] < 1e-4
        total += len(b)
    found = zip(*(mjm.geom_type[p].tolist() for p in geom_pairs(mjm)[:2]), strict=True)
    names = {pair for pair in found if simulated[pair]}
    assert total > 20 or not names


def _order(mjm: mujoco.MjModel, contacts) -> np.ndarray:
    body = np.sort(mjm.geom_bodyid[contacts.geom], axis=1)
    geom = contacts.geom
    return np.lexsort((np.arange(len(contacts)), geom[:, 1], geom[:, 0], body[:, 1], body[:, 0]))


def test_filter_pairs_of_the_source_are_taken_out():
    mjm = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{A_B}{g('w')}</worldbody></mujoco>")
    view = SimpleNamespace(**{name: getattr(mjm, name) for name in dir(mjm) if name.startswith(("geom_", "body_", "pair_"))})
    view.ngeom, view.npair, view.opt, view.exclude_signature = mjm.ngeom, mjm.npair, mjm.opt, mjm.exclude_signature
    view.geom_filter_pairs = np.array([[4, 1], [0, 2]])
    before, after = set(zip(*geom_pairs(mjm)[:2])), set(zip(*geom_pairs(view)[:2]))
    assert before - after == {(1, 4), (0, 2)} or before - after == {(0, 2), (1, 4)}
    assert after < before


def test_unsupported_types_are_named():
    mjm = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body><freejoint/><geom name="crate" type="box" size=".1 .1 .1"/></body>
        <body><freejoint/><geom type="box" size=".1 .1 .1"/><geom name="can" type="cylinder" size=".1 .1"/></body>
        <body><freejoint/><geom name="cloud" type="sphere" size="1"/></body></worldbody></mujoco>"""
    )
    mjm.geom_type[[1, 3, 4]] = GeomType.MESH, GeomType.HFIELD, GeomType.SDF  # which come with meshes and samples
    found = {(p.type1, p.type2): p for p in unsupported_pairs(mjm)}
    assert set(found) == {("hfield", "sdf")}
    assert found["hfield", "sdf"].name1 == "geom 'can'"
    assert found["hfield", "sdf"].name2 == "geom 'cloud'"
    geom1, geom2, pairid, unsupported = geom_pairs(mjm)
    assert len(unsupported) == 1
    assert len(geom1) == len(geom2) == len(pairid) == 3 + 3 + 1  # with the plane, the crate with the three others, the box with the field
    assert {a.dtype for a in (geom1, geom2, pairid, unsupported)} == {np.dtype(np.int32)}


def test_one_entry_for_many_pairs_of_the_same_types():
    boxes = "".join('<body><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for _ in range(20))
    cloud = '<geom name="cloud" type="sphere" size="1"/>'
    mjm = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{cloud}{boxes}</worldbody></mujoco>")
    mjm.geom_conaffinity[1:] = 0
    mjm.geom_contype[1:] = 1
    mjm.geom_type[0], mjm.geom_type[1:] = GeomType.SDF, GeomType.HFIELD
    (only,) = unsupported_pairs(mjm)
    assert only.count == 20
    assert only.name2 == "geom 'cloud' (and 19 more pairs)"


def test_every_supported_type_is_ordered():
    assert all(a <= b for a, b in SUPPORTED_TYPES)
    assert (GeomType.CAPSULE, GeomType.CYLINDER) in SUPPORTED_TYPES
