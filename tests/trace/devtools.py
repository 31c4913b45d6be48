"""A small client of the DevTools protocol over pipes: it drives pages in the Chromium of the system."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

FLAGS = """
--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --remote-debugging-pipe
""".split()
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0
KEYS = {"ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Escape": 27, "Enter": 13, "PageDown": 34, "PageUp": 33}


def chromium() -> str:
    """Give the browser of this machine. Where CI says that it must be there, its absence is a failure.

    ``HARNPY_NO_BROWSER`` holds the reason why it could not be installed; ``.ci/run`` repeats it at its end.
    """
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is not None:
        return found
    reason = os.environ.get("HARNPY_NO_BROWSER")
    if os.environ.get("CI") and not reason:
        pytest.fail("CI is set and there is no Chromium on PATH: the trace page cannot be tested")
    pytest.skip(reason or "there is no Chromium here")


class Browser:
    """One headless Chromium with a new, empty profile."""

    def __init__(self, path: str, profile: Path) -> None:
        read_here, to_browser = _pipe()
        from_browser, write_here = _pipe()
        # The browser reads its commands at descriptor 3 and answers at 4; all others are closed when it starts.
        actions = [
            (os.POSIX_SPAWN_DUP2, read_here, 3),
            (os.POSIX_SPAWN_DUP2, write_here, 4),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        command = [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self.pid = os.posix_spawn(path, command, os.environ, file_actions=actions, setpgroup=0)
        os.close(read_here)
        os.close(write_here)
        self._in, self._out = from_browser, to_browser
        self._buffer = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Carry out one command and give its result; events that come meanwhile are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> dict[str, Any]:
        """Give the next event of this kind that was not taken yet."""
        while True:
            for event in self.events:
                if event["method"] == method and event.get("sessionId") == session:
                    self.events.remove(event)
                    return event["params"]
            self.events.append(self._next())

    def page(self, address: str, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
        """Open ``address`` in a page of its own."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.send("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        page.send("Emulation.setEmulatedMedia", features=scheme)
        page.open(address)
        return page

    def close(self) -> None:
        """End the browser: asked first, then with its whole process group."""
        with suppress(AssertionError, OSError):
            self.send("Browser.close")
        os.close(self._in)
        os.close(self._out)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._in, 1 << 16)
            assert data, "the browser ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


class Page:
    """One page of a browser."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser = browser
        self._session = session
        self._target = target

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Carry out one command on this page."""
        return self._browser.send(method, self._session, **params)

    def open(self, address: str) -> None:
        """Go to ``address`` and wait until it is loaded."""
        self.send("Page.navigate", url=address)
        self._browser.wait_for("Page.loadEventFired", self._session)

    def js(self, expression: str) -> Any:
        """Give the value of an expression of the page's language; promises are waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def call(self, body: str) -> Any:
        """Give what a function with this body gives."""
        return self.js(f"(() => {{ {body} }})()")

    def key(self, key: str) -> None:
        """Press and release one key."""
        params: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", **params, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **params)

    def type(self, text: str) -> None:
        """Type ``text`` where the cursor is."""
        self.send("Input.insertText", text=text)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at ``start`` and release it at ``end``; the same place is a click."""
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def click(self, selector: str) -> None:
        """Click into the middle of the first element that ``selector`` finds."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.js(f"(() => {{ const b = {box}; return [b.left + b.width / 2, b.top + b.height / 2] }})()")
        self.drag((x, y), (x, y))

    def requests(self) -> list[str]:
        """Give the addresses of all requests so far, also refused ones."""
        self.js("1")
        found = [event for event in self._events() if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in found]

    def complaints(self) -> list[str]:
        """Give what the console got so far: errors of scripts, refusals of the security policy."""
        self.js("1")
        found = []
        for event in self._events():
            if event["method"] == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(str(event["params"]["args"]))
        return found

    def forget(self) -> None:
        """Forget what the page did so far."""
        self._browser.events = [event for event in self._browser.events if event.get("sessionId") != self._session]

    def screenshot(self, path: Path) -> None:
        """Write a picture of the page."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        """Close the page."""
        self._browser.send("Target.closeTarget", targetId=self._target)

    def _events(self) -> list[dict[str, Any]]:
        return [event for event in self._browser.events if event.get("sessionId") == self._session]


def _pipe() -> tuple[int, int]:
    """Give a pipe whose ends lie above the descriptors that the browser takes."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high[0], high[1]
