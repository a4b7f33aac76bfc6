"""Writes the feature tables of ``docs/coverage.md`` from the table of features, the code and mujoco_warp's own answer.

    PYTHONPATH=tests/support python tests/support/coverage_page.py

Each row is a small model (``tests/support/features``) that ``tests/conformance/test_features.py`` compares with MuJoCo.
What ``put_model`` and the importer say of it here is what the page says.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from pathlib import Path

import mujoco
import mujoco_warp
from features import FEATURES, Feature
from paths import REPO

from newtonish import ModelBuilder
from newtonish.errors import NewtonishError, NewtonishWarning
from newtonish.mjw.distance_fields import geom_fields
from newtonish.mjw.record import read_model
from newtonish.mjw.supported import approximated, unsupported

PAGE = REPO / "docs" / "coverage.md"
BEGIN, END = "<!-- feature tables: begin -->\n", "<!-- feature tables: end -->\n"
SIMULATED = "simulated"
READ = "read"


def engine(feature: Feature) -> str:
    """What ``put_model`` of MuJoCo's compiled model says."""
    mjm = mujoco.MjModel.from_xml_string(feature.xml)
    fields = geom_fields(read_model(mjm), feature.plugins if mjm.nplugin else None)
    problems, notes = unsupported(mjm, fields=fields), approximated(mjm)
    if problems:
        return f"refused: {problems[0]}"
    return f"taken with a warning: {notes[0]}" if notes else SIMULATED


def importer(feature: Feature) -> str:
    """What ``add_mjcf`` says of the text."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always", NewtonishWarning)
        try:
            ModelBuilder().add_mjcf(feature.xml)
        except NewtonishError as error:
            return f"error: {_first_line(error)}"
    told = [_first_line(w.message) for w in shown if issubclass(w.category, NewtonishWarning)]
    return f"warning: {told[0]}" if told else READ


def peer(feature: Feature) -> str:
    """Whether mujoco_warp takes the model; its README says that it supports MuJoCo's features but for named ones."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mujoco_warp.put_model(mujoco.MjModel.from_xml_string(feature.xml))
    except (NotImplementedError, ValueError) as error:
        return f"no: {_first_line(error)}"
    return "yes"


def _first_line(error: object) -> str:
    """First line that tells something, without the place in the text."""
    lines = [line.strip() for line in str(error).splitlines() if "<string>:" in line or "\n" not in str(error)]
    return (lines or [str(error).splitlines()[0]])[0].split("<string>:")[-1].lstrip("0123456789: ")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def tables() -> str:
    """The tables, a heading each group."""
    parts = []
    for group, features in itertools.groupby(FEATURES, key=lambda f: f.group):
        rows = [f"| {f.name} | {_cell(engine(f))} | {_cell(importer(f))} | {_cell(peer(f))} |" for f in features]
        parts.append("\n".join([f"### {group}", "", "| | `put_model` | MJCF | mujoco_warp 4.0 |", "|---|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def page() -> str:
    """The whole page with fresh tables."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return head + BEGIN + "\n" + tables() + "\n" + END + tail


def main(target: Path = PAGE) -> None:
    target.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
