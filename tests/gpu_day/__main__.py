"""``python tests/gpu_day``: a day on a GPU. See ``docs/gpu_day.md``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also under ``-P`` and as ``-m tests.gpu_day``

from day.command import main

if __name__ == "__main__":
    sys.exit(main())
