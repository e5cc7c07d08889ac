"""The work of tables at one sidecar: the batches of one shard, and lookups by key."""

from __future__ import annotations

import collections
import uuid
from typing import Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import wire
from .connection import Request, Task
from .errors import BusyError, InternalError, InvalidArgumentError, SteleError
from .schema import Endpoint, TableSchema

_MIN_BUSY_PAUSE = 0.010
_MAX_BUSY_PAUSE = 1.0
# 2 MiB of one shard: more would wait in the sidecar.
_MAX_UNANSWERED_BYTES = 2 << 20
_MIN_LOOKUP_PAUSE = 0.002
_MAX_LOOKUP_PAUSE = 10.0
# 10: with pauses that double from 2 ms, two seconds of a busy sidecar.
_MAX_LOOKUP_REFUSALS = 10
# 4096 keys a frame: far past where the cost of a request is shared enough.
_KEYS_A_FRAME = 4096
_MAX_LOOKUP_BYTES = 8 << 20
_MAX_UNANSWERED_LOOKUPS = 4


class Writer:
    """A writer id and its sequences, which rise; a new id follows where an outcome is not known."""

    def __init__(self) -> None:
        self.id = uuid.uuid4()
        self._sequence = 0

    def next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    def renew(self) -> None:
        """Goes on as another writer."""
        self.id = uuid.uuid4()


class Batch:
    """Operations of one shard that are applied together.

    Attributes:
        rows: the index of each operation's row in the call.
        sequence: 0 until it is first sent.
        in_doubt: whether it may have been applied: it was sent, and is not answered.
        is_repeated: whether a lost connection had it, so that what that one still brings may be applied.
    """

    __slots__ = ("rows", "payload", "sequence", "request", "in_doubt", "is_repeated")

    def __init__(self, rows: List[int], payload: bytes):
        self.rows = rows
        self.payload = payload
        self.sequence = 0
        self.request: Optional[Request] = None
        self.in_doubt = False
        self.is_repeated = False


class WriteRound:
    """What became of the rows of one call, and whether the table was found stale.

    Attributes:
        stale: why the table is to be fetched again; then nothing new is sent.
        stale_rows: indexes of rows that are to be encoded anew.
    """

    def __init__(self) -> None:
        self.lsn = 0
        self.skipped = 0
        self.stale: Optional[SteleError] = None
        self.stale_rows: List[int] = []
        self.failed_rows: List[int] = []
        self.unknown_rows: List[int] = []
        self.error: Optional[SteleError] = None

    def fail(self, error: SteleError, rows: Sequence[int], is_known: bool) -> None:
        (self.failed_rows if is_known else self.unknown_rows).extend(rows)
        # What leaves an outcome open is the worse news.
        if self.error is None or (not is_known and len(self.unknown_rows) == len(rows)):
            self.error = error


class ShardWrites(Task):
    """The batches of one writer for one shard, in their order.

    What is refused as BUSY waits until nothing is unanswered; then the first is sent again, and when it is
    taken the others follow, each with its sequence. After a lost connection all that is unanswered is sent
    again in its order, behind what was refused.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        schema: TableSchema,
        shard: int,
        writer: Writer,
        batches: Sequence[Batch],
        outcome: WriteRound,
        busy_timeout: float,
    ):
        super().__init__(endpoint)
        self._schema = schema
        self._shard = shard
        self._writer = writer
        self._writer_id = writer.id
        self._new: Deque[Batch] = collections.deque(batches)
        self._again: Deque[Batch] = collections.deque()
        self._refused: List[Batch] = []
        self._sent: Dict[Request, Batch] = {}
        self._sent_bytes = 0
        self._outcome = outcome
        self._busy_timeout = busy_timeout
        self._busy_since: Optional[float] = None
        self._busy_cause: Optional[SteleError] = None
        self._refusals = 0
        self._resume_at = 0.0
        self._probe: Optional[Batch] = None
        self._highest = 0  # sequence that was acknowledged
        self._check_done()

    def poll(self, now: float, greeting: wire.Greeting) -> Optional[Request]:
        if self._refused:
            return self._poll_refused(now)
        limit = greeting.max_unanswered_batches
        if len(self._sent) >= limit or (self._sent and self._sent_bytes >= _MAX_UNANSWERED_BYTES):
            return None
        if self._again:
            return self._send(self._again.popleft())
        if self._outcome.stale is not None:
            self._give_new_back()
            return None
        if self._new:
            return self._send(self._new.popleft())
        return None

    def _poll_refused(self, now: float) -> Optional[Request]:
        if self._sent:
            return None
        if self._busy_since is not None and now - self._busy_since >= self._busy_timeout:
            self._give_refused_up()
            return None
        if now < self._resume_at:
            return None
        self._probe = self._refused.pop(0)
        return self._send(self._probe)

    def _send(self, batch: Batch) -> Request:
        if batch.request is None:
            batch.sequence = self._writer.next_sequence()
            head = wire.write_head(self._schema.table_group, self._shard, self._writer_id, batch.sequence)
            batch.request = Request(wire.WRITE, wire.WRITE_REPLY, head + batch.payload, self)
        batch.in_doubt = True
        self._sent[batch.request] = batch
        self._sent_bytes += len(batch.payload)
        return batch.request

    def wait(self, now: float) -> Optional[float]:
        return max(0.0, self._resume_at - now) if self._refused and not self._sent else None

    def on_reply(self, request: Request, payload: bytes, now: float) -> None:
        lsn, skipped = wire.read_write_reply(payload)
        batch = self._answered(request)
        self._outcome.lsn = max(self._outcome.lsn, lsn)
        self._outcome.skipped += skipped
        self._highest = max(self._highest, batch.sequence)
        # Of one that is in doubt the shard knows the outcome, and says it when it is sent again.
        overtaken = [
            refused for refused in self._refused if refused.sequence < self._highest and not refused.in_doubt
        ]
        if overtaken:
            self._refused = [refused for refused in self._refused if refused not in overtaken]
            for refused in overtaken:
                self._outcome.fail(
                    BusyError("A later batch was applied; this one would change the order of rows: %s" % self._busy_cause),
                    refused.rows,
                    not refused.is_repeated,
                )
        if batch is self._probe:
            self._probe = None
            self._again.extendleft(reversed(self._refused))
            self._refused = []
        self._busy_since = None
        self._refusals = 0
        self._check_done()

    def on_error(self, request: Request, error: SteleError, now: float) -> None:
        batch = self._answered(request)
        if batch is self._probe:
            self._probe = None
        if error.code == "BUSY" and batch.sequence > self._highest:
            self._postpone(batch, error, now)
        elif error.code == "STALE_TABLE":
            self._outcome.stale = error
            self._outcome.stale_rows.extend(batch.rows)
        else:
            # An error is final but for these, where the shard may have had the batch before.
            is_known = error.code != "OUTCOME_UNKNOWN"
            if not is_known:
                self._writer.renew()
            self._outcome.fail(error, batch.rows, is_known)
        self._check_done()

    def _postpone(self, batch: Batch, error: SteleError, now: float) -> None:
        self._refused.append(batch)
        self._refused.extend(self._again)
        self._again.clear()
        self._refused.sort(key=lambda refused: refused.sequence)
        pause = min(_MIN_BUSY_PAUSE * 2 ** min(self._refusals, 10), _MAX_BUSY_PAUSE)
        self._resume_at = now + max(error.retry_after or 0.0, pause)
        self._refusals += 1
        self._busy_cause = error
        if self._busy_since is None:
            self._busy_since = now

    def on_lost(self, requests: List[Request], now: float) -> None:
        batches = [self._sent.pop(request) for request in requests]
        for batch in batches:
            batch.is_repeated = True
        self._sent_bytes = 0
        self._probe = None
        if self._refused:
            self._refused = sorted(self._refused + batches, key=lambda batch: batch.sequence)
        else:
            self._again.extendleft(reversed(batches))

    def fail(self, error: SteleError) -> None:
        for batch in (*self._sent.values(), *self._again, *self._refused, *self._new):
            self._outcome.fail(error, batch.rows, not batch.in_doubt)
        self._writer.renew()
        self.done = True

    def _answered(self, request: Request) -> Batch:
        batch = self._sent.pop(request)
        self._sent_bytes -= len(batch.payload)
        batch.in_doubt = False
        return batch

    def _give_refused_up(self) -> None:
        cause = self._busy_cause or BusyError("The shard is busy")
        error = BusyError(
            "Shard %d of %s has taken nothing for %.0f s: %s"
            % (self._shard, self._schema.name, self._busy_timeout, cause.message)
        )
        for batch in (*self._refused, *self._new):
            self._outcome.fail(error, batch.rows, not batch.in_doubt)
        self._refused = []
        self._new.clear()
        self._writer.renew()
        self._check_done()

    def _give_new_back(self) -> None:
        for batch in self._new:
            self._outcome.stale_rows.extend(batch.rows)
        self._new.clear()
        self._check_done()

    def _check_done(self) -> None:
        self.done = not (self._new or self._again or self._refused or self._sent)


class Lookup(NamedTuple):
    """Keys of one request.

    Attributes:
        places: where the rows belong in the call's result.
        refusals: how often the sidecar was too busy for it.
    """

    places: Sequence[int]
    keys: Sequence[bytes]
    refusals: int


class Lookups(Task):
    """Lookups by key at one sidecar; rows go to their places in ``rows``."""

    def __init__(
        self,
        endpoint: Endpoint,
        schema: TableSchema,
        keys: Sequence[Tuple[int, bytes]],
        read_lsn: Optional[int],
        rows: List[Optional[bytes]],
    ):
        super().__init__(endpoint)
        self._schema = schema
        self._read_lsn = read_lsn
        self._rows = rows
        self._waiting: Deque[Lookup] = collections.deque(_chunks(keys))
        self._sent: Dict[Request, Lookup] = {}
        self._resume_at = 0.0
        self.error: Optional[SteleError] = None
        self.version: Optional[int] = None

    def poll(self, now: float, greeting: wire.Greeting) -> Optional[Request]:
        if not self._waiting or len(self._sent) >= _MAX_UNANSWERED_LOOKUPS or now < self._resume_at:
            return None
        lookup = self._waiting.popleft()
        payload = wire.multi_get(self._schema.id, self._schema.version, self._read_lsn, lookup.keys)
        request = Request(wire.MULTI_GET, wire.MULTI_GET_REPLY, payload, self)
        self._sent[request] = lookup
        return request

    def wait(self, now: float) -> Optional[float]:
        if self._waiting and len(self._sent) < _MAX_UNANSWERED_LOOKUPS:
            return max(0.0, self._resume_at - now)
        return None

    def on_reply(self, request: Request, payload: bytes, now: float) -> None:
        version, rows = wire.read_multi_get_reply(payload)
        lookup = self._sent[request]
        if len(rows) > len(lookup.keys):
            raise InternalError("Expected at most %d rows, found %d" % (len(lookup.keys), len(rows)))
        del self._sent[request]
        if version != self._schema.version:
            self.version = version
            self.done = True
            return
        for place, row in zip(lookup.places, rows):
            self._rows[place] = row
        if len(rows) < len(lookup.keys):  # the rest did not fit a frame
            self._waiting.appendleft(Lookup(lookup.places[len(rows) :], lookup.keys[len(rows) :], 0))
        self.done = not self._waiting and not self._sent

    def on_error(self, request: Request, error: SteleError, now: float) -> None:
        lookup = self._sent.pop(request)
        if error.code != "BUSY" or lookup.refusals >= _MAX_LOOKUP_REFUSALS:
            self.fail(error)
            return
        pause = max(error.retry_after or 0.0, _MIN_LOOKUP_PAUSE * 2**lookup.refusals)
        self._resume_at = now + min(pause, _MAX_LOOKUP_PAUSE)
        self._waiting.appendleft(lookup._replace(refusals=lookup.refusals + 1))

    def on_lost(self, requests: List[Request], now: float) -> None:
        self._waiting.extendleft(self._sent.pop(request) for request in reversed(requests))

    def fail(self, error: SteleError) -> None:
        self.error = error
        self.done = True


class PageTask(Task):
    """One page of a scan of a shard, asked for again while the sidecar is busy."""

    def __init__(self, endpoint: Endpoint, payload: bytes, version: int):
        """``version``: the first one of the protocol that has such scans."""
        super().__init__(endpoint)
        self._version = version
        self._request = Request(wire.SCAN, wire.SCAN_REPLY, payload, self)
        self._is_waiting = True
        self._refusals = 0
        self._resume_at = 0.0
        self._page: Optional[wire.Page] = None
        self._error: Optional[SteleError] = None

    def poll(self, now: float, greeting: wire.Greeting) -> Optional[Request]:
        if greeting.version < self._version:
            self.fail(
                InvalidArgumentError(
                    "Expected a sidecar that speaks version %d of the protocol for this scan, found version %d"
                    % (self._version, greeting.version)
                )
            )
            return None
        if not self._is_waiting or now < self._resume_at:
            return None
        self._is_waiting = False
        return self._request

    def wait(self, now: float) -> Optional[float]:
        return max(0.0, self._resume_at - now) if self._is_waiting else None

    def on_reply(self, request: Request, payload: bytes, now: float) -> None:
        self._page = wire.read_scan_reply(payload)
        self.done = True

    def on_error(self, request: Request, error: SteleError, now: float) -> None:
        if error.code != "BUSY" or self._refusals == _MAX_LOOKUP_REFUSALS:
            self.fail(error)
            return
        pause = max(error.retry_after or 0.0, _MIN_LOOKUP_PAUSE * 2**self._refusals)
        self._resume_at = now + min(pause, _MAX_LOOKUP_PAUSE)
        self._refusals += 1
        self._is_waiting = True

    def on_lost(self, requests: List[Request], now: float) -> None:
        self._is_waiting = True

    def fail(self, error: SteleError) -> None:
        self._error = error
        self.done = True

    def result(self) -> wire.Page:
        """The page, or what was answered instead."""
        if self._error is not None:
            raise self._error
        if self._page is None:
            raise InternalError("Expected a page, found none")
        return self._page


def _chunks(keys: Sequence[Tuple[int, bytes]]) -> List[Lookup]:
    chunks: List[Lookup] = []
    places: List[int] = []
    chunk: List[bytes] = []
    size = 0
    for place, key in keys:
        if chunk and (len(chunk) == _KEYS_A_FRAME or size + len(key) > _MAX_LOOKUP_BYTES):
            chunks.append(Lookup(places, chunk, 0))
            places, chunk, size = [], [], 0
        places.append(place)
        chunk.append(key)
        size += len(key)
    if chunk:
        chunks.append(Lookup(places, chunk, 0))
    return chunks
