"""A table as a sidecar describes it: columns, keys and the owners of its shards."""

from __future__ import annotations

import struct
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .errors import (
    ColumnNotFoundError,
    CorruptDataError,
    InvalidArgumentError,
    KeyTooLargeError,
    NullKeyError,
    RowTooLargeError,
)
from .hashing import shard_of
from .values import DataType, decode_values, encode_values, parse_type
from .wire import MAX_KEY_BYTES, MAX_ROW_BYTES

Row = Union[Mapping[str, Any], Sequence[Any]]


class Endpoint(NamedTuple):
    """A sidecar's address of the framed protocol."""

    host: str
    port: int


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        id: its identity through renames.
        nullable: whether values may be None.
        type_text: the type in Trino's syntax.
    """

    id: int
    name: str
    type: DataType
    nullable: bool

    @property
    def type_text(self) -> str:
        return self.type.text


class TableSchema:
    """One version of a table's columns and keys. Immutable."""

    def __init__(self, description: Mapping[str, Any]):
        """Reads a TableSchema of the protocol's JSON."""
        self.id = int(description["id"]["value"]) if isinstance(description["id"], dict) else int(description["id"])
        self.schema_name: str = description["schemaName"]
        self.table_name: str = description["tableName"]
        self.version = int(description["schemaVersion"])
        self.table_group = int(description["tableGroup"])
        self.shard_count = int(description["shardCount"])
        self.columns: Tuple[Column, ...] = tuple(
            Column(int(column["id"]), column["name"], parse_type(column["type"]), bool(column["nullable"]))
            for column in description["columns"]
        )
        self._types = [column.type for column in self.columns]
        self._names = [column.name for column in self.columns]
        self._by_name = {column.name.lower(): index for index, column in enumerate(self.columns)}
        index_of = {column.id: index for index, column in enumerate(self.columns)}
        self._key = [index_of[column_id] for column_id in description["primaryKey"]]
        distribution = [index_of[column_id] for column_id in description.get("distributionKey") or ()]
        self._distribution = distribution or self._key

    @property
    def name(self) -> str:
        """``schema.table``."""
        return "%s.%s" % (self.schema_name, self.table_name)

    @property
    def primary_key(self) -> Tuple[str, ...]:
        """The names of the primary key's columns, in its order; empty: the table has none."""
        return tuple(self._names[index] for index in self._key)

    @property
    def has_distribution(self) -> bool:
        """Whether values choose the shard of a row; else any shard takes it."""
        return bool(self._distribution)

    def index_of(self, name: str) -> int:
        """The position of a column by its name, without case."""
        index = self._by_name.get(name.lower())
        if index is None:
            raise ColumnNotFoundError("Expected a column of %s, found '%s'" % (self.name, name))
        return index

    def values_of(self, row: Row) -> Dict[int, Any]:
        """The values of a row by column id."""
        if isinstance(row, Mapping):
            found: Dict[int, Any] = {}
            for name, value in row.items():
                column_id = self.columns[self.index_of(name)].id
                if column_id in found:
                    raise InvalidArgumentError("Expected each column once, found '%s' again" % name)
                found[column_id] = value
            return found
        if isinstance(row, (str, bytes)) or not isinstance(row, (list, tuple)):
            raise InvalidArgumentError(
                "Expected a row as a mapping, or as a list or tuple of all columns' values, found %s" % type(row).__name__
            )
        if len(row) != len(self.columns):
            raise InvalidArgumentError(
                "Expected %d values, one a column of %s, found %d" % (len(self.columns), self.name, len(row))
            )
        return {column.id: value for column, value in zip(self.columns, row)}

    def values_of_key(self, key: Any) -> Dict[int, Any]:
        """The values of a primary key by column id."""
        values = self._key_values(key)
        return {self.columns[index].id: value for index, value in zip(self._key, values)}

    def encode_row(self, values: Mapping[int, Any]) -> bytes:
        """The row of values by column id; columns that are not given are null."""
        ordered = [values.get(column.id) for column in self.columns]
        for value, column in zip(ordered, self.columns):
            if value is None and not column.nullable:
                raise NullKeyError("Expected a value of column '%s' of %s, found null" % (column.name, self.name))
        return self._checked_row(encode_values(self._types, ordered, self.name, self._names))

    def encode_partial_row(self, values: Mapping[int, Any]) -> bytes:
        """Which columns are given, and the row of them."""
        given = bytearray((len(self.columns) + 7) // 8)
        types: List[DataType] = []
        names: List[str] = []
        present: List[Any] = []
        for index, column in enumerate(self.columns):
            if column.id not in values:
                continue
            value = values[column.id]
            if value is None and not column.nullable:
                raise NullKeyError("Expected a value of column '%s' of %s, found null" % (column.name, self.name))
            given[index >> 3] |= 1 << (index & 7)
            types.append(column.type)
            names.append(column.name)
            present.append(value)
        return self._checked_row(bytes(given) + encode_values(types, present, self.name, names))

    def _checked_row(self, row: bytes) -> bytes:
        if len(row) > MAX_ROW_BYTES:
            raise RowTooLargeError("Expected a row of at most %d bytes, found %d" % (MAX_ROW_BYTES, len(row)))
        return row

    def decode_row(self, row: bytes) -> Dict[str, Any]:
        """The values of a row by column name."""
        try:
            return dict(zip(self._names, decode_values(self._types, row, 0, len(row))))
        except (struct.error, IndexError, UnicodeDecodeError, ValueError, OverflowError) as wrong:
            raise CorruptDataError("Expected a row of %s, found other bytes: %s" % (self.name, wrong)) from wrong

    def encode_key(self, key: Any) -> bytes:
        """The primary key of one value, of a sequence of values in key order, or of a mapping by name."""
        return b"".join(self._components(self._key_values(key)))

    def encode_key_prefix(self, prefix: Any) -> bytes:
        """The first columns of a primary key, given in the same ways."""
        if isinstance(prefix, Mapping):
            by_index = {self.index_of(name): value for name, value in prefix.items()}
            values = [by_index[index] for index in self._key[: len(by_index)] if index in by_index]
            if len(values) != len(prefix):
                raise InvalidArgumentError(
                    "Expected the first columns of the key %s, found %s" % (self.primary_key, tuple(prefix))
                )
        else:
            values = list(prefix) if isinstance(prefix, (list, tuple)) else [prefix]
        if len(values) > len(self._key):
            raise InvalidArgumentError(
                "Expected at most %d values of the key %s, found %d" % (len(self._key), self.primary_key, len(values))
            )
        return b"".join(self._components(values))

    def shards_of_prefix(self, prefix: Any) -> List[int]:
        """The shards that rows of a prefix may be in: one, if it is the whole distribution key."""
        count = len(prefix) if isinstance(prefix, (list, tuple, Mapping)) else 1
        if self._key[:count] == self._distribution:
            return [shard_of(self.encode_key_prefix(prefix), self.shard_count)]
        return list(range(self.shard_count))

    def key_and_shard(self, key: Any) -> Tuple[bytes, int]:
        """An encoded primary key and the index of its shard."""
        components = self._components(self._key_values(key))
        return b"".join(components), self._shard(components)

    def key_of_row(self, values: Mapping[int, Any]) -> Tuple[bytes, int]:
        """The encoded primary key of a row by column id, and the index of its shard."""
        components = self._components([values.get(self.columns[index].id) for index in self._key])
        return b"".join(components), self._shard(components)

    def shard_of_row(self, values: Mapping[int, Any]) -> int:
        """The shard of a row of a table without a primary key, by its distribution key."""
        parts = []
        for index in self._distribution:
            column = self.columns[index]
            value = values.get(column.id)
            parts.append(b"\2" if value is None else b"\1" + column.type.component(value, column.name))
        return shard_of(b"".join(parts), self.shard_count)

    def _key_values(self, key: Any) -> Sequence[Any]:
        if not self._key:
            raise InvalidArgumentError("Expected a table with a primary key, found %s, which has none" % self.name)
        if isinstance(key, Mapping):
            by_index = {self.index_of(name): value for name, value in key.items()}
            if set(by_index) != set(self._key):
                raise InvalidArgumentError("Expected the key %s, found %s" % (self.primary_key, tuple(key)))
            return [by_index[index] for index in self._key]
        values = key if isinstance(key, (list, tuple)) else (key,)
        if len(values) != len(self._key):
            raise InvalidArgumentError(
                "Expected %d values of the key %s, found %d" % (len(self._key), self.primary_key, len(values))
            )
        return values

    def _components(self, values: Iterable[Any]) -> List[bytes]:
        if not self._key:
            raise InvalidArgumentError("Expected a table with a primary key, found %s, which has none" % self.name)
        components = []
        size = 0
        for value, index in zip(values, self._key):
            column = self.columns[index]
            if value is None:
                raise NullKeyError("Expected a value of key column '%s', found null" % column.name)
            component = column.type.component(value, column.name)
            size += len(component)
            components.append(component)
        if size > MAX_KEY_BYTES:
            raise KeyTooLargeError("Expected a key of at most %d bytes, found %d" % (MAX_KEY_BYTES, size))
        return components

    def _shard(self, components: Sequence[bytes]) -> int:
        if self._distribution == self._key:
            return shard_of(b"".join(components), self.shard_count)
        place = {index: at for at, index in enumerate(self._key)}
        return shard_of(b"".join(components[place[index]] for index in self._distribution), self.shard_count)

    def same_columns(self, other: TableSchema) -> bool:
        """Whether another version has columns of the same ids, names and types, and the same key."""
        return (
            [(column.id, column.name, column.type_text) for column in self.columns]
            == [(column.id, column.name, column.type_text) for column in other.columns]
            and self._key == other._key
        )


class TableDescription:
    """A table's schema and the owner of each of its shards, as one sidecar described them."""

    def __init__(self, description: Mapping[str, Any], asked_at: Endpoint):
        self.schema = TableSchema(description["schema"])
        routing = description["routing"]
        nodes = [
            Endpoint(node.get("host") or asked_at.host, node.get("clientPort") or asked_at.port)
            for node in routing["nodes"]
        ]
        self._owners = [nodes[owner] for owner in routing["owners"]]
        if len(self._owners) != self.schema.shard_count:
            raise CorruptDataError(
                "Expected an owner for each of %d shards, found %d" % (self.schema.shard_count, len(self._owners))
            )

    def owner(self, shard: int) -> Endpoint:
        """The sidecar of a shard."""
        return self._owners[shard]
