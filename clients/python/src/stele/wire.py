"""Frames and payloads of the framed protocol (docs/protocol.md). All numbers are big-endian."""

from __future__ import annotations

import struct
import uuid
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .errors import InternalError, InvalidArgumentError, SteleError, error_of

MAGIC = 0x53544C45
VERSION = 6
MIN_VERSION = 1
SCAN_VERSION = 5
DESCENDING_SCAN_VERSION = 6

MAX_FRAME_BYTES = 64 << 20
MAX_BATCH_BYTES = MAX_FRAME_BYTES - 1024
MAX_KEY_BYTES = 64 << 10
MAX_ROW_BYTES = 16 << 20
MAX_KEYS = 1 << 16
MAX_SCANNED_ROWS = 1 << 16
MAX_TEXT_BYTES = 8 << 10
OLD_UNANSWERED_BATCHES = 256

HELLO = 1
HELLO_REPLY = 2
GET_TABLE = 3
GET_TABLE_REPLY = 4
WRITE = 5
WRITE_REPLY = 6
MULTI_GET = 7
MULTI_GET_REPLY = 8
PING = 9
PING_REPLY = 10
ERROR = 11
ACTION = 12
ACTION_REPLY = 13
SCAN = 16
SCAN_REPLY = 17

UPSERT = 1
DELETE = 2
INSERT_IF_ABSENT = 3
APPEND = 4
INSERT = 5
UPDATE = 6
UPDATE_OR_INSERT = 7

FRAME_HEAD = struct.Struct(">IBI")
_WRITE_HEAD = struct.Struct(">II16sQ")
_BATCH_HEAD = struct.Struct(">QII")
_GET_HEAD = struct.Struct(">QIBQI")
_SCAN_HEAD = struct.Struct(">QIIB")
_INT = struct.Struct(">I")
_LONG = struct.Struct(">Q")


def varint(value: int) -> bytes:
    """Unsigned LEB128 in its shortest form."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(what: str, value: str) -> bytes:
    """A varint length and UTF-8 bytes."""
    encoded = value.encode("utf-8")
    if len(encoded) > MAX_TEXT_BYTES:
        raise InvalidArgumentError(
            "Expected a %s of at most %d bytes, found %d" % (what, MAX_TEXT_BYTES, len(encoded))
        )
    return varint(len(encoded)) + encoded


class PayloadReader:
    """A cursor over a payload; every step is checked against its end."""

    def __init__(self, what: str, payload: bytes):
        self._what = what
        self._payload = payload
        self._at = 0

    def byte(self) -> int:
        return self.bytes(1)[0]

    def int(self) -> int:
        value: int = _INT.unpack(self.bytes(4))[0]
        return value

    def long(self) -> int:
        value: int = _LONG.unpack(self.bytes(8))[0]
        return value

    def varint(self) -> int:
        value = 0
        payload = self._payload
        for shift in range(0, 35, 7):
            if self._at >= len(payload):
                break
            part = payload[self._at]
            self._at += 1
            value |= (part & 0x7F) << shift
            if part < 0x80:
                if value >> 31 or (part == 0 and shift):
                    break
                return value
        raise self.malformed("a varint")

    def bytes(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._payload):
            raise self.malformed("%d bytes" % length)
        found = self._payload[self._at : end]
        self._at = end
        return found

    def text(self) -> str:
        length = self.varint()
        if length > MAX_TEXT_BYTES:
            raise self.malformed("a text of at most %d bytes" % MAX_TEXT_BYTES)
        try:
            return self.bytes(length).decode("utf-8")
        except UnicodeDecodeError:
            raise self.malformed("UTF-8") from None

    def has_more(self) -> bool:
        return self._at < len(self._payload)

    def end(self) -> None:
        if self.has_more():
            raise self.malformed("the end of the payload")

    def malformed(self, expected: str) -> SteleError:
        return InternalError(
            "Malformed %s: expected %s at byte %d of %d" % (self._what, expected, self._at, len(self._payload))
        )


class Greeting(NamedTuple):
    """What the sidecar answered to HELLO."""

    version: int
    node: str
    max_frame_bytes: int
    max_requests: int
    max_unanswered_batches: int


def frame(kind: int, request_id: int, payload: bytes) -> bytes:
    """A whole frame."""
    if len(payload) + 5 > MAX_FRAME_BYTES:
        raise InvalidArgumentError("Expected a frame of at most %d bytes, found %d" % (MAX_FRAME_BYTES, len(payload) + 5))
    return FRAME_HEAD.pack(len(payload) + 5, kind, request_id) + payload


def hello(token: str, client: str, identity: Optional[Tuple[str, str, str]], version: int = VERSION) -> bytes:
    """The payload of HELLO; the identity is user, source and resource group."""
    payload = struct.pack(">II", MAGIC, version) + text("token", token) + text("client", client)
    if identity is not None:
        user, source, group = identity
        payload += text("user", user) + text("source", source) + text("resource group", group)
    return payload


def read_greeting(payload: bytes) -> Greeting:
    reader = PayloadReader("HELLO_REPLY", payload)
    return Greeting(
        reader.int(),
        reader.text(),
        reader.int(),
        reader.int(),
        reader.int() if reader.has_more() else OLD_UNANSWERED_BATCHES,
    )


def read_error(payload: bytes) -> SteleError:
    reader = PayloadReader("ERROR", payload)
    code = reader.text()
    message = reader.text()
    retry_after = reader.long() / 1000 if reader.has_more() else None
    return error_of(code, message, retry_after)


def get_table(schema: str, table: str) -> bytes:
    return text("schema name", schema) + text("table name", table)


def action(name: str, request: bytes) -> bytes:
    return text("action", name) + request


def operation(kind: int, key: bytes, row: bytes) -> bytes:
    """One operation of a write batch."""
    return b"".join((bytes((kind,)), varint(len(key)), key, varint(len(row)), row))


def batch_head(table_id: int, schema_version: int, operation_count: int) -> bytes:
    return _BATCH_HEAD.pack(table_id, schema_version, operation_count)


def write_head(table_group: int, shard: int, writer: uuid.UUID, sequence: int) -> bytes:
    return _WRITE_HEAD.pack(table_group, shard, writer.bytes, sequence)


def read_write_reply(payload: bytes) -> Tuple[int, int]:
    """The LSN, and how many operations had no effect."""
    reader = PayloadReader("WRITE_REPLY", payload)
    lsn = reader.long()
    skipped = reader.varint()
    reader.end()
    return lsn, skipped


def multi_get(table_id: int, schema_version: int, read_lsn: Optional[int], keys: Sequence[bytes]) -> bytes:
    parts = [_GET_HEAD.pack(table_id, schema_version, read_lsn is not None, read_lsn or 0, len(keys))]
    for key in keys:
        parts.append(varint(len(key)))
        parts.append(key)
    return b"".join(parts)


def read_multi_get_reply(payload: bytes) -> Tuple[int, List[Optional[bytes]]]:
    """The schema version, and the rows of the first keys that were asked for."""
    reader = PayloadReader("MULTI_GET_REPLY", payload)
    version = reader.int()
    count = reader.int()
    if not 1 <= count <= MAX_KEYS:
        raise reader.malformed("from 1 to %d rows" % MAX_KEYS)
    rows: List[Optional[bytes]] = []
    for _ in range(count):
        length = reader.varint()
        rows.append(None if length == 0 else reader.bytes(length - 1))
    reader.end()
    return version, rows


def scan(
    table_id: int,
    schema_version: int,
    shard: int,
    read_lsn: Optional[int],
    lower: bytes,
    upper: Optional[bytes],
    descending: bool,
    max_rows: int,
    max_bytes: int,
) -> bytes:
    """A page of the rows of one shard whose keys are at or above ``lower`` and below ``upper``."""
    flags = (read_lsn is not None) | (upper is not None) << 1 | descending << 2
    parts = [_SCAN_HEAD.pack(table_id, schema_version, shard, flags)]
    if read_lsn is not None:
        parts.append(_LONG.pack(read_lsn))
    parts += (varint(len(lower)), lower)
    if upper is not None:
        parts += (varint(len(upper)), upper)
    parts.append(struct.pack(">II", max_rows, max_bytes))
    return b"".join(parts)


class Page(NamedTuple):
    """The answer to SCAN.

    Attributes:
        next: the lower bound of the rows that are left, or the upper one if keys descend; None: there are none.
    """

    version: int
    lsn: int
    rows: List[bytes]
    next: Optional[bytes]


def read_scan_reply(payload: bytes) -> Page:
    reader = PayloadReader("SCAN_REPLY", payload)
    version = reader.int()
    lsn = reader.long()
    count = reader.int()
    if count > MAX_SCANNED_ROWS:
        raise reader.malformed("from 0 to %d rows" % MAX_SCANNED_ROWS)
    rows = [reader.bytes(reader.varint()) for _ in range(count)]
    has_next = reader.byte()
    if has_next > 1:
        raise reader.malformed("0 or 1")
    following = reader.bytes(reader.varint()) if has_next else None
    reader.end()
    return Page(version, lsn, rows, following)
