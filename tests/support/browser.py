"""A headless Chromium, driven over its own debugging protocol: pages are opened, clicked on, read and photographed."""

import base64
import contextlib
import io
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

__all__ = ["Browser", "find_browser"]

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--mute-audio", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader",
    "--remote-debugging-port=0",
)  # fmt: skip
"""WebGL by SwiftShader, which needs no graphics card; nothing is asked of the network."""

PATIENCE = 120.0
"""How long is waited for what must come [s]; how long it takes does not matter."""


def find_browser() -> str | None:
    """Path of Chromium or Chrome; None: there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)


class Browser:
    """One page of a browser of its own.

    Args:
        width, height: Of the page [pixels].
    """

    def __init__(self, width: int = 700, height: int = 480) -> None:
        from websockets.sync.client import connect

        self._folder = tempfile.mkdtemp(prefix="browser-")
        command = [find_browser(), *FLAGS, f"--user-data-dir={self._folder}", f"--window-size={width},{height}", "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._number = 0
        try:
            port = Path(self._folder, "DevToolsActivePort")
            self.wait(lambda: port.exists() and port.read_text().count("\n"), "the browser to start")
            number, path = port.read_text().split("\n")[:2]
            self._socket = connect(f"ws://127.0.0.1:{number}{path}", max_size=None)
            self._session = ""
            target = self._do("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            self._do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.close()
            raise

    def _do(self, method: str, **parameters: object) -> dict:
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(request | ({"sessionId": self._session} if self._session else {})))
        while True:  # events come in between
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, address: str) -> None:
        """Go to a page, and wait until it is there."""
        self._do("Page.navigate", url=address)

        def there() -> bool:
            with contextlib.suppress(AssertionError):  # between two pages none can be asked
                return self.run("document.readyState") == "complete" and self.run("location.href") != "about:blank" and self.picture().size > 0
            return False

        self.wait(there, address)

    def run(self, script: str) -> object:
        """Value of a JavaScript expression."""
        answer = self._do("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self) -> str:
        """What stands on the page."""
        return str(self.run("document.body ? document.body.innerText : ''"))

    def picture(self) -> np.ndarray:
        """(height, width, 3) uint8."""
        data = self._do("Page.captureScreenshot", format="png")["data"]
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))

    def click(self, x: float, y: float) -> None:
        """Press and let go at a point of the page."""
        for kind, count in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 1)):
            self._do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if count else "none", buttons=int(kind == "mousePressed"), clickCount=count)

    def drag(self, points: list[tuple[float, float]], button: str = "left", ctrl: bool = False, between=None) -> None:
        """Press at the first of some points of the page, move through the others, and let go at the last; ``between`` is called after each."""
        held, bits = 2 if ctrl else 0, {"left": 1, "right": 2}[button]

        def mouse(kind: str, point: tuple[float, float], buttons: int) -> None:
            pressed = button if kind != "mouseMoved" or buttons else "none"
            self._do("Input.dispatchMouseEvent", type=kind, x=point[0], y=point[1], button=pressed, buttons=buttons, clickCount=int(kind != "mouseMoved"),
                     modifiers=held)  # fmt: skip
            if between:
                between()

        if ctrl:
            self._do("Input.dispatchKeyEvent", type="rawKeyDown", key="Control", code="ControlLeft", windowsVirtualKeyCode=17, modifiers=held)
        mouse("mouseMoved", points[0], 0)
        mouse("mousePressed", points[0], bits)
        for point in points[1:]:
            mouse("mouseMoved", point, bits)
        mouse("mouseReleased", points[-1], 0)
        if ctrl:
            self._do("Input.dispatchKeyEvent", type="keyUp", key="Control", code="ControlLeft", windowsVirtualKeyCode=17)

    def type(self, text: str) -> None:
        """Type letters where the caret is."""
        self._do("Input.insertText", text=text)

    def press(self, text: str) -> None:
        """Click on the element that says just this."""
        find = f"[...document.querySelectorAll('button, label, a')].find(e => e.innerText.trim() === {json.dumps(text)})"
        self.wait(lambda: self.run(f"!!{find}"), f"the button '{text}'")
        self.run(f"{find}.click()")

    def wait(self, ready, what: str, between=None) -> object:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not (value := ready()):
            assert time.monotonic() < end, f"waited in vain for {what}"
            between() if between else time.sleep(0.05)
        return value

    def close(self) -> None:
        """End the browser and remove what it wrote."""
        with contextlib.suppress(Exception):
            self._session = ""
            self._do("Browser.close")
        with contextlib.suppress(Exception):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
