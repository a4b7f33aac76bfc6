"""What MuJoCo makes of states as near to a state as float32 rounds: how much rounding does to its results, and what they are when solved to the end."""

from __future__ import annotations

import functools

import mujoco
import numpy as np

ROUNDING = 6e-8  # half a unit in the last place of float32, as a share
PROBES = 4  # states around a state, each as far away as float32 rounds


class Neighbourhood:
    """States around a world's, each as far away as float32 rounds, and what MuJoCo makes of them.

    Where its results there differ as much among each other as ours from its, float32 cannot do better from this state.
    """

    def __init__(self, mjm: mujoco.MjModel, mjd: mujoco.MjData):
        self.mjm, self.mjd = mjm, mjd

    @functools.cached_property
    def probes(self) -> list[mujoco.MjData]:
        return [self.probe(np.random.default_rng(seed)) for seed in range(PROBES)]

    def probe(self, rng: np.random.Generator) -> mujoco.MjData:
        """``mj_forward`` with the state, the mass matrix, inertias, axes and velocities of bodies rounded as float32 might."""
        mjm, probe = self.mjm, mujoco.MjData(self.mjm)
        mujoco.mj_copyData(probe, mjm, self.mjd)
        size = ROUNDING * np.abs(self.mjd.qpos).max(initial=1.0)
        mujoco.mj_integratePos(mjm, probe.qpos, size * rng.choice([-1.0, 1.0], mjm.nv), 1.0)
        probe.qvel[:] += ROUNDING * np.abs(self.mjd.qvel).max(initial=0.1) * rng.choice([-1.0, 1.0], mjm.nv)
        mujoco.mj_fwdPosition(mjm, probe)
        if mjm.neq:  # their errors are small differences of places
            self.round(probe, ("xpos", "xquat", "site_xpos"), rng)
            mujoco.mj_makeConstraint(mjm, probe)
            mujoco.mj_island(mjm, probe)
        self.round(probe, ("cinert", "cdof"), rng)
        if mjm.nv:
            mujoco.mj_makeM(mjm, probe)
            self.round(probe, ("M",), rng)
            mujoco.mj_factorM(mjm, probe)
        if mjm.neq:
            mujoco.mj_projectConstraint(mjm, probe)
        mujoco.mj_sensorPos(mjm, probe)
        mujoco.mj_fwdVelocity(mjm, probe)
        self.round(probe, ("cvel", "cdof_dot"), rng)
        mujoco.mj_rne(mjm, probe, 0, probe.qfrc_bias)
        mujoco.mj_subtreeVel(mjm, probe)
        mujoco.mj_sensorVel(mjm, probe)
        mujoco.mj_fwdActuation(mjm, probe)
        mujoco.mj_fwdAcceleration(mjm, probe)
        mujoco.mj_fwdConstraint(mjm, probe)
        mujoco.mj_rnePostConstraint(mjm, probe)  # which sensors leave as the copied state has it
        mujoco.mj_sensorAcc(mjm, probe)
        return probe

    @staticmethod
    def round(probe: mujoco.MjData, names: tuple[str, ...], rng: np.random.Generator) -> None:
        """Move each number by half a unit of float32's last place, the spatial vectors by that of their largest part."""
        for name in names:
            array = getattr(probe, name)
            size = np.abs(array) if array.ndim == 1 else np.abs(array).max(axis=1, initial=0.0, keepdims=True) * (array != 0.0)
            array += ROUNDING * size * rng.choice([-1.0, 1.0], array.shape)

    @functools.cached_property
    def exact(self) -> mujoco.MjData:
        """The same state solved by Newton's method to the end.

        A solver of first order may stop short of it, and MuJoCo's PGS stays at the tip of elliptic cones (``kernels/solver/pgs.py``):
        who is as near to this as to be to MuJoCo's own result agrees.
        """
        option, solution = self.mjm.opt, mujoco.MjData(self.mjm)
        mujoco.mj_copyData(solution, self.mjm, self.mjd)
        if option.solver != mujoco.mjtSolver.mjSOL_NEWTON and not option.noslip_iterations:
            before = option.solver, option.tolerance, option.iterations
            option.solver, option.tolerance, option.iterations = int(mujoco.mjtSolver.mjSOL_NEWTON), 1e-15, 500
            mujoco.mj_forward(self.mjm, solution)
            option.solver, option.tolerance, option.iterations = before
        return solution

    @property
    def on_threshold(self) -> bool:
        """Whether contacts or rows come or go within rounding, or a tendon's path changes its kind."""
        return any(
            self.rows_of(probe) != self.rows_of(self.mjd) or (self.mjm.ntendon and np.abs(probe.ten_length - self.mjd.ten_length).max() > 1e-3)
            for probe in self.probes
        )

    @staticmethod
    def rows_of(mjd: mujoco.MjData) -> tuple:
        return mjd.efc_type.tolist(), mjd.contact.geom.tolist(), mjd.contact.efc_address.tolist()

    def spread(self, values) -> float:
        """Largest difference of ``values(data)`` between the state and its neighbours; 0 if its shape changes."""
        here, worst = values(self.mjd), 0.0
        for probe in self.probes:
            there = values(probe)
            if np.shape(there) == np.shape(here):
                worst = max(worst, float(np.abs(there - here).max(initial=0.0)))
        return worst
