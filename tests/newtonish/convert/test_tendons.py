"""Fixed tendons from MJCF to the compiled model: all fields, unequal worlds, and rows that no file has written."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from paths import OWN, shared_model
from worlds import model_of

import newtonish
from newtonish import mjw
from newtonish.convert import CompiledModel, convert
from newtonish.errors import ModelError, NewtonishWarning
from newtonish.solver.solver_mujoco import SolverMuJoCo

PREFIXES = ("tendon_", "wrap_", "ten_J_row", "ten_J_col", "tree_")
ARM = (OWN / "fixed_tendons.xml").read_text()


def tendon_fields() -> list[str]:
    """Names of every array of MuJoCo's about tendons that a model holds itself."""
    return [name for name in dir(mujoco.MjModel) if name.startswith(PREFIXES)]


def check(compiled: CompiledModel, oracle: mujoco.MjModel, world: int = 0) -> None:
    """Compare every tendon field of a world."""
    assert [compiled.ntendon, compiled.nwrap, compiled.nJten] == [oracle.ntendon, oracle.nwrap, oracle.nJten]
    fields = tendon_fields()
    assert len(fields) > 35
    for name in fields:
        ours, theirs = compiled.world(name, world), getattr(oracle, name)
        assert ours.shape == theirs.shape, name
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("name", ["fixed_tendons.xml", "tendon_zoo.xml", "dm_humanoid/humanoid.xml"])
def test_every_tendon_field_equals_mujocos(name: str) -> None:
    path = str(shared_model(name) if "/" in name else OWN / name)
    check(convert(model_of(path)), mujoco.MjModel.from_xml_path(path))


def test_armature_and_force_range_are_compiled_as_in_mujoco(compare: Callable[..., list[str]]) -> None:
    """A tendon that couples branches of a tree, as well."""
    given = '<fixed class="none" name="branches"'
    text = (OWN / "tendon_zoo.xml").read_text().replace(given, f'{given} armature=".4" actuatorfrcrange="-1 2"')
    compiled, oracle = convert(model_of(text)), mujoco.MjModel.from_xml_string(text)
    check(compiled, oracle)
    assert not compare(compiled, oracle)
    assert compiled.stat.meaninertia == pytest.approx(oracle.stat.meaninertia, rel=1e-5)


def variants() -> list[str]:
    """Three files of equal structure: as it is, other weights and springs, other masses and joint references."""
    second = ARM.replace('coef=".7"', 'coef="1.1"').replace('springlength="-.05 .1"', 'springlength="-1"')
    third = ARM.replace('density="900"', 'density="400"').replace('name="elbow"', 'name="elbow" ref="10" springref="20"')
    return [ARM, second.replace('stiffness="12"', 'stiffness="7 2"').replace('range="-.2 .3"', 'range="-.1 .4"'), third]


def test_unequal_worlds_renumber_and_keep_their_numbers() -> None:
    texts = variants()
    model = model_of(*texts)
    custom = model.mujoco
    assert custom.tendon_world.numpy().tolist() == [0] * 3 + [1] * 3 + [2] * 3
    assert custom.tendon_joint_adr.numpy().tolist() == list(range(0, 18, 2))
    assert custom.tendon_joint_dof.numpy().tolist() == [d + 4 * w for w in range(3) for d in (0, 1, 1, 2, 3, 2)]
    np.testing.assert_array_equal(model.joint_qd_start.numpy()[custom.tendon_joint.numpy()], custom.tendon_joint_dof.numpy())
    compiled = convert(model)
    batched = {"wrap_prm", "tendon_range", "tendon_stiffness", "tendon_stiffnesspoly", "tendon_lengthspring"}
    assert batched | {"tendon_length0", "tendon_invweight0", "tendon_coef"} <= set(compiled.batched)
    for world, text in enumerate(texts):
        check(compiled, mujoco.MjModel.from_xml_string(text), world)
    assert compiled.tendon_names == ["limit", "spring", "friction"]


def test_weights_of_unequal_worlds_reach_the_device() -> None:
    texts = variants()
    m = mjw.put_model(convert(model_of(*texts)), device="cpu")
    oracles = [mujoco.MjModel.from_xml_string(text) for text in texts]
    # in this file the joints of the third tendon stand in descending order
    expected = [oracle.wrap_prm[[0, 1, 2, 3, 5, 4]] for oracle in oracles]
    np.testing.assert_allclose(m.tendon_coef.numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(m.tendon_invweight0.numpy(), [o.tendon_invweight0 for o in oracles], rtol=1e-5)


def test_edited_tendons_are_taken_over() -> None:
    model = model_of(*variants())
    solver = SolverMuJoCo(model)
    coef = model.mujoco.tendon_coef.numpy()
    coef[0] = 3.0
    model.mujoco.tendon_coef.assign(coef)
    solver.notify_model_changed(newtonish.ModelFlags.TENDON_PROPERTIES)
    assert solver.mjw_model.tendon_coef.numpy()[:, 0].tolist() == pytest.approx([3.0, 1.1, 0.7])
    solver_again = SolverMuJoCo(model)
    weight = (s.mjw_model.tendon_invweight0.numpy() for s in (solver, solver_again))
    np.testing.assert_allclose(*weight, rtol=1e-6)


def test_force_space_limits_follow_the_inertia_they_meet() -> None:
    model = model_of(*variants())
    custom = model.mujoco
    custom.tendon_solref_limit_mode.fill_(0)
    custom.tendon_limit_ke.fill_(50.0)
    custom.tendon_limit_kd.fill_(3.0)
    compiled = convert(model)
    for world in range(3):
        weight = compiled.world("tendon_invweight0", world)[0] * (1.0 - 0.95)
        timeconst, dampratio = compiled.world("tendon_solref_lim", world)[0]
        assert 2.0 / timeconst == pytest.approx(3.0 * weight, rel=1e-5)
        assert 1.0 / (timeconst**2 * dampratio**2) == pytest.approx(50.0 * weight, rel=1e-5)


def test_limits_that_are_springs_have_a_small_flat_impedance() -> None:
    """Without it a limit answers motion with the share of its stiffness that is not impedance, 5 % of it."""
    model = model_of(*variants())
    custom = model.mujoco
    custom.tendon_solref_limit_mode.assign(np.repeat([3, 3, 0], 3).astype(np.int32))
    custom.tendon_limit_ke.fill_(50.0)
    custom.tendon_limit_kd.fill_(3.0)
    compiled = convert(model)
    for world, impedance in enumerate((0.001, 0.001, 0.95)):
        weight = compiled.world("tendon_invweight0", world)[0] * (1.0 - impedance)
        first, second = compiled.world("tendon_solref_lim", world)[0]
        stiffness, damping = (-first, -second) if first < 0.0 else (1.0 / (first * second) ** 2, 2.0 / first)
        assert (first < 0.0) == (world < 2), "springs in the direct form"
        assert compiled.world("tendon_solimp_lim", world)[0, 1] == pytest.approx(impedance)
        assert damping == pytest.approx(3.0 * weight, rel=1e-5)
        assert stiffness == pytest.approx(50.0 * weight, rel=1e-5)
    assert compiled.world("tendon_solimp_lim", 0)[0, 0] == pytest.approx(0.001)


def test_what_limits_mean_may_differ_between_worlds() -> None:
    """Worlds with equal numbers, of which two read them as gains."""
    model = model_of(ARM, ARM, ARM)
    custom = model.mujoco
    custom.tendon_limit_ke.fill_(50.0)
    custom.tendon_limit_kd.fill_(3.0)
    as_written = convert(model).tendon_solref_lim
    custom.tendon_solref_limit_mode.assign(np.repeat([1, 0, 0], 3).astype(np.int32))
    compiled = convert(model)
    np.testing.assert_array_equal(compiled.world("tendon_solref_lim", 0), as_written)
    weight = compiled.world("tendon_invweight0", 1)[0] * (1.0 - 0.95)
    for world in (1, 2):
        assert 2.0 / compiled.world("tendon_solref_lim", world)[0, 0] == pytest.approx(3.0 * weight, rel=1e-5)


def test_a_joint_index_alone_names_the_only_dof_of_a_joint() -> None:
    model = model_of(ARM)
    expected = convert(model)
    model.mujoco.tendon_joint_dof.fill_(-1)
    model.mujoco.tendon_world.fill_(-1)
    found = convert(model)
    np.testing.assert_array_equal(found.wrap_objid, expected.wrap_objid)
    np.testing.assert_array_equal(found.tendon_invweight0, expected.tendon_invweight0)


def test_what_no_joint_can_be_found_for_is_left_out_by_name() -> None:
    path = OWN / "tendon_zoo.xml"
    model = model_of(str(path))
    model.mujoco.tendon_joint_dof.fill_(-1)  # the joints x, y, z are one D6 joint
    kinds = model.mujoco.tendon_type.numpy()
    kinds[2] = 1
    model.mujoco.tendon_type.assign(kinds)
    with pytest.warns(NewtonishWarning) as caught:
        compiled = convert(model)
    texts = [str(w.message) for w in caught]
    assert any("tendon 'branches'" in text and "tendon_joint_dof" in text for text in texts)
    assert any("tendon 'tendon2'" in text and "a path of 0 elements" in text for text in texts)
    assert compiled.ntendon == len(compiled.tendon_names)
    assert compiled.tendon_names[-2:] == ["tendon4", "tendon5"]
    assert not {"branches", "tendon1", "tendon2"} & set(compiled.tendon_names)


def test_worlds_whose_tendons_differ_in_structure_are_named() -> None:
    other = ARM.replace('<joint joint="slider" coef="2"/>', '<joint joint="shoulder" coef="2"/>')
    with pytest.raises(ModelError, match=r"world 1: tendon_joint 10.*joint = 0.*3, as in world 0"):
        convert(model_of(ARM, other))


def test_tendons_whose_rows_are_not_there_are_left_out() -> None:
    """As Newton's solver does, with a warning."""
    model = model_of(ARM)
    names = list(convert(model).tendon_names)
    first = model.mujoco.tendon_joint_adr.numpy()
    first[names.index("limit")] = 5
    model.mujoco.tendon_joint_adr.assign(first)
    with pytest.warns(NewtonishWarning, match=r"tendon 'limit': got rows that are not in mujoco:tendon_joint"):
        compiled = convert(model)
    names.remove("limit")
    assert list(compiled.tendon_names) == names
