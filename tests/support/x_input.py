"""A virtual display, and a keyboard and a mouse for it: input comes from the X server itself, by its extension XTEST.

The few requests are written to the server's socket (X Window System Protocol, X version 11; XTEST Extension Protocol), so that no
library is needed but the server.
"""

import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

KEYSYMS = {"space": 0x20, "BackSpace": 0xFF08, "Tab": 0xFF09, "Escape": 0xFF1B, "Left": 0xFF51, "Right": 0xFF53, "ctrl": 0xFFE3,
           "shift": 0xFFE1, "PageUp": 0xFF55, "PageDown": 0xFF56, "Return": 0xFF0D,
           **{f"F{n}": 0xFFBD + n for n in range(1, 13)}}  # fmt: skip
LEFT, MIDDLE, RIGHT = 1, 2, 3
KEY_DOWN, KEY_UP, BUTTON_DOWN, BUTTON_UP, MOTION = 2, 3, 4, 5, 6


@contextmanager
def virtual_display(width: int = 1280, height: int = 900) -> Iterator[str]:
    """Run Xvfb on a free display and name it in DISPLAY meanwhile."""
    if shutil.which("Xvfb") is None:
        if os.environ.get("CI"):
            pytest.fail("Xvfb is missing: apt install xvfb")
        pytest.skip("needs Xvfb: apt install xvfb")
    read, write = os.pipe()
    screen = f"{width}x{height}x24"
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    before = os.environ.get("DISPLAY")
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        os.environ["DISPLAY"] = f":{number}"
        yield f":{number}"
    finally:
        if before is None:
            os.environ.pop("DISPLAY", None)
        else:
            os.environ["DISPLAY"] = before
        server.terminate()
        server.wait(timeout=10)


class XInput:
    """Moves the mouse and presses keys of a display.

    Args:
        display: Its name, such as ``":99"``.
    """

    def __init__(self, display: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(f"/tmp/.X11-unix/X{display.lstrip(':').split('.')[0]}")
        self._socket.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        status, _, _, words = struct.unpack("<BBHxxH", self._receive(8))
        setup = self._receive(4 * words)
        assert status == 1, setup
        first, last = setup[26], setup[27]
        name = b"XTEST"
        self._socket.sendall(struct.pack("<BxHHxx", 98, 4, len(name)) + name.ljust(8, b"\0"))
        answer = self._receive(32)
        assert answer[8], "the display has no XTEST"
        self._opcode = answer[9]
        self._codes: dict[int, int] = {}
        self._socket.sendall(struct.pack("<BxHBBxx", 101, 2, first, last - first + 1))
        header = self._receive(32)
        each, words = header[1], struct.unpack_from("<I", header, 4)[0]
        symbols = struct.unpack(f"<{words}I", self._receive(4 * words))
        for place in range(last - first + 1):
            for symbol in symbols[place * each : place * each + each]:
                self._codes.setdefault(symbol, first + place)

    def _receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self._socket.recv(count - len(data))
            assert part, "the display has gone"
            data += part
        return data

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        self._socket.sendall(struct.pack("<BBHBBxxII8xhh8x", self._opcode, 2, 9, kind, detail, 0, 0, x, y))

    def sync(self) -> None:
        """Wait until the server has done everything."""
        self._socket.sendall(struct.pack("<BxH", 43, 1))
        self._receive(32)

    def move(self, x: float, y: float) -> None:
        """Put the mouse somewhere [pixels from the upper left corner of the screen]."""
        self._fake(MOTION, 0, round(x), round(y))
        self.sync()

    def button(self, button: int, down: bool) -> None:
        """Press or let go a button."""
        self._fake(BUTTON_DOWN if down else BUTTON_UP, button)
        self.sync()

    def click(self, x: float, y: float, button: int = LEFT, times: int = 1) -> None:
        """Click somewhere."""
        self.move(x, y)
        for _ in range(times):
            self.button(button, True)
            self.button(button, False)

    def hold(self, name: str, down: bool) -> None:
        """Press or let go a key."""
        symbol = KEYSYMS.get(name) or ord(name.lower())
        self._fake(KEY_DOWN if down else KEY_UP, self._codes[symbol])
        self.sync()

    def key(self, name: str, *held: str) -> None:
        """Type a key, with modifiers."""
        for modifier in held:
            self.hold(modifier, True)
        self.hold(name, True)
        self.hold(name, False)
        for modifier in reversed(held):
            self.hold(modifier, False)

    def close(self) -> None:
        """Unplug them."""
        self._socket.close()
