"""Every attribute that the vocabulary calls used or kept changes something that the importer makes.

The models and values stand in ``tests/support/mjcf_effects.py``. A new attribute has no value that is known there to change nothing, so it
cannot be called used without effect.
"""

import re
import warnings

import numpy as np
import pytest
from mjcf_effects import ELSEWHERE, HOSTS, OTHER_HOSTS, VALUES, plain_value

from newtonish import ModelBuilder
from newtonish.errors import NewtonishError
from newtonish.mjcf.language.schema import KEPT, UNSUPPORTED, USED, schema
from newtonish.mjcf.language.vocabulary import ELEMENTS


def made(text: str) -> dict[str, object]:
    """Everything that the importer makes of a text, as comparable values; conversion turns it into arrays, which other tests compare."""
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(text)
    found: dict[str, object] = {}
    for name, column in builder._columns.items():
        found[name] = [_facts(item) for item in column] if isinstance(column, list) else column.array.tobytes()
    for key, attribute in builder.custom_attributes.items():
        rows, values = attribute.pack()
        found[key] = (rows.tobytes(), values if isinstance(values, list) else values.tobytes())
    found["libraries"] = {kind: [_facts(item) for item in rows] for kind, rows in builder.libraries._rows.items()}
    return found | {"gravity": str(builder.gravity)}


def _facts(item: object) -> object:
    """An object's fields as text, arrays with all their numbers."""
    if not hasattr(item, "__dict__"):
        return str(item)
    fields = vars(item).items()
    return {name: value.tobytes() if isinstance(value, np.ndarray) else str(value) for name, value in fields if not callable(value) and name != "make"}


def attributes() -> list[tuple[str, str]]:
    """Every attribute that is used or kept, by kind of element."""
    kinds = [kind for kind in ELEMENTS if schema(kind).status in (USED, KEPT) and not kind.startswith("composite")]
    return [(kind, a.name) for kind in kinds for a in schema(kind).attributes.values() if a.status in (USED, KEPT)]


def texts(kind: str, name: str) -> tuple[str, str]:
    """The host without and with an attribute."""
    if (kind, name) in OTHER_HOSTS:
        return OTHER_HOSTS[kind, name]
    value = VALUES.get((kind, name), VALUES.get(("*", name), plain_value(schema(kind).attributes[name])))
    if not value:
        raise LookupError(f"{kind}.{name} has no value in mjcf_effects.py")
    needed, _, written = value.rpartition("||")
    written = written if "=" in written else f'{name}="{written}"'
    host = _written(HOSTS[kind], needed, keep=True)
    return host.replace("@", ""), _written(host, written)


def _written(host: str, words: str, keep: bool = False) -> str:
    """A host with attributes in the start tag that has ``@``; those of the same name, and those with a minus, go."""
    head, _, rest = host.partition("@")
    before, _, tag = head.rpartition("<")
    gone = {word.lstrip("-").partition("=")[0] for word in _split(words)}
    name, *parts = _split(tag)
    own = [name, *(part for part in parts if part.partition("=")[0] not in gone)]
    new = [word for word in _split(words) if not word.startswith("-")]
    return f"{before}<{' '.join([*own, *new])} {'@' if keep else ''}{rest}"


def _split(tag: str) -> list[str]:
    """Name and attributes of a start tag."""
    return re.findall(r"""-?[\w:]+=(?:"[^"]*"|'[^']*')|-?[\w:]+""", tag)


def _once(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Attributes that all sensors or all actuators read in the same way are tried with one of them."""
    seen: set[tuple] = set()
    result = []
    for kind, name in pairs:
        family = next((family for family in ("sensors", "actuators") if kind in schema(family).children.values()), kind)
        a = schema(kind).attributes[name]
        same = (family, name, a.type, a.least, a.most, a.default)
        if same not in seen:
            result.append((kind, name))
        seen.add(same)
    return result


WANTED = _once([pair for pair in attributes() if pair not in ELSEWHERE])
BASE: dict[str, dict[str, object]] = {}


@pytest.mark.parametrize("kind", sorted({kind for kind, _ in WANTED}))
def test_every_attribute_changes_what_is_made(kind):
    idle = []
    for name in (name for other, name in WANTED if other == kind):
        try:
            before, after = texts(kind, name)
            if before not in BASE:
                BASE[before] = made(before)
            if made(after) == BASE[before]:
                idle.append(name)
        except (NewtonishError, LookupError) as error:
            idle.append(f"{name}: {error}")
    assert not idle, "\n".join(idle)


def test_what_is_shown_elsewhere_is_in_the_vocabulary():
    known = set(attributes())
    assert [pair for pair in ELSEWHERE if pair not in known] == []


def test_what_is_refused_is_said():
    """Attributes of elements that are read, and are not simulated, make a warning or an error; there is none today."""
    kinds = [schema(kind) for kind in ELEMENTS]
    assert [(kind.name, a.name) for kind in kinds if kind.status == USED for a in kind.attributes.values() if a.status == UNSUPPORTED] == []
