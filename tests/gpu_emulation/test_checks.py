"""What the emulation claims to see, it sees: small kernels with one fault each, beside the same kernel without it."""

import numpy as np
import pytest
import warp as wp
from emulation.emulator import Emulator, Schedule

LANES = 64
NEIGHBOUR = """
    x.data[threadIdx.x] = threadIdx.x;
    {barrier}
    y.data[threadIdx.x] = x.data[(threadIdx.x + {offset}) % blockDim.x];
"""
SHARED = """
    __shared__ float held[64];
    if ({condition}) held[threadIdx.x] = 1.0f;
    __syncthreads();
    y.data[threadIdx.x] = held[63 - threadIdx.x];
"""
LARGE = "__shared__ float held[{floats}]; held[threadIdx.x] = 1.0f; y.data[threadIdx.x] = held[threadIdx.x];"
READERS = """
    const int i = threadIdx.x;
    if (i < 3) y.data[i] = x.data[5];
    {barrier}
    if (i == 2) x.data[5] = 1.0f;
"""
# each: what is reported, the faulty text, the text without the fault
FAULTS = {
    "race_write_read": ("RACE write-read", NEIGHBOUR.format(barrier="", offset=1), NEIGHBOUR.format(barrier="__syncthreads();", offset=1)),
    # a barrier of a warp does not order what another warp does
    "race_between_warps": (
        "RACE write-read", NEIGHBOUR.format(barrier="__syncwarp();", offset=32),
        "x.data[threadIdx.x] = threadIdx.x; __syncwarp(); y.data[threadIdx.x] = x.data[threadIdx.x ^ 31];",
    ),
    # nor one of eight lanes what the next eight do
    "race_between_groups": (
        "RACE write-read",
        "x.data[threadIdx.x] = 1.0f; __syncwarp(0xffu << (threadIdx.x & 24)); y.data[threadIdx.x] = x.data[threadIdx.x ^ 8];",
        "x.data[threadIdx.x] = 1.0f; __syncwarp(0xffu << (threadIdx.x & 24)); y.data[threadIdx.x] = x.data[threadIdx.x ^ 4];",
    ),
    "race_write_write": ("RACE write-write", "x.data[threadIdx.x / 2] = 1.0f;", "x.data[threadIdx.x] = 1.0f;"),
    # bytes of one word are apart
    "race_of_bytes": (
        "RACE write-write", "((char*)x.data)[threadIdx.x / 2] = 1;", "((char*)x.data)[threadIdx.x] = 1;",
    ),
    # atomic operations need no order among themselves, reading what they left does
    "race_with_an_atomic": (
        "RACE write-read", "if (threadIdx.x % 2) y.data[threadIdx.x] = x.data[0]; else wp::atomic_add(x, 0, 1.0f);",
        "wp::atomic_add(x, 0, 1.0f); wp::atomic_add(x, 0, 1.0f); __syncthreads(); y.data[threadIdx.x] = x.data[0];",
    ),
    # three lanes read, a fourth writes: whichever of them it was, also the first
    "race_read_write": ("RACE read-write", READERS.format(barrier="if (i == 1 || i == 2) __syncwarp(6);"), READERS.format(barrier="__syncwarp();")),
    # a shuffle exchanges values and orders no memory
    "race_over_a_shuffle": (
        "RACE write-read",
        "x.data[threadIdx.x] = 1.0f; float s = __shfl_xor_sync(~0u, 1.0f, 1); y.data[threadIdx.x] = s + x.data[threadIdx.x ^ 1];",
        "x.data[threadIdx.x] = 1.0f; float s = __shfl_xor_sync(~0u, 1.0f, 1); __syncwarp(); y.data[threadIdx.x] = s + x.data[threadIdx.x ^ 1];",
    ),
    "uninitialised_shared": ("UNINITIALISED SHARED", SHARED.format(condition="threadIdx.x != 7"), SHARED.format(condition="true")),
    "out_of_bounds": ("OUT OF BOUNDS", "x.data[threadIdx.x + 1] = 1.0f;", "x.data[threadIdx.x] = 1.0f;"),
    "barrier_left_out": (
        "BLOCK BARRIER that lanes left out", "if (threadIdx.x == 3) return; __syncthreads(); x.data[threadIdx.x] = 1.0f;",
        "__syncthreads(); if (threadIdx.x == 3) return; x.data[threadIdx.x] = 1.0f;",
    ),
    "barriers_at_different_places": (
        "BLOCK BARRIER at different places", "if (threadIdx.x < 32) { __syncthreads(); x.data[threadIdx.x] = 1.0f; } else { x.data[threadIdx.x] = 2.0f; __syncthreads(); }",
        "if (threadIdx.x < 32) x.data[threadIdx.x] = 1.0f; __syncthreads();",
    ),
    "warp_barriers_at_different_places": (
        "WARP BARRIER at different places", "if (threadIdx.x & 1) { __syncwarp(); x.data[threadIdx.x] = 1.0f; } else { x.data[threadIdx.x] = 2.0f; __syncwarp(); }",
        "if (threadIdx.x & 1) x.data[threadIdx.x] = 1.0f; __syncwarp();",
    ),
    "deadlock": (
        "DEADLOCK", "if (threadIdx.x < 16) __syncthreads(); else if (threadIdx.x < 32) __syncwarp();", "__syncthreads(); __syncwarp();",
    ),
    # the whole warp are those that have work: who has none ends at once, who has must stay
    "ended_between_barriers": (
        "WARP BARRIER with lanes that have ended", "__syncwarp(); if (threadIdx.x == 3) return; y.data[threadIdx.x] = __any_sync(~0u, threadIdx.x == 5);",
        "if (threadIdx.x > 40) return; y.data[threadIdx.x] = __any_sync(~0u, threadIdx.x == 5); __syncwarp();",
    ),
    "ended_but_named": (
        "WARP BARRIER with lanes that have ended", "if (threadIdx.x == 3) return; if (threadIdx.x < 8) x.data[threadIdx.x] = __any_sync(0xffu, 1);",
        "if (threadIdx.x < 8) x.data[threadIdx.x] = __any_sync(0xffu, 1);",
    ),
    "shuffle_from_one_that_ended": (
        "SHUFFLE from a lane that has ended", "if (threadIdx.x > 40) return; x.data[threadIdx.x] = __shfl_sync(~0u, 1.0f, 20);",
        "if (threadIdx.x > 40) return; x.data[threadIdx.x] = __shfl_sync(~0u, 1.0f, 8);",
    ),
    "shuffle_from_outside": (
        "SHUFFLE from outside the mask", "if (threadIdx.x < 8) x.data[threadIdx.x] = __shfl_sync(0xffu, 1.0f, 9);",
        "if (threadIdx.x < 8) x.data[threadIdx.x] = __shfl_sync(0xffu, 1.0f, 7);",
    ),
    "signed_overflow": (
        "SIGNED OVERFLOW", "int n = 70000 + threadIdx.x; x.data[threadIdx.x] = (float)(n * n);",
        "long long n = 70000 + threadIdx.x; x.data[threadIdx.x] = (float)(n * n);",
    ),
    # an index beyond the array's shape, where other memory of the launch may follow
    "assertion": ("ASSERTION", "wp::address(x, (int)threadIdx.x - 65);", "wp::address(x, (int)threadIdx.x - 64);"),
    # more than NVIDIA's assembler takes
    "shared_memory": ("SHARED MEMORY", LARGE.format(floats=12289), LARGE.format(floats=12288)),
}  # fmt: skip


def make_kernel(name: str, text: str) -> wp.Kernel:
    """A kernel of that native text, in a module of its own."""

    def snippet(x, y): ...

    snippet.__name__ = snippet.__qualname__ = name
    snippet.__annotations__ = {"x": wp.array(dtype=float), "y": wp.array(dtype=float)}
    native = wp.func_native(text)(snippet)

    def body(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        native(x, y)

    body.__name__ = body.__qualname__ = f"{name}_kernel"
    return wp.Kernel(func=body, key=f"{name}_kernel", module=wp.get_module(f"emulation_checks_{name}"))


def run(name: str, text: str, blocks: int = 1, **options) -> tuple[Emulator, list[str]]:
    emulator = Emulator(**options)
    x, y = (wp.zeros(LANES, dtype=float, device="cpu") for _ in range(2))
    emulator.launch(make_kernel(name, text), blocks * LANES, [x, y], LANES, LANES)
    return emulator, emulator.reports()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported(name):
    kind, faulty, _ = FAULTS[name]
    _, reports = run(f"{name}_faulty", faulty)
    kinds = {report.split(" | ")[0] for report in reports}
    others = {found for found in kinds if found.split()[0] != kind.split()[0]}  # a race is seen from one side or from the other
    assert kind in kinds and others <= {"DEADLOCK"}, reports  # who waits for one that has ended waits for ever
    assert all(f"{name}_faulty" in report for report in reports), "the place is named"


@pytest.mark.parametrize("schedule", Schedule)
@pytest.mark.parametrize("name", FAULTS)
def test_without_the_fault_nothing_is(name, schedule):
    _, reports = run(f"{name}_right", FAULTS[name][2], schedule=schedule)
    assert reports == []


@pytest.mark.parametrize("text, kind", [("x.data[threadIdx.x] = 1.0f;", "write-write"), ("x.data[threadIdx.x] = x.data[0];", "write-read")])
def test_blocks_of_one_launch_do_not_share_what_one_writes(text, kind):
    _, reports = run(f"blocks_{kind.replace('-', '_')}", text, blocks=2, schedule=Schedule.ASCENDING)
    assert any(report.startswith(f"BLOCKS {kind}") for report in reports), reports


def test_a_block_that_writes_what_others_have_read():
    text = "if (blockIdx.x < 2) { if (x.data[0] > 5.0f) y.data[threadIdx.x] = 1.0f; } else if (threadIdx.x == 0) x.data[0] = 1.0f;"
    _, reports = run("blocks_read_write", text, blocks=3)
    assert any(report.startswith("BLOCKS read-write") for report in reports), reports


def test_atomic_operations_are_no_races():
    emulator, reports = run("atomic", "wp::atomic_add(x, 0, 1.0f); wp::atomic_max(y, 0, 1.0f * threadIdx.x); wp::atomic_add(y, 1, x.data[1]);", blocks=2)
    assert all(figures["writes"] for figures in emulator.figures.values()) and reports == []


def test_nothing_comes_between_the_parts_of_an_atomic_operation():
    count = "for (int k = 0; k < 50; k++) wp::atomic_add(x, k, 1.0f); __syncthreads(); if (x.data[threadIdx.x % 50] != 64.0f) y.data[9999] = 1.0f;"
    _, reports = run("counted", count, schedule=Schedule.PREEMPTIVE)
    assert reports == [], "no lane has lost count and written out of bounds"


def test_values_of_shuffles_and_ballots():
    text = """
        const int i = threadIdx.x;
        float sum = i;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
        x.data[i] = sum + __shfl_sync(~0u, i, 5) + 1000.0f * __popc(__ballot_sync(~0u, i % 3 == 0));
        y.data[i] = __shfl_up_sync(0xffu << (i & 24), i, 3, 8) + 100.0f * __shfl_down_sync(0xffu << (i & 24), i, 6, 8);
    """
    emulator = Emulator()
    x, y = (wp.zeros(LANES, dtype=float, device="cpu") for _ in range(2))
    emulator.launch(make_kernel("values", text), LANES, [x, y], LANES, 8)
    i = np.arange(LANES)
    votes = [sum(k % 3 == 0 for k in range(32 * warp, 32 * warp + 32)) for warp in range(2)]
    warps = i // 32
    expected = np.array([496, 1520])[warps] + 32 * warps + 5 + 1000 * np.array(votes)[warps]
    assert np.array_equal(x.numpy(), expected)
    within = i % 8
    assert np.array_equal(y.numpy(), np.where(within >= 3, i - 3, i) + 100 * np.where(within < 2, i + 6, i))
    assert emulator.reports() == []
