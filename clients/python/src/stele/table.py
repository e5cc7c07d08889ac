"""A table: its rows by key, and writes of rows."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import wire
from .errors import InternalError, InvalidArgumentError, StaleTableError, SteleError
from .scans import Scan, successor
from .schema import Endpoint, Row, TableDescription, TableSchema
from .tasks import Batch, Lookups, ShardWrites, Writer, WriteRound

if TYPE_CHECKING:
    from .client import Client

_MAX_ATTEMPTS = 3
_MAX_BATCH_BYTES = 256 << 10
_MAX_BATCH_ROWS = 8192

Values = Dict[int, Any]


class WriteResult(NamedTuple):
    """What became of a write.

    Attributes:
        lsn: all rows are durable, and visible to every reader at or after this LSN; 0 without rows.
        rows: how many rows the call had.
        skipped: how many of them had no effect, such as updates of keys that have no row.
    """

    lsn: int
    rows: int
    skipped: int


class Table:
    """A table of a client. Thread-safe; calls wait for each other.

    A key is one value, or a tuple of values in the order of the primary key, or a mapping by column name.
    A row is a mapping by column name, or a list or tuple of all columns' values. Rows that are read are
    dictionaries by column name.
    """

    def __init__(self, client: Client, description: TableDescription):
        self._client = client
        self._description = description
        self._writer = Writer()
        self._writing = threading.Lock()
        self._any_shard = itertools.count()

    @property
    def schema(self) -> TableSchema:
        """The latest schema that this client has loaded."""
        return self._description.schema

    def refresh(self) -> TableSchema:
        """Loads the schema and the routing again."""
        schema = self._description.schema
        self._description = self._client._describe(schema.schema_name, schema.table_name)
        return self._description.schema

    def get(self, key: Any, read_lsn: Optional[int] = None) -> Optional[Dict[str, Any]]:
        """The newest row of a key, or None."""
        return self.get_many((key,), read_lsn)[0]

    def get_many(self, keys: Iterable[Any], read_lsn: Optional[int] = None) -> List[Optional[Dict[str, Any]]]:
        """The newest rows of keys in their order, None where there is none.

        Keys travel in frames of thousands, several of them at once to each sidecar.

        Args:
            read_lsn: of a snapshot (``Client.snapshot``): the rows as they were there.
        """
        wanted = list(keys)
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            description = self._description
            try:
                return self._look_up(description, wanted, read_lsn)
            except StaleTableError:
                if attempt == _MAX_ATTEMPTS:
                    raise
                self._refresh_from(description)
        raise InternalError("Expected an attempt to end")

    def _look_up(
        self, description: TableDescription, wanted: Sequence[Any], read_lsn: Optional[int]
    ) -> List[Optional[Dict[str, Any]]]:
        schema = description.schema
        by_endpoint: Dict[Endpoint, List[Tuple[int, bytes]]] = {}
        for place, key in enumerate(wanted):
            encoded, shard = schema.key_and_shard(key)
            by_endpoint.setdefault(description.owner(shard), []).append((place, encoded))
        rows: List[Optional[bytes]] = [None] * len(wanted)
        tasks = [Lookups(endpoint, schema, found, read_lsn, rows) for endpoint, found in by_endpoint.items()]
        self._client._run(tasks)
        for task in tasks:
            if task.error is not None:
                raise task.error
            if task.version is not None:
                raise StaleTableError(
                    "Expected rows of version %d of %s, found version %d" % (schema.version, schema.name, task.version)
                )
        return [None if row is None else schema.decode_row(row) for row in rows]

    def scan(
        self,
        prefix: Any = (),
        *,
        lower: Any = None,
        upper: Any = None,
        descending: bool = False,
        limit: Optional[int] = None,
        read_lsn: Optional[int] = None,
        page_rows: int = 4096,
        page_bytes: int = 256 << 10,
    ) -> Iterator[Dict[str, Any]]:
        """The rows of a range of keys in order of the keys, fetched page by page as they are taken.

        Each page has the newest rows, unless ``read_lsn`` names a snapshot.

        Args:
            prefix: values of the first columns of the key, given as a key is; none: all rows.
            lower: the same, instead of a prefix: the keys from this one on, its own rows among them.
            upper: the same, instead of a prefix: the keys before this one.
            descending: whether the row of the greatest key comes first.
            limit: most rows.
            page_rows: most rows of a page.
            page_bytes: about the most bytes of a page.

        Raises:
            InvalidArgumentError: the table has no primary key or no row tablets, or the sidecar is too old.
            StaleTableError: while it is read, if the columns were changed meanwhile.
        """
        if limit is not None and limit < 0:
            raise InvalidArgumentError("Expected a limit >= 0, found %d" % limit)
        if not 1 <= page_rows <= wire.MAX_SCANNED_ROWS or page_bytes < 1:
            raise InvalidArgumentError(
                "Expected 1 to %d rows and at least 1 byte a page, found %d and %d"
                % (wire.MAX_SCANNED_ROWS, page_rows, page_bytes)
            )
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            description = self._description
            schema = description.schema
            if not schema.primary_key:
                raise InvalidArgumentError("Expected a table with a primary key to scan, found %s" % schema.name)
            first = schema.encode_key_prefix(prefix)
            if (lower is not None or upper is not None) and first:
                raise InvalidArgumentError("Expected a prefix or bounds, found both")
            begin = first if lower is None else schema.encode_key_prefix(lower)
            end = successor(first) if upper is None else schema.encode_key_prefix(upper)
            shards = schema.shards_of_prefix(prefix) if first else list(range(schema.shard_count))
            try:
                return Scan(
                    self._client,
                    description,
                    begin,
                    end,
                    shards,
                    read_lsn,
                    descending,
                    limit,
                    page_rows,
                    page_bytes,
                ).rows()
            except StaleTableError:
                if attempt == _MAX_ATTEMPTS:
                    raise
                self._refresh_from(description)
        raise InternalError("Expected an attempt to end")

    def upsert(self, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        """Writes rows in the place of what their keys have. Columns that are not given are null.

        Here and in the other writes: a mapping is one row, anything else is an iterable of rows. All are
        encoded before the first is sent. Rows of one key are applied in their order; the call is not one
        transaction.

        Raises:
            SteleError: of rows that were not written; it says which (``failed_rows``, ``unknown_rows``).
        """
        return self._write_rows(wire.UPSERT, rows)

    def insert(self, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        """Writes rows whose keys must be new; each row by itself.

        Raises:
            DuplicateKeyError: some keys have rows; ``failed_rows`` has which, all others are written.
        """
        return self._write_rows(wire.INSERT, rows)

    def insert_if_absent(self, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        """Writes the rows whose keys are new, and skips the others."""
        return self._write_rows(wire.INSERT_IF_ABSENT, rows)

    def update(self, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        """Changes the given columns of rows that are there, and skips the others.

        Rows are mappings with the columns of the key and those to change.
        """
        return self._write_rows(wire.UPDATE, rows)

    def update_or_insert(self, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        """Changes the given columns; where the key has no row, writes one with the others null."""
        return self._write_rows(wire.UPDATE_OR_INSERT, rows)

    def append(self, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        """Adds rows to a table without a primary key."""
        return self._write_rows(wire.APPEND, rows)

    def delete(self, key: Any) -> WriteResult:
        """Deletes the row of a key; absent keys are no error."""
        return self.delete_many((key,))

    def delete_many(self, keys: Iterable[Any]) -> WriteResult:
        """Deletes the rows of keys."""
        return self._write(wire.DELETE, [self.schema.values_of_key(key) for key in keys])

    def _write_rows(self, kind: int, rows: Union[Mapping[str, Any], Iterable[Row]]) -> WriteResult:
        schema = self.schema
        given: Iterable[Row] = (rows,) if isinstance(rows, Mapping) else rows
        return self._write(kind, [schema.values_of(row) for row in given])

    def _write(self, kind: int, rows: Sequence[Values]) -> WriteResult:
        with self._writing:
            lsn = 0
            skipped = 0
            left: Sequence[int] = range(len(rows))
            failed: List[int] = []
            unknown: List[int] = []
            error: Optional[SteleError] = None
            for attempt in range(1, _MAX_ATTEMPTS + 1):
                description = self._description
                try:
                    outcome = self._write_round(kind, description, rows, left)
                except SteleError as wrong:
                    if attempt == 1:
                        raise  # before anything was sent
                    error = wrong
                    failed.extend(left)
                    break
                lsn = max(lsn, outcome.lsn)
                skipped += outcome.skipped
                failed.extend(outcome.failed_rows)
                unknown.extend(outcome.unknown_rows)
                error = error or outcome.error
                left = sorted(outcome.stale_rows)
                if outcome.stale is None or not left:
                    break
                stale = self._cannot_repeat(description, outcome.stale, attempt)
                if stale is not None:
                    error = error or stale
                    failed.extend(left)
                    break
            self._client._acknowledged(lsn)
            if error is not None:
                error.failed_rows = sorted(failed)
                error.unknown_rows = sorted(unknown)
                raise error
            return WriteResult(lsn, len(rows), skipped)

    def _cannot_repeat(
        self, description: TableDescription, stale: SteleError, attempt: int
    ) -> Optional[SteleError]:
        if attempt == _MAX_ATTEMPTS:
            return stale
        try:
            self._refresh_from(description)
        except SteleError as wrong:
            return wrong
        before, after = description.schema, self.schema
        if before.id != after.id and not before.same_columns(after):
            return StaleTableError("Expected the table %s, found one of other columns under its name" % before.name)
        return None

    def _write_round(
        self, kind: int, description: TableDescription, rows: Sequence[Values], left: Sequence[int]
    ) -> WriteRound:
        schema = description.schema
        if (kind == wire.APPEND) == bool(schema.primary_key):
            raise InvalidArgumentError(
                "Expected a table %s a primary key, found %s"
                % ("without" if kind == wire.APPEND else "with", schema.name)
            )
        batches: Dict[int, _ShardBatches] = {}
        any_shard = next(self._any_shard) % schema.shard_count
        for index in left:
            values = rows[index]
            key = b""
            if kind != wire.APPEND:
                key, shard = schema.key_of_row(values)
            else:
                shard = schema.shard_of_row(values) if schema.has_distribution else any_shard
            if kind == wire.DELETE:
                row = b""
            elif kind in (wire.UPDATE, wire.UPDATE_OR_INSERT):
                row = schema.encode_partial_row(values)
            else:
                row = schema.encode_row(values)
            open_batches = batches.get(shard)
            if open_batches is None:
                open_batches = batches[shard] = _ShardBatches(schema, kind == wire.INSERT)
            open_batches.add(index, wire.operation(kind, key, row))
        outcome = WriteRound()
        busy_timeout = self._client._settings.busy_timeout
        tasks = [
            ShardWrites(description.owner(shard), schema, shard, self._writer, found.finish(), outcome, busy_timeout)
            for shard, found in batches.items()
        ]
        try:
            self._client._run(tasks)
        except BaseException:
            self._writer.renew()  # interrupted: what is unanswered is not sent again
            raise
        return outcome

    def _refresh_from(self, description: TableDescription) -> None:
        if self._description is description:
            self.refresh()

    def __repr__(self) -> str:
        return "Table(%s)" % self.schema.name


class _ShardBatches:
    """The batches of one shard while they are filled.

    A refused insert refuses its whole batch, so each has one of its own (``is_alone``).
    """

    def __init__(self, schema: TableSchema, is_alone: bool):
        self._schema = schema
        self._max_rows = 1 if is_alone else _MAX_BATCH_ROWS
        self._full: List[Batch] = []
        self._rows: List[int] = []
        self._operations: List[bytes] = []
        self._size = 0

    def add(self, index: int, operation: bytes) -> None:
        if self._rows and (len(self._rows) == self._max_rows or self._size + len(operation) > _MAX_BATCH_BYTES):
            self._close()
        self._rows.append(index)
        self._operations.append(operation)
        self._size += len(operation)

    def finish(self) -> List[Batch]:
        if self._rows:
            self._close()
        return self._full

    def _close(self) -> None:
        head = wire.batch_head(self._schema.id, self._schema.version, len(self._rows))
        self._full.append(Batch(self._rows, head + b"".join(self._operations)))
        self._rows, self._operations, self._size = [], [], 0
