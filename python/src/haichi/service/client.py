"""A client of the service ``haichi serve``. It requires only the standard library."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from haichi.errors import Error, InputError, InternalError, OptionError
from haichi.model.workload import Workload

_ENDED = ("done", "failed", "cancelled")
_SECONDS_BETWEEN_TRIES = 1.0


class ServiceError(Error):
    """The service is unreachable, or rejects a request, for example without a token, with too many jobs, or with a full
    disk. `status`: the HTTP status, or 0 if the service was not reached."""

    def __init__(self, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint)
        self.status = status


class JobEvent(NamedTuple):
    """An event of a job. `number` is the position for `RemoteJob.events(after=number)`."""

    number: int
    name: str
    data: dict[str, Any]


class Client:
    """Submits jobs to a service.

    >>> client = haichi.Client("http://127.0.0.1:8080")
    >>> job = client.submit("map", workload=Path("cg64.json"), machine="fx10-kyushu", shape="1x2x4x2x3x2")
    >>> job.wait().rank_map("fujitsu")

    Parameters
    ----------
    url: the address of the service, such as ``"http://127.0.0.1:8080"``.
    token: the token of the user. None: the value of HAICHI_TOKEN, if it is set.
    timeout: the seconds to wait for a response.

    Requests to this computer never use a proxy. Other requests use the proxy of the environment variables
    ``http_proxy`` and ``https_proxy``, except for hosts in ``no_proxy``. Errors name the proxy.
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 60) -> None:
        self._url = url.rstrip("/")
        self._token = os.environ.get("HAICHI_TOKEN") if token is None else token
        self._timeout = timeout
        self._proxy = _proxy_of(self._url)
        direct = [] if self._proxy else [urllib.request.ProxyHandler({})]
        self._opener = urllib.request.build_opener(_Redirects(has_token=self._token is not None), *direct)

    def submit(self, kind: str, *, idempotency_key: str | None = None, **fields: Any) -> RemoteJob:
        """Submits a job. The service has stored the job when this method returns. Without a key, a new key is made, so
        that the request can be repeated if the response is lost.

        Parameters
        ----------
        kind: ``"map"``, ``"compare"``, ``"simulate"`` and so on. The page /docs of the service lists all kinds.
        fields: the options of the program's command, with underscores. An option that names a file takes a
            `haichi.Workload`, a `Path` or a list of these.

        Raises OptionError for fields that the service rejects, and ServiceError for all other failures.
        """
        body, content_type = _form({"kind": kind, **fields})
        headers = {"Content-Type": content_type, "Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        return RemoteJob(self, json.loads(self._ask("POST", "/v1/jobs", body, headers))["id"])

    def job(self, name: str) -> RemoteJob:
        """A job that was submitted earlier, by its ID."""
        return RemoteJob(self, name)

    def jobs(self) -> Iterator[RemoteJob]:
        """The user's jobs, newest first."""
        before: int | None = None
        while True:
            page = self._json("/v1/jobs" + ("" if before is None else f"?before={before}"))
            yield from (RemoteJob(self, job["id"]) for job in page["jobs"])
            before = page["next"]
            if before is None:
                return

    def _json(self, path: str) -> Any:
        return json.loads(self._ask("GET", path))

    def _ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        with self._open(method, path, body, headers or {}) as answer:
            content: bytes = answer.read()
        return content

    def _open(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        known = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        asked = urllib.request.Request(self._url + path, body, {**headers, **known}, method=method)
        try:
            return self._opener.open(asked, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            raise _refusal(error, self._proxy) from None
        except OSError as error:
            hint = "check that `haichi serve` is running there"
            raise ServiceError(
                f"cannot reach {self._url}{_through(self._proxy)}: {getattr(error, 'reason', error)}",
                _proxy_hint(self._url, hint, self._proxy),
            ) from error


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects of GET requests only, because others could lose their body. With a token, it does not follow
    redirects to another server."""

    def __init__(self, has_token: bool) -> None:
        self._has_token = has_token

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if req.get_method() != "GET" or (self._has_token and _origin(newurl) != _origin(req.full_url)):
            fp.close()
            hint = "use the new address if it belongs to the service"
            raise ServiceError(f"{req.full_url} redirects to {newurl}, which haichi does not follow", hint, code)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


class RemoteJob:
    """A job of a service."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self.id = name
        self._path = f"/v1/jobs/{urllib.parse.quote(name, safe='')}"

    def status(self) -> dict[str, Any]:
        """Requests the status of the job: ``state``, ``error`` and so on."""
        answer: dict[str, Any] = self._client._json(self._path)
        return answer

    def events(self, after: int = 0) -> Iterator[JobEvent]:
        """The events of the job until its end. After a broken connection, this method reconnects and continues."""
        state = ""
        while state not in _ENDED:
            try:
                headers = {"Last-Event-ID": str(after), "Accept": "text/event-stream"}
                with self._client._open("GET", f"{self._path}/events", None, headers) as stream:
                    for event in _events_of(stream):
                        after = event.number
                        state = event.data["state"] if event.name == "state" else state
                        yield event
            except (ServiceError, OSError) as error:
                if isinstance(error, ServiceError) and error.status not in (0, 503):
                    raise
            if state not in _ENDED:
                time.sleep(_SECONDS_BETWEEN_TRIES)

    def wait(self) -> RemoteJob:
        """Waits until the job is done. Raises InputError for an error of the program, and ServiceError if the job ends
        in another way."""
        for _ in self.events():
            pass
        found = self.status()
        if found["state"] == "done":
            return self
        error = found["error"] or {"code": "", "message": f"the job is {found['state']}", "hint": ""}
        kinds: dict[str, type[Error]] = {"bad_input": InputError, "internal": InternalError}
        raise kinds.get(error["code"], ServiceError)(error["message"], error["hint"])

    def result(self) -> dict[str, Any]:
        """The report, as the command prints it with --json."""
        report: dict[str, Any] = json.loads(self.result_text())
        return report

    def result_text(self) -> str:
        """The output of the program, byte for byte."""
        return self._client._ask("GET", f"{self._path}/result").decode()

    def rank_map(self, format: str = "fujitsu", *, shape: str | None = None, hosts: str | None = None) -> str:
        """The rank map of the placement, in a format of `haichi.list_formats`."""
        asked = {"format": format, "shape": shape, "hosts": hosts}
        query = urllib.parse.urlencode({name: value for name, value in asked.items() if value is not None})
        return self._client._ask("GET", f"{self._path}/rankmap?{query}").decode()

    def job_lines(self, scheduler: str = "pjm", *, file: str = "FILE", shape: str | None = None) -> str:
        """The lines of a job script that use the placement. `file` is the name of the rank map; `scheduler` is ``pjm``
        or a format."""
        asked = {"scheduler": scheduler, "file": file, "shape": shape}
        query = urllib.parse.urlencode({name: value for name, value in asked.items() if value is not None})
        return self._client._ask("GET", f"{self._path}/jobscript?{query}").decode()

    def report(self) -> str:
        """The HTML page that compares the placement with the default placement."""
        return self._client._ask("GET", f"{self._path}/report").decode()

    def cancel(self) -> None:
        """Cancels a queued or running job. Raises OptionError for a job that has already ended."""
        self._client._ask("DELETE", f"{self._path}?purge=false")

    def remove(self) -> None:
        """Removes the job and its files in any state. A queued or running job is cancelled first."""
        self._client._ask("DELETE", f"{self._path}?purge=true")

    def __repr__(self) -> str:
        return f"RemoteJob({self.id!r})"


def _is_this_computer(host: str) -> bool:
    """True for loopback addresses and names, and for the addresses and the name of this computer."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost") or name == socket.gethostname().lower():
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or getattr(address, "ipv4_mapped", None) == _LOOPBACK:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.bind((name, 0))  # only an address of this computer can be bound
        return True
    except OSError:
        return False


_LOOPBACK = ipaddress.ip_address("127.0.0.1")


class _Proxy(NamedTuple):
    url: str  #: without its password
    variable: str


def _proxy_of(url: str) -> _Proxy | None:
    """The proxy for requests to this address; None for a direct connection."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if not proxy or not parts.hostname or _is_this_computer(parts.hostname):
        return None
    if urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    scheme, separator, rest = proxy.rpartition("://")
    variable = f"{parts.scheme}_proxy"
    return _Proxy(
        scheme + separator + rest.rpartition("@")[2], variable if os.environ.get(variable) else variable.upper()
    )


def _through(proxy: _Proxy | None) -> str:
    return f" through the proxy {proxy.url} of {proxy.variable}" if proxy else ""


def _proxy_hint(url: str, hint: str, proxy: _Proxy | None) -> str:
    if proxy is None:
        return hint
    separator = "; " if hint else ""
    return f"{hint}{separator}set no_proxy={urllib.parse.urlsplit(url).hostname} to reach it without the proxy"


def _refusal(error: urllib.error.HTTPError, proxy: _Proxy | None) -> Error:
    try:
        told = json.loads(error.read())["error"]
        message, hint = str(told["message"]), str(told["hint"])
    except (ValueError, KeyError, TypeError):  # the response comes from a proxy or another server
        who = f"the answer{_through(proxy)} is" if proxy else "the service answered"
        message, hint = f"{who} {error.code} {error.reason}", _proxy_hint(error.url, "", proxy)
    return OptionError(message, hint) if error.code in (400, 409, 422) else ServiceError(message, hint, error.code)


def _events_of(stream: Any) -> Iterator[JobEvent]:
    number, name = 0, ""
    for raw in stream:
        key, _, value = raw.decode().rstrip("\n").partition(": ")
        if key == "id":
            number = int(value)
        elif key == "event":
            name = value
        elif key == "data":
            yield JobEvent(number, name, json.loads(value))


def _form(fields: Mapping[str, Any]) -> tuple[bytes, str]:
    """The body of a multipart/form-data request, and its content type."""
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in fields.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            file, content = _part(one)
            disposition = f'form-data; name="{name}"' + (f'; filename="{file}"' if file else "")
            parts.append(f"--{boundary}\r\nContent-Disposition: {disposition}\r\n\r\n".encode() + content + b"\r\n")
    return b"".join([*parts, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"


def _part(value: Any) -> tuple[str, bytes]:
    """The file name of a form part (empty for words), and its content."""
    if isinstance(value, Path):
        return urllib.parse.quote(value.name), value.read_bytes()
    if isinstance(value, Workload):
        with tempfile.TemporaryDirectory() as folder:
            value.write(Path(folder) / "workload.json")
            return _part(Path(folder) / "workload.json")
    if isinstance(value, str):
        return "", value.encode()
    return "", json.dumps(value).encode()
