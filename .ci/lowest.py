"""Constraints for pip that pin each dependency to the series of its lower bound: ``python lowest.py pyproject.toml``."""

import sys
from pathlib import Path

from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def lowest(text: str) -> str:
    """``numpy>=1.26`` becomes ``numpy==1.26.*``; a bound with three numbers is taken as it is."""
    requirement = Requirement(text)
    bounds = [one.version for one in requirement.specifier if one.operator == ">="]
    if len(bounds) != 1:
        raise SystemExit(f"pyproject.toml, {text!r}: got {len(bounds)} lower bounds; allowed: one; write it as name>=version")
    exact = bounds[0] if bounds[0].count(".") >= 2 else f"{bounds[0]}.*"
    return f"{requirement.name}=={exact}"


if __name__ == "__main__":
    project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(*map(lowest, project["project"]["dependencies"]), sep="\n")
