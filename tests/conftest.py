"""Settings shared by all tests: hypothesis profiles, the folder of benchmark data, the end of worker processes.

Debian's chromium, for tests of pages, is driven by its own protocol over a pipe: no package needed.
"""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from joblib.externals.loky import reusable_executor

# Same examples on every run where a change is judged; new ones on a developer's machine.
settings.register_profile("ci", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# skrub makes a folder when it is imported, in the home unless this says otherwise.
os.environ.setdefault("SKB_DATA_DIRECTORY", os.path.join(tempfile.gettempdir(), "skrub_data"))

# Work that lasts on a busy machine would say so on standard error, which tests read.
os.environ.setdefault("PLAIT_PROGRESS", "never")

# Started in the background of a script, Python is deaf to Ctrl-C, and so are the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Return the folder of benchmark data; a test that asks for it skips where there is none."""
    folder = os.environ.get("PLAIT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the benchmark data: set PLAIT_DATA to their folder")
    return Path(folder)


@pytest.fixture(autouse=True, scope="module")
def no_workers_left() -> Iterator[None]:
    """End the worker processes that a file's tests started: idle ones cannot time out in a test of another file."""
    yield
    if (executor := reusable_executor._executor) is not None:
        executor.shutdown(wait=True, kill_workers=True)


FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"]
FLAGS += ["--disable-dev-shm-usage"]


class Browser:
    """One page of a headless browser."""

    def __init__(self, program, profile):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        words = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        # The browser reads commands from file 3 and writes answers to file 4.
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "browser", *words],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._number, self.events = b"", 0, []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    _session = None

    def call(self, method, **params):
        """Send a command, wait for its answer, keep the events that come in between."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        while b"\0" not in self._buffer:
            piece = os.read(self._read, 2**16)
            assert piece, "the browser went away"
            self._buffer += piece
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def show(self, path, *, width=1200, height=900, scheme="light", mobile=False):
        """Open a file or an address and wait until it is there."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=path if isinstance(path, str) else path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())
        self.ask("document.fonts.ready.then(() => 0)")

    def ask(self, script):
        """Return the value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def click(self, query):
        """Press and release the mouse on the middle of the first element that matches."""
        x, y = self.ask(
            f"(() => {{const e = document.querySelector({json.dumps(query)}); e.scrollIntoView({{block: 'center', "
            "behavior: 'instant'}); const b = e.getBoundingClientRect(); "
            "return [b.x + b.width / 2, b.y + b.height / 2]})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    @property
    def complaints(self):
        """Script errors, console errors, and anything fetched that is not the file itself."""
        bad = [e for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        bad += [e for e in self.events if e["method"] == "Log.entryAdded" and e["params"]["entry"]["level"] == "error"]
        sent = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return bad + [e for e in sent if not e["params"]["request"]["url"].startswith(("file:", "data:", "blob:"))]

    def screenshot(self, path, *, whole=True):
        """Write a PNG file."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self):
        """Return the page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def close(self):
        """End the browser that was started here, and what it started."""
        os.close(self._write)
        os.close(self._read)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs Debian's chromium")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()
