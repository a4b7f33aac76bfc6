"""``newtonish convert IN OUT``: a model in another form, canonical MJCF, a USD stage, or an archive of its compiled arrays.

From MJCF to MJCF everything in the file is kept, parsed and written again by ``newtonish.mjcf``: one file without includes, its
assets beside it. All else goes through the compiled arrays (``--compiled`` does that for MJCF as well), and so do files with
``composite``, which MuJoCo no longer reads: what they stand for is written out. With ``--decompose`` meshes are cut into convex parts.
"""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path
from newtonish.cli.output import findings
from newtonish.errors import problem
from newtonish.files import write_file

__all__ = ["run"]

READS = {".xml": "add_mjcf", ".mjcf": "add_mjcf", ".urdf": "add_urdf", ".usd": "add_usd", ".usda": "add_usd", ".usdc": "add_usd", ".usdz": "add_usd"}
"""Method of a builder that reads files of an ending."""

STAGES = (".usd", ".usda", ".usdc")
WRITES = (".xml", *STAGES, ".npz")


def _ending(argument: str, path: Path, known: tuple[str, ...], verb: str) -> str:
    """The ending of a path, one of those that are known."""
    ending = path.suffix.lower()
    if ending not in known:
        given = f"a {ending} file" if ending else "a file without an ending"
        not_yet = ", which cannot be written" if ending in READS else ""
        raise UsageError(problem(f"{argument} {str(path)!r}", given + not_yet, ", ".join(known), f"name a file to {verb} with one of these"))
    return ending


def _compiled(path: Path, decompose: float | None) -> tuple[Any, dict[str, Any], Any]:
    """Compiled arrays of a file, arguments of ``set_length_range``, and the import report."""
    from newtonish.mjw.from_file import read_compiled

    with short_warnings(path):
        return read_compiled(path, decompose)


def _with_length_ranges(compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Put the length ranges that are found by simulation into the arrays, so that no one needs to find them again.

    Returns:
        What remains to be found: nothing.
    """
    from newtonish.mjw.from_mjmodel import put_model
    from newtonish.mjw.length_range import needs_simulation, set_length_range

    if compiled.nactuator and not compiled.batched:
        with short_warnings(Path(), limit=None):
            m = put_model(compiled, device="cpu", strict=False)
        if needs_simulation(m, **options):
            set_length_range(m, **options)
            compiled.set("actuator_lengthrange", m.actuator_lengthrange.numpy()[0])
        return {"mode": "none"}
    return options


def _write(out: Path, compiled: Any, options: dict[str, Any], report: Any, source: Path) -> list[Path]:
    """Write compiled arrays in the form that the ending of ``out`` says; returns files that stand beside a stage."""
    from newtonish.exporters.archive import write_archive
    from newtonish.exporters.mjcf import save_to_mjcf

    if out.suffix.lower() in STAGES:
        return _write_stage(out, compiled, options, source)
    if out.suffix.lower() == ".npz":
        write_archive(out, compiled, source.name, _with_length_ranges(compiled, options), report)
    else:
        save_to_mjcf(compiled, out)
    return []


def _write_stage(out: Path, compiled: Any, options: dict[str, Any], source: Path) -> list[Path]:
    """Write a stage, and print by name what it could not hold as it is; returns the files of its textures."""
    from newtonish.exporters.usd import save_to_usd

    _with_length_ranges(compiled, options)
    written = save_to_usd(compiled, out, name=source.stem)
    for line in written.left_out:
        print(f"not written as it is: {line}")
    return written.files


def _rewrite(path: Path, out: Path, allow_outside: bool) -> list[Path] | None:
    """Write MJCF in canonical form; returns the files beside it, or None, and writes nothing, if there are composites in it."""
    from newtonish.mjcf.export import canonical

    text, assets = canonical(path, allow_outside)
    if "<composite" in text:
        return None
    for name, contents in assets.items():
        write_file(out.parent / name, contents)
    write_file(out, text)
    return [out.parent / name for name in assets]


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    path = model_path(arguments.source)
    kind = _ending("IN", path, (*READS, ".npz"), "read")
    out = output_path("OUT", arguments.out)
    assert out is not None  # it was named: the parser asks for it
    form = _ending("OUT", out, WRITES, "write")
    if out.exists() and os.path.samefile(path, out):
        raise UsageError(problem(f"OUT {str(out)!r}", "the file that is read", "another file", "name another one"))
    beside: list[Path] | None = None
    if form == ".xml" and READS.get(kind) == "add_mjcf" and not arguments.compiled and arguments.decompose is None:
        beside = _rewrite(path, out, arguments.allow_outside)
    if beside is None:
        use_device("cpu")
        compiled, options, report = _compiled(path, arguments.decompose)
        for entry in report.approximated if arguments.decompose is not None else ():
            print(entry)
        beside = _write(out, compiled, options, report, path)
    size = sum(file.stat().st_size for file in (out, *beside))
    findings(arguments, {"read": path, "written": [out, *beside], "bytes": size})
    more = f" and {len(beside)} files that it names" if beside else ""
    print(f"{path.name} written to {out}{more}, {tables.kib(size)}")
    return 0
