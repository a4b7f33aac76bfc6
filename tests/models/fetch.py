"""Fetch the real models that some tests read, from where their makers publish them: ``python tests/models/fetch.py [FOLDER ...]``.

``real_models.json`` beside this file has, for each folder, its source (a commit on GitHub, or a wheel) and the SHA-256 of every file. Files that are there
and right are left alone; what arrives is written only if its hash is right. Files come to ``../shared/models``, beside the repository, or
to ``--into``. Two things differ from what the hashes were taken of: some meshes of ``unitree_g1``, which have no hash, are finer at their source;
and ``usd_generated`` is made of the others, by the command that is printed at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

CATALOG = Path(__file__).with_name("real_models.json")
INTO = Path(__file__).resolve().parents[3] / "shared" / "models"
GITHUB = "https://raw.githubusercontent.com"
SECONDS = 60.0  # that a server may be silent
GENERATED = "usd_generated: pip install mujoco-usd-converter==0.8.0, then mujoco_usd_converter FILE.xml FOLDER for each file of the other folders that it is named after"
Reader = Callable[[str], bytes]


def from_github(source: dict[str, str], server: str) -> Reader:
    """What reads a file of a commit."""

    def read(name: str) -> bytes:
        path = urllib.parse.quote("/".join(part for part in (source["github"], source["commit"], source["path"], name) if part))
        with urllib.request.urlopen(f"{server}/{path}", timeout=SECONDS) as answer:
            return answer.read()

    return read


def from_wheel(source: dict[str, str], folder: Path) -> Reader:
    """What reads a file of a wheel, which ``pip`` brings."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), source["wheel"]]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")

    def read(name: str) -> bytes:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(f"{source['path']}/{name}" if source["path"] else name)

    return read


def is_right(path: Path, digest: str | None) -> bool:
    """Whether a file is there, with the content that it shall have."""
    return path.is_file() and (digest is None or hashlib.sha256(path.read_bytes()).hexdigest() == digest)


def fetch_folder(folder: str, entry: dict[str, Any], into: Path, server: str) -> list[str]:
    """Fetch what lacks of one folder; a line for each file that could not be had."""
    wanted = {name: digest for name, digest in entry["files"].items() if not is_right(into / folder / name, digest)}
    problems = []
    with tempfile.TemporaryDirectory() as room:
        read: Reader | None = None
        for name, digest in wanted.items():
            try:
                read = read or (from_wheel(entry["source"], Path(room)) if "wheel" in entry["source"] else from_github(entry["source"], server))
                content = read(name)
            except (OSError, urllib.error.URLError, KeyError, subprocess.CalledProcessError, ValueError) as error:
                problems.append(f"{folder}/{name}: {error}")
                continue
            found = hashlib.sha256(content).hexdigest()
            if digest is not None and found != digest:
                problems.append(f"{folder}/{name}: got SHA-256 {found}; allowed: {digest}; it was left out")
                continue
            path = into / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".part")
            part.write_bytes(content)
            part.replace(path)
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="folders to fetch (default: all)")
    parser.add_argument("--into", type=Path, default=INTO, help=f"where to (default: {INTO})")
    parser.add_argument("--catalog", type=Path, default=CATALOG, help="another list of folders")
    parser.add_argument("--server", default=GITHUB, help=f"a mirror of {GITHUB}")
    given = parser.parse_args(arguments)
    catalog = json.loads(given.catalog.read_text(encoding="utf-8"))
    unknown = sorted(set(given.folders) - set(catalog))
    if unknown:
        parser.error(f"got {', '.join(unknown)}; allowed: {', '.join(catalog)}")
    problems = []
    for folder in given.folders or catalog:
        print(folder, flush=True)
        problems += fetch_folder(folder, catalog[folder], given.into, given.server)
    print(*problems, sep="\n", file=sys.stderr)
    number = sum(len(catalog[folder]["files"]) for folder in given.folders or catalog)
    print(f"{number - len(problems)} of {number} files are in {given.into}")
    if not given.folders:
        print(GENERATED)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
