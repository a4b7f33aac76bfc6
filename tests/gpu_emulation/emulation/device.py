"""A device ``cuda:0`` of Warp's on a machine without one: all that runs on it runs by emulation, in the form that a GPU would be given.

What tests of kernels by emulation leave out is the host's side of a GPU: where arrays are, which of them the host reads, what is captured, what a
program does otherwise where ``device.is_cuda``. Here whole programs run, with ``device="cuda:0"``. Kernels take long, so they should be small.
"""

from __future__ import annotations

from pathlib import Path

import warp as wp

from .driver import Driver
from .emulator import Emulator, Schedule


def install(schedule: Schedule = Schedule.RANDOM) -> Driver:
    """Give Warp the device, for the rest of the process.

    Args:
        schedule: order in which lanes of a block take their turns.
    """
    level, wp.config.log_level = wp.config.log_level, wp.LOG_WARNING  # no greeting with which programs do not reckon
    wp.init()
    wp.config.log_level = level
    # apart from machine code: what a GPU's driver would load from there is text here
    wp._src.build.init_kernel_cache(str(Path(wp.config.kernel_cache_dir) / "emulated"))
    runtime = wp._src.context.runtime
    if runtime.cuda_devices:
        raise RuntimeError("there is a CUDA device: nothing has to be emulated")
    driver = Driver(runtime.core, Emulator(schedule=schedule))
    runtime.core = driver
    runtime.is_cuda_enabled = True
    runtime.driver_version = runtime.toolkit_version
    device = wp._src.context.Device(runtime, "cuda:0", ordinal=0, is_primary=True)
    runtime.cuda_devices.append(device)
    runtime.cuda_primary_devices.append(device)
    runtime.device_map["cuda:0"] = device
    runtime.cuda_custom_context_count = [0]
    runtime.set_default_device("cuda:0")  # as where there is one
    return driver
