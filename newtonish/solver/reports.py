"""What is written once a step of all worlds has ended: forces of its contacts, and which buffers were too small."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.bridge import contacts as contact_kernels
from newtonish.kernels.bridge import reports as report_kernels
from newtonish.kernels.bridge.outside import OutsideContacts
from newtonish.kernels.bridge.reports import outside_forces_kernel, overflow_kernel, set_aside_kernel
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.runtime.modules import builds_of, load_modules

__all__ = ["Reports"]


class Reports:
    """Fills ``contact_f`` and ``overflow`` of observables; its launches can be captured with the step.

    Args:
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        export: Writes contacts that the solver found.
        outside: Sorts contacts from outside; None: the solver finds contacts.
    """

    def __init__(self, m: Any, d: Any, export: Any, outside: Any) -> None:
        self._m, self._d, self._export, self._outside = m, d, export, outside
        self._before = wp.zeros(d.nworld, dtype=wp.int32, device=d.device)
        load_modules(d.device, [*builds_of(report_kernels, d), *builds_of(contact_kernels, d)])

    def begin(self, observables: Any) -> None:
        """Before the step."""
        if observables.overflow is not None:
            launch(set_aside_kernel, self._d, [self._d.status, self._before])

    def finish(self, observables: Any, contacts: Any) -> None:
        """After the step.

        Args:
            observables: The container to fill.
            contacts: The contacts that the step was called with.
        """
        m, d = self._m, self._d
        from_outside = self._outside is not None
        if observables.overflow is not None:
            flat = self._outside.take(contacts) if from_outside else OutsideContacts()
            launch(overflow_kernel, d, [d.status, self._before, flat, from_outside, observables.overflow])
        if observables.contact_f is not None:
            if from_outside:
                observables.contact_f.zero_()
                groups = [m.opt, d.contact, d.efc, d.status]
                launch(outside_forces_kernel, d, [*groups, *self._outside.places, observables.contact_f])
            else:
                self._export.write(m, d, contacts, observables.contact_f)
            force = getattr(contacts, "force", None)
            if force is not None:
                wp.copy(force, observables.contact_f, count=len(force))
