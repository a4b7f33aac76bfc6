"""The first and the last of 100,000 worlds take the steps that they take when they are two: no offset is worked out in 32 bits.

The arrays are mappings of which the system provides what is touched: the first and the last block of every launch.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import warp as wp
from emulation.emulator import Emulator, Schedule
from emulation.stepping import RESULTS, prepare, steps
from page_models import file_of
from paths import shared_model

from newtonish import mjw
from newtonish.kernels.structs import memory
from newtonish.mjw import data

MANY = 100_000
MOST_IN_A_BLOCK = 64
OF_ALL_WORLDS = {"status.any_overflow"}
NORESERVE = 0x4000  # of mmap on Linux: addresses without a promise of memory


def arrays_of(d: Any) -> Iterator[tuple[str, wp.array]]:
    for group, struct in vars(d).items():
        if hasattr(struct, "_cls"):
            for name in struct._cls.vars:
                if isinstance(array := getattr(struct, name), wp.array) and array.size:
                    yield f"{group}.{name}", array


@pytest.fixture
def unreserved(monkeypatch):
    """Memory that is not there until it is touched, whatever is asked for."""
    monkeypatch.setattr(memory.mmap, "MAP_PRIVATE", memory.mmap.MAP_PRIVATE | NORESERVE)
    monkeypatch.setattr(data, "check_memory", lambda *arguments: None)


def widened(m: Any, few: Any) -> Any:
    """Data of many worlds of which those of the first and the last block are those of two worlds, or the last of these."""
    many = data.new_data(m, MANY, few.nconmax, few.njmax)
    sources = dict(arrays_of(few))
    for name, array in arrays_of(many):
        source = sources[name].numpy()
        view = array.numpy()
        if name in OF_ALL_WORLDS:
            continue
        assert len(view) == MANY and view.shape[1:] == source.shape[1:], name
        view[:MOST_IN_A_BLOCK], view[-MOST_IN_A_BLOCK:] = source[0], source[1]
    return many


@pytest.mark.parametrize("name, rows", [("humanoid", 400), ("unitree_g1/scene.xml", 300)])
def test_the_first_and_the_last_world(name, rows, unreserved):
    if name.endswith(".xml"):
        shared_model(name)
    m, _ = mjw.load(file_of(name), nworld=1, device="cpu")
    few = prepare(m, 2, 60, nconmax=60, njmax=rows)
    many = widened(m, few)
    largest = max(array.size * wp.types.type_size_in_bytes(array.dtype) for _, array in arrays_of(many))
    assert largest > 1 << 32
    emulators = [Emulator(schedule=Schedule.ASCENDING) for _ in range(2)]
    emulators[1].ends_only = True
    for emulator, d in zip(emulators, (few, many), strict=True):
        steps(m, d, emulator)
        reports = emulator.reports()
        assert not reports, "\n".join(reports)
    expected = dict(arrays_of(few))
    for key, array in arrays_of(many):
        if key.startswith(RESULTS) and key not in OF_ALL_WORLDS:
            ends = array.numpy()[[0, -1]]
            np.testing.assert_array_equal(ends, expected[key].numpy(), err_msg=key)
