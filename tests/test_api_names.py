"""The public interface is the list in tests/typing/api.txt: what changes there is decided, and told in the changelog."""

import sys

import api_names
import pytest


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the list is written with Python 3.11 and later, whose enumerations have other members")
def test_public_names_and_signatures_are_those_of_the_list() -> None:
    new, gone = api_names.changes()
    text = "\n".join([*(f"+ {line}" for line in new), *(f"- {line}" for line in gone)])
    remedy = "add a line under Unreleased in CHANGELOG.md, then run python tests/support/api_names.py --write"
    assert not new and not gone, f"{text}\n{remedy}; names that go are deprecated for a minor release first (docs/compatibility.md)"


def test_the_list_is_not_written_without_a_line_in_the_changelog(monkeypatch: pytest.MonkeyPatch, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "api.txt"
    monkeypatch.setattr(api_names, "LIST", kept)
    monkeypatch.setattr(api_names, "lines", lambda: ["newtonish.a()"])
    monkeypatch.setattr(sys, "argv", ["api_names.py", "--write"])
    assert api_names.main() == 0 and kept.read_text().endswith("newtonish.a()\n")
    monkeypatch.setattr(api_names, "lines", lambda: ["newtonish.a(more=1)"])
    assert api_names.main() == 1 and "CHANGELOG.md says nothing new" in capsys.readouterr().out
    assert "more" not in kept.read_text()
    monkeypatch.setattr(api_names, "_unreleased", lambda: "another text")
    assert api_names.main() == 0 and "more" in kept.read_text()
