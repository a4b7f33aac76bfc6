"""Parameters of a model from recorded motions, with intervals, and what the recordings cannot tell."""

from newtonish.identification.columns import Columns
from newtonish.identification.excitation import Excitation
from newtonish.identification.identify import identify
from newtonish.identification.logs import Log, read_log
from newtonish.identification.merge import merged, save_merged
from newtonish.identification.parameters import DEFAULT, KINDS, Parameter
from newtonish.identification.patch_python import python_lines
from newtonish.identification.patch_usd import save_layer
from newtonish.identification.result import Estimate, Fit, Identification

__all__ = [
    "DEFAULT",
    "KINDS",
    "Columns",
    "Estimate",
    "Excitation",
    "Fit",
    "Identification",
    "Log",
    "Parameter",
    "identify",
    "merged",
    "python_lines",
    "read_log",
    "save_layer",
    "save_merged",
]
