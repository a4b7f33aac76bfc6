"""Simulations of candidates: a world for each candidate and each piece of a log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from newtonish import mjw
from newtonish.identification.controls import HeldControls
from newtonish.identification.parameters import KINDS, Parameter, field_values
from newtonish.identification.segments import Segments

__all__ = ["Constants", "Rollouts"]

_DERIVED = ("body_mass", "body_inertia", "dof_armature")
"""Fields that others follow from."""
_FOLLOWING = ("dof_invweight0", "body_invweight0", "tendon_invweight0", "actuator_acc0", "body_subtreemass")
"""Those."""


class Constants:
    """What follows from masses, inertias and armature, for several candidates at once.

    Args:
        compiled: compiled arrays.
        candidates: how many at most.
    """

    def __init__(self, compiled: Any, candidates: int) -> None:
        self._compiled, self._candidates = compiled, candidates

    @cached_property
    def _model(self) -> tuple[mjw.Model, mjw.Data]:
        m = mjw.put_model(self._compiled, device="cpu")
        return m, mjw.make_data(m, self._candidates)

    def of(self, fields: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The fields that follow from fields (candidates, ...)."""
        (m, d), count = self._model, len(next(iter(fields.values())))
        more = self._candidates - count
        _write(m, {name: np.concatenate([value, np.repeat(value[-1:], more, axis=0)]) for name, value in fields.items()}, 1)
        mjw.set_const(m, d)
        found = {name: getattr(m, name).numpy() for name in _FOLLOWING}
        return {name: np.broadcast_to(value, (self._candidates, *value.shape[1:]))[:count] for name, value in found.items()}


class Rollouts:
    """A model in ``candidates`` times ``len(segments)`` worlds.

    Args:
        compiled: compiled arrays.
        parameters: what differs between candidates.
        segments: pieces of logs.
        controls: of the logs.
        candidates: how many at once.
        constants: for as many candidates or more.
        device: Warp device.
    """

    def __init__(
        self,
        compiled: Any,
        parameters: Sequence[Parameter],
        segments: Segments,
        controls: HeldControls,
        candidates: int,
        constants: Constants,
        device: Any = "cpu",
    ) -> None:
        self._compiled, self._parameters, self._segments, self._controls = compiled, parameters, segments, controls
        self.candidates = candidates
        self._m = mjw.put_model(compiled, device=device)
        names = sorted({field for each in parameters for field in KINDS[each.kind].fields})
        self._nominal = {name: getattr(self._m, name).numpy()[0].astype(float) for name in names}
        self._constants = constants if any(name in _DERIVED for name in names) else None
        upper = np.array([[max(each.high, each.initial) for each in parameters]] * candidates)
        self._put(upper)  # so that there is room for every row that a candidate may have
        self._d = mjw.make_data(self._m, candidates * len(segments))
        self._delays = [p for p, each in enumerate(parameters) if each.kind == "delay"]
        self._columns = {array: [place.number for place in segments.places if place.array == array] for array in ("qpos", "qvel", "sensor")}
        self._order = {array: [k for k, place in enumerate(segments.places) if place.array == array] for array in ("qpos", "qvel", "sensor")}

    def run(self, values: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Predictions of candidates.

        Args:
            values: (candidates, parameters); fewer than there is room for are filled up with the last.
            qpos: (candidates, pieces, nq) positions in which pieces begin.
            qvel: (candidates, pieces, nv).

        Returns:
            What would be measured, (candidates, pieces, most rows, columns).
        """
        given = len(values)
        values, qpos, qvel = (np.concatenate([x, np.repeat(x[-1:], self.candidates - given, axis=0)]) for x in (values, qpos, qvel))
        self._put(values)
        m, d, s = self._m, self._d, self._segments
        mjw.reset_data(m, d)
        d.qpos.assign(qpos.reshape(d.nworld, -1).astype(np.float32))
        d.qvel.assign(qvel.reshape(d.nworld, -1).astype(np.float32))
        if s.act.shape[1]:
            d.act.assign(np.tile(s.act, (self.candidates, 1)).astype(np.float32))
        controls = self._control_of(values)
        trace = np.empty((s.steps, d.nworld, len(s.names)), dtype=np.float32)
        for k in range(s.steps):
            trace[k][:, self._order["qpos"]] = d.qpos.numpy()[:, self._columns["qpos"]]
            trace[k][:, self._order["qvel"]] = d.qvel.numpy()[:, self._columns["qvel"]]
            if controls is not None:
                d.ctrl.assign(controls[k])
            mjw.step(m, d)
            if self._columns["sensor"]:  # those of the state before the step
                trace[k][:, self._order["sensor"]] = d.sensordata.numpy()[:, self._columns["sensor"]]
        return self._at_rows(trace)[:given] + self._biases(values[:given])

    def _put(self, values: np.ndarray) -> None:
        fields = field_values(self._compiled, self._parameters, self._nominal, values)
        if self._constants is not None:
            fields = fields | self._constants.of(fields)
        _write(self._m, fields, len(self._segments))

    def _control_of(self, values: np.ndarray) -> np.ndarray | None:
        """Controls (steps, worlds, nu), computed once for candidates with the same delays."""
        nu = int(self._compiled.nu)
        if not nu:
            return None
        s, known = self._segments, dict[bytes, np.ndarray]()
        parts = []
        for row in values:
            delay = self._delay_of(row)
            key = delay.tobytes()
            if key not in known:
                known[key] = np.stack([self._controls.mean(int(s.log[k]), float(s.begin[k]), s.steps, s.step, delay) for k in range(len(s))], axis=1).astype(
                    np.float32
                )
            parts.append(known[key])
        return np.concatenate(parts, axis=1)

    def _delay_of(self, row: np.ndarray) -> np.ndarray:
        """Delay of each control [s]."""
        c = self._compiled
        delay = np.repeat(np.asarray(c.actuator_delay, float), np.asarray(c.actuator_ctrlnum, int))
        for p in self._delays:
            a = self._parameters[p].index
            first = int(c.actuator_ctrladr[a])
            delay[slice(None) if a < 0 else slice(first, first + int(c.actuator_ctrlnum[a]))] = row[p]
        return delay

    def _at_rows(self, trace: np.ndarray) -> np.ndarray:
        """Predictions at the times of rows, between two steps by a line through both."""
        s = self._segments
        trace = trace.reshape(s.steps, self.candidates, len(s), len(s.names))
        below = np.minimum(np.floor(s.rows).astype(int), s.steps - 1)
        part = (s.rows - below)[..., None].astype(np.float32)
        piece = np.arange(len(s))[:, None]
        first = trace[below, :, piece]  # (pieces, rows, candidates, columns)
        if part.any():
            first = first + part[..., None] * (trace[np.minimum(below + 1, s.steps - 1), :, piece] - first)
        return np.moveaxis(first, 2, 0).astype(float)

    def _biases(self, values: np.ndarray) -> np.ndarray:
        result = np.zeros((len(values), 1, 1, len(self._segments.names)))
        for p, each in enumerate(self._parameters):
            if each.kind == "bias":
                result[:, 0, 0, self._segments.names.index(each.object)] = values[:, p]
        return result


def _write(m: mjw.Model, fields: dict[str, np.ndarray], copies: int) -> None:
    """Put fields (candidates, ...) into a model, each row for ``copies`` worlds that follow each other."""
    for name, value in fields.items():
        array = getattr(m, name)
        host = np.repeat(value.astype(np.float32), copies, axis=0)
        if not host.size:
            continue
        if array.numpy().shape == host.shape:
            array.assign(host)
        else:
            setattr(m, name, host)
