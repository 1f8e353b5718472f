"""Who is served and who is not: other origins, wrong tokens, oversized and broken bodies, other host names."""

import json
import random
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection

import numpy as np
import pytest

from plait.explore import CorrectionLog, explore_app, serve
from plait.explore.server import MOST_BYTES

BAD_FIELDS = [None, True, -1, 10**30, 1.5, "0", "<script>", [], {}, "\u0000", "x" * 600, [[[]]]]
BAD_KNOWN = [[], "a", 7, {"x": 1}, {"0": 2}, {"0": "1"}, {"-1": 1}, {"99": 0}, {"0": None}, {"٣": 1}, {"0": [1]}]
QUESTIONS = ("row", "sets", "settle", "view", "why", "rows")


def raw(port, content):
    """Send bytes as they are; return the status, 0 if the connection was closed without an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        answer = b""
        with suppress(OSError):  # it may have hung up in the middle
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            while piece := connection.recv(65536):
                answer += piece
    found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    return int(found[1]) if found else 0


def message(port, token, question, body, *, method="POST", path=None, host=None, length=None, **headers):
    given = {
        "Host": f"127.0.0.1:{port}" if host is None else host,
        "Origin": f"http://127.0.0.1:{port}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)) if length is None else length,
        **{name.replace("_", "-"): value for name, value in headers.items()},
        "Connection": "close",
    }
    lines = [f"{method} {path or f'/{token}/api/{question}'} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in given.items() if value is not None]
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body


def hostile(chance, port, token):
    """Return one request that must not be served."""
    question = chance.choice(QUESTIONS)
    good = json.dumps({"row": 1, "label": 0, "action": "accept", "known": {}, "order": "file"}).encode()
    broken = bytes(chance.randrange(256) for _ in range(chance.randrange(60)))
    fields = {"row": 1, "label": 0, "action": "accept", "known": {}, "loss": "subset", "order": "file"}
    needed = {"row": ["row"], "sets": ["row", "known"], "settle": ["row", "label", "action"], "view": ["row", "known"]}
    spoilt = chance.choice({**needed, "why": ["row", "label", "known"], "rows": ["order"]}[question])
    fields[spoilt] = chance.choice(BAD_KNOWN if spoilt == "known" else BAD_FIELDS)
    origins = [
        "https://evil.example",
        "null",
        "file://",
        f"http://localhost:{port}",
        f"http://127.0.0.1:{port}.evil.io",
    ]
    tokens = ["", token[:-1], token + "x", token.swapcase(), "..", "%00", token[::-1], "é" * 8, "<script>"]
    attacks = [
        lambda: message(port, token, question, good, Origin=chance.choice([*origins, None, ""])),
        lambda: message(port, chance.choice(tokens), question, good),
        lambda: message(port, token, question, good, host=chance.choice(["evil.example", "", f"127.0.0.2:{port}"])),
        lambda: message(port, token, question, good, Sec_Fetch_Site=chance.choice(["cross-site", "same-site", "x"])),
        lambda: message(port, token, question, broken + b"{"),
        lambda: message(port, token, question, json.dumps(fields).encode()),
        lambda: message(port, token, question, b"[" * chance.randrange(1, 60_000)),
        lambda: message(port, token, question, b" " * (MOST_BYTES + chance.randrange(1, 5000))),
        lambda: message(port, token, question, good, length=chance.choice(["-1", "x", "99999999999", "1e3", ""])),
        lambda: message(port, token, question, good, Content_Type=chance.choice(["text/plain", "", None])),
        lambda: message(port, token, question, good, method=chance.choice(["GET", "PUT", "DELETE", "TRACE", "\x01"])),
        lambda: message(port, token, chance.choice(["", "..", "%2e%2e", "about/x", "__init__", "Row"]), good),
        lambda: message(port, token, question, good, path=f"http://evil.example/{chance.random()}"),
        lambda: message(port, token, question, b'{"row": NaN}'),
        lambda: message(port, token, question, good, X="y" * chance.choice([20_000, 70_000])),
        lambda: broken,
        lambda: b"GET / HTTP/9.9\r\n\r\n" + broken,
    ]
    return chance.choice(attacks)()


def attack(serve_here, explorer, n_requests):
    chance, was = random.Random(0), explorer.corrections.path.read_bytes()
    statuses = []
    with serve_here(explorer) as page:
        for _ in range(n_requests):
            content = hostile(chance, page.port, page.token)
            statuses.append(raw(page.port, content))
            assert statuses[-1] == 0 or 400 <= statuses[-1] < 500 or statuses[-1] == 505, (statuses[-1], content[:700])
        status, view = page.ask("view", {"row": 3, "known": {"0": 1}})
        assert status == 200
        assert view["marginals"][0] == 1.0
    assert explorer.corrections.path.read_bytes() == was
    return statuses


def test_hostile_requests_are_refused(serve_here, explorer):
    statuses = attack(serve_here, explorer, 400)
    assert {400, 403, 404, 405, 413, 415} <= set(statuses)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_hostile_requests_are_refused(serve_here, explorer):
    attack(serve_here, explorer, 10_000)


def test_the_page_itself_is_served_with_a_strict_policy(serve_here, explorer):
    with serve_here(explorer) as page:
        for path, status in ((f"/{page.token}/", 200), ("/", 404), (f"/{page.token}/x", 404), ("/favicon.ico", 404)):
            connection = HTTPConnection("127.0.0.1", page.port, timeout=30)
            connection.request("GET", path)
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            assert answer.status == status
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert "unsafe-inline" not in re.search(r"script-src[^;]*", answer.headers["Content-Security-Policy"])[0]
            assert ("&lt;i&gt;beach" in text) == (status == 200)
            assert "<i>beach" not in text


def test_all_questions_are_answered(serve_here, explorer):
    with serve_here(explorer) as page:
        assert page.ask("about", {})[1]["labels"] == list(explorer.label_names)
        assert page.ask("rows", {"order": "file", "query": "", "label": None, "offset": 0, "most": 5})[0] == 200
        for question in ("row", "sets", "view"):
            assert page.ask(question, {"row": 5, "known": {"1": 0}, "loss": "hamming"})[0] == 200
        assert page.ask("why", {"row": 5, "label": 2, "known": {"1": 0}})[0] == 200
        assert page.ask("settle", {"row": 5, "label": 2, "action": "accept"}) == (200, {"saved": 1})
        assert page.ask("view", {"row": 5, "known": {}, "loss": "<script>"})[0] == 400


def test_what_fails_inside_ends_one_request_only(serve_here, explorer, monkeypatch, capsys):
    with serve_here(explorer) as page:
        monkeypatch.setattr(explorer, "row", lambda row: 1 / 0)
        status, words = page.ask("row", {"row": 0})
        assert status == 500
        assert "division" not in words
        assert page.ask("view", {"row": 0})[0] == 200
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_token_of_its_own_each_time(explorer):
    tokens = {explore_app(explorer).token for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 32


def test_serve_listens_on_this_machine_only(explorer, monkeypatch):
    waitress = pytest.importorskip("waitress")
    seen = {}

    class Silent:
        effective_port = 4321

        def run(self):
            seen["ran"] = True

        def close(self):
            seen["closed"] = True

    monkeypatch.setattr(waitress, "create_server", lambda app, **given: seen.update(given) or Silent())
    serve(explorer, open_browser=False, ready=lambda address: seen.update(address=address))
    assert seen["host"] == "127.0.0.1"
    assert seen["address"].startswith("http://127.0.0.1:4321/")
    assert seen["ran"]
    assert seen["closed"]


_SERVER = """
import sys
import numpy as np
from plait import recipes
from plait.data import Dataset
from plait.explore import CorrectionLog, Explorer, serve
X = np.arange(40.0).reshape(-1, 1) % 4
data = Dataset(X, np.column_stack([X[:, 0] > 1, X[:, 0] % 2 == 0]).astype(int), label_names=["big", "even"])
model = recipes.br(learner="logistic").fit(data.X, data.Y)
explorer = Explorer(model, data, corrections=CorrectionLog(sys.argv[1]))
serve(explorer, open_browser=False, ready=lambda address: print(address, flush=True))
"""


def settled_until_killed(path, n_requests, chance):
    """Serve in a process of its own, settle records, kill it in the middle; return what was acknowledged."""
    told = {}
    with subprocess.Popen([sys.executable, "-c", _SERVER, path], stdout=subprocess.PIPE, text=True) as server:
        address = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([^/]+)/\n", server.stdout.readline())
        port, token = int(address[1]), address[2]
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        for number in range(n_requests + 1):
            row, label, action = chance.randrange(40), chance.randrange(2), chance.choice(["accept", "correct", "undo"])
            body = json.dumps({"row": row, "label": label, "action": action})
            headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"}
            connection.request("POST", f"/{token}/api/settle", body, headers)
            if number == n_requests:  # on its way: kept or not, nobody was told
                break
            assert connection.getresponse().read()
            told[row, ("big", "even")[label]] = action
        server.send_signal(signal.SIGKILL)
        connection.close()
    return told, (row, ("big", "even")[label])


def kills(tmp_path, n_kills, seed=1):
    path, chance, told = tmp_path / "corrections.csv", random.Random(seed), {}
    for _ in range(n_kills):
        new, open_one = settled_until_killed(path, chance.randrange(1, 25), chance)
        told |= new
        told.pop(open_one, None)
        kept = {key: each.action for key, each in CorrectionLog(path).current.items()}
        wanted = {key: action for key, action in told.items() if action != "undo"}
        assert {key: kept.get(key) for key in wanted} == wanted
        assert set(kept) <= {*wanted, open_one}
        told |= {open_one: kept.get(open_one, "undo")}


def test_kills_lose_no_correction(tmp_path):
    pytest.importorskip("waitress")
    kills(tmp_path, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_twenty_kills_lose_no_correction(tmp_path, seed):
    pytest.importorskip("waitress")
    kills(tmp_path, 5, seed)


def test_questions_at_once_do_not_mix(serve_here, explorer, tree, beach):
    want = tree.joint(beach.X).given({0: 1}).marginals()
    with serve_here(explorer) as page, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda row: page.ask("view", {"row": row, "known": {"0": 1}}), range(40)))
    np.testing.assert_allclose([view["marginals"] for _, view in answers], want[:40], rtol=1e-5)
