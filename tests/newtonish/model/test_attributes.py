"""Custom attributes: types, defaults, storage of values, rows of custom frequencies, errors."""

import numpy as np
import pytest
import warp as wp

import newtonish as nt
from newtonish.model.values import RowValues, SparseValues

F = nt.Model.AttributeFrequency
A = nt.Model.AttributeAssignment
Attribute, Frequency = nt.ModelBuilder.CustomAttribute, nt.ModelBuilder.CustomFrequency
vec5 = wp.types.vector(5, float)


@pytest.mark.parametrize(
    ("dtype", "value", "default"),
    [
        (float, 1.5, 0.0),
        (int, -3, 0),
        (bool, True, False),
        (wp.int64, -(2**63), 0),
        (wp.uint64, 2**63 + 1, 0),
        (wp.vec2, (1.0, 2.0), (0.0, 0.0)),
        (wp.vec3, wp.vec3(1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
        (wp.vec4, np.arange(4.0), (0.0,) * 4),
        (vec5, [1.0, 2.0, 3.0, 4.0, 5.0], (0.0,) * 5),
        (wp.types.vector(10, float), range(10), (0.0,) * 10),
        (wp.vec2i, (4, -1), (0, 0)),
        (wp.quat, (0.0, 0.6, 0.0, 0.8), (0.0, 0.0, 0.0, 1.0)),
        (wp.transform, (1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)),
        (wp.mat33, np.arange(9.0).reshape(3, 3), np.zeros((3, 3))),
    ],
)
def test_types_and_defaults(dtype, value, default, device: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_custom_attribute(Attribute(name="x", dtype=dtype, frequency=F.BODY, namespace="n"))
    builder.add_link(mass=1.0)
    builder.add_link(mass=1.0, custom_attributes={"n:x": value})
    array = builder.finalize(device).n.x
    expected = np.array(list(value) if isinstance(value, (range, wp.vec3)) else value)
    np.testing.assert_allclose(array.numpy()[0], default)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(array.numpy()[1], expected, rtol=1e-6)
    else:
        np.testing.assert_array_equal(array.numpy()[1].astype(expected.dtype), expected)
    assert array.shape == (2,)


def test_default_is_filled_in_and_text_becomes_a_list(device: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_custom_attribute(Attribute(name="sol", dtype=vec5, frequency=F.SHAPE, default=(0.9, 0.95, 0.1, 0.5, 2)))
    builder.add_custom_attribute(Attribute(name="nick", dtype=str, frequency=F.SHAPE, default="?"))
    for k in range(3):
        values = {"nick": "b"} if k == 1 else None
        builder.add_shape_sphere(-1, custom_attributes=values)
    model = builder.finalize(device)
    np.testing.assert_allclose(model.sol.numpy(), [[0.9, 0.95, 0.1, 0.5, 2.0]] * 3, rtol=1e-6)
    assert model.nick == ["?", "b", "?"]


def test_assignments_appear_where_they_belong(device: str) -> None:
    builder = nt.ModelBuilder()
    for name, assignment in (("a", A.STATE), ("b", A.CONTROL), ("c", A.CONTACT), ("d", A.MODEL)):
        attribute = Attribute(name=name, dtype=float, frequency=F.BODY, namespace="n", assignment=assignment, default=2.0)
        builder.add_custom_attribute(attribute)
    builder.add_link(mass=1.0)
    model = builder.finalize(device)
    state, control, contacts = model.state(), model.control(), model.contacts()
    assert [hasattr(state.n, key) for key in "abcd"] == [True, False, False, False]
    assert [hasattr(control.n, key) for key in "abcd"] == [False, True, False, False]
    assert [hasattr(contacts.n, key) for key in "abcd"] == [False, False, True, False]
    state.n.a.fill_(5.0)
    assert model.n.a.numpy().tolist() == [2.0] and model.n.d.numpy().tolist() == [2.0]
    with pytest.raises(AttributeError, match=r"namespace 'n' has no attribute 'z'; it has"):
        _ = model.n.z


def test_joint_values_by_list_dict_or_one_for_all(device: str) -> None:
    builder = nt.ModelBuilder()
    for name, dtype in (("k", float), ("s", wp.vec2), ("t", str)):
        builder.add_custom_attribute(Attribute(name=name, dtype=dtype, frequency=F.JOINT_DOF))
    builder.add_custom_attribute(Attribute(name="j", dtype=int, frequency=F.JOINT))
    dof = nt.ModelBuilder.JointDofConfig

    def joint(**values) -> None:
        axes = [dof(axis="x"), dof(axis="y")]
        link = builder.add_link(mass=1.0)
        builder.add_articulation([builder.add_joint_d6(-1, link, angular_axes=axes, custom_attributes=values)])

    joint(k=[1.0, 2.0], s=[(1.0, 2.0), (3.0, 4.0)], t=["a", "b"], j=7)
    joint(k={1: 5.0}, s=(8.0, 9.0), t="c")
    joint(k=3.0, s=wp.vec2(1.0, 1.0))
    model = builder.finalize(device)
    assert model.k.numpy().tolist() == [1, 2, 0, 5, 3, 3]
    assert model.s.numpy().tolist() == [[1, 2], [3, 4], [8, 9], [8, 9], [1, 1], [1, 1]]
    assert model.t == ["a", "b", "c", "c", "", ""] and model.j.numpy().tolist() == [7, 0, 0]
    before = builder.joint_count, builder.joint_dof_count
    with pytest.raises(nt.ModelError, match=r"3 values of custom attribute 'k'.*2 values"):
        joint(k=[1.0, 2.0, 3.0])
    with pytest.raises(nt.ModelError, match=r"DOFs \[2\]"):
        joint(k={2: 1.0})
    assert (builder.joint_count, builder.joint_dof_count) == before


def test_rows_of_a_custom_frequency(device: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_custom_frequency(Frequency(name="pair", namespace="n"))
    for name, extra in (("a", {}), ("b", {"default": -1}), ("w", {"references": "world", "default": 9})):
        attribute = Attribute(name=name, dtype=int, frequency="n:pair", namespace="n", **extra)
        builder.add_custom_attribute(attribute)
    assert builder.add_custom_values(**{"n:a": 4}) == {"n:a": 0, "n:w": 0}
    rows = builder.add_custom_values_batch([{"n:b": 5}, {"n:a": None, "n:w": 3}])
    assert [row["n:w"] for row in rows] == [1, 2]
    model = builder.finalize(device)
    assert model.n.a.numpy().tolist() == [4, 0, 0]
    assert model.n.b.numpy().tolist() == [-1, 5, -1]
    assert model.n.w.numpy().tolist() == [-1, -1, 3]
    assert list(builder.custom_attributes["n:a"].values) == [4]
    assert builder.get_custom_frequency_keys() == {"n:pair"}
    assert [a.name for a in builder.get_custom_attributes_by_frequency(["n:pair"])] == ["a", "b", "w"]


def test_empty_frequencies_have_empty_arrays(device: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_custom_frequency(Frequency(name="row"))
    builder.add_custom_attribute(Attribute(name="v", dtype=wp.vec3, frequency="row"))
    builder.add_custom_attribute(Attribute(name="s", dtype=str, frequency="row"))
    model = builder.finalize(device)
    assert model.v.shape == (0,) and model.s == []


def test_declaring_twice(device: str) -> None:
    builder = nt.ModelBuilder()
    attribute = Attribute(name="x", dtype=float, frequency=F.BODY, values={0: 4.0})
    builder.add_custom_attribute(attribute)
    builder.add_custom_attribute(Attribute(name="x", dtype=wp.float32, frequency=F.BODY))
    builder.custom_attributes["x"].values[0] = 5.0
    assert attribute.values[0] == 4.0  # a declaration may serve many builders
    builder.add_link(mass=1.0)
    assert builder.finalize(device).x.numpy().tolist() == [5.0]
    with pytest.raises(nt.ModelError, match="second declaration"):
        builder.add_custom_attribute(Attribute(name="x", dtype=int, frequency=F.BODY))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: b.add_link(custom_attributes={"own:gian": 1.0}), "own:gian.*own:gain"),
        (lambda b: b.add_shape_sphere(-1, custom_attributes={"own:gain": 1.0}), "frequency BODY.*frequency SHAPE"),
        (lambda b: b.add_link(label="arm", custom_attributes={"own:gain": (1.0, 2.0)}), "own:gain.*one number"),
        (lambda b: b.add_custom_values(**{"own:gain": 1.0}), "frequency BODY"),
        (lambda b: b.add_link(custom_attributes={"own:count": 1.5}), "own:count.*one whole number"),
        (lambda b: b.add_custom_values(**{"own:nothing": 1.0}), "not declared"),
        (
            lambda b: b.add_custom_attribute(Attribute(name="y", dtype=int, frequency="own:none")),
            "add_custom_frequency",
        ),
        (
            lambda b: b.add_custom_attribute(Attribute(name="y", dtype=float, frequency=F.BODY, references="shape")),
            "integer types",
        ),
    ],
)
def test_messages(make, message: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_custom_attribute(Attribute(name="gain", dtype=float, frequency=F.BODY, namespace="own"))
    builder.add_custom_attribute(Attribute(name="count", dtype=int, frequency=F.BODY, namespace="own"))
    with pytest.raises(nt.ModelError, match=message):
        make(builder)
    assert (builder.body_count, builder.shape_count) == (0, 0)


def test_world_attributes_and_begin_world(device: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_custom_attribute(Attribute(name="wind", dtype=wp.vec2, frequency=F.WORLD))
    for k in range(3):
        builder.begin_world(attributes={"wind": (k, 1.0)} if k else None)
        builder.add_body(mass=1.0)
        builder.end_world()
    assert builder.finalize(device).wind.numpy().tolist() == [[0, 0], [1, 1], [2, 1]]


def test_sparse_values_keep_blocks_and_later_writes() -> None:
    values = SparseValues({1: "a", 4: "b"})
    values.add_block(np.array([4, 6]), ["c", "d"])
    values[6] = "e"
    assert dict(values) == {4: "c", 6: "e", 1: "a"} and len(values) == 3 and 5 not in values
    rows, packed = values.pack(lambda row, value: value, list)
    assert rows.tolist() == [1, 4, 6] and packed == ["a", "c", "e"]
    del values[4]
    assert sorted(values) == [1, 6]


def test_row_values_act_like_a_list() -> None:
    rows = RowValues([1, None, 3])
    rows.append(None)
    rows.insert(0, 9)
    assert list(rows) == [9, 1, None, 3, None] and rows[-2] == 3 and rows[1:3] == [1, None]
    del rows[0]
    rows[1] = 2
    rows[-1] = 4
    assert rows == [1, 2, 3, 4]
    with pytest.raises(IndexError):
        rows[4]
