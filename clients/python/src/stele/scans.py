"""Scans of rows by key, merged from the pages of all shards."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from . import wire
from .errors import StaleTableError
from .schema import TableDescription
from .tasks import PageTask

if TYPE_CHECKING:
    from .client import Client


def successor(prefix: bytes) -> Optional[bytes]:
    """The first key behind all that begin with a prefix; None: there is none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes((kept[-1] + 1,)) if kept else None


class Scan:
    """The rows of a range of keys. Pages are fetched as rows are taken, those of all shards at first together."""

    def __init__(
        self,
        client: Client,
        description: TableDescription,
        lower: bytes,
        upper: Optional[bytes],
        shards: List[int],
        read_lsn: Optional[int],
        descending: bool,
        limit: Optional[int],
        page_rows: int,
        page_bytes: int,
    ):
        self._client = client
        self._description = description
        self._read_lsn = read_lsn
        self._descending = descending
        self._left = limit
        self._page_rows = page_rows
        self._page_bytes = page_bytes
        self._rows: Dict[int, Iterator[Tuple[bytes, int, Dict[str, Any]]]] = {}
        tasks = {shard: self._task(shard, lower, upper) for shard in shards}
        client._run(list(tasks.values()))
        for shard, task in tasks.items():
            page = self._checked(task.result())
            self._rows[shard] = self._of_shard(shard, page, lower, upper)

    def _task(self, shard: int, lower: bytes, upper: Optional[bytes]) -> PageTask:
        schema = self._description.schema
        rows = self._page_rows if self._left is None else max(1, min(self._page_rows, self._left))
        payload = wire.scan(
            schema.id,
            schema.version,
            shard,
            self._read_lsn,
            lower,
            upper,
            self._descending,
            rows,
            self._page_bytes,
        )
        version = wire.DESCENDING_SCAN_VERSION if self._descending else wire.SCAN_VERSION
        return PageTask(self._description.owner(shard), payload, version)

    def _checked(self, page: wire.Page) -> wire.Page:
        schema = self._description.schema
        if page.version != schema.version:
            raise StaleTableError(
                "Expected rows of version %d of %s, found version %d: scan it again"
                % (schema.version, schema.name, page.version)
            )
        return page

    def _of_shard(
        self, shard: int, page: wire.Page, lower: bytes, upper: Optional[bytes]
    ) -> Iterator[Tuple[bytes, int, Dict[str, Any]]]:
        schema = self._description.schema
        while True:
            for encoded in page.rows:
                row = schema.decode_row(encoded)
                yield schema.key_of_row(schema.values_of(row))[0], shard, row
            if page.next is None:
                return
            if self._descending:
                upper = page.next
            else:
                lower = page.next
            task = self._task(shard, lower, upper)
            self._client._run((task,))
            page = self._checked(task.result())

    def rows(self) -> Iterator[Dict[str, Any]]:
        """The rows in, or against, the order of their keys."""
        if self._left == 0:
            return
        for _, _, row in heapq.merge(
            *self._rows.values(), key=lambda found: found[:2], reverse=self._descending
        ):
            yield row
            if self._left is not None:
                self._left -= 1
                if self._left <= 0:
                    return
