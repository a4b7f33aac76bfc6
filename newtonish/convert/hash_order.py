"""The order in which a hash table of C++ gives back pairs of numbers.

MuJoCo's compiler collects the faces of a hull in a ``std::unordered_map`` by two angles, and where several faces serve a contact
equally well the first one does. So the same contacts need the same order: that of LLVM's library, with which MuJoCo's packages are
built. There a table is one list in which the elements of a bucket stand together; a new element goes to the front of its bucket, or
of the list if the bucket is empty, and a table that has to grow relinks its elements in the order of the list.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = ["hash_order"]

Pair = tuple[float, float]
_GOLDEN, _UP, _DOWN = np.uint64(0x9E3779B9), np.uint64(6), np.uint64(2)


def hash_order(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs, each once and in the order of insertion, in the order of the table."""
    pairs = list(pairs)
    table = _Table()
    for pair, code in zip(pairs, _hashes(pairs), strict=True):
        table.insert(pair, code)
    return list(table)


def _hashes(pairs: list[Pair]) -> list[int]:
    """Hash of each pair: the bits of its numbers, combined as in Boost."""
    bits = (np.array(pairs, dtype=np.float64).reshape(-1, 2) + 0.0).view(np.uint64)  # zeros have no sign
    first, second = bits[:, 0], bits[:, 1]
    return (first ^ (second + _GOLDEN + (first << _UP) + (first >> _DOWN))).tolist()


class _Table:
    """A list of pairs; ``None`` stands before the first."""

    def __init__(self) -> None:
        self._next: dict[Pair | None, Pair | None] = {None: None}
        self._code: dict[Pair, int] = {}
        self._before: dict[int, Pair | None] = {}  # what stands before the first pair of a bucket
        self._buckets = 0

    def __iter__(self) -> Iterable[Pair]:
        pair = self._next[None]
        while pair is not None:
            yield pair
            pair = self._next[pair]

    def insert(self, pair: Pair, code: int) -> None:
        """Add a pair that is not there, and its hash."""
        if len(self._code) + 1 > self._buckets:
            self._grow(max(2 * self._buckets + (not _is_power(self._buckets)), len(self._code) + 1))
        self._code[pair] = code
        bucket = self._bucket(pair)
        if bucket in self._before:
            self._link(pair, self._before[bucket])
            return
        self._link(pair, None)
        self._before[bucket] = None
        if (after := self._next[pair]) is not None:
            self._before[self._bucket(after)] = pair

    def _link(self, pair: Pair, before: Pair | None) -> None:
        self._next[pair], self._next[before] = self._next[before], pair

    def _bucket(self, pair: Pair) -> int:
        return self._code[pair] % self._buckets

    def _grow(self, least: int) -> None:
        """Take more buckets: a prime number, or 2; pairs whose bucket has some already move there."""
        self._buckets, self._before = max(2, _prime_from(least)), {}
        last: Pair | None = None
        while (pair := self._next[last]) is not None:
            bucket = self._bucket(pair)
            if bucket not in self._before:
                self._before[bucket] = last
            elif last is None or self._bucket(last) != bucket:
                self._next[last] = self._next[pair]
                self._link(pair, self._before[bucket])
                continue
            last = pair


def _is_power(number: int) -> bool:
    """Whether a number of buckets above 2 is a power of two."""
    return number > 2 and not number & (number - 1)


def _prime_from(number: int) -> int:
    """The first prime number from ``number`` on."""
    while any(number % k == 0 for k in range(2, int(number**0.5) + 1)):
        number += 1
    return number
