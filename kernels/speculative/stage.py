"""What speculative contacts add to a step; nothing, unless the flag ``speculative`` is set."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import EnableBit
from newtonish.kernels.structs.field import variant


def may_speculate(m: Any) -> bool:
    """Whether contacts are made before geoms touch."""
    return bool(m.opt.enableflags & EnableBit.SPECULATIVE)


def find_ahead(m: Any, d: Any) -> None:
    """Contacts of all geoms, those included that fast ones will have."""
    from newtonish.kernels.fused.collision_speculative import launch_collision_speculative
    from newtonish.kernels.speculative import travel

    travel.travel(m, d)
    launch_collision_speculative(m, d)


def contact_distances(m: Any, d: Any) -> None:
    """Distances of speculative contacts, once their gains are known."""
    if may_speculate(m) and d.outside is None and m.finds_contacts:
        from newtonish.kernels.speculative import distance

        distance.contact_distances(m, d)


def with_rows_ahead(m: Any, d: Any) -> Any:
    """``d`` for the kernels of rows, which then make rows of speculative contacts as they do of those that can pull."""
    if not may_speculate(m) or d.outside is not None or not m.finds_contacts:
        return d
    import copy

    from newtonish.kernels.structs.data import CONTACT

    data = copy.copy(d)
    data.__dict__["contact"] = variant(CONTACT, d.contact, adhesion=d.ahead.active)
    return data
