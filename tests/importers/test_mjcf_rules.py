"""Which attributes exclude or need each other, what numbers are bounded by, and what names refer to: as in MuJoCo's schema, and refused as by MuJoCo."""

import os
import re

import mujoco
import pytest
from mjcf_compare import load
from paths import SHARED

from newtonish.errors import ImporterError
from newtonish.mjcf.language.names import namespace, reference
from newtonish.mjcf.language.rules import BOUNDS, ORIENTATION, RULES
from newtonish.mjcf.language.schema import schema
from newtonish.mjcf.language.vocabulary import ELEMENTS

REFERENCE = SHARED.parent / "reference" / "mjcf.schema"
beside = pytest.mark.skipif(not REFERENCE.exists() and not os.environ.get("CI"), reason="no reference schema beside the repository")

KINDS = {"distance": "pairsense", "normal": "pairsense", "fromto": "pairsense", "user": "sensor_user"}


def elements() -> dict[str, list[str]]:
    """Lines of each element of the reference, groups spliced in."""
    found: dict[str, list[str]] = {}
    groups: dict[str, list[str]] = {}
    inside: list[str] | None = None
    for line in REFERENCE.read_text().splitlines():
        line = line.partition("#")[0].strip()
        head = re.match(r"(enum|group|element) (\S+).*\{$", line)
        if head:
            inside = {"enum": {}, "group": groups, "element": found}[head[1]].setdefault(head[2], [])
        elif line and line != "}" and inside is not None:
            inside.append(line)

    def spliced(lines):
        for line in lines:
            yield from (["exclusive " + ORIENTATION] if line == "use orientation" else spliced(groups[line.split()[1]]) if line.startswith("use ") else [line])

    return {name: list(spliced(lines)) for name, lines in found.items()}


def kind_of(name: str) -> str | None:
    """Our kind of an element of the reference, by its name there."""
    name = KINDS.get(name, name)
    return name if name in ELEMENTS else None


@beside
def test_rules_are_those_of_the_reference():
    theirs: dict[str, set[str]] = {}
    for name, lines in elements().items():
        rules = {line for line in lines if re.match(r"(exclusive|oneof|requires|together) ", line)}
        if rules:
            assert kind_of(name), name
            theirs.setdefault(kind_of(name), set()).update(rules)
    fullinertia = f"exclusive fullinertia {ORIENTATION}"
    assert fullinertia in theirs["inertial"]
    theirs["inertial"].discard(f"exclusive {ORIENTATION}")  # which the longer rule says too
    assert {kind: set(rules) for kind, rules in RULES.items()} == theirs


@beside
def test_references_and_names_are_those_of_the_reference():
    wrong = []
    for name, lines in elements().items():
        kind = kind_of(name)
        for line in lines if kind else ():
            match = re.match(r"(\w+)\s*:\s*(ref|id)<(\w+)>", line)
            if match is None or match[1] not in schema(kind).attributes:
                continue
            attribute, word, space = match.groups()
            ours = namespace(kind) if word == "id" else (reference(kind, attribute) or (None,))[0]
            if ours != space:
                wrong.append(f"{kind}.{attribute}: {ours}, in the reference {space}")
    assert set(wrong) == set(EXPLAINED)


EXPLAINED = {
    "attach.body: None, in the reference body": "it names a part of the attached model",
    "attach.frame: None, in the reference frame": "",
    "mujoco.model: None, in the reference model": "the model's own name, which nothing in the file refers to",
}

BODY = '<worldbody><body name="b"><geom name="g" size="1"/><site name="s"/><camera name="c"/></body><body name="b2"><freejoint/><geom name="g2" size="1"/></body></worldbody>'
ASSET = "<asset>{}</asset>"
REFUSED = [
    '<worldbody><body quat="1 0 0 0" euler="0 0 0"/></worldbody>', '<worldbody><frame axisangle="1 0 0 1" zaxis="0 0 1"/></worldbody>',
    '<worldbody><geom size="1" xyaxes="1 0 0 0 1 0" euler="0 0 0"/></worldbody>', '<worldbody><site zaxis="0 0 1" euler="0 0 0"/></worldbody>',
    '<worldbody><camera fovy="40" sensorsize="1 1" focal="1 1"/></worldbody>', '<worldbody><camera quat="1 0 0 0" euler="0 0 0"/></worldbody>',
    '<worldbody><light directional="true" type="spot"/></worldbody>',
    '<worldbody><body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" quat="1 0 0 0"/></body></worldbody>',
    '<size memory="1M" nstack="100"/>', '<size memory="1M" njmax="100"/>',
    ASSET.format('<mesh name="m" builtin="sphere" params="2" file="m.obj"/>'),
    ASSET.format('<mesh name="m" builtin="sphere" params="2" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'),
    BODY + '<equality><connect body1="b" body2="b2" anchor="0 0 0" site1="s"/></equality>', BODY + '<equality><connect body1="b"/></equality>',
    BODY + '<equality><weld site1="s" body2="b2"/></equality>', BODY + '<equality><weld body2="b2"/></equality>',
    BODY + '<sensor><rangefinder site="s" camera="c"/></sensor>', BODY + "<sensor><rangefinder/></sensor>",
    BODY + '<sensor><distance geom1="g" body1="b" geom2="g2"/></sensor>', BODY + '<sensor><normal geom1="g"/></sensor>',
    BODY + '<sensor><fromto geom1="g" geom2="g2" body2="b2"/></sensor>', BODY + '<sensor><contact geom1="g" body1="b"/></sensor>',
    BODY + '<equality><weld site1="s" body1="b"/></equality>', BODY + '<equality><connect site2="s" body1="b" anchor="0 0 0"/></equality>',
    BODY + '<sensor><framepos objtype="body" objname="b" reftype="body"/></sensor>', BODY + '<sensor><user dim="1" objtype="body"/></sensor>',
    *(BODY + f'<sensor><{tag} objtype="body" objname="b" refname="b2"/></sensor>' for tag in ("framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")),
    BODY + '<sensor><contact geom2="g" subtree2="b"/></sensor>', '<visual><map znear="0"/></visual>', '<visual><global realtime="-1"/></visual>',
    '<default><light directional="true" type="spot"/></default>', '<default><camera fovy="40" sensorsize="1 1" focal="1 1"/></default>',
    ASSET.format('<skin name="k" group="6" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="world" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin>'),
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_breaks_a_rule_is_refused_as_by_mujoco(text):
    text = f"<mujoco>{text}</mujoco>"
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ImporterError, match=r"<string>:1:\d+: "):
        load(text)


def test_every_rule_is_tried():
    """Each kind with rules or bounds stands in a text above, or is one that is refused as a whole."""
    words = " ".join(REFUSED)
    tags = {"pairsense": "distance", "sensor_contact": "contact", "sensor_user": "user"}
    assert [kind for kind in {*RULES, *BOUNDS} - {"attach"} if f"<{tags.get(kind, kind)} " not in words] == []
