"""`serve`: the page on 127.0.0.1, for whoever has its address; everybody else is refused."""

import json
import re
import secrets
import sys
import traceback
import webbrowser
from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from plait.core.extras import optional
from plait.core.sentences import ParameterError
from plait.explore.explorer import Explorer
from plait.explore.page import explore_page, page_script

__all__ = ["MOST_BYTES", "ExploreApp", "explore_app", "listening", "serve"]

# What a request of the page may take; its longest holds what is known of all labels.
MOST_BYTES = 64 * 1024
_HOST = "127.0.0.1"
_QUESTIONS = ("about", "row", "rows", "sets", "settle", "view", "why")

Answer = tuple[HTTPStatus, str, bytes]


class Refused(Exception):  # noqa: N818 -- a refusal is the right answer, not an error
    """A request that is not served."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class ExploreApp:
    """A WSGI application: the page, and its questions as JSON.

    Served is only who knows the token in the address, speaks to this machine by its own name (no other name that was
    made to lead here), comes from the page itself, and says what can be read.

    Parameters
    ----------
    explorer : Explorer
        Who answers.
    token : str
        The secret part of the address.
    """

    def __init__(self, explorer: Explorer, token: str) -> None:
        self.explorer, self.token = explorer, token
        self.port = 0
        self._page = explore_page(explorer.data.name).encode("utf-8")
        digest = b64encode(sha256(page_script().encode("utf-8")).digest()).decode()
        self._headers = [
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", _policy(digest)),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ]

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request, as WSGI has it."""
        try:
            status, kind, body = self._answer(environ)
        except Refused as refused:
            status, kind, body = refused.status, "text/plain; charset=utf-8", str(refused).encode()
        except Exception:  # one request that fails must not end the page
            traceback.print_exc(file=sys.stderr)
            status, kind, body = HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", b"plait explore failed here."
        headers = [("Content-Type", kind), ("Content-Length", str(len(body))), *self._headers]
        start_response(f"{status.value} {status.phrase}", headers)
        return [b"" if environ.get("REQUEST_METHOD") == "HEAD" else body]

    def _answer(self, environ: dict[str, Any]) -> Answer:
        self._check_sender(environ)
        token, _, rest = environ.get("PATH_INFO", "").lstrip("/").partition("/")
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            raise Refused(HTTPStatus.NOT_FOUND, "Nothing is here. Open the address that plait explore printed.")
        method = environ.get("REQUEST_METHOD", "")
        if rest == "" and method in ("GET", "HEAD"):
            return HTTPStatus.OK, "text/html; charset=utf-8", self._page
        question = rest.removeprefix("api/")
        if not rest.startswith("api/") or question not in _QUESTIONS:
            raise Refused(HTTPStatus.NOT_FOUND, "Nothing is here.")
        if method != "POST":
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "Questions are posted.")
        body = json.dumps(self._asked(question, _read_json(environ)), allow_nan=False).encode()
        return HTTPStatus.OK, "application/json", body

    def _check_sender(self, environ: dict[str, Any]) -> None:
        """Refuse other names of this machine (DNS rebinding) and other origins (forged requests)."""
        own = {f"{_HOST}:{self.port}", f"localhost:{self.port}"}
        host = environ.get("HTTP_HOST", "")
        if host not in own:
            raise Refused(HTTPStatus.FORBIDDEN, "This host name is not served.")
        origin = environ.get("HTTP_ORIGIN")
        posted = environ.get("REQUEST_METHOD") not in ("GET", "HEAD")
        if (posted or origin is not None) and origin != f"http://{host}":
            raise Refused(HTTPStatus.FORBIDDEN, "Requests from other pages are not served.")
        if environ.get("HTTP_SEC_FETCH_SITE", "none") not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN, "Requests from other pages are not served.")

    def _asked(self, question: str, body: dict[str, Any]) -> Any:
        try:
            return self._dispatch(question, body)
        except ParameterError as problem:
            raise Refused(HTTPStatus.BAD_REQUEST, str(problem)) from problem

    def _dispatch(self, question: str, body: dict[str, Any]) -> Any:
        explorer, n_labels = self.explorer, len(self.explorer.label_names)
        given = _Body(body)
        if question == "about":
            return explorer.about()
        if question == "rows":
            label = given.number("label", n_labels) if body.get("label") is not None else None
            words = given.text("query"), label, given.number("offset", 10**9, 0), given.number("most", 201, 50)
            return explorer.rows(given.text("order", "file"), *words)
        row = given.number("row", explorer.data.n_samples)
        if question == "row":
            return explorer.row(row)
        if question == "settle":
            return explorer.settle(row, given.number("label", n_labels), given.text("action"))
        known = given.known(n_labels)
        if question == "why":
            return explorer.why(row, given.number("label", n_labels), known)
        loss = given.text("loss") or None
        if loss is not None and loss not in explorer.losses:
            raise Refused(HTTPStatus.BAD_REQUEST, "There is no such loss.")
        return explorer.view(row, known, loss) if question == "view" else explorer.sets(row, known, loss)


class _Body:
    """A JSON object of a stranger, read field by field."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def number(self, name: str, below: int, default: int | None = None) -> int:
        value = self.fields.get(name, default)
        if type(value) is not int or not 0 <= value < below:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name} must be a whole number from 0 to {below - 1}.")
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self.fields.get(name, default)
        if not isinstance(value, str) or len(value) > 500:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name} must be a short text.")
        return value

    def known(self, n_labels: int) -> dict[int, int]:
        value = self.fields.get("known", {})
        if not isinstance(value, dict) or len(value) > n_labels:
            raise Refused(HTTPStatus.BAD_REQUEST, "known must be an object of labels.")
        found = {}
        for label, truth in value.items():
            if not re.fullmatch(r"[0-9]{1,9}", label) or int(label) >= n_labels or truth not in (0, 1):
                raise Refused(HTTPStatus.BAD_REQUEST, "known must hold numbers of labels with 0 or 1.")
            found[int(label)] = int(truth)
        return found


def _read_json(environ: dict[str, Any]) -> dict[str, Any]:
    if environ.get("CONTENT_TYPE", "").partition(";")[0].strip() != "application/json":
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Questions are JSON.")
    length = environ.get("CONTENT_LENGTH") or ""
    if not re.fullmatch(r"[0-9]{1,9}", length):
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "The length must be given.")
    if int(length) > MOST_BYTES:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "This is too long.")
    try:
        body = json.loads(environ["wsgi.input"].read(int(length)), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "This is no JSON.") from None
    if not isinstance(body, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "A question is an object.")
    return body


def _no_number(word: str) -> float:
    raise ValueError(word)


def _policy(digest: str) -> str:
    """Return what the browser may load and run: the script of the page, and nothing else whatever a name holds."""
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def explore_app(explorer: Explorer, token: str | None = None) -> ExploreApp:
    """Return the application that answers for an explorer; without a token it makes one up.

    Parameters
    ----------
    explorer : Explorer
        Who answers.
    token : str, optional
        The secret part of the address.

    Returns
    -------
    ExploreApp

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data import Dataset
    >>> beach = Dataset([[0.0], [1.0]] * 5, [[1, 0], [0, 1]] * 5)
    >>> app = explore_app(Explorer(recipes.br().fit(beach.X, beach.Y), beach))
    >>> len(app.token) >= 32
    True
    """
    return ExploreApp(explorer, token or secrets.token_urlsafe(24))


def listening(app: ExploreApp, port: int = 0) -> Any:
    """Return a server of this machine alone, not yet running; the application is told its port."""
    waitress = optional("waitress", extra="explore", purpose="the page of plait explore")
    server = waitress.create_server(
        app,
        host=_HOST,
        port=port,
        threads=4,
        ident=None,
        max_request_header_size=16 * 1024,
        max_request_body_size=MOST_BYTES,
        clear_untrusted_proxy_headers=True,
    )
    app.port = int(server.effective_port)
    return server


def serve(
    explorer: Explorer, *, port: int = 0, open_browser: bool = True, ready: Callable[[str], None] = print
) -> None:
    """Show an explorer on this machine until it is stopped.

    Parameters
    ----------
    explorer : Explorer
        What is shown.
    port : int, default=0
        Where; 0 for any that is free.
    open_browser : bool, default=True
        Whether to open it.
    ready : callable, default=print
        Told the address once it answers.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data import Dataset
    >>> beach = Dataset([[0.0], [1.0]] * 5, [[1, 0], [0, 1]] * 5)
    >>> explorer = Explorer(recipes.br().fit(beach.X, beach.Y), beach)
    >>> serve(explorer)  # doctest: +SKIP
    http://127.0.0.1:40213/Vn3w.../
    """
    explorer.warm_up()
    app = explore_app(explorer)
    server = listening(app, port)
    address = f"http://{_HOST}:{app.port}/{app.token}/"
    explorer.ranking.start()
    ready(address)
    if open_browser:
        webbrowser.open(address)
    try:
        server.run()
    finally:
        explorer.ranking.stop()
        server.close()
