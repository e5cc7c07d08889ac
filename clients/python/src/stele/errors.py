"""The failures of the client: one class for each code of the protocol's ``ErrorCode``."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Type


class SteleError(Exception):
    """A request failed.

    Attributes:
        code: the name of the protocol's ``ErrorCode``.
        retry_after: seconds to wait before the same request may succeed, if the sidecar said so.
        failed_rows: of a write, the indexes of the rows that were not written and never will be.
        unknown_rows: of a write, the indexes of the rows of which it is not known.

    The rows of a write that are in neither list are durable and visible.
    """

    code = "INTERNAL"

    def __init__(self, message: str, retry_after: Optional[float] = None):
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after
        self.failed_rows: Sequence[int] = ()
        self.unknown_rows: Sequence[int] = ()

    def __str__(self) -> str:
        return "%s: %s" % (self.code, self.message)


class InvalidArgumentError(SteleError, ValueError):
    """The request is invalid in every state of the store."""

    code = "INVALID_ARGUMENT"


class TypeMismatchError(SteleError, TypeError):
    """A value does not fit the type of its column."""

    code = "TYPE_MISMATCH"


class ColumnNotFoundError(SteleError, LookupError):
    """The table has no column of this name."""

    code = "COLUMN_NOT_FOUND"


class ColumnAlreadyExistsError(SteleError):
    code = "COLUMN_ALREADY_EXISTS"


class NullKeyError(SteleError, ValueError):
    """A key column, or a column declared NOT NULL, is null."""

    code = "NULL_KEY"


class DuplicateKeyError(SteleError):
    """A key that must be new, or a value that must be unique, is there already."""

    code = "DUPLICATE_KEY"


class KeyTooLargeError(SteleError, ValueError):
    code = "KEY_TOO_LARGE"


class RowTooLargeError(SteleError, ValueError):
    code = "ROW_TOO_LARGE"


class SchemaNotFoundError(SteleError, LookupError):
    code = "SCHEMA_NOT_FOUND"


class SchemaAlreadyExistsError(SteleError):
    code = "SCHEMA_ALREADY_EXISTS"


class SchemaNotEmptyError(SteleError):
    code = "SCHEMA_NOT_EMPTY"


class TableNotFoundError(SteleError, LookupError):
    code = "TABLE_NOT_FOUND"


class TableAlreadyExistsError(SteleError):
    code = "TABLE_ALREADY_EXISTS"


class StaleTableError(SteleError):
    """The table was changed or replaced, and the request does not fit what it is now."""

    code = "STALE_TABLE"


class TransactionNotFoundError(SteleError, LookupError):
    code = "TRANSACTION_NOT_FOUND"


class TransactionConflictError(SteleError):
    code = "TRANSACTION_CONFLICT"


class TransactionTooLargeError(SteleError):
    code = "TRANSACTION_TOO_LARGE"


class TransactionAbortedError(SteleError):
    code = "TRANSACTION_ABORTED"


class NumberOutOfRangeError(SteleError, ValueError):
    code = "NUMBER_OUT_OF_RANGE"


class TooManyGroupsError(SteleError):
    code = "TOO_MANY_GROUPS"


class UnauthenticatedError(SteleError):
    """The sidecar does not accept the secret, or the clocks of both machines differ too much."""

    code = "UNAUTHENTICATED"


class CancelledError(SteleError):
    code = "CANCELLED"


class BusyError(SteleError):
    """A limit on queued work is reached; nothing was done; retry later."""

    code = "BUSY"


class OutcomeUnknownError(SteleError):
    """A batch was sent again too late: it may have been applied before, and is not now."""

    code = "OUTCOME_UNKNOWN"


class SnapshotExpiredError(SteleError):
    """The snapshot was closed or its lease expired."""

    code = "SNAPSHOT_EXPIRED"


class UnavailableError(SteleError, ConnectionError):
    """The sidecar cannot be reached, or the client is closed."""

    code = "UNAVAILABLE"


class CorruptDataError(SteleError):
    """Bytes that must be Stele's are not."""

    code = "CORRUPT_DATA"


class StoreFailedError(SteleError):
    """The object store or the log device failed."""

    code = "STORE_FAILED"


class InternalError(SteleError):
    """A broken invariant of Stele, or a code that this version does not have."""

    code = "INTERNAL"


def _subclasses() -> List[Type[SteleError]]:
    return [kind for kind in globals().values() if isinstance(kind, type) and issubclass(kind, SteleError)]


_BY_CODE: Dict[str, Type[SteleError]] = {kind.code: kind for kind in _subclasses() if kind is not SteleError}
_BY_CODE["READ_POINT_EXPIRED"] = SnapshotExpiredError  # its name in sidecars of earlier builds


def error_of(code: str, message: str, retry_after: Optional[float] = None) -> SteleError:
    """The failure of a code from the wire; an unknown code is named in the message."""
    kind = _BY_CODE.get(code)
    if kind is None:
        return InternalError("%s: %s" % (code, message), retry_after)
    return kind(message, retry_after)
