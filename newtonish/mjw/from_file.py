"""From a model file to a Model and a Data, through newtonish's own importer and conversion."""

from __future__ import annotations

from os import PathLike
from typing import Any

from newtonish.collector import paused
from newtonish.errors import ImporterError, ModelError, NewtonishError, problem
from newtonish.kernels.runtime.header import begin
from newtonish.kernels.runtime.modules import load_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.data import new_data, reset_data
from newtonish.mjw.from_mjmodel import put_model
from newtonish.mjw.length_range import length_range_options, set_length_range
from newtonish.mjw.matching import get_device, integer
from newtonish.mjw.replay import modules_of_step
from newtonish.mjw.sleeping import begin_asleep
from newtonish.mjw.user_actuation import UserActuation


@paused()
def load(
    source: Any,
    nworld: int = 1,
    *,
    nconmax: int | None = None,
    njmax: int | None = None,
    device: Any = None,
    strict: bool = False,
    actuation: UserActuation | None = None,
    headroom: float = 1.0,
    decompose: float | None = None,
) -> tuple[Model, Data]:
    """Read an MJCF, URDF or USD file (or text, an object model, a stage, or compiled arrays) and make data for ``nworld`` worlds in its reference pose.

    Args:
        source: path of an MJCF or URDF file, its text, the root of a model of ``newtonish.mjcf``, path of a USD file
            (.usd, .usda, .usdc, .usdz) or an open ``Usd.Stage``, or path of an archive (.npz) that ``newtonish convert`` wrote.
        nworld: number of worlds.
        nconmax: contact slots of each world; None: estimated and grown.
        njmax: constraint rows of each world; None: estimated and grown.
        device: Warp device; None: Warp's current one.
        strict: raise ``UnsupportedError`` for what is not simulated, instead of warning.
        actuation: functions for actuators whose gain, bias or dynamics are of type ``user``.
        headroom: factor on the capacities that are estimated, as of ``make_data``.
        decompose: cut colliding meshes into convex parts, up to this concavity (extra ``decompose``): 0.05 suits most, smaller numbers make more
            parts; what became of each mesh stands in ``m.report``. None: they collide as their convex hulls, as in MuJoCo.

    Returns:
        The Model and the Data; ``m.report`` is the importer's account of what it kept, approximated and ignored.

    Raises:
        ImporterError: everything wrong with the file, each with its place.
        ModelError: there is no such device, or a number is out of range.
    """
    from newtonish.model.sources import is_usd

    device = get_device("load", device)
    begin(device)  # compiling, where nothing is in the cache yet
    integer("load: nworld", nworld, 1)
    if isinstance(source, PathLike):
        source = str(source)
    elif not isinstance(source, str) and not hasattr(source, "to_xml_string") and not is_usd(source):
        allowed = "a path, the text of an MJCF or URDF file, a model of newtonish.mjcf, or a USD stage"
        text = problem("load: source", f"a {type(source).__name__}", allowed, "pass one of these")
        raise ModelError(text)
    compiled, ranges, report = read_compiled(source, decompose)
    m = _put(source, compiled, device=device, strict=strict, actuation=actuation)
    m.report = report
    set_length_range(m, **ranges)
    d = new_data(m, nworld, nconmax, njmax, headroom)
    load_modules(m.device, modules_of_step(m, d))  # side by side, before the first of them is needed
    reset_data(m, d)
    begin_asleep(m, d)
    return m, d


def _put(source: Any, compiled: Any, **options: Any) -> Model:
    """``put_model``; what it stumbles over in an archive is the archive's damage."""
    from newtonish.exporters.archive import is_archive

    try:
        return put_model(compiled, **options)
    except NewtonishError:
        raise
    except (LookupError, ValueError, TypeError, ArithmeticError, MemoryError) as error:
        if not is_archive(source):
            raise
        given = f"arrays that do not fit together ({type(error).__name__}: {' '.join(str(error).split())})"
        raise ImporterError(problem(str(source), given, "what 'newtonish convert' wrote", "convert the model again")) from error


def read_compiled(source: Any, decompose: float | None = None) -> tuple[Any, dict[str, Any], Any]:
    """Compiled arrays of what ``load`` takes, arguments of ``set_length_range``, and the import report."""
    from newtonish.exporters.archive import is_archive, read_archive

    if is_archive(source):
        if decompose is not None:
            text = problem("load: decompose", f"{decompose} for an archive", "None: its meshes are compiled", "give it where the archive is made")
            raise ModelError(text)
        archive = read_archive(source)
        return archive.compiled, archive.length_range, archive.report
    from newtonish.model.builder import ModelBuilder

    builder = ModelBuilder()
    read_source(builder, source, decompose)
    return compile_model(builder)


def read_source(builder: Any, source: Any, decompose: float | None = None) -> None:
    """Read an MJCF, URDF or USD source into a builder, each with MuJoCo's defaults."""
    from newtonish.importers.urdf.extension import set_mujoco_defaults
    from newtonish.importers.urdf.read import is_urdf
    from newtonish.model.sources import is_usd

    if is_urdf(source):
        set_mujoco_defaults(builder)
        builder.add_urdf(source, decompose=decompose)
    elif is_usd(source):
        builder.add_usd(source, decompose=decompose)
    else:
        builder.add_mjcf(source, decompose=decompose)


def compile_model(builder: Any) -> tuple[Any, dict[str, Any], Any]:
    """What ``read_compiled`` returns, of a builder that a file has been read into."""
    from newtonish.convert import convert

    model = builder.finalize(device="cpu")
    return convert(model), length_range_options(model.mujoco), builder.import_reports[-1]
