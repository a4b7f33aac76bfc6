"""The vocabulary knows every element and attribute that MuJoCo's own schema prints."""

import re

import mujoco
import pytest

from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.schema import Attribute, nearest, parse_value, schema
from newtonish.mjcf.language.vocabulary import ELEMENTS

# Attributes of earlier 4.0 builds that this MuJoCo no longer prints.
OLDER = {("flex_contact", "internal"), ("muscle", "site"), ("muscle", "refsite"), ("actuator_plugin", "refsite")}
OLDER |= {(f"frame{kind}acc", end) for kind in ("lin", "ang") for end in ("refname", "reftype")}


def printed() -> dict[str, set[str]]:
    """Attributes by the path of an element."""
    result: dict[str, set[str]] = {}
    stack: list[str] = []
    for line in mujoco.mj_printSchema(0, 0).splitlines():
        indent = len(line) - len(line.lstrip())
        if indent >= 30:
            result["/".join(stack)].update(line.split())
        elif line.strip():
            name, rest = re.match(r"\s*(\S+) \(.\)\s*(.*)", line).groups()
            stack = [*stack[: indent // 3], name]
            result["/".join(stack)] = set(rest.split())
    return result


def test_every_word_of_mujoco_is_known() -> None:
    words = printed()

    def walk(path: str, kind: str) -> None:
        known = schema(kind)
        if kind != "worldbody":
            assert not words[path] - set(known.attributes), path
            extra = {(kind, name) for name in set(known.attributes) - words[path]}
            assert kind.startswith("default:") or extra <= OLDER, path
        for other in words:
            parent, _, tag = other.rpartition("/")
            if parent == path:
                tag = {"(world)body": "worldbody" if path == "mujoco" else "body"}.get(tag, tag)
                walk(other, known.children[tag])

    walk("mujoco", "mujoco")
    walk("mujoco/(world)body", "body")


def test_vocabulary_is_consistent() -> None:
    for name in ELEMENTS:
        kind = schema(name)
        for attribute in kind.attributes.values():
            assert attribute.type in "fibs" or attribute.type.lstrip("+") in KEYWORDS, (name, attribute)
            if attribute.default:
                parse_value(attribute, attribute.default.replace(",", " "))
        for child in kind.children.values():
            schema(child)


@pytest.mark.parametrize("kind, text, value", [
    ("f", "1e3", 1000.0), ("i", "-3", -3), ("b", "true", True), ("s", "a b", "a b"), ("joint", "hinge", "hinge"),
    ("+raydata", "dist normal", ["dist", "normal"]),
])  # fmt: skip
def test_values(kind: str, text: str, value: object) -> None:
    assert parse_value(Attribute("x", kind), text) == value


@pytest.mark.parametrize("kind, text", [
    ("f", "abc"), ("f", "1 2"), ("f", ""), ("f", "nan"), ("f", "1_0"), ("i", "1.5"), ("i", "4294967295"), ("i", "inf"),
    ("b", "yes"), ("joint", "hing"),
])  # fmt: skip
def test_wrong_values(kind: str, text: str) -> None:
    with pytest.raises(ValueError):
        parse_value(Attribute("x", kind), text)


def test_nearest() -> None:
    assert nearest("dampng", schema("joint").attributes) == "did you mean 'damping'?"
    assert nearest("qqqqqq", schema("joint").attributes) == ""
