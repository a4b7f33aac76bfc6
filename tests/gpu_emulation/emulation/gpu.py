"""From what a kernel takes to how long it would take: a model of one GPU, stated so that it can be doubted.

An H200 has 132 multiprocessors of four schedulers, each of which starts one instruction of one warp in a cycle, at 1.83 GHz, and reads 4.3 TB/s.
A warp alone starts an instruction every eight cycles: most wait for the one before, some for memory. So a multiprocessor starts
``min(4 * BUSY, warps / STALL)`` instructions a cycle, with as many warps on it as registers and shared memory admit and the worlds fill. Each
kernel takes the longer of its instructions and its bytes, and a launch within a graph 1.5 microseconds. Errors of half or double are to be
expected of such a model; comparisons of one mapping with another are better than that.
"""

from __future__ import annotations

from dataclasses import dataclass

from .cubin import Footprint

MULTIPROCESSORS, SCHEDULERS, CLOCK, BANDWIDTH = 132, 4, 1.83e9, 4.3e12
REGISTERS, SHARED, WARPS, BLOCKS = 65536, 227 * 1024, 64, 32
STALL = 8.0  # cycles between two instructions of one warp
BUSY = 0.7  # of the cycles, at the most
LAUNCH = 1.5e-6
WARP = 32


def resident_warps(footprint: Footprint, block_dim: int) -> int:
    """Warps of a kernel that a multiprocessor holds at a time."""
    warps = -(-block_dim // WARP)
    by_warp = -(-footprint.registers * WARP // 256) * 256  # registers are given to warps in lots of 256
    blocks = min(BLOCKS, WARPS // warps, REGISTERS // max(by_warp, 1) // warps, SHARED // max(footprint.shared, 1))
    return blocks * warps


@dataclass(frozen=True)
class Work:
    """Of one kernel for one world.

    Attributes:
        instructions: Machine instructions, of warps.
        bytes: To and from memory.
        warps: Of one world; a fraction where several worlds share one.
        footprint: What the kernel takes of a multiprocessor.
        block_dim: Threads of a block.
        launches: In a step.
    """

    instructions: float
    bytes: float
    warps: float
    footprint: Footprint
    block_dim: int
    launches: float = 1.0

    def seconds(self, nworld: int) -> float:
        """Of this kernel in a step of all worlds."""
        there = nworld * self.warps / MULTIPROCESSORS
        warps = min(resident_warps(self.footprint, self.block_dim), max(there, 1.0))
        rate = min(SCHEDULERS * BUSY, warps / STALL) * CLOCK * MULTIPROCESSORS
        if there < 1.0:  # some multiprocessors have nothing to do
            rate *= there
        return max(nworld * self.instructions / rate, nworld * self.bytes / BANDWIDTH) + self.launches * LAUNCH


def steps_per_second(work: list[Work], nworld: int) -> float:
    """World-steps a second of all kernels of a step, one after the other."""
    return nworld / sum(one.seconds(nworld) for one in work)
