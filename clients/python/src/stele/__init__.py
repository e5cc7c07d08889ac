"""A client of Stele, in Python alone: rows in, rows out by key.

    import stele

    with stele.connect("localhost", 8482, secret=secret) as client:
        orders = client.table("shop", "orders")
        orders.upsert({"id": 1, "state": "open"})
        orders.get(1)
"""

from .client import Client, Snapshot, connect
from .errors import (
    BusyError,
    CancelledError,
    ColumnAlreadyExistsError,
    ColumnNotFoundError,
    CorruptDataError,
    DuplicateKeyError,
    InternalError,
    InvalidArgumentError,
    KeyTooLargeError,
    NullKeyError,
    NumberOutOfRangeError,
    OutcomeUnknownError,
    SnapshotExpiredError,
    RowTooLargeError,
    SchemaAlreadyExistsError,
    SchemaNotEmptyError,
    SchemaNotFoundError,
    StaleTableError,
    SteleError,
    StoreFailedError,
    TableAlreadyExistsError,
    TableNotFoundError,
    TooManyGroupsError,
    TransactionAbortedError,
    TransactionConflictError,
    TransactionNotFoundError,
    TransactionTooLargeError,
    TypeMismatchError,
    UnauthenticatedError,
    UnavailableError,
)
from .schema import Column, TableSchema
from .table import Table, WriteResult

__version__ = "0.1.0.dev0"

__all__ = [
    "BusyError",
    "CancelledError",
    "Client",
    "Column",
    "ColumnAlreadyExistsError",
    "ColumnNotFoundError",
    "CorruptDataError",
    "DuplicateKeyError",
    "InternalError",
    "InvalidArgumentError",
    "KeyTooLargeError",
    "NullKeyError",
    "NumberOutOfRangeError",
    "OutcomeUnknownError",
    "SnapshotExpiredError",
    "RowTooLargeError",
    "SchemaAlreadyExistsError",
    "SchemaNotEmptyError",
    "SchemaNotFoundError",
    "Snapshot",
    "StaleTableError",
    "SteleError",
    "StoreFailedError",
    "Table",
    "TableAlreadyExistsError",
    "TableNotFoundError",
    "TableSchema",
    "TooManyGroupsError",
    "TransactionAbortedError",
    "TransactionConflictError",
    "TransactionNotFoundError",
    "TransactionTooLargeError",
    "TypeMismatchError",
    "UnauthenticatedError",
    "UnavailableError",
    "WriteResult",
    "connect",
]
