"""Peers' own test files with newtonish in their place: python tests/support/peer_suites.py [--write] [--suite NAME] [FILE ...]

Suites: mujoco_warp, newton (its MuJoCo solver) and pymjcf (dm_control, to be installed for it: pip install --no-deps dm_control dm-env dm-tree).
What is replaced, say the plug-ins ``peer_mujoco_warp.py``, ``peer_newton.py`` and ``peer_pymjcf.py`` beside this file. Each file runs in a
process of its own. ``--write`` puts the table into docs/peer_suites.md.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve()
PAGE = HERE.parents[2] / "docs" / "peer_suites.md"
BEGIN, END = "<!-- table of {}: begin -->", "<!-- table of {}: end -->"
SUITES = {
    "mujoco_warp": ("mujoco_warp._src.{}_test", (
        "smooth", "constraint", "forward", "solver", "collision_driver", "sensor", "passive", "inverse", "support", "ray", "set_const",
        "history", "io", "island",
    )),
    "newton": ("newton.tests.test_{}", (
        "mujoco_solver", "mujoco_general_actuators", "mujoco_reset", "kinematic_links", "joint_limits", "joint_drive", "control_force",
        "body_force", "equality_constraints", "fixed_tendon", "spatial_tendon", "sites_mujoco_export", "physics_verification",
    )),
    "pymjcf": ("dm_control.mjcf.{}_test", ("element", "attribute", "copier", "export_with_assets", "traversal_utils", "xml_validation")),
}  # fmt: skip
# how the message of a failure begins, in order
CLASSES = (
    ("refused on purpose", r".*(UnsupportedError|ModelError)"),
    ("private or layout", r"AttributeError|KeyError|TypeError|IndexError|RuntimeError|ValueError|StopIteration"),
    ("no such error", r".*(not triggered|not raised|does not match)"),
    ("numbers", r"AssertionError"),
)


def run(suite: str, name: str, folder: Path) -> collections.Counter:
    """Results of one file by class; a process that dies counts what it had not reported as one."""
    report = folder / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", f"peer_{suite}", "--pyargs", SUITES[suite][0].format(name)]
    command += [f"--junitxml={report}", "--rootdir", str(folder), "-c", "/dev/null"]
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    subprocess.run(command, cwd=folder, env={"MUJOCO_GL": "disable", **os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
    found: collections.Counter = collections.Counter()
    if not report.exists():
        found["the process died"] += 1
        return found
    for case in ET.parse(report).getroot().iter("testcase"):
        bad = [child for child in case if child.tag in ("failure", "error")]
        if bad:
            kind = classify(bad[0].get("message") or "")
            found[kind] += 1
            print(f"{name}: {case.get('name')}: {kind}: {(bad[0].get('message') or '').splitlines()[0][:160]}")
        else:
            found["skipped" if any(child.tag == "skipped" for child in case) else "passed"] += 1
    return found


def classify(text: str) -> str:
    """Class of a failure by its first line."""
    return next((name for name, pattern in CLASSES if re.match(pattern, text)), "other")


def table(results: dict[str, collections.Counter]) -> str:
    """The results as a table in Markdown, with their sum."""
    kinds = ["passed", "skipped", *(name for name, _ in CLASSES), "other", "the process died"]
    lines = ["| file | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    total: collections.Counter = sum(results.values(), collections.Counter())
    for name, found in [*results.items(), ("**all**", total)]:
        lines.append(f"| {name} | " + " | ".join(str(found[kind]) for kind in kinds) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="of the suite; none: all")
    parser.add_argument("--suite", choices=tuple(SUITES), default="mujoco_warp")
    parser.add_argument("--write", action="store_true", help="put the table into docs/peer_suites.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {name: run(arguments.suite, name, Path(folder)) for name in arguments.files or SUITES[arguments.suite][1]}
    text = table(results)
    print(text)
    if arguments.write:
        begin, end = (mark.format(arguments.suite) for mark in (BEGIN, END))
        before, _, rest = PAGE.read_text().partition(begin)
        PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}")


if __name__ == "__main__":
    main()
