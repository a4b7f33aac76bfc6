"""What is made of the figures: tables between the marks of a page, and the points of the picture."""

from pathlib import Path

import numpy as np
import pytest

from newtonish.cli.arguments import UsageError
from newtonish.cli.bench import pages, plot
from newtonish.cli.bench.measure import Case, Record
from newtonish.cli.main import main

FACTS = {
    "date": "2030-01-02",
    "command": "newtonish bench",
    "machine": {"cores": 2, "processor": "a chip", "device": "cpu", "load": 0.5, "python": "3.12"},
    "versions": {"newtonish": "9.9", "mujoco": "4.0.0"},
}


def case(name: str, worlds: int, nv: int, rate: float, **peers: float) -> Case:
    """A case in which newtonish makes ``rate`` steps a second and each peer its own."""
    records = []
    for engine, value in {"newtonish": rate, **peers}.items():
        record = Record(engine, rates=[value, value, value])
        record.count({key: np.array([4, 8]) for key in record.tallies}, limit=8)
        records.append(record)
    return Case(name, Path(name), worlds, 10, 3, "zero", records, sizes={"nv": nv, "nu": 1, "nbody": 2, "ngeom": 3}, memory={"efc": 2048.0})


CASES = [
    case("arm", 1, 7, 1e4, mujoco=2e4),
    case("arm", 64, 7, 2e4),
    case("crowd", 1, 70, 1e3, mujoco=500.0),
    Case("crowd", Path("crowd"), 8192, 10, 3, skipped="would take 9.0 GiB"),
]


def test_tables_go_between_the_marks(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    target.write_text(f"# Title\n\n{pages.BEGIN} (anything) -->\nold\n{pages.END}\nafter\n")
    pages.write_page(target, CASES, FACTS, tmp_path / "pictures" / "x.png")
    text = target.read_text()
    assert text.startswith("# Title\n") and text.endswith(f"{pages.END}\nafter\n") and "\nold\n" not in text
    assert "2030-01-02, 2 cores of a chip" in text and "mujoco 4.0.0" in text
    lines = text.splitlines()
    row = next(line for line in lines if line.startswith("| arm | 1 |"))
    assert "| 0.50 (0.50 to 0.50) | 10 k (0 %) |" in row and "| 50.0 % | 2.0 KiB |" in row
    (skipped,) = (line for line in lines if line.startswith("| crowd | 8,192 |"))
    assert "would take 9.0 GiB" in skipped and skipped.count("|") == row.count("|")
    assert "](pictures/x.png)" in text


def test_sections_of_a_page_have_marks_of_their_own(tmp_path: Path, capsys, engine) -> None:
    target = tmp_path / "page.md"
    target.write_text(f"{pages.BEGIN} (all) -->\nold\n{pages.END}\nbetween\n{pages.BEGIN}#threads (x) -->\nolder\n{pages.END}\nafter\n")
    pages.write_page(target, CASES[:2], FACTS, section="threads")
    text = target.read_text()
    assert "\nold\n" in text and "\nolder\n" not in text and text.index("between") < text.index("| arm | 1 |") < text.index("after")
    pages.write_page(target, CASES[2:], FACTS)
    text = target.read_text()
    assert "\nold\n" not in text and text.index("| crowd | 1 |") < text.index("between") < text.index("| arm | 1 |")
    assert main(["bench", "--markdown", f"{target}#thread"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "page.md#thread'" in line and f"{pages.BEGIN}#thread -->" in line and engine.loaded == []


def test_other_work_is_marked() -> None:
    odd = case("arm", 1, 7, 1e4, mujoco=2e4)
    odd.records[1].count({key: np.array([40, 80]) for key in odd.records[1].tallies}, limit=100)
    assert "\\*" in pages.page([odd], FACTS)
    assert "\\*" not in pages.page(CASES, FACTS)


def test_points_of_the_picture() -> None:
    by_worlds, by_size = plot.curves(CASES)
    assert by_worlds["arm"] == [(1, 100.0), (64, 50.0)]
    assert by_size == {"newtonish": [(7, 100.0), (70, 1000.0)], "mujoco": [(7, 50.0), (70, 2000.0)]}


def test_picture(tmp_path: Path) -> None:
    target = tmp_path / "x.png"
    plot.plot(CASES, FACTS, target)
    assert 1000 < target.stat().st_size < 100_000
    with pytest.raises(UsageError, match="picture file"):
        plot.plot(CASES, FACTS, tmp_path / "x.abc")


def test_no_matplotlib_is_said_before_anything_is_measured(tmp_path: Path, capsys, engine, monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["bench", "--plot", str(tmp_path / "x.png")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "newtonish[plot]" in line and engine.loaded == []
