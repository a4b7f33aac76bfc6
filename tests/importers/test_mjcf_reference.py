"""The vocabulary against the schema that MuJoCo's sources carry, where the folder with the references is there: words, types, arity, defaults."""

import os
import re

import mujoco
import pytest
from paths import SHARED

from newtonish import ModelBuilder
from newtonish.errors import ImporterError
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.schema import Kind, schema

REFERENCE = SHARED.parent / "reference" / "mjcf.schema"

pytestmark = pytest.mark.skipif(not REFERENCE.exists() and not os.environ.get("CI"), reason="no reference schema beside the repository")

NEWER = "the installed MuJoCo, whose printed schema test_mjcf_schema.py follows, is newer than the reference"
EXPLAINED = {
    r"(body: fuse|compiler: (passthrough|savecanonical|savecompiled)|elasticity: (section|sectionsize|shear|yield)|flag: (ipc|speculative)"
    r"|flexcomp: mesh|general: inheritrange|geom: castshadow|insidesite: enclosed|(joint|fixed|spatial): springyield|key: plastic|site: mesh"
    r"|tactile: cutoff|texture: (class|embed)|frame(lin|ang)acc: ref(type|name)|(muscle|actuator_plugin): (site|refsite)) is not in the reference": NEWER,
    r"option: integrator: type|sensor_contact: data: type|equalities: child flexvert": NEWER,
    r"composite": "as in MuJoCo 2.3, with all its types; later versions took them away one by one",
    r"(dcmotor|general|orientation|pid): input: type": "one set of words for all actuators; which of them one takes is checked where it is read",
    r"\w+: (objtype|reftype): type 's'": "looked up among the kinds of objects where it is read, with a message of its own",
    r"numeric: data": "numbers, which MuJoCo's reader parses out of the text by itself",
    r"(general|actuator_plugin): \w+prm: most 10": "a constant of MuJoCo's headers, 10",
    r"model: file: required|pulley: divisor: required|wrap_joint: coef: required": "MuJoCo's reader demands it by hand",
    r"bone: (bindpos|bindquat|vertid|vertweight): required|layer: texture: required": "MuJoCo's reader demands it by hand",
    r"headlight: active: type|texture: \w+: default": NEWER,
    r"replicate: child (flexcomp|freejoint)": "read as what is inside a frame, and then refused or taken as MuJoCo does",
    r"(compiler: eulerseq|eq_(joint|tendon): polycoef|(fixed|spatial): actuatorfrclimited|flexcomp_edge: sol(imp|ref)|weld: torquescale): default":
        "a default of MuJoCo's code that the reference does not spell",
}  # fmt: skip
"""What differs, as the beginning of a line of ``differences``, and why."""

SIZES = {"mjNREF": 2, "mjNIMP": 5, "mjNPOLY": 2}
KINDS = {"double": "f", "float": "f", "int": "i", "bool": "b", "string": "s", "file": "s"}


def blocks() -> dict[tuple[str, str], tuple[str, list[str]]]:
    """(word, name) -> (rest of the head, lines without comments)."""
    found, inside = {}, None
    for line in REFERENCE.read_text().splitlines():
        line = line.partition("#")[0].strip()
        head = re.match(r"(enum|group|element) (\S+)\s*(.*)\{$", line)
        if head:
            inside = found.setdefault((head[1], head[2]), (head[3], []))[1]
        elif line == "}":
            inside = None
        elif line and inside is not None:
            inside.append(line)
    return found


BLOCKS = blocks() if REFERENCE.exists() else {}


def bound(text: str) -> int | None:
    return None if text == "" else SIZES.get(text) or (int(text) if text.isdigit() else -1)


def attribute(line: str, inherited: str = "") -> tuple[str, tuple] | None:
    """Name and (type, fewest, most, required, default, allowed in <default>) of a line that declares an attribute."""
    match = re.match(r"(\w+)\s*:\s*([\w<>]+)(\[[^\]]*\])?\s*(?:=\s*(\{[^}]*\}|[^\s(]+))?\s*(?:\((.*)\))?$", line)
    if match is None:
        return None
    name, kind, size, default, facets = match.groups()
    word, _, argument = kind.rstrip(">").partition("<")
    if word in ("enum", "flags"):
        keys = [row.partition("=")[0].strip().strip('"') for row in BLOCKS["enum", argument][1]]
        several = word == "flags" or size is not None
        return name, (("+" if several else "") + " ".join(keys), 1, 1, "required" in (facets or ""), default)
    if word in ("id", "ref", "chars", "string", "file"):
        return name, ("s", 1, 1, "required" in (facets or ""), default)
    low, high = 1, 1
    if size is not None:
        first, dots, last = size[1:-1].partition("..")
        low, high = (0, None) if not size[1:-1] else (bound(first), bound(last) if dots else bound(first))
    numbers = None if default is None else [float(v) if v not in ("true", "false") else v for v in default.strip("{}").replace(",", " ").split()]
    return name, (KINDS[word], low, high, "required" in (facets or ""), numbers)


def declared(element: str) -> tuple[dict[str, tuple], dict[str, str]]:
    """Attributes and children (tag -> element) of an element of the reference."""
    attributes, children = {}, {}
    for line in BLOCKS["element", element][1] if ("element", element) in BLOCKS else ():
        words = line.split()
        if words[0] == "use":
            for inner in BLOCKS["group", words[1]][1]:
                found = attribute(inner)
                if found:
                    attributes[found[0]] = found[1]
        elif words[0] == "child":
            head = BLOCKS.get(("element", words[1]), ("", []))[0]
            tag = re.search(r"xml=(\w+)", head)
            children[tag[1] if tag else words[1]] = words[1]
        elif found := attribute(line):
            attributes[found[0]] = found[1]
    return attributes, children


def own(kind: Kind) -> dict[str, tuple]:
    """The same facts of the vocabulary."""
    result = {}
    for name, a in kind.attributes.items():
        text = a.type if a.type in "fibs" else ("+" if a.type[0] == "+" else "") + KEYWORDS[a.type.lstrip("+")]
        result[name] = (text, a.least, a.most, a.required, a.default)
    return result


def differences() -> list[str]:
    """Everything that the two say differently, element by element from the root."""
    found, seen, waiting = [], set(), [("mujoco", "mujoco", "mujoco")]
    while waiting:
        path, ours, theirs = waiting.pop()
        if (ours, theirs) in seen or ours.startswith("default"):
            continue
        seen.add((ours, theirs))
        attributes, children = declared(theirs)
        known = own(schema(ours))
        found += [f"{ours}: {name} is not known" for name in attributes.keys() - known.keys()]
        found += [f"{ours}: {name} is not in the reference" for name in known.keys() - attributes.keys()]
        for name in known.keys() & attributes.keys():
            one, other = known[name], attributes[name]
            found += [
                f"{ours}: {name}: {word} {a!r}, in the reference {b!r}" for word, a, b in zip(("type", "least", "most", "required"), one, other) if a != b
            ]
            default = [float(v) if v not in ("true", "false") else v for v in one[4].split(",")] if one[4] and one[0] in "fib" else one[4] or None
            if default is not None and default != other[4] and not (other[4] is None and set(default) <= {0.0, "false"}):
                found.append(f"{ours}: {name}: default {default!r}, in the reference {other[4]!r}")
        for tag in schema(ours).children.keys() | children.keys():
            if tag in schema(ours).children and tag in children:
                waiting.append((f"{path}/{tag}", schema(ours).children[tag], children[tag]))
            elif not (tag in ("body", "worldbody") and ours == "mujoco"):
                found.append(f"{ours}: child {tag} is {'known here only' if tag not in children else 'not known'}")
        if ours == "mujoco":
            waiting.append(("mujoco/worldbody/body", "body", "body"))
    return sorted(set(found))


def test_the_vocabulary_says_what_the_reference_says() -> None:
    """Every word, type, number of values, requirement and default of every element, but for what is explained."""
    found = differences()
    assert not [line for line in found if not any(re.match(pattern, line) for pattern in EXPLAINED)]
    assert not [pattern for pattern in EXPLAINED if not any(re.match(pattern, line) for line in found)]


REQUIRED = [
    "<worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><tendon><fixed><joint joint='j'/></fixed></tendon>",
    "<asset><texture name='t' builtin='flat' width='2'/><material name='m'><layer role='rgb'/></material></asset>",
    "<deformable><skin vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'><bone body='world' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1 2'/></skin></deformable>",
    "<worldbody><site name='a'/><site name='b' pos='1 0 0'/></worldbody><tendon><spatial><site site='a'/><site site='b'/><pulley/><site site='a'/><site site='b'/></spatial></tendon>",
]


@pytest.mark.parametrize("text", REQUIRED)
def test_what_is_required_beyond_the_reference_is_so_in_mujoco(text: str) -> None:
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(f"<mujoco>{text}</mujoco>")
    with pytest.raises(ImporterError, match="no '"):
        ModelBuilder().add_mjcf(f"<mujoco>{text}</mujoco>")


def test_a_model_asset_needs_its_file() -> None:
    """MuJoCo's binding dies of this text with an exception it does not know, and any message it would log later in
    the same process hangs it: it is not asked.
    """
    with pytest.raises(ImporterError, match="no '"):
        ModelBuilder().add_mjcf("<mujoco><asset><model name='x'/></asset></mujoco>")
