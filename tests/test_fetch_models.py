"""Fetching the real models: against a server of this process, and the list against the folder, where there is one."""

import functools
import hashlib
import http.server
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from paths import REPO, SHARED

sys.path.insert(0, str(REPO / "tests" / "models"))

import fetch

CATALOG = json.loads(fetch.CATALOG.read_text(encoding="utf-8"))
FILES = {"scene.xml": b"<mujoco/>", "assets/a b.stl": b"solid", "other.xml": b"<mujoco model='o'/>"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """Address of a server that has the files as GitHub has them, and the paths that it was asked for."""
    for name, content in FILES.items():
        path = tmp_path / "served" / "owner" / "robots" / "abc123" / "arm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    asked: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(tmp_path / "served")))
    thread = threading.Thread(target=found.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{found.server_port}", asked
    found.shutdown()
    thread.join()
    found.server_close()


def catalog(tmp_path: Path, **changes: str | None) -> Path:
    files: dict[str, str | None] = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps({"arm": {"source": {"github": "owner/robots", "commit": "abc123", "path": "arm"}, "files": files | changes}}))
    return path


def test_files_come_once(tmp_path: Path, server: tuple[str, list[str]]) -> None:
    address, asked = server
    words = ["--into", str(tmp_path / "models"), "--server", address, "--catalog", str(catalog(tmp_path))]
    assert fetch.main(words) == 0
    assert {name: (tmp_path / "models" / "arm" / name).read_bytes() for name in FILES} == FILES
    assert len(asked) == 3
    (tmp_path / "models" / "arm" / "other.xml").write_text("spoiled")
    assert fetch.main([*words, "arm"]) == 0
    assert asked[3:] == ["/owner/robots/abc123/arm/other.xml"]


def test_wrong_and_missing_files_are_told(tmp_path: Path, server: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    listed = catalog(tmp_path, **{"other.xml": "0" * 64, "none.xml": "1" * 64, "assets/a b.stl": None})
    assert fetch.main(["--into", str(tmp_path / "models"), "--server", server[0], "--catalog", str(listed)]) == 1
    told = capsys.readouterr()
    assert "arm/other.xml: got SHA-256" in told.err and "arm/none.xml: HTTP Error 404" in told.err
    assert "2 of 4 files" in told.out
    assert sorted(path.name for path in (tmp_path / "models").rglob("*") if path.is_file()) == ["a b.stl", "scene.xml"]
    with pytest.raises(SystemExit):
        fetch.main(["no_such_folder"])


def test_files_of_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``pip`` is asked for the wheel of the very version, once for a folder."""
    asked = []

    def run(command: list[str], check: bool) -> None:
        asked.append(command[-1])
        with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "robots-1.0-py3-none-any.whl", "w") as wheel:
            for name, content in FILES.items():
                wheel.writestr(f"robots/assets/{name}", content)

    monkeypatch.setattr(subprocess, "run", run)
    files = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    entry = {"source": {"wheel": "robots==1.0", "path": "robots/assets"}, "files": files}
    assert fetch.fetch_folder("arm", entry, tmp_path, fetch.GITHUB) == []
    assert asked == ["robots==1.0"]
    assert all((tmp_path / "arm" / name).read_bytes() == content for name, content in FILES.items())
    assert fetch.fetch_folder("arm", entry | {"files": files | {"gone": "0"}}, tmp_path, fetch.GITHUB) == [
        "arm/gone: \"There is no item named 'robots/assets/gone' in the archive\""
    ]


def test_the_list_is_that_of_the_folder() -> None:
    """Every file that tests may read is listed with its hash, but those of folders that are made of others."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder of real models")
    for folder, entry in CATALOG.items():
        there = {path.relative_to(SHARED / folder).as_posix() for path in (SHARED / folder).rglob("*") if path.is_file()}
        assert {name.split("/")[-1] for name in there - set(entry["files"])} <= {"SOURCE.txt", "LICENSE", "MUJOCO_LOG.TXT"}, folder
        for name, digest in entry["files"].items():
            assert fetch.is_right(SHARED / folder / name, digest), f"{folder}/{name}"
        assert set(entry["source"]) in ({"github", "commit", "path"}, {"wheel", "path"})
