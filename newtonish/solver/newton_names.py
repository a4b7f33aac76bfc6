"""What Newton's solver shows of its conversion, under Newton's names: the compiled model, and which of Newton's rows each id of MuJoCo's stands for."""

from __future__ import annotations

import warnings
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import EqType
from newtonish.convert.maps import TARGET_POSITION, TARGET_VELOCITY, IndexMaps
from newtonish.errors import NewtonishWarning, UnsupportedError
from newtonish.solver.enums import CtrlSource
from newtonish.solver.native import NativeWorlds

__all__ = ["NewtonNames"]


class NewtonNames:
    """Part of a solver that has ``model`` and ``compiled``. Arrays are on the model's device, -1 where there is no counterpart."""

    model: Any
    compiled: Any
    _d: Any
    mjw_data: Any
    use_mujoco_cpu: bool
    _count: int  # steps so far
    _native: NativeWorlds | None = None
    _has_native = True  # unless it turned out that the model is none for MuJoCo's compiler
    _filled = -1  # steps at which MjData was filled

    @property
    def mj_model(self) -> Any:
        """The first world as a ``mujoco.MjModel`` where MuJoCo is installed, made at the first look; it follows ``notify_model_changed``.

        Where MuJoCo is not installed, or its compiler does not take the model, ``compiled``: numpy arrays under the same names.

        Warns:
            NewtonishWarning: Once, with the reason why MuJoCo's compiler does not take the model.
        """
        native = self._look_at_native()
        return self.compiled if native is None else native.models[0]

    @property
    def mj_data(self) -> Any:
        """The first world as a ``mujoco.MjData``. With ``use_mujoco_cpu`` it is what steps advance; else the first look after a step fills it
        from ``mjw_data``, and what is written into it stays until then, without effect on the solver.

        Raises:
            UnsupportedError: MuJoCo is not installed, or its compiler does not take the model.
        """
        if self._native is None:
            self._native = NativeWorlds(self, 1, "SolverMuJoCo.mj_data")
        if not self.use_mujoco_cpu and self._filled != self._count:
            if self._count:
                self._native.read_results(self._d, 0)
            else:
                self._native.read_all(self.mjw_data, [0])
                self._native.forward()
            self._filled = self._count
        return self._native.data[0]

    def _look_at_native(self) -> NativeWorlds | None:
        """MuJoCo's objects, made when first asked for; None where there can be none."""
        if self._native is None and self._has_native and find_spec("mujoco") is not None:
            try:
                self._native = NativeWorlds(self, 1, "SolverMuJoCo.mj_model")
            except UnsupportedError as error:
                self._has_native = False
                warnings.warn(str(error), NewtonishWarning, stacklevel=3)
        return self._native

    @property
    def _index(self) -> IndexMaps:
        return self.compiled.maps

    def _array(self, values: np.ndarray) -> wp.array:
        return wp.array(np.ascontiguousarray(values, dtype=np.int32), dtype=wp.int32, ndim=np.ndim(values), device=self.model.device)

    @cached_property
    def mjc_body_to_newton(self) -> wp.array:
        """Body of each MuJoCo body, (nworld, nbody); -1 for the world."""
        return self._array(self._index.mjc_body)

    @cached_property
    def mjc_geom_to_newton_shape(self) -> wp.array:
        """Shape of each geom, (nworld, ngeom); -1 where a world has fewer meshes than others."""
        return self._array(np.where(self._index.geom_empty, -1, self._index.mjc_geom))

    @cached_property
    def mjc_jnt_to_newton_jnt(self) -> wp.array:
        """Joint of each MuJoCo joint, (nworld, njnt)."""
        return self._array(self._index.mjc_joint)

    @cached_property
    def mjc_jnt_to_newton_dof(self) -> wp.array:
        """Dof of each MuJoCo joint, (nworld, njnt): the last one of free and ball joints, as in Newton's solver; their first is that of
        ``jnt_dofadr`` in ``mjc_dof_to_newton_dof``."""
        ends = np.append(np.asarray(self.compiled.jnt_dofadr, dtype=np.int64)[1:], self.compiled.nv)
        return self._array(self._index.mjc_dof[:, ends - 1])

    @cached_property
    def mjc_dof_to_newton_dof(self) -> wp.array:
        """Dof of each MuJoCo dof, (nworld, nv)."""
        return self._array(self._index.mjc_dof)

    @cached_property
    def mjc_mocap_to_newton_jnt(self) -> wp.array:
        """Joint that fixes each mocap body to the world, (nworld, nmocap)."""
        return self._array(self._index.mjc_mocap)

    @cached_property
    def mjc_eq_to_newton_eq(self) -> wp.array:
        """Row of the equality constraints' table of each constraint, (nworld, neq); -1 for closed loops and mimic joints."""
        return self._array(self._index.mjc_equality)

    @cached_property
    def mjc_eq_to_newton_jnt(self) -> wp.array:
        """Joint that each connect closes a loop for, (nworld, neq); -1 for welds of fixed joints too, as in Newton's solver."""
        connects = np.asarray(self.compiled.eq_type) == EqType.CONNECT
        return self._array(np.where(connects, self._index.mjc_loop, -1))

    @cached_property
    def mjc_eq_to_newton_mimic(self) -> wp.array:
        """Mimic constraint of each equality constraint, (nworld, neq)."""
        return self._array(self._index.mjc_mimic)

    @cached_property
    def mjc_eq_to_newton_joint_mimic(self) -> wp.array:
        """Joint that follows another by its own mimic data, of each equality constraint, (nworld, neq)."""
        return self._array(self._index.mjc_joint_mimic)

    @cached_property
    def mjc_tendon_to_newton_tendon(self) -> wp.array:
        """Row of the tendons' table of each tendon, (nworld, ntendon)."""
        return self._array(self._index.mjc_tendon)

    @cached_property
    def newton_shape_to_mjc_geom(self) -> wp.array:
        """Geom of each shape, (shapes,)."""
        return self._array(self._index.shape_to_geom)

    @cached_property
    def mjc_actuator_ctrl_source(self) -> wp.array:
        """``CtrlSource`` of each actuator, (nactuator,)."""
        direct = ~np.isin(self._index.actuator_source, (TARGET_POSITION, TARGET_VELOCITY))
        return self._array(np.where(direct, int(CtrlSource.CTRL_DIRECT), int(CtrlSource.JOINT_TARGET)))

    @cached_property
    def mjc_actuator_to_newton_idx(self) -> wp.array:
        """Row of each actuator in the first world, (nactuator,): of ``control.mujoco.ctrl``, or the dof of a joint target as Newton encodes
        it, dof for a position and -(dof + 2) for a velocity."""
        source, index, axis = self._index.actuator_source, self._index.actuator_index[0], self._index.actuator_axis
        q_start, qd_start = self.model.joint_q_start.numpy(), self.model.joint_qd_start.numpy()
        joint = np.searchsorted(q_start, index, side="right") - 1
        dof = qd_start[joint] + np.where(axis >= 0, axis, index - q_start[joint])
        return self._array(np.where(source == TARGET_POSITION, dof, np.where(source == TARGET_VELOCITY, -(index + 2), index)))
