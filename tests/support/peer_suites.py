"""The test files of mujoco_warp's wheel with newtonish.mjw in its place: python tests/support/peer_suites.py [--write] [FILE ...]

Public names of mujoco_warp are replaced before its tests are collected; its private functions, which some tests call, stay and get
our arrays. Where a test file reads ``d.contact``, it sees the contacts of all worlds one after another (``mjw.contact_list``), and in ``d.efc``
``Ma`` and columns with mujoco_warp's further axis: the layout that it is written for. Everything else is as a user's script would find it. Each
file runs in a process of its own.
``--write`` puts the table into docs/peer_suites.md.
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
BEGIN, END = "<!-- table of mujoco_warp: begin -->", "<!-- table of mujoco_warp: end -->"
FILES = (
    "smooth", "constraint", "forward", "solver", "collision_driver", "sensor", "passive", "inverse", "support", "ray", "set_const",
    "history", "io", "island",
)  # fmt: skip
# how the message of a failure begins, in order
CLASSES = (
    ("refused on purpose", r".*UnsupportedError"),
    ("private or layout", r"AttributeError|KeyError|TypeError|IndexError|RuntimeError|ValueError"),
    ("another message", r".*ModelError|.*(not triggered|not raised|does not match)"),
    ("numbers", r"AssertionError"),
)


def pytest_configure(config) -> None:
    """As a plug-in of pytest (``-p peer_suites``): put newtonish.mjw in mujoco_warp's place."""
    import mujoco_warp
    from mujoco_warp._src import io

    from newtonish import mjw
    from newtonish.kernels.structs.container import Data

    for name in mjw.__all__:
        if hasattr(mujoco_warp, name):
            setattr(mujoco_warp, name, getattr(mjw, name))
    for name in ("put_model", "put_data", "make_data", "get_data_into", "reset_data"):
        setattr(io, name, getattr(mjw, name))

    Data.contact = property(lambda d: mjw.contact_list(d) if _is_read_by_a_test() else d.__dict__["contact"])
    Data.efc = property(lambda d: Rows(d) if _is_read_by_a_test() else d.__dict__["efc"])


def _is_read_by_a_test() -> bool:
    """Whether the attribute that is being read is read in a test file, not in the library."""
    return sys._getframe(2).f_code.co_filename.endswith("_test.py")


class Rows:
    """Constraint rows of a Data as mujoco_warp groups them."""

    def __init__(self, d) -> None:
        self.__dict__["_d"], self.__dict__["_efc"] = d, d.__dict__["efc"]

    def __getattr__(self, name: str):
        if name == "Ma":
            return self._d.sol.Ma
        array = getattr(self._efc, name)
        return array.reshape((array.shape[0], 1, array.shape[1])) if name == "J_colind" else array

    def __setattr__(self, name: str, value) -> None:
        setattr(self._d.sol if name == "Ma" else self._efc, name, value)


def run(name: str, folder: Path) -> collections.Counter:
    """Results of one file by class; a process that dies counts what it had not reported as one."""
    report = folder / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "peer_suites", "--pyargs", f"mujoco_warp._src.{name}_test"]
    command += [f"--junitxml={report}", "--rootdir", str(folder), "-c", "/dev/null"]
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
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
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE", help=f"of {', '.join(FILES)}")
    parser.add_argument("--write", action="store_true", help="put the table into docs/peer_suites.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {name: run(name, Path(folder)) for name in arguments.files}
    text = table(results)
    print(text)
    if arguments.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
