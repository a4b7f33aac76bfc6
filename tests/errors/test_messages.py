"""Messages have four parts, problems are raised together, and the classes are what callers expect to catch."""

import pytest

from newtonish import errors


def test_four_parts() -> None:
    message = errors.problem("joint 'knee'", "range (2, 1).", "low < high", "swap the two numbers.")
    assert message == "joint 'knee': got range (2, 1); allowed: low < high; swap the two numbers."


def test_a_question_keeps_its_mark() -> None:
    assert errors.problem("geom", "'sise'", "a name", "did you mean 'size'?").endswith("did you mean 'size'?")


def test_empty_parts_are_left_out() -> None:
    assert errors.problem("file 'a.xml'", "", "", "") == "file 'a.xml'."
    assert errors.problem("file 'a.xml'", "", "", "name another") == "file 'a.xml': name another."


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((None,), "body 'arm'"),
        (("a.xml",), "a.xml: body 'arm'"),
        (("a.xml", 3), "a.xml:3: body 'arm'"),
        (("a.xml", 3, 7), "a.xml:3:7: body 'arm'"),
        (("a.xml", None, 7), "a.xml: body 'arm'"),
    ],
)
def test_places(place: tuple, expected: str) -> None:
    assert errors.located("body 'arm'", *place) == expected


def test_nothing_wrong_raises_nothing() -> None:
    errors.raise_all(errors.ModelError, "robot", [])


def test_one_problem_is_the_message() -> None:
    with pytest.raises(errors.ImporterError) as caught:
        errors.raise_all(errors.ImporterError, "robot.xml", ["a.xml:1:2: bad."])
    assert str(caught.value) == "a.xml:1:2: bad."
    assert caught.value.problems == ["a.xml:1:2: bad."]


def test_several_problems_are_raised_together() -> None:
    problems = ["first.", "second."]
    with pytest.raises(errors.ModelError) as caught:
        errors.raise_all(errors.ModelError, "robot.", problems)
    assert str(caught.value).splitlines() == ["robot: 2 problems.", "  - first.", "  - second."]
    assert caught.value.problems == problems


@pytest.mark.parametrize(
    ("cls", "builtin"),
    [
        (errors.ModelError, ValueError),
        (errors.ImporterError, ValueError),
        (errors.UnsupportedError, NotImplementedError),
        (errors.CapacityError, RuntimeError),
    ],
)
def test_classes(cls: type[errors.NewtonishError], builtin: type[Exception]) -> None:
    assert issubclass(cls, errors.NewtonishError) and issubclass(cls, builtin)
    with pytest.raises(builtin, match="object: got one"):
        errors.raise_one(cls, "object", "one", "two", "choose")
    assert cls("a message").problems == ["a message"]
    assert cls().problems == []


def test_warning_class() -> None:
    assert issubclass(errors.NewtonishWarning, UserWarning)
