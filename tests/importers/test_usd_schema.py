"""Every property of the mjcPhysics schemas, and of the newton schemas that they apply, changes an array or is listed in the report."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from mjc_properties import STAGE, Property, properties
from paths import SHARED
from usd_stages import read, stage

from newtonish import ImporterError
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import convert

OWN = ("geom_gain", "geom_kf", "mesh_maxhullvert", "mesh_points")
REFERENCE = SHARED.parent / "reference" / "mjc_usd_schema.md"


def author(made: Any, path: str, name: str, kind: str, value: str) -> None:
    """Author one property of a prim; of a relationship ``-`` clears the targets."""
    from pxr import Sdf

    prim = made.GetPrimAtPath(path)
    assert prim, path
    if kind == "rel":
        prim.CreateRelationship(name).SetTargets([] if value == "-" else [Sdf.Path(target) for target in value.split()])
        return
    typed = getattr(Sdf.ValueTypeNames, {"double[]": "DoubleArray", "int[]": "IntArray"}.get(kind, kind[0].upper() + kind[1:]))
    prim.CreateAttribute(name, typed, custom=False).Set(value if kind == "token" else eval(value, {"__builtins__": {}}, {"True": True, "False": False}))


def arrays(lines: list[tuple[str, str, str, str]]) -> tuple[dict[str, Any], set[str]]:
    """The compiled arrays and options of the stage with some properties, and what the report says has no effect."""
    made = stage(STAGE)
    for line in lines:
        author(made, *line)
    try:
        builder, result = read(made)
        m = convert(builder.finalize(device="cpu"))
    except ImporterError as error:
        return {"error": str(error)}, set()
    found = {name: np.array(getattr(m, name)) for name in (*FIELDS, *OWN)} | {f"opt.{name}": np.array(value) for name, value in vars(m.opt).items()}
    report = result["report"]
    return found | {"error": ""}, {f"{entry.location} {entry.subject}" for entry in (*report.ignored, *report.approximated)}


KNOWN: dict[tuple, Any] = {}


@pytest.mark.parametrize("one", properties(), ids=lambda one: f"{one.schema}-{one.name}".replace("mjc:", ""))
def test_each_property_has_its_effect(one: Property) -> None:
    if one.beside not in KNOWN:
        KNOWN[one.beside] = arrays(list(one.beside))
    before, _ = KNOWN[one.beside]
    after, listed = arrays([*one.beside, (one.path, one.name, one.type, one.value)])
    if one.changes == "report":
        assert after["error"] == "" and f"{one.path} {one.name}" in listed, listed
        return
    assert f"{one.path} {one.name}" not in listed
    if one.changes == "error":
        assert bool(before["error"]) != bool(after["error"])
        return
    assert before["error"] == after["error"] == ""
    assert before[one.changes].shape != after[one.changes].shape or not np.array_equal(before[one.changes], after[one.changes]), one.changes


def test_the_table_is_whole() -> None:
    """It has the 167 properties of the reference, and those of the newton schemas that are applied with them."""
    ours = {(one.schema, one.name, one.type) for one in properties()}
    mjc = {entry for entry in ours if entry[0].startswith("Mjc")} - {("MjcSceneAPI", "mjc:option:sleep_tolerance", "double")}
    mjc -= {("MjcCollisionAPI", "mjc:contype", "int"), ("MjcCollisionAPI", "mjc:conaffinity", "int")}  # of no schema
    assert len(mjc) == 167
    if REFERENCE.exists() or os.environ.get("CI"):
        rows = [re.split(r"(?<!\\)\|", line) for line in REFERENCE.read_text(encoding="utf-8").splitlines() if re.match(r"\| (Mjc|Newton)\w+ \| `", line)]
        listed = {(row[1].strip(), row[2].strip(" `"), row[3].replace("uniform", "").strip()) for row in rows}
        assert {entry for entry in listed if entry[0].startswith("Mjc")} == mjc
        assert {entry for entry in listed if entry[0].startswith("Newton")} <= ours
