"""Properties of the readers, whatever a model says: small models with any numbers, words and structure, each shrunk to the least that fails.

The seed is fixed, so that a run repeats itself; ``--hypothesis-seed`` and ``HYPOTHESIS_MAX_EXAMPLES`` look further.
"""

import contextlib
import os
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newtonish import ModelBuilder, mjcf, mjw
from newtonish.errors import NewtonishError

COUNT = int(os.environ.get("HYPOTHESIS_MAX_EXAMPLES", "60"))
SETTINGS = settings(max_examples=COUNT, derandomize=COUNT == 60, deadline=None, database=None, suppress_health_check=list(HealthCheck))

NUMBER = st.one_of(
    st.sampled_from(["0", "1", "-1", "nan", "inf", "1e39", "-1e-45", "1e400", "0x10", "", "٣", "1,5", "--1"]),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr), st.integers(-(2**70), 2**70).map(str),
)  # fmt: skip
NUMBERS = st.lists(NUMBER, max_size=7).map(" ".join)
NAME = st.one_of(
    st.sampled_from(["a", "b", "world", "a/b", ""]), st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters='<>&"'), max_size=5)
)
GEOM_TYPE = st.sampled_from(["sphere", "box", "capsule", "cylinder", "ellipsoid", "plane", "mesh", "hfield", "banana"])
JOINT_TYPE = st.sampled_from(["hinge", "slide", "ball", "free", "screw"])
GEOM = st.fixed_dictionaries(
    {"type": GEOM_TYPE}, optional={"size": NUMBERS, "pos": NUMBERS, "quat": NUMBERS, "mass": NUMBER, "friction": NUMBERS, "name": NAME, "margin": NUMBER}
)
JOINT = st.fixed_dictionaries(
    {"type": JOINT_TYPE}, optional={"axis": NUMBERS, "range": NUMBERS, "name": NAME, "damping": NUMBERS, "armature": NUMBER, "stiffness": NUMBERS}
)
OPTION = st.fixed_dictionaries(
    {}, optional={"timestep": NUMBER, "gravity": NUMBERS, "iterations": NUMBER, "tolerance": NUMBER, "solver": NAME, "impratio": NUMBER}
)
MOTOR = st.fixed_dictionaries({"joint": NAME}, optional={"gear": NUMBERS, "ctrlrange": NUMBERS, "name": NAME})


def tag(name: str, attributes: dict[str, str], content: str = "") -> str:
    words = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{words}>{content}</{name}>"


def body(depth: int) -> st.SearchStrategy[str]:
    parts = [st.builds(tag, st.just("geom"), GEOM), st.builds(tag, st.just("joint"), JOINT)]
    if depth:
        parts.append(body(depth - 1))
    attributes = st.fixed_dictionaries({}, optional={"name": NAME, "pos": NUMBERS, "euler": NUMBERS})
    return st.builds(tag, st.just("body"), attributes, st.lists(st.one_of(parts), max_size=4).map("".join))


MJCF = st.builds(
    lambda option, bodies, motors: tag("mujoco", {}, tag("option", option) + tag("worldbody", {}, "".join(bodies)) + tag("actuator", {}, "".join(motors))),
    OPTION, st.lists(body(2), max_size=3), st.lists(st.builds(tag, st.just("motor"), MOTOR), max_size=2),
)  # fmt: skip


@SETTINGS
@given(text=MJCF)
def test_a_text_becomes_a_finite_model_or_an_error_of_ours(text: str) -> None:
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            builder.add_mjcf(text)
            model = builder.finalize(device="cpu")
        except NewtonishError as error:
            assert "got" in str(error) or "allowed" in str(error) or error.problems, error
            return
    assert np.isfinite(model.body_mass.numpy()).all() and np.isfinite(model.joint_q.numpy()).all()


@SETTINGS
@given(text=MJCF)
def test_what_the_object_model_reads_it_writes_so_that_it_reads_the_same(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            written = mjcf.from_xml_string(text).to_xml_string()
        except NewtonishError:
            return
        assert mjcf.from_xml_string(written).to_xml_string() == written


URDF_LINK = st.builds(
    lambda name, size, mass, kind: f'<link name="{name}"><collision><geometry><{kind} size="{size}" radius="{size}" length="{size}"/></geometry></collision>'
    f'<inertial><mass value="{mass}"/><inertia ixx="{size}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>',
    NAME, NUMBERS, NUMBER, st.sampled_from(["box", "sphere", "cylinder", "cone"]),
)  # fmt: skip
URDF_JOINT = st.builds(
    lambda name, kind, parent, child, axis: f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/><limit lower="{axis}" upper="1"/></joint>',
    NAME, st.sampled_from(["revolute", "fixed", "floating", "prismatic", "magic"]), NAME, NAME, NUMBERS,
)  # fmt: skip


@SETTINGS
@given(links=st.lists(URDF_LINK, max_size=3), joints=st.lists(URDF_JOINT, max_size=3))
def test_a_robot_becomes_a_model_or_an_error_of_ours(links: list[str], joints: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(NewtonishError):
            ModelBuilder().add_urdf(f'<robot name="r">{"".join(links)}{"".join(joints)}</robot>')


ANY = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=4), st.binary(max_size=4), st.just(np.zeros((2, 3))), st.just([1, 2]), st.just({"a": 1}), st.just(object()),
)  # fmt: skip


class Pair:
    """A model and its data, of which a failing example shows no more than this."""

    def __init__(self) -> None:
        self.m, self.d = mjw.load('<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>', nworld=2, device="cpu")

    def __repr__(self) -> str:
        return "a pendulum"


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair()


@SETTINGS
@given(name=st.sampled_from(["nstep", "nworld", "nconmax", "njmax", "headroom", "key", "count", "steps", "on_nonfinite", "reset", "naconmax"]), value=ANY)
def test_a_number_at_the_python_border_is_taken_or_named(pair: Pair, name: str, value: object) -> None:
    m, d = pair.m, pair.d
    if isinstance(value, int) and 50 < value < 2**62:
        value = 50  # otherwise it is memory that refuses
    calls = {
        "nstep": lambda: mjw.step(m, d, value), "nworld": lambda: mjw.make_data(m, value), "key": lambda: mjw.reset_data_keyframe(m, d, value),
        "count": lambda: (mjw.set_num_threads(value), mjw.set_num_threads(None)), "steps": lambda: mjw.flight_recorder(m, d, value).close(), "reset": lambda: mjw.reset_data(m, d, value),
    }  # fmt: skip
    try:
        calls.get(name, lambda: mjw.make_data(m, 2, **{name: value}))()
    except NewtonishError as error:
        assert "got" in str(error) and ("allowed" in str(error) or "GiB" in str(error)), error
