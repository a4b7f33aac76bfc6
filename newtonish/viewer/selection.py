"""The selected body between a session, which knows how it is dragged, and a simulation, which is pushed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.viewer.scene import Perturbation
from newtonish.viewer.scene.posing import set_pose

if TYPE_CHECKING:
    from newtonish.viewer.session import Session

__all__ = ["SelectedBody"]


@dataclass
class SelectedBody:
    """The selected body as a simulation knows it: ``apply`` is called before every step."""

    session: Session
    hand: Perturbation = field(default_factory=Perturbation)

    def apply(self, simulation: Any) -> None:
        """Push the body, or move it if it is a mocap body."""
        if self.hand.body < 0 or not self.hand.active:
            return
        maker = self.session.maker
        if not set_pose(maker, simulation.state, self.hand, False):
            simulation.apply_wrench(self.hand.body, np.concatenate(self.hand.force(maker, simulation.state)))
