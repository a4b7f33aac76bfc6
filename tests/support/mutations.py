"""Damage done to files at random, for importers that must say what is wrong and never crash."""

import random
import re

__all__ = ["drop_elements", "mutate", "swap_values"]

WORDS = [b"<", b">", b"/>", b'"', b"<body>", b"</body>", b"&", b"\x00", b"\xff", b"1e400", b"-", b"nan", b"0", b" ", b"<!--",
         b"<joint/>", b"<geom/>", b"class", b"inf", b"9" * 40, b"1e30", b"mesh", b"hinge", b"name", b"<include file='x'/>"]  # fmt: skip


def mutate(data: bytes, draw: random.Random) -> bytes:
    """Change, cut, repeat or insert some bytes."""
    for _ in range(draw.choice((1, 1, 2, 5, 20))):
        at, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + draw.choice((1, 4, 40)))
        kind = draw.randrange(4)
        if kind == 0:
            data = data[:at] + draw.choice(WORDS) + data[end:]
        elif kind == 1:
            data = data[:at] + data[end:]
        elif kind == 2:
            data = data[:at] + data[at:end] * 3 + data[end:]
        else:
            data = data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
    return data


def swap_values(data: bytes, draw: random.Random) -> bytes:
    """Exchange attribute values, so that the text stays well-formed."""
    values = re.findall(rb'"[^"]*"', data)
    return re.sub(rb'"[^"]*"', lambda m: draw.choice(values) if draw.random() < 0.03 else m.group(0), data)


def drop_elements(data: bytes, draw: random.Random) -> bytes:
    """Leave out some elements without contents."""
    return re.sub(rb"<\w+[^<>]*/>", lambda m: b"" if draw.random() < 0.1 else m.group(0), data)
