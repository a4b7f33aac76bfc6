"""With this folder on ``PYTHONPATH``, each Python process finds an emulated device ``cuda:0`` (``emulation/device.py``), also those that a program starts."""

import sys
from pathlib import Path

if "ziglang" not in sys.orig_argv:  # the compiler that the emulation itself starts
    sys.path.insert(1, str(Path(__file__).parent.parent))

    from emulation import device

    device.install()
