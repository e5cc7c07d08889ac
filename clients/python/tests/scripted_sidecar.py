"""One table of a sidecar in memory, behind the framed protocol, with faults by script.

It keeps what docs/protocol.md promises of writes: a sequence is applied once, and what was refused as BUSY
stands in the way of later sequences until it comes again.
"""

from __future__ import annotations

import collections
import json
import socket
import struct
import threading
from typing import Any, Dict, List, Optional, Tuple

from stele import wire
from stele.schema import TableSchema


class Fault:
    """What to do with a request."""

    BREAK_BEFORE = "break before it is applied"
    BREAK_AFTER = "apply it and break before the answer"
    SWALLOW = "apply it and never answer"
    BABBLE = "answer with what is no answer"
    BUSY = "BUSY"
    STALE = "the table has a new version"
    AWAY = "UNAVAILABLE"


class ScriptedSidecar:
    """Listens on a free port until it is closed. Guarded by its lock."""

    def __init__(self, columns=(("k", "bigint"), ("v", "varchar")), shard_count: int = 2):
        self.lock = threading.Lock()
        self.version = 1
        self.columns = list(columns)
        self.shard_count = shard_count
        self.rows: Dict[bytes, bytes] = {}
        self.applied: List[Tuple[int, int, int]] = []  # shard, sequence, first row's key, in the order applied
        self.operations: List[Tuple[int, bytes]] = []
        self.faults: Dict[int, collections.deque] = collections.defaultdict(collections.deque)
        self.greetings = 0
        self.max_rows_a_reply = 1 << 16
        self.requests: List[int] = []
        self._outcomes: Dict[Tuple[bytes, int, int], bytes] = {}
        self._refused: Dict[Tuple[bytes, int], int] = {}
        self._lsn = 100
        self._closed = False
        self._sockets: List[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._closed = True
        with self.lock:
            for sock in [self._server, *self._sockets]:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                sock.close()

    def script(self, kind: int, *faults: Optional[str]) -> None:
        """The faults of the next requests of a kind; None: it is answered."""
        with self.lock:
            self.faults[kind].extend(faults)

    def schema(self) -> Dict[str, Any]:
        return {
            "id": 9,
            "schemaName": "s",
            "tableName": "t",
            "schemaVersion": self.version,
            "tableGroup": 1,
            "shardCount": self.shard_count,
            "columns": [
                {"id": index + 1, "name": name, "type": kind, "nullable": index > 0}
                for index, (name, kind) in enumerate(self.columns)
            ],
            "primaryKey": [1],
            "distributionKey": [],
        }

    def _accept(self) -> None:
        while not self._closed:
            try:
                sock, _ = self._server.accept()
            except OSError:
                return
            with self.lock:
                self._sockets.append(sock)
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        stream = sock.makefile("rb")
        try:
            while True:
                head = stream.read(wire.FRAME_HEAD.size)
                if len(head) < wire.FRAME_HEAD.size:
                    return
                length, kind, request_id = wire.FRAME_HEAD.unpack(head)
                payload = stream.read(length - 5)
                with self.lock:
                    if kind == wire.WRITE and sock is not self._sockets[-1]:
                        return  # what is left of a connection that was given up
                    self.requests.append(kind)
                    faults = self.faults[kind]
                    fault = faults.popleft() if faults else None
                    if fault == Fault.BREAK_BEFORE:
                        return
                    if fault == Fault.AWAY:
                        reply = (wire.ERROR, self._error("UNAVAILABLE", "away"))
                    else:
                        reply = self._answer(kind, payload, fault)
                if fault == Fault.BREAK_AFTER:
                    return
                if fault == Fault.SWALLOW:
                    continue
                if fault == Fault.BABBLE:
                    reply = (wire.PING_REPLY, b"x")
                sock.sendall(wire.frame(reply[0], request_id, reply[1]))
        except OSError:
            return
        finally:
            stream.close()
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()

    def _answer(self, kind: int, payload: bytes, fault: Optional[str]) -> Tuple[int, bytes]:
        if kind == wire.HELLO:
            self.greetings += 1
            version = min(struct.unpack_from(">I", payload, 4)[0], wire.VERSION)
            limits = struct.pack(">III", wire.MAX_FRAME_BYTES, 64, 16)
            return wire.HELLO_REPLY, struct.pack(">I", version) + wire.text("node", "scripted") + limits
        if kind == wire.GET_TABLE:
            description = {
                "schema": self.schema(),
                "routing": {"nodes": [{"nodeId": "n", "host": "", "clientPort": 0, "flightPort": 0}], "owners": [0] * self.shard_count},
            }
            return wire.GET_TABLE_REPLY, json.dumps(description).encode()
        if fault == Fault.BUSY and kind != wire.WRITE:
            return wire.ERROR, self._error("BUSY", "too much", 3)
        if fault == Fault.STALE:
            self._add_column()
        if kind == wire.WRITE:
            return self._write(payload, fault)
        if kind == wire.MULTI_GET:
            return self._get(payload)
        return wire.PING_REPLY, b""

    def _add_column(self) -> None:
        before = TableSchema(self.schema())
        self.version += 1
        self.columns.append(("added%d" % self.version, "integer"))
        after = TableSchema(self.schema())
        for key, row in self.rows.items():
            self.rows[key] = after.encode_row(after.values_of(before.decode_row(row)))

    def _write(self, payload: bytes, fault: Optional[str]) -> Tuple[int, bytes]:
        _, shard, writer, sequence, table, version, count = struct.unpack_from(">II16sQQII", payload)
        known = self._outcomes.get((writer, shard, sequence))
        if known is not None:
            return wire.WRITE_REPLY, known
        waiting = self._refused.get((writer, shard))
        if fault == Fault.BUSY or (waiting is not None and sequence > waiting):
            self._refused[(writer, shard)] = sequence if waiting is None else min(waiting, sequence)
            return wire.ERROR, self._error("BUSY", "no room", 3)
        if sequence == waiting:
            del self._refused[(writer, shard)]
        if version != self.version or table != 9:
            return wire.ERROR, self._error("STALE_TABLE", "version %d" % self.version)
        operations = []
        reader = wire.PayloadReader("batch", payload[48:])
        for _ in range(count):
            kind = reader.byte()
            key = reader.bytes(reader.varint())
            operations.append((kind, key, reader.bytes(reader.varint())))
        reader.end()
        skipped = 0
        for kind, key, row in operations:
            if kind == wire.INSERT and key in self.rows:
                return wire.ERROR, self._error("DUPLICATE_KEY", key.hex())
            if kind == wire.INSERT_IF_ABSENT and key in self.rows:
                skipped += 1
            elif kind == wire.DELETE:
                self.rows.pop(key, None)
            else:
                self.rows[key] = row
            self.operations.append((shard, key))
        self.applied.append((shard, sequence, count))
        self._lsn += 1
        reply = struct.pack(">Q", self._lsn) + wire.varint(skipped)
        self._outcomes[(writer, shard, sequence)] = reply
        return wire.WRITE_REPLY, reply

    def _get(self, payload: bytes) -> Tuple[int, bytes]:
        version = struct.unpack_from(">I", payload, 8)[0]
        if version != self.version:
            return wire.ERROR, self._error("STALE_TABLE", "version %d" % self.version)
        count = struct.unpack_from(">I", payload, 21)[0]
        reader = wire.PayloadReader("keys", payload[25:])
        found = [self.rows.get(reader.bytes(reader.varint())) for _ in range(count)][: self.max_rows_a_reply]
        parts = [struct.pack(">II", version, len(found))]
        for row in found:
            parts.append(wire.varint(0) if row is None else wire.varint(len(row) + 1) + row)
        return wire.MULTI_GET_REPLY, b"".join(parts)

    @staticmethod
    def _error(code: str, message: str, retry_millis: Optional[int] = None) -> bytes:
        payload = wire.text("code", code) + wire.text("message", message)
        return payload if retry_millis is None else payload + struct.pack(">Q", retry_millis)
