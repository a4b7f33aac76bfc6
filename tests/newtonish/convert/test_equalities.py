"""Equality constraints from MJCF and from the builder to the compiled model: all fields, unequal worlds, mimics."""

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import OWN, shared_model
from worlds import model_of

import newtonish
from newtonish import mjw
from newtonish.convert import CompiledModel, convert
from newtonish.errors import NewtonishWarning

ZOO = (OWN / "equality_zoo.xml").read_text()
FIELDS = ("eq_type", "eq_obj1id", "eq_obj2id", "eq_objtype", "eq_active0", "eq_solref", "eq_solimp", "eq_data")


def check(compiled: CompiledModel, oracle: mujoco.MjModel, world: int = 0) -> None:
    """Compare every equality field of a world."""
    assert compiled.neq == oracle.neq
    for name in FIELDS:
        ours, theirs = compiled.world(name, world), getattr(oracle, name)
        assert ours.shape == theirs.shape, name
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5, err_msg=name)


MODELS = (
    "cassie/cassie.xml", "softfoot/softfoot.xml", "xarm7/xarm7.xml", "wx250s/wx250s.xml", "dmc_manipulator/manipulator.xml",
    "converter_tests/tests/data/equality_connect.xml",
    "converter_tests/tests/data/equality_connect_attributes.xml", "converter_tests/tests/data/equality_weld_attributes.xml",
    "converter_tests/tests/data/equality_weld_with_nested_bodies.xml",
    "converter_tests/tests/data/equality_connect_vs_weld.xml", "converter_tests/tests/data/equality_weld_with_sites.xml",
    "converter_tests/tests/data/equality_joint_attributes.xml", "equality_zoo.xml",
)  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_every_field_equals_mujocos(name: str) -> None:
    path = str(shared_model(name) if "/" in name else OWN / name)
    oracle = mujoco.MjModel.from_xml_path(path)
    assert oracle.neq
    compiled = convert(model_of(path))
    check(compiled, oracle)
    for i, label in enumerate(compiled.eq_names):
        assert not oracle.equality(i).name or oracle.equality(i).name == label


def test_unequal_worlds_keep_their_numbers_and_their_switches() -> None:
    texts = (
        ZOO,
        ZOO.replace('anchor=".02 .01 .03"', 'anchor=".05 .01 .03"').replace('pos=".8 .2 1.2"', 'pos=".9 .3 1.1"'),
        ZOO.replace('polycoef=".02 .8 .3 -.2 .1"', 'polycoef=".1 .5"').replace('anchor="0 .02 .1" active="false"', 'anchor="0 .02 .1"'),
    )
    model = model_of(*texts)
    assert model.mujoco.equality_constraint_world.numpy().tolist() == [w for w in range(3) for _ in range(14)]
    compiled = convert(model)
    for world, text in enumerate(texts):
        check(compiled, mujoco.MjModel.from_xml_string(text), world)
    m = mjw.put_model(compiled, device="cpu")
    d = mjw.make_data(m, nworld=3)
    assert d.eq_active.numpy()[:, 5].tolist() == [False, False, True]
    assert m.eq_data.shape == (3, 14)


def test_a_moved_file_keeps_what_it_holds_to_its_world() -> None:
    """A connect and a weld to the world hold the same points after the whole file has been moved and turned."""
    text = """<mujoco><worldbody><body name="a" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody><equality>
    <connect body1="world" body2="a" anchor=".5 0 0"/><weld body1="world" body2="a" relpose="1 .1 0 .8 .6 0 0"/>
    <weld body1="a" body2="world" relpose="-1 .1 0 .8 0 .6 0" anchor=".1 .2 .3"/><weld body1="a"/></equality></mujoco>"""
    turn = np.array([0.0, 0.0, np.sin(0.4), np.cos(0.4)])
    compiled = convert(model_of(text, xform=wp.transform((0.3, -0.2, 0.1), turn)))
    plain = mujoco.MjModel.from_xml_string(text)
    data = compiled.eq_data
    np.testing.assert_allclose(data[0, 3:6], plain.eq_data[0, 3:6], atol=1e-6)  # on the body, nothing has changed
    np.testing.assert_allclose(data[2, 3:6], plain.eq_data[2, 3:6], atol=1e-6)
    np.testing.assert_allclose(data[3, 3:6], plain.eq_data[3, 3:6], atol=1e-6)

    def placed(point) -> np.ndarray:
        result = np.zeros(3)
        mujoco.mju_rotVecQuat(result, np.array(point, dtype=float), turn[[3, 0, 1, 2]])
        return result + np.array([0.3, -0.2, 0.1])

    np.testing.assert_allclose(data[0, :3], placed((0.5, 0, 0)), atol=1e-6)
    np.testing.assert_allclose(data[3, :3], placed((0, 0, 0)), atol=1e-6)
    np.testing.assert_allclose(data[1, 3:6], placed((1, 0.1, 0)), atol=1e-6)
    np.testing.assert_allclose(data[2, :3], placed((0.1, 0.2, 0.3)), atol=1e-6)
    for e in (1, 2):  # orientation of a in the world that the weld asks for
        before, after = np.zeros(4), np.zeros(4)
        sign = np.array([1.0, 1, 1, 1]) if e == 1 else np.array([1.0, -1, -1, -1])
        mujoco.mju_mulQuat(before, turn[[3, 0, 1, 2]], plain.eq_data[e, 6:10] * sign)
        after[:] = data[e, 6:10] * sign
        np.testing.assert_allclose(after * np.sign(after[0]), before * np.sign(before[0]), atol=1e-6)


def chain(builder: newtonish.ModelBuilder) -> list[int]:
    """Two sliders and two hinges, each on a link of its own."""
    joints = []
    for i in range(4):
        link = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.1, label=f"link{i}")
        add = builder.add_joint_prismatic if i < 2 else builder.add_joint_revolute
        joints.append(add(parent=-1 if i == 0 else link - 1, child=link, axis=(0.0, 1.0, 0.0), label=f"joint{i}"))
    builder.add_articulation(joints)
    return joints


def test_mimic_constraints_and_mimic_joints_become_joint_equalities() -> None:
    main = newtonish.ModelBuilder()
    for world in range(2):
        main.begin_world()
        joints = chain(main)
        main.add_constraint_mimic(joints[1], joints[0], coef0=0.1, coef1=2.0 + world, enabled=world == 1)
        main.set_joint_mimic(joints[3], joints[2], coeffs=(0.0, -0.5))
        main.end_world()
    compiled = convert(main.finalize(device="cpu"))
    assert compiled.eq_type.tolist() == [2, 2]
    assert np.stack([compiled.eq_obj1id, compiled.eq_obj2id], axis=1).tolist() == [[1, 0], [3, 2]]
    for world in range(2):
        data = compiled.world("eq_data", world)
        np.testing.assert_allclose(data[:, :3], [[0.1, 2.0 + world, 0], [0, -0.5, 0]], atol=1e-7)
        assert compiled.world("eq_active0", world).tolist() == [world == 1, True]
    m = mjw.put_model(compiled, device="cpu")
    d = mjw.make_data(m, nworld=2)
    for _ in range(300):
        mjw.step(m, d)
    q = d.qpos.numpy()
    assert abs(q[1, 1] - 0.1 - 3.0 * q[1, 0]) < 2e-3
    np.testing.assert_allclose(q[:, 3], -0.5 * q[:, 2], atol=2e-3)


def test_rows_that_refer_to_nothing_are_named_and_left_out() -> None:
    builder = newtonish.ModelBuilder()
    newtonish.solvers.SolverMuJoCo.register_custom_attributes(builder)
    joints = chain(builder)
    for label, values in (
        ("good", {"type": 2, "joint1": joints[0], "joint2": joints[1], "polycoef": (0.0, 1.0, 0.0, 0.0, 0.0)}),
        ("nothing", {"type": 2}),
        ("twice", {"type": 0, "body1": 1, "body2": 1}),
        ("odd", {"type": 9, "body1": 0}),
    ):
        row = {f"mujoco:equality_constraint_{key}": value for key, value in values.items()}
        builder.add_custom_values(**row, **{"mujoco:equality_constraint_label": label})
    with pytest.warns(NewtonishWarning) as caught:
        compiled = convert(builder.finalize(device="cpu"))
    assert compiled.eq_names == ["good"]
    text = " ".join(str(w.message) for w in caught)
    assert all(f"equality constraint '{name}'" in text for name in ("nothing", "twice", "odd"))
