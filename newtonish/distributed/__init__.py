"""Sweeps, rollouts and benchmarks over many workers, on this machine or a Ray cluster, with results that do not depend on how many there are."""

from newtonish.distributed.benchmarks import benchmark
from newtonish.distributed.pool import Worker, WorkerLost
from newtonish.distributed.rollouts import Rollout, rollout
from newtonish.distributed.sweep import Outcome, sweep

__all__ = ["Outcome", "Rollout", "Worker", "WorkerLost", "benchmark", "rollout", "sweep"]
