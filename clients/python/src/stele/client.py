"""The client of Stele's sidecars."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
import time
from types import TracebackType
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Type, Union

from . import tokens, wire
from .connection import CallTask, Loop, Opener, Settings, Task
from .errors import InternalError, SteleError, UnavailableError
from .schema import Endpoint, TableDescription
from .table import Table

_SOURCE = "stele-python"


class Snapshot(NamedTuple):
    """A snapshot of all tables whose lease this client holds.

    Attributes:
        lsn: for ``read_lsn`` of reads.
    """

    id: str
    lsn: int


def connect(
    host: str = "localhost",
    port: int = 8482,
    *,
    secret: str,
    user: str = "",
    tls: Union[bool, str, ssl.SSLContext, None] = None,
    source: str = _SOURCE,
    resource_group: str = "",
    name: str = _SOURCE,
    connect_timeout: float = 5.0,
    answer_timeout: float = 30.0,
    unavailable_timeout: float = 60.0,
    busy_timeout: float = 300.0,
) -> Client:
    """Connects to a sidecar.

    Args:
        host: of the sidecar.
        port: of the framed protocol, ``stele.client.port`` (``clientPort`` of ``GET /v1/info``).
        secret: the shared secret of the sidecars.
        user: who is asking; with ``source`` and ``resource_group`` the sidecar chooses the scheduling group
            of reads by it.
        tls: True for the certificates that the system trusts, the path of a PEM file with those to trust, or
            an ``ssl.SSLContext``. Without it the connection is in the clear.
        name: of this client, for the sidecar's logs.
        connect_timeout: seconds for the connection and the greeting.
        answer_timeout: seconds without an answer after which the connection counts as lost.
        unavailable_timeout: seconds in which a call connects again, and sends again what is unanswered.
        busy_timeout: seconds in which a shard may refuse everything as BUSY before a write fails.

    Raises:
        UnavailableError: nobody answers there.
        UnauthenticatedError: the secret is another one.
    """
    if len(secret) < tokens.MIN_SECRET_CHARACTERS:
        raise ValueError(
            "Expected a shared secret of at least %d characters, found %d" % (tokens.MIN_SECRET_CHARACTERS, len(secret))
        )
    settings = Settings(connect_timeout, answer_timeout, unavailable_timeout, busy_timeout)
    for field, seconds in settings._asdict().items():
        if seconds <= 0:
            raise ValueError("Expected a %s > 0, found %s" % (field, seconds))
    opener = Opener(
        lambda: tokens.issue(secret, user or name, int(time.time())),
        name,
        (user, source, resource_group),
        _context(tls),
        connect_timeout,
    )
    return Client(Endpoint(host, port), opener, settings)


def _context(tls: Union[bool, str, ssl.SSLContext, None]) -> Optional[ssl.SSLContext]:
    if not tls:
        return None
    if isinstance(tls, ssl.SSLContext):
        return tls
    return ssl.create_default_context(cafile=None if tls is True else tls)


class Client:
    """Connections to the sidecars of a warehouse; made by ``connect``.

    Thread-safe: the calls of several threads wait for each other. Threads that shall not wait, and processes
    after a fork, have clients of their own.
    """

    def __init__(self, endpoint: Endpoint, opener: Opener, settings: Settings):
        self._endpoint = endpoint
        self._settings = settings
        self._loop = Loop(opener, settings)
        self._lock = threading.Lock()
        self._last_lsn = 0
        self._closed = False
        try:
            self._greeting = self._loop.greet(endpoint)
        except BaseException:
            self._loop.close()
            raise

    @property
    def node(self) -> str:
        """The name of the sidecar that was connected to."""
        return self._greeting.node

    @property
    def last_lsn(self) -> int:
        """The greatest LSN that was acknowledged to this client's writes."""
        return self._last_lsn

    def table(self, schema: str, name: str) -> Table:
        """A table by its name.

        Raises:
            TableNotFoundError: there is none.
        """
        return Table(self, self._describe(schema, name))

    def ping(self) -> None:
        """Waits until the sidecar answers."""
        self._call(wire.PING, wire.PING_REPLY, b"")

    def action(self, name: str, request: Mapping[str, Any]) -> Dict[str, Any]:
        """Runs an action that may be repeated: those that open or plan what is read (docs/protocol.md)."""
        payload = wire.action(name, json.dumps(request).encode("utf-8"))
        reply = self._call(wire.ACTION, wire.ACTION_REPLY, payload)
        found = json.loads(reply)
        if not isinstance(found, dict):
            raise InternalError("Expected a JSON object as the result of '%s', found %s" % (name, type(found).__name__))
        return found

    @contextlib.contextmanager
    def snapshot(self, ttl: float = 60.0) -> Iterator[Snapshot]:
        """A snapshot for reads, which the sidecar holds for ``ttl`` seconds or until the end of the block.

        Several reads with its LSN see the same rows.
        """
        found = self.action("open-snapshot", {"tableIds": [], "ttlMillis": int(ttl * 1000)})
        try:
            yield Snapshot(str(found["snapshotId"]), int(found["lsn"]))
        finally:
            with contextlib.suppress(SteleError):  # its lease ends by itself
                self.action("close-snapshot", {"snapshotId": found["snapshotId"]})

    def close(self) -> None:
        """Closes the connections. No call may be under way."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._loop.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _call(self, kind: int, reply_kind: int, payload: bytes) -> bytes:
        task = CallTask(self._endpoint, kind, reply_kind, payload)
        self._run((task,))
        return task.result()

    def _describe(self, schema: str, table: str) -> TableDescription:
        reply = self._call(wire.GET_TABLE, wire.GET_TABLE_REPLY, wire.get_table(schema, table))
        return TableDescription(json.loads(reply), self._endpoint)

    def _run(self, tasks: Sequence[Task]) -> None:
        with self._lock:
            if self._closed:
                raise UnavailableError("The client is closed")
            self._loop.run(tasks)

    def _acknowledged(self, lsn: int) -> None:
        with self._lock:
            self._last_lsn = max(self._last_lsn, lsn)
