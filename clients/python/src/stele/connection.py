"""Connections to sidecars, and the loop that sends requests on them and takes the replies.

A *task* is a piece of work at one sidecar: it has requests to send, takes their replies, and takes back
those that a lost connection left unanswered. So what is repeated, and in which order, is the task's to say.
"""

from __future__ import annotations

import collections
import selectors
import socket
import ssl
import time
from typing import Callable, Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import wire
from .errors import InternalError, SteleError, UnauthenticatedError, UnavailableError
from .schema import Endpoint

_MIN_PAUSE = 0.005
_MAX_PAUSE = 1.0
_READ_BYTES = 256 << 10
# 1 MiB: more of it would only wait in memory.
_MAX_OUTGOING_BYTES = 1 << 20
_MAX_REQUEST_ID = 0xFFFFFFFF


class Settings(NamedTuple):
    """Times in seconds."""

    connect_timeout: float
    answer_timeout: float
    unavailable_timeout: float
    busy_timeout: float


class Request:
    """One frame of a task; it is written again with the same bytes when it is sent again."""

    __slots__ = ("kind", "reply_kind", "payload", "task", "sent_at")

    def __init__(self, kind: int, reply_kind: int, payload: bytes, task: Task):
        self.kind = kind
        self.reply_kind = reply_kind
        self.payload = payload
        self.task = task
        self.sent_at = 0.0


class Task:
    """A piece of work at one sidecar. Confined to the loop that runs it."""

    def __init__(self, endpoint: Endpoint):
        self.endpoint = endpoint
        self.done = False

    def poll(self, now: float, greeting: wire.Greeting) -> Optional[Request]:
        """The next request to send; None if there is none now."""
        raise NotImplementedError

    def wait(self, now: float) -> Optional[float]:
        """After None: seconds until there may be one; None: a reply comes first."""
        return None

    def on_reply(self, request: Request, payload: bytes, now: float) -> None:
        """Takes a reply of the request's kind."""
        raise NotImplementedError

    def on_error(self, request: Request, error: SteleError, now: float) -> None:
        """Takes an ERROR."""
        raise NotImplementedError

    def on_lost(self, requests: List[Request], now: float) -> None:
        """Takes back what was sent and is unanswered, in the order sent."""
        raise NotImplementedError

    def fail(self, error: SteleError) -> None:
        """Ends: the sidecar stays away or refuses the client."""
        raise NotImplementedError


class CallTask(Task):
    """One request that may be repeated at will."""

    def __init__(self, endpoint: Endpoint, kind: int, reply_kind: int, payload: bytes):
        super().__init__(endpoint)
        self._request: Optional[Request] = Request(kind, reply_kind, payload, self)
        self._reply: Optional[bytes] = None
        self._error: Optional[SteleError] = None

    def poll(self, now: float, greeting: wire.Greeting) -> Optional[Request]:
        request, self._request = self._request, None
        return request

    def on_reply(self, request: Request, payload: bytes, now: float) -> None:
        self._reply = payload
        self.done = True

    def on_error(self, request: Request, error: SteleError, now: float) -> None:
        self.fail(error)

    def on_lost(self, requests: List[Request], now: float) -> None:
        self._request = requests[0]

    def fail(self, error: SteleError) -> None:
        self._error = error
        self.done = True

    def result(self) -> bytes:
        """The payload of the reply, or what was answered instead."""
        if self._error is not None:
            raise self._error
        if self._reply is None:
            raise InternalError("Expected a reply, found none")
        return self._reply


class Opener:
    """Opens sockets and exchanges greetings."""

    def __init__(
        self,
        token: Callable[[], str],
        client: str,
        identity: Tuple[str, str, str],
        tls: Optional[ssl.SSLContext],
        timeout: float,
    ):
        self._token = token
        self._client = client
        self._identity = identity
        self._tls = tls
        self._timeout = timeout

    def open(self, endpoint: Endpoint) -> Tuple[socket.socket, wire.Greeting]:
        """A greeted socket.

        Raises:
            OSError: the sidecar cannot be reached now.
            SteleError: the sidecar refuses.
        """
        plain = socket.create_connection(endpoint, self._timeout)
        try:
            if plain.getsockname() == plain.getpeername():
                # A connect to a local port without a listener can get that port as its source.
                raise ConnectionRefusedError("Nobody listens at %s:%d" % endpoint)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock = plain if self._tls is None else self._tls.wrap_socket(plain, server_hostname=endpoint.host)
        except BaseException:
            plain.close()
            raise
        try:
            return sock, self._greet(sock)
        except BaseException:
            sock.close()
            raise

    def _greet(self, sock: socket.socket) -> wire.Greeting:
        sock.sendall(wire.frame(wire.HELLO, 0, wire.hello(self._token(), self._client, self._identity)))
        length, kind, _ = wire.FRAME_HEAD.unpack(_receive(sock, wire.FRAME_HEAD.size))
        if not 5 <= length <= 16 << 10:
            raise InternalError("Expected a greeting of 5 to 16384 bytes, found %d" % length)
        payload = _receive(sock, length - 5)
        if kind == wire.ERROR:
            raise wire.read_error(payload)
        if kind != wire.HELLO_REPLY:
            raise InternalError("Expected a greeting, found a frame of type %d" % kind)
        greeting = wire.read_greeting(payload)
        if not wire.MIN_VERSION <= greeting.version <= wire.VERSION:
            raise InternalError(
                "Expected a sidecar that speaks a version from %d to %d, found %d"
                % (wire.MIN_VERSION, wire.VERSION, greeting.version)
            )
        return greeting


def _receive(sock: socket.socket, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        part = sock.recv(count - len(received))
        if not part:
            raise ConnectionResetError("The sidecar closed the connection instead of greeting")
        received += part
    return bytes(received)


class Connection:
    """One sidecar's socket, opened when it is needed, and the requests that are unanswered on it."""

    def __init__(self, endpoint: Endpoint, opener: Opener, settings: Settings, selector: selectors.BaseSelector):
        self.endpoint = endpoint
        self._opener = opener
        self._settings = settings
        self._selector = selector
        self._sock: Optional[socket.socket] = None
        self._greeting: Optional[wire.Greeting] = None
        self._outgoing: Deque[memoryview] = collections.deque()
        self._outgoing_bytes = 0
        self._incoming = bytearray()
        self._pending: Dict[int, Request] = {}
        self._next_id = 1
        self._watched = 0
        self._away_since: Optional[float] = None
        self._away_cause: Optional[Exception] = None
        self._open_at = 0.0
        self._pause = _MIN_PAUSE

    def open(self, tasks: Sequence[Task], now: float) -> Optional[wire.Greeting]:
        """The sidecar's greeting if it can be reached now; fails tasks if it has been away for too long."""
        if self._sock is not None:
            return self._greeting
        if self._away_since is not None and now - self._away_since >= self._settings.unavailable_timeout:
            self._give_up(tasks, now)
            return None
        if now < self._open_at:
            return None
        try:
            sock, greeting = self._opener.open(self.endpoint)
        except ssl.SSLCertVerificationError as refused:
            self._fail_all(tasks, UnauthenticatedError("The certificate of %s:%d: %s" % (*self.endpoint, refused)))
            return None
        except OSError as cause:
            self._is_away(cause)
            return None
        except SteleError as refused:
            if refused.code in ("BUSY", "UNAVAILABLE"):
                self._is_away(refused)
            else:
                self._fail_all(tasks, refused)
            return None
        self._use(sock, greeting)
        return greeting

    def open_now(self) -> wire.Greeting:
        """Opens the socket; what stands in the way is raised."""
        sock, greeting = self._opener.open(self.endpoint)
        self._use(sock, greeting)
        return greeting

    def _use(self, sock: socket.socket, greeting: wire.Greeting) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._greeting = greeting
        self._incoming.clear()
        self._next_id = 1
        self._watched = selectors.EVENT_READ
        self._selector.register(sock, self._watched, self)

    def begin(self, now: float) -> None:
        """A call begins: the time for which the sidecar may be away counts from now."""
        if self._away_since is not None:
            self._away_since = now

    def _is_away(self, cause: Exception) -> None:
        now = time.monotonic()
        self._away_cause = cause
        if self._away_since is None:
            self._away_since = now
        self._open_at = now + self._pause
        self._pause = min(2 * self._pause, _MAX_PAUSE)

    def _give_up(self, tasks: Sequence[Task], now: float) -> None:
        since = now - (self._away_since or now)
        self._away_since = None
        self._pause = _MIN_PAUSE
        self._fail_all(
            tasks,
            UnavailableError(
                "The sidecar %s:%d has not answered for %.1f s: %s" % (*self.endpoint, since, self._away_cause)
            ),
        )

    def _fail_all(self, tasks: Sequence[Task], error: SteleError) -> None:
        for task in tasks:
            if not task.done:
                task.fail(error)

    def wait(self, now: float) -> Optional[float]:
        """Seconds until it needs attention; None: until the socket has something."""
        if self._sock is None:
            return max(0.0, self._open_at - now)
        for oldest in self._pending.values():
            return max(0.0, oldest.sent_at + self._settings.answer_timeout - now)
        return None

    def takes_more(self, greeting: wire.Greeting) -> bool:
        """Whether more may be sent before something is answered."""
        return (
            self._sock is not None
            and self._outgoing_bytes < _MAX_OUTGOING_BYTES
            and len(self._pending) < max(1, greeting.max_requests)
        )

    def send(self, request: Request, now: float) -> None:
        """Sends a request, now or as the socket takes it."""
        request_id = self._next_id
        if request_id == _MAX_REQUEST_ID:
            self.lose(OSError("All request ids of this connection are used up"), now)
            request.task.on_lost([request], now)
            return
        self._next_id += 1
        request.sent_at = now
        self._pending[request_id] = request
        frame = wire.frame(request.kind, request_id, request.payload)
        self._outgoing.append(memoryview(frame))
        self._outgoing_bytes += len(frame)

    def flush(self, now: float) -> None:
        """Writes what the socket takes."""
        sock = self._sock
        if sock is None:
            return
        try:
            while self._outgoing:
                part = self._outgoing[0]
                written = sock.send(part)
                self._outgoing_bytes -= written
                if written == len(part):
                    self._outgoing.popleft()
                else:
                    self._outgoing[0] = part[written:]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        except OSError as cause:
            self.lose(cause, now)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
        if wanted != self._watched:
            self._watched = wanted
            self._selector.modify(sock, wanted, self)

    def receive(self, now: float) -> None:
        """Takes the replies that have come."""
        sock = self._sock
        if sock is None:
            return
        cause: Optional[Exception] = None
        try:
            while True:
                part = sock.recv(_READ_BYTES)
                if not part:
                    cause = ConnectionResetError("The sidecar closed the connection")
                    break
                self._incoming += part
                if len(part) < _READ_BYTES and not isinstance(sock, ssl.SSLSocket):
                    break
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError as broken:
            cause = broken
        try:
            self._take_frames(now)
        except (SteleError, OSError) as wrong:
            cause = wrong
        if cause is not None:
            self.lose(cause, now)

    def _take_frames(self, now: float) -> None:
        incoming = self._incoming
        at = 0
        try:
            while len(incoming) - at >= wire.FRAME_HEAD.size:
                length, kind, request_id = wire.FRAME_HEAD.unpack_from(incoming, at)
                if not 5 <= length <= wire.MAX_FRAME_BYTES:
                    raise InternalError("Expected a frame of 5 to %d bytes, found %d" % (wire.MAX_FRAME_BYTES, length))
                if len(incoming) - at < 4 + length:
                    break
                payload = bytes(incoming[at + wire.FRAME_HEAD.size : at + 4 + length])
                at += 4 + length
                self._take(kind, request_id, payload, now)
        finally:
            del incoming[:at]

    def _take(self, kind: int, request_id: int, payload: bytes, now: float) -> None:
        request = self._pending.get(request_id)
        if request is None:
            if kind == wire.ERROR:
                raise OSError(str(wire.read_error(payload)))
            raise InternalError("Expected the reply to a request, found one to %d, which was not sent" % request_id)
        error = wire.read_error(payload) if kind == wire.ERROR else None
        if error is not None and error.code == "UNAVAILABLE":
            raise error  # the request stays pending, and is sent again
        if error is None and kind != request.reply_kind:
            raise InternalError("Expected a frame of type %d as a reply, found %d" % (request.reply_kind, kind))
        task = request.task
        if not task.done:
            if error is None:
                task.on_reply(request, payload, now)
            else:
                task.on_error(request, error, now)
        del self._pending[request_id]
        self._away_since = None
        self._pause = _MIN_PAUSE

    def check_time(self, now: float) -> None:
        """Gives the socket up if an answer is overdue."""
        for oldest in self._pending.values():
            if now - oldest.sent_at >= self._settings.answer_timeout:
                self.lose(TimeoutError("No answer for %.1f s" % self._settings.answer_timeout), now)
            return

    def lose(self, cause: Exception, now: float) -> None:
        """Closes the socket, and gives the tasks back what is unanswered."""
        self.close()
        self._away_cause = cause
        if self._away_since is None:
            self._away_since = now
        else:
            self._open_at = now + self._pause
            self._pause = min(2 * self._pause, _MAX_PAUSE)
        by_task: Dict[Task, List[Request]] = {}
        for request in self._pending.values():
            if not request.task.done:
                by_task.setdefault(request.task, []).append(request)
        self._pending.clear()
        for task, requests in by_task.items():
            task.on_lost(requests, now)

    def close(self) -> None:
        """Closes the socket; what is unanswered stays pending."""
        sock, self._sock = self._sock, None
        if sock is not None:
            self._selector.unregister(sock)
            sock.close()
        self._outgoing.clear()
        self._outgoing_bytes = 0
        self._incoming.clear()


class Loop:
    """Runs tasks until they are done. Confined to one thread at a time."""

    def __init__(self, opener: Opener, settings: Settings):
        self._opener = opener
        self._settings = settings
        self._selector = selectors.DefaultSelector()
        self._connections: Dict[Endpoint, Connection] = {}

    def run(self, tasks: Sequence[Task]) -> None:
        """Returns when all are done, each with its result or failure."""
        by_endpoint: Dict[Endpoint, List[Task]] = {}
        for task in tasks:
            by_endpoint.setdefault(task.endpoint, []).append(task)
        for endpoint in by_endpoint:
            self._connection(endpoint).begin(time.monotonic())
        while by_endpoint:
            timeout = self._advance(by_endpoint)
            for endpoint in [endpoint for endpoint, left in by_endpoint.items() if all(task.done for task in left)]:
                del by_endpoint[endpoint]
            if by_endpoint:
                self._take_events(timeout)

    def greet(self, endpoint: Endpoint) -> wire.Greeting:
        """Connects at once, or fails: without the patience of a call.

        Raises:
            UnavailableError: nobody answers there.
        """
        connection = self._connection(endpoint)
        try:
            return connection.open_now()
        except OSError as cause:
            raise UnavailableError("The sidecar %s:%d cannot be reached: %s" % (*endpoint, cause)) from cause

    def _advance(self, by_endpoint: Dict[Endpoint, List[Task]]) -> Optional[float]:
        """Sends what can be sent; the seconds until there may be more without an event."""
        soonest: Optional[float] = None
        for endpoint, tasks in by_endpoint.items():
            now = time.monotonic()
            connection = self._connection(endpoint)
            connection.check_time(now)
            greeting = connection.open(tasks, now)
            waits: List[Optional[float]] = []
            if greeting is not None:
                for task in tasks:
                    while not task.done and connection.takes_more(greeting):
                        request = task.poll(now, greeting)
                        if request is None:
                            waits.append(task.wait(now))
                            break
                        connection.send(request, now)
                connection.flush(now)
            waits.append(connection.wait(now))
            for wait in waits:
                if wait is not None and (soonest is None or wait < soonest):
                    soonest = wait
        return soonest

    def _take_events(self, timeout: Optional[float]) -> None:
        events = self._selector.select(timeout)
        now = time.monotonic()
        for key, mask in events:
            connection: Connection = key.data
            if mask & selectors.EVENT_WRITE:
                connection.flush(now)
            if mask & selectors.EVENT_READ:
                connection.receive(now)

    def _connection(self, endpoint: Endpoint) -> Connection:
        connection = self._connections.get(endpoint)
        if connection is None:
            connection = Connection(endpoint, self._opener, self._settings, self._selector)
            self._connections[endpoint] = connection
        return connection

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        self._selector.close()
