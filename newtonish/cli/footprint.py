"""How much memory a world of a model takes, from the shapes of its arrays, before any of them is allocated."""

from __future__ import annotations

from typing import Any

__all__ = ["Footprint", "footprint"]


class Footprint:
    """Bytes of newtonish's arrays for each world, with the capacities that are estimated when none are given.

    Attributes:
        nconmax: Contact slots.
        njmax: Constraint rows.
        groups: Bytes by group of arrays, largest first.
    """

    def __init__(self, nconmax: int, njmax: int, groups: dict[str, int]) -> None:
        self.nconmax, self.njmax = nconmax, njmax
        self.groups = dict(sorted(groups.items(), key=lambda item: -item[1]))

    @property
    def total(self) -> int:
        return sum(self.groups.values())


def footprint(compiled: Any) -> Footprint:
    """Footprint of a compiled model (MuJoCo's or that of ``newtonish.convert``)."""
    from newtonish import mjw
    from newtonish.kernels.structs.data import DATA_GROUPS
    from newtonish.mjw.capacity import bytes_of_world, estimate, first_hessian, sizes_of

    m = mjw.put_model(compiled, device="cpu", strict=False)
    nconmax, njmax = estimate(m, None, None)
    sizes = sizes_of(m, nconmax, njmax, first_hessian(m))
    return Footprint(nconmax, njmax, {group.name: bytes_of_world((group,), sizes) for group in DATA_GROUPS})
