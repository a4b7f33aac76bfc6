"""Whether a model steps with the integrator ``discrete``, and the options that this changes."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import DisableBit, IntegratorType
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.model import OPTION


def is_discrete(m: Any) -> bool:
    """Whether the model steps with the integrator ``discrete``."""
    return m.opt.integrator == IntegratorType.DISCRETE


def with_flag(m: Any, flag: DisableBit) -> Any:
    """The model's options with one more thing disabled."""
    return variant(OPTION, m.opt, disableflags=int(m.opt.disableflags) | int(flag))


def row_options(m: Any) -> Any:
    """Options with which rows are made; those of ``discrete`` have a safeguard of their own (see ``rows``)."""
    return with_flag(m, DisableBit.REFSAFE) if is_discrete(m) else m.opt
