"""The USD library itself: whether it is there, and opening a stage with it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newtonish.diagnostics import Diagnostics, Location
from newtonish.errors import ImporterError, NewtonishError, UnsupportedError, problem
from newtonish.importers.usd.probe import objection_to
from newtonish.model.sources import is_usd

__all__ = ["MOST_PRIMS", "check_composition", "need_usd", "open_stage", "prims_below", "readable", "reason_of"]

MOST_PRIMS = 1_000_000
"""Most prims of a stage, with those inside instances; instances in instances in a file of a few lines can be any number."""


def need_usd() -> None:
    """Raise unless ``pxr`` can be imported.

    Raises:
        UnsupportedError: There is no ``usd-core`` here, as there may be no wheel of it for a new version of Python.
    """
    if find_spec("pxr") is None:
        given = f"Python {sys.version_info.major}.{sys.version_info.minor} without the module 'pxr'"
        remedy = "pip install usd-core; where it has no wheel for this Python, use another Python, or convert the stage to MJCF"
        raise UnsupportedError(problem("add_usd", given, "a Python with PyPI's usd-core", remedy))


def open_stage(source: Any) -> tuple[Any, str]:
    """Return an open stage and what messages call it.

    Raises:
        ImporterError: There is no such file, it is no stage, or the library would not survive it.
    """
    from pxr import Tf, Usd

    if not isinstance(source, (str, Path)):
        if not is_usd(source):
            raise ImporterError(problem("add_usd, source", type(source).__name__, "a path or a Usd.Stage", "pass one of these"))
        if not source.GetPseudoRoot():
            raise ImporterError(problem("add_usd, source", "a stage that has been closed", "an open stage", "open it again"))
        return source, source.GetRootLayer().identifier
    path = Path(str(source))
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no such file"
        raise ImporterError(problem(str(source)[:200], what, "the path of a USD file", "check the path"))
    given = objection_to(path)
    if given:
        raise ImporterError(problem(str(source), given, "a USD stage", "repair the file or write it again; NEWTONISH_USD_PROBE=0 opens it unasked"))
    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        raise ImporterError(problem(str(source), f"text that is no stage ({reason_of(error)})", "a USD stage", "repair the file")) from None
    return stage, str(source)


def prims_below(start: Any) -> Any:
    """The range of a prim and all below it, those inside instances by way of their proxies.

    Raises:
        ImporterError: They are more than ``MOST_PRIMS``.
    """
    from pxr import Usd

    prims = Usd.PrimRange(start, Usd.TraverseInstanceProxies())
    if next(itertools.islice(prims, MOST_PRIMS, None), None) is not None:
        remedy = "read a part of it (root_path), or use fewer instances"
        raise ImporterError(problem(f"the prims below {start.GetPath()}", f"more than {MOST_PRIMS}", f"at most {MOST_PRIMS}", remedy))
    return prims


def reason_of(error: Exception) -> str:
    """The last line of an error of the library, which quotes what is in the file, whatever its bytes are."""
    try:
        lines = str(error).strip().splitlines()
    except UnicodeError:
        lines = ["bytes that are not UTF-8"]
    return lines[-1][:300] if lines else type(error).__name__


@contextmanager
def readable(source: Any) -> Iterator[None]:
    """Turn what the library, or a value of a type that nobody expects, raises while a stage is read into an error of ours."""
    from pxr import Tf

    try:
        yield
    except NewtonishError:
        raise
    except (Tf.ErrorException, UnicodeError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        name = str(source) if isinstance(source, (str, Path)) else "the stage"
        given = f"content that cannot be read ({type(error).__name__}: {reason_of(error)})"
        raise ImporterError(problem(name, given, "values of the types that the schemas say", "check the stage, for instance with usdchecker")) from error


def check_composition(stage: Any, prims: Any, log: Diagnostics) -> None:
    """Note layers and prims that references and payloads lead to and that are not there, and payloads that are not loaded."""
    known = {str(prim.GetPath()) for prim in prims}
    for error in stage.GetCompositionErrors():
        path = str(error.rootSite.path)
        if path in known or path == "/":
            text = str(error).partition(" introduced by ")[0].rstrip(".")
            log.problem(Location(path), "composition", text, "layers and prims that can be found", "correct the reference, or supply the file")
    for path in sorted(map(str, set(stage.FindLoadable()) - set(stage.GetLoadSet()))):
        log.ignored("payload", Location(path), path, "its payload is not loaded: open the stage with all payloads")
