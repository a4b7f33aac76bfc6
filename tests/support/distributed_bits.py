"""Rollouts by 0, 1, 2 and 4 Ray workers, one of which is killed each time: the same bits, with a hash of them.

python tests/support/distributed_bits.py
"""

import hashlib
import os
import signal
import sys

from newtonish.assets import asset_path
from newtonish.distributed import Rollout, rollout

WORKERS = (0, 1, 2, 4)


def digest(result: Rollout) -> str:
    """A hash of all that a rollout gives."""
    arrays = result.qpos, result.qvel, result.sensordata, result.time, result.nonfinite
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]


def main() -> int:
    """Print a line for each number of workers; 1 if their bits differ."""
    import ray

    ray.init(num_cpus=max(WORKERS), include_dashboard=False, log_to_driver=False)
    found = set()
    for workers in WORKERS:

        def kill(pool) -> None:
            if hasattr(pool, "processes"):
                os.kill(pool.processes()[0], signal.SIGKILL)

        result = rollout(str(asset_path()), 64, 100, block=8, seed=1, workers=workers, begun=kill)
        found.add(digest(result))
        print(f"{workers} workers: {digest(result)}, {result.lost} killed, {len(result.missing)} worlds missing", flush=True)
    ray.shutdown()
    return len(found) - 1


if __name__ == "__main__":
    sys.exit(main())
