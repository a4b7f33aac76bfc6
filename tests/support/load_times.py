"""Processor seconds from the start of Python to the first step of a model, beside MuJoCo's: python tests/support/load_times.py MODEL.xml ...

Every load is a process of its own, and the kernels have been compiled by one before. The least of ``--repeat`` is printed: whatever else runs on
the machine adds to the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

OURS = "from newtonish import mjw; m, d = mjw.load({0!r}); mjw.step(m, d)"
THEIRS = "import mujoco; m = mujoco.MjModel.from_xml_path({0!r}); d = mujoco.MjData(m); mujoco.mj_step(m, d)"
TIMED = "{0}\nimport time; print('seconds', time.process_time())"


def seconds(code: str) -> float:
    """Processor time of a new process that runs ``code``, its start included."""
    done = subprocess.run([sys.executable, "-c", TIMED.format(code)], check=True, capture_output=True, text=True)
    return float(done.stdout.rsplit("seconds", 1)[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL.xml")
    parser.add_argument("--repeat", type=int, default=3, help="processes for each")
    arguments = parser.parse_args()
    print("| model | newtonish | MuJoCo |\n|---|---|---|")
    for path in arguments.models:
        seconds(OURS.format(path))
        ours, theirs = (min(seconds(code.format(path)) for _ in range(arguments.repeat)) for code in (OURS, THEIRS))
        print(f"| {path} | {ours:.2f} | {theirs:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
