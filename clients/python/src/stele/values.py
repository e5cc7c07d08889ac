"""The types of columns, and their values as Python objects, as bytes of a row and as bytes of a key.

docs/format.md has the layouts. The README of this package says which Python class a type has.
"""

from __future__ import annotations

import datetime
import decimal
import math
import struct
import uuid
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

from .errors import CorruptDataError, InvalidArgumentError, TypeMismatchError

_MAX_DEPTH = 32
_MAX_MICROS_PRECISION = 6
_MAX_NANOS_PRECISION = 9
_MAX_PRECISION = 12
# Trino packs the milliseconds of an instant in 52 bits.
_MAX_ZONED_MILLIS = (1 << 51) - 1
_MIN_LONG = -(1 << 63)
_MAX_LONG = (1 << 63) - 1
# Of seconds: more than any time has.
_MAX_SECONDS_DIGITS = 20

_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
_MIN_DAY = datetime.date.min.toordinal() - _EPOCH_DAY
_MAX_DAY = datetime.date.max.toordinal() - _EPOCH_DAY
_EPOCH = datetime.datetime(1970, 1, 1)
_UTC = datetime.timezone.utc
_EPOCH_UTC = datetime.datetime(1970, 1, 1, tzinfo=_UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
_MIN_MICROS = (datetime.datetime.min - _EPOCH) // _MICROSECOND
_MAX_MICROS = (datetime.datetime.max - _EPOCH) // _MICROSECOND

_END = struct.Struct("<I")
_MAX_VALUES_BYTES = (1 << 31) - 1


class DataType:
    """A type of values. Immutable.

    Attributes:
        text: the type in Trino's syntax.
        width: bytes of its slot in a row.
        is_variable: whether values vary in length; the slot then has where the value ends.
        is_orderable: whether values may be part of a key.
    """

    width = 4
    is_variable = False
    is_orderable = True

    def __init__(self, text: str):
        self.text = text

    def encode(self, value: Any, name: str) -> bytes:
        """The slot of a value, or the value itself if it varies in length; ``name`` is for messages."""
        raise NotImplementedError

    def decode(self, data: bytes, start: int, end: int) -> Any:
        """The value of the slot that begins at ``start``, or from ``start`` to ``end`` if it varies in length."""
        raise NotImplementedError

    def ordered(self, value: Any, name: str) -> bytes:
        """Bytes whose unsigned order is the order of the values."""
        raise NotImplementedError

    def component(self, value: Any, name: str) -> bytes:
        """The same as part of a key, where a value of varying length is escaped and ends in two zeros."""
        encoded = self.ordered(value, name)
        return encoded.replace(b"\0", b"\0\xff") + b"\0\0" if self.is_variable else encoded

    def mismatch(self, value: Any, name: str) -> NoReturn:
        shown = repr(value)
        raise TypeMismatchError(
            "Expected a value of type %s for column '%s', found %s %s"
            % (self.text, name, type(value).__name__, shown if len(shown) <= 100 else shown[:100] + "...")
        )

    def __repr__(self) -> str:
        return "DataType(%r)" % self.text


class _Boolean(DataType):
    width = 1

    def encode(self, value: Any, name: str) -> bytes:
        if value is True:
            return b"\1"
        if value is False:
            return b"\0"
        self.mismatch(value, name)

    def decode(self, data: bytes, start: int, end: int) -> bool:
        return data[start] != 0

    ordered = encode


class _Integral(DataType):
    """What is an integer in a slot of 1, 2, 4, 8 or 16 bytes. Subclasses say which integer a value is."""

    def __init__(self, text: str, width: int, least: Optional[int] = None, most: Optional[int] = None, unit: int = 1):
        super().__init__(text)
        self.width = width
        self._half = 1 << (8 * width - 1)
        self._least = -self._half if least is None else least
        self._most = self._half - 1 if most is None else most
        self._unit = unit
        self._slot_order = "big" if width == 16 else "little"

    def to_number(self, value: Any, name: str) -> int:
        if type(value) is not int:
            if not isinstance(value, int) or isinstance(value, bool):
                self.mismatch(value, name)
        return int(value)

    def of_number(self, number: int) -> Any:
        return number

    def _checked(self, value: Any, name: str) -> int:
        number = self.to_number(value, name)
        if not self._least <= number <= self._most or number % self._unit:
            self.mismatch(value, name)
        return number

    def encode(self, value: Any, name: str) -> bytes:
        return self._checked(value, name).to_bytes(self.width, self._slot_order, signed=True)  # type: ignore[arg-type]

    def decode(self, data: bytes, start: int, end: int) -> Any:
        number = int.from_bytes(data[start : start + self.width], self._slot_order, signed=True)  # type: ignore[arg-type]
        return self.of_number(number)

    def ordered(self, value: Any, name: str) -> bytes:
        return (self._checked(value, name) + self._half).to_bytes(self.width, "big")


class _Floating(DataType):
    def __init__(self, text: str, width: int):
        super().__init__(text)
        self.width = width
        self._slot = struct.Struct("<f" if width == 4 else "<d")
        self._big = struct.Struct(">f" if width == 4 else ">d")
        self._nan = bytes.fromhex("7fc00000" if width == 4 else "7ff8000000000000")

    def _checked(self, value: Any, name: str) -> float:
        if isinstance(value, float):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                self.mismatch(value, name)
            if number == value:
                return number
        self.mismatch(value, name)

    def encode(self, value: Any, name: str) -> bytes:
        try:
            return self._slot.pack(self._checked(value, name))
        except OverflowError:
            self.mismatch(value, name)

    def decode(self, data: bytes, start: int, end: int) -> float:
        number: float = self._slot.unpack_from(data, start)[0]
        return number

    def ordered(self, value: Any, name: str) -> bytes:
        number = self._checked(value, name)
        try:
            encoded = self._nan if math.isnan(number) else self._big.pack(number + 0.0)
        except OverflowError:
            self.mismatch(value, name)
        if encoded[0] & 0x80:
            return bytes(byte ^ 0xFF for byte in encoded)
        return bytes((encoded[0] | 0x80,)) + encoded[1:]


def _unscaled(value: decimal.Decimal, scale: int, max_digits: int) -> Optional[int]:
    """``value * 10**scale``; None if that is no integer, or one of more than ``max_digits`` digits."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return None
    if not value:
        return 0
    if len(digits) + exponent + scale > max_digits:
        return None
    shift = exponent + scale
    if shift < 0:
        kept = len(digits) + shift
        if kept < 0 or any(digits[kept:]):
            return None
        digits = digits[:kept]
        shift = 0
    number = int("".join(map(str, digits)) or "0") * 10**shift
    return -number if sign else number


def _scaled(number: int, scale: int) -> decimal.Decimal:
    return decimal.Decimal("%dE-%d" % (number, scale))  # by text: exact in every decimal context


class _Decimal(_Integral):
    def __init__(self, precision: int, scale: int):
        if not 1 <= precision <= 38 or not 0 <= scale <= precision:
            raise InvalidArgumentError(
                "Expected a decimal of 1 to 38 digits, found decimal(%d,%d)" % (precision, scale)
            )
        most = 10**precision - 1
        super().__init__("decimal(%d,%d)" % (precision, scale), 8 if precision <= 18 else 16, -most, most)
        self._precision = precision
        self._scale = scale

    def to_number(self, value: Any, name: str) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value * 10**self._scale
        if not isinstance(value, decimal.Decimal):
            self.mismatch(value, name)
        number = _unscaled(value, self._scale, self._precision)
        if number is None:
            self.mismatch(value, name)
        return number

    def of_number(self, number: int) -> decimal.Decimal:
        return _scaled(number, self._scale)


class _Date(_Integral):
    def __init__(self) -> None:
        super().__init__("date", 4)

    def to_number(self, value: Any, name: str) -> int:
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            return value.toordinal() - _EPOCH_DAY
        return super().to_number(value, name)

    def of_number(self, number: int) -> Any:
        if _MIN_DAY <= number <= _MAX_DAY:
            return datetime.date.fromordinal(number + _EPOCH_DAY)
        return number


class _Time(_Integral):
    def __init__(self, precision: int):
        _check_precision("time", precision)
        self._digits = _MAX_PRECISION if precision > _MAX_NANOS_PRECISION else _MAX_NANOS_PRECISION
        super().__init__(
            "time(%d)" % precision, 8, 0, 86_400 * 10**self._digits - 1, 10 ** (self._digits - precision)
        )
        self._precision = precision

    def to_number(self, value: Any, name: str) -> int:
        if isinstance(value, decimal.Decimal):
            number = _unscaled(value, self._digits, _MAX_SECONDS_DIGITS + self._digits)
            if number is None:
                self.mismatch(value, name)
            return number
        if not isinstance(value, datetime.time) or value.tzinfo is not None:
            self.mismatch(value, name)
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return (seconds * 1_000_000 + value.microsecond) * 10 ** (self._digits - 6)

    def of_number(self, number: int) -> Any:
        if self._precision > _MAX_MICROS_PRECISION:
            return _scaled(number // self._unit, self._precision)
        micros = number // 1000
        seconds, micro = divmod(micros, 1_000_000)
        return datetime.time(seconds // 3600, seconds // 60 % 60, seconds % 60, micro)


class _Timestamp(_Integral):
    def __init__(self, precision: int, zoned: bool, wide: bool):
        _check_precision("timestamp", precision)
        wide = wide and precision > _MAX_MICROS_PRECISION or precision > _MAX_NANOS_PRECISION
        if precision > _MAX_NANOS_PRECISION:
            digits = _MAX_PRECISION
        else:
            digits = _MAX_NANOS_PRECISION if precision > _MAX_MICROS_PRECISION else _MAX_MICROS_PRECISION
        least, most = _MIN_LONG, _MAX_LONG
        if wide:
            below = 10 ** (digits - (3 if zoned else 6))
            least = below * (-_MAX_ZONED_MILLIS if zoned else _MIN_LONG)
            most = below * (_MAX_ZONED_MILLIS if zoned else _MAX_LONG) + below - 1
        elif zoned and digits == _MAX_MICROS_PRECISION:
            least, most = -_MAX_ZONED_MILLIS * 1000, _MAX_ZONED_MILLIS * 1000 + 999
        name = "wide_timestamp" if wide and precision <= _MAX_NANOS_PRECISION else "timestamp"
        super().__init__(
            "%s(%d)%s" % (name, precision, " with time zone" if zoned else ""),
            16 if wide else 8,
            least,
            most,
            10 ** (digits - precision),
        )
        self._precision = precision
        self._digits = digits
        self._zoned = zoned

    def to_number(self, value: Any, name: str) -> int:
        if isinstance(value, decimal.Decimal):
            number = _unscaled(value, self._digits, _MAX_SECONDS_DIGITS + self._digits)
            if number is None:
                self.mismatch(value, name)
            return number
        if not isinstance(value, datetime.datetime) or (value.utcoffset() is not None) != self._zoned:
            self.mismatch(value, name)
        micros = (value - (_EPOCH_UTC if self._zoned else _EPOCH)) // _MICROSECOND
        return micros * 10 ** (self._digits - 6)

    def of_number(self, number: int) -> Any:
        if self._precision > _MAX_MICROS_PRECISION:
            return _scaled(number // self._unit, self._precision)
        if not _MIN_MICROS <= number <= _MAX_MICROS:
            return _scaled(number // self._unit, self._precision)
        found = datetime.timedelta(microseconds=number)
        return (_EPOCH_UTC if self._zoned else _EPOCH) + found


class _Uuid(DataType):
    width = 16

    def encode(self, value: Any, name: str) -> bytes:
        if not isinstance(value, uuid.UUID):
            self.mismatch(value, name)
        return value.bytes

    def decode(self, data: bytes, start: int, end: int) -> uuid.UUID:
        return uuid.UUID(bytes=bytes(data[start : start + 16]))

    ordered = encode


class _Text(DataType):
    is_variable = True

    def __init__(self, text: str, length: Optional[int] = None, padded: bool = False, orderable: bool = True):
        super().__init__(text)
        self._length = length
        self._padded = padded
        self.is_orderable = orderable

    def _kept(self, value: Any, name: str) -> str:
        if not isinstance(value, str):
            self.mismatch(value, name)
        kept = value.rstrip(" ") if self._padded else value
        if self._length is not None and len(kept) > self._length:
            self.mismatch(value, name)
        return kept

    def encode(self, value: Any, name: str) -> bytes:
        try:
            return self._kept(value, name).encode("utf-8")
        except UnicodeEncodeError:
            self.mismatch(value, name)

    def decode(self, data: bytes, start: int, end: int) -> str:
        return data[start:end].decode("utf-8")

    def ordered(self, value: Any, name: str) -> bytes:
        if self._padded:
            value = self._kept(value, name).ljust(self._length or 0)
            try:
                return bytes(value.encode("utf-8"))
            except UnicodeEncodeError:
                self.mismatch(value, name)
        return self.encode(value, name)


class _Binary(DataType):
    is_variable = True

    def encode(self, value: Any, name: str) -> bytes:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            self.mismatch(value, name)
        return bytes(value)

    def decode(self, data: bytes, start: int, end: int) -> bytes:
        return bytes(data[start:end])

    ordered = encode


class _Array(DataType):
    is_variable = True
    is_orderable = False

    def __init__(self, element: DataType):
        super().__init__("array(%s)" % element.text)
        self._element = element

    def encode(self, value: Any, name: str) -> bytes:
        if not isinstance(value, (list, tuple)):
            self.mismatch(value, name)
        return _END.pack(len(value)) + encode_values([self._element] * len(value), value, name)

    def decode(self, data: bytes, start: int, end: int) -> List[Any]:
        return _decode_array(self._element, data, start, end)


class _Map(DataType):
    is_variable = True
    is_orderable = False

    def __init__(self, key: DataType, value: DataType):
        super().__init__("map(%s, %s)" % (key.text, value.text))
        self._keys = _Array(key)
        self._values = _Array(value)

    def encode(self, value: Any, name: str) -> bytes:
        if not isinstance(value, Mapping) or any(key is None for key in value):
            self.mismatch(value, name)
        keys = self._keys.encode(list(value), name)
        return _END.pack(len(keys)) + keys + self._values.encode(list(value.values()), name)

    def decode(self, data: bytes, start: int, end: int) -> Dict[Any, Any]:
        middle = start + 4 + _END.unpack_from(data, start)[0]
        keys = self._keys.decode(data, start + 4, middle)
        values = self._values.decode(data, middle, end)
        if len(keys) != len(values):
            raise CorruptDataError("Expected as many values as keys of a map, found %d and %d" % (len(values), len(keys)))
        return dict(zip(map(_hashable, keys), values))


class _Row(DataType):
    is_variable = True
    is_orderable = False

    def __init__(self, names: Sequence[Optional[str]], types: Sequence[DataType]):
        super().__init__(
            "row(%s)"
            % ", ".join(
                kind.text if name is None else '"%s" %s' % (name.replace('"', '""'), kind.text)
                for name, kind in zip(names, types)
            )
        )
        self._types = list(types)
        present = [name for name in names if name is not None]
        self._names = present if len(present) == len(names) and len(set(present)) == len(present) else None

    def encode(self, value: Any, name: str) -> bytes:
        if isinstance(value, Mapping):
            if self._names is None or not set(value) <= set(self._names):
                self.mismatch(value, name)
            value = [value.get(field) for field in self._names]
        elif not isinstance(value, (list, tuple)) or len(value) != len(self._types):
            self.mismatch(value, name)
        return encode_values(self._types, value, name)

    def decode(self, data: bytes, start: int, end: int) -> Any:
        values = decode_values(self._types, data, start, end)
        return tuple(values) if self._names is None else dict(zip(self._names, values))


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple((key, _hashable(part)) for key, part in value.items())
    return value


def encode_values(types: Sequence[DataType], values: Sequence[Any], name: str, names: Optional[Sequence[str]] = None) -> bytes:
    """Values side by side: the columns of a row, the elements of an array, the fields of a row."""
    nulls = bytearray((len(types) + 7) // 8)
    slots: List[bytes] = []
    variable: List[bytes] = []
    end = 0
    for index, kind in enumerate(types):
        value = values[index]
        if value is None:
            nulls[index >> 3] |= 1 << (index & 7)
            slots.append(_END.pack(end) if kind.is_variable else bytes(kind.width))
            continue
        encoded = kind.encode(value, name if names is None else names[index])
        if kind.is_variable:
            end += len(encoded)
            if end > _MAX_VALUES_BYTES:
                raise InvalidArgumentError("Expected values of at most %d bytes in '%s', found more" % (_MAX_VALUES_BYTES, name))
            variable.append(encoded)
            slots.append(_END.pack(end))
        else:
            slots.append(encoded)
    return b"".join((nulls, *slots, *variable))


def decode_values(types: Sequence[DataType], data: bytes, start: int, end: int) -> List[Any]:
    """The inverse of ``encode_values``; the values have to fill the range."""
    count = len(types)
    slot = start + (count + 7) // 8
    values_start = slot + sum(kind.width for kind in types)
    if values_start > end:
        raise CorruptDataError("Expected at least %d bytes of values, found %d" % (values_start - start, end - start))
    found: List[Any] = []
    at = values_start
    for index, kind in enumerate(types):
        is_null = data[start + (index >> 3)] >> (index & 7) & 1
        if kind.is_variable:
            stop = values_start + _END.unpack_from(data, slot)[0]
            if not at <= stop <= end:
                raise CorruptDataError("Expected a value that ends from %d to %d, found %d" % (at, end, stop))
            found.append(None if is_null else kind.decode(data, at, stop))
            at = stop
        else:
            found.append(None if is_null else kind.decode(data, slot, end))
        slot += kind.width
    if at != end:
        raise CorruptDataError("Expected values that end at %d, found %d" % (end, at))
    return found


def _decode_array(element: DataType, data: bytes, start: int, end: int) -> List[Any]:
    if end - start < 4:
        raise CorruptDataError("Expected an array of at least 4 bytes, found %d" % (end - start))
    count = _END.unpack_from(data, start)[0]
    if count * element.width > end - start:
        raise CorruptDataError("Expected an array that holds %d elements, found %d bytes" % (count, end - start))
    return decode_values([element] * count, data, start + 4, end)


def _check_precision(what: str, precision: int) -> None:
    if not 0 <= precision <= _MAX_PRECISION:
        raise InvalidArgumentError("Expected a %s precision of 0 to %d, found %d" % (what, _MAX_PRECISION, precision))


def parse_type(text: str) -> DataType:
    """The type of a text in Trino's syntax.

    Raises:
        InvalidArgumentError: it is no type that Stele stores.
    """
    return _Parser(text).parse()


_SCALARS: Dict[str, Callable[[], DataType]] = {
    "boolean": lambda: _Boolean("boolean"),
    "tinyint": lambda: _Integral("tinyint", 1),
    "smallint": lambda: _Integral("smallint", 2),
    "integer": lambda: _Integral("integer", 4),
    "int": lambda: _Integral("integer", 4),
    "bigint": lambda: _Integral("bigint", 8),
    "real": lambda: _Floating("real", 4),
    "double": lambda: _Floating("double", 8),
    "varbinary": lambda: _Binary("varbinary"),
    "date": _Date,
    "uuid": lambda: _Uuid("uuid"),
    "json": lambda: _Text("json", orderable=False),
}


class _Parser:
    """A recursive-descent reader of a type text; used once."""

    def __init__(self, text: str):
        self._text = text
        self._at = 0
        self._depth = 0

    def parse(self) -> DataType:
        kind = self._type()
        self._skip_space()
        if self._at < len(self._text):
            raise self._error("the end of the type")
        return kind

    def _type(self) -> DataType:
        name = self._word()
        if name == "double":
            before = self._at
            if self._peek_word() != "precision":
                self._at = before
            else:
                self._word()
        if name in _SCALARS:
            return _SCALARS[name]()
        if name == "decimal":
            return self._decimal()
        if name == "varchar":
            length = self._optional_number()
            return _Text("varchar" if length is None else "varchar(%d)" % length, length)
        if name == "char":
            length = self._optional_number()
            length = 1 if length is None else length
            return _Text("char(%d)" % length, length, padded=True)
        if name == "time":
            precision = self._optional_number()
            return _Time(3 if precision is None else precision)
        if name in ("timestamp", "wide_timestamp"):
            precision = self._optional_number()
            return _Timestamp(3 if precision is None else precision, self._with_time_zone(), name != "timestamp")
        if name in ("array", "map", "row"):
            return self._nested(name)
        raise InvalidArgumentError("Expected a type that Stele stores, found %s" % name[:100])

    def _decimal(self) -> DataType:
        precision, scale = 38, 0
        if self._accept("("):
            precision = self._number()
            if self._accept(","):
                scale = self._number()
            self._expect(")")
        return _Decimal(precision, scale)

    def _with_time_zone(self) -> bool:
        if self._peek_word() != "with":
            return False
        if [self._word(), self._word(), self._word()] != ["with", "time", "zone"]:
            raise self._error("'with time zone'")
        return True

    def _nested(self, name: str) -> DataType:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise InvalidArgumentError("Expected at most %d levels of nested types, found more" % _MAX_DEPTH)
        close = ">" if self._accept("<") else ")"
        if close == ")":
            self._expect("(")
        kind: DataType
        if name == "array":
            kind = _Array(self._type())
        elif name == "map":
            key = self._type()
            self._expect(",")
            kind = _Map(key, self._type())
        else:
            names: List[Optional[str]] = []
            types: List[DataType] = []
            while True:
                field, field_type = self._field()
                names.append(field)
                types.append(field_type)
                if not self._accept(","):
                    break
            kind = _Row(names, types)
        self._expect(close)
        self._depth -= 1
        return kind

    def _field(self) -> Tuple[Optional[str], DataType]:
        self._skip_space()
        if self._text[self._at : self._at + 1] == '"':
            return self._quoted(), self._type()
        start = self._at
        name = self._word()
        end = self._at
        following = self._peek_word()
        is_suffix = (following == "with" and name in ("time", "timestamp", "wide_timestamp")) or (
            following == "precision" and name == "double"
        )
        self._skip_space()
        if (following or self._text[self._at : self._at + 1] == '"') and not is_suffix:
            return self._text[end - len(name) : end], self._type()
        self._at = start
        return None, self._type()

    def _quoted(self) -> str:
        end = self._at + 1
        while True:
            end = self._text.find('"', end)
            if end < 0:
                raise self._error("a closing quote")
            if self._text[end + 1 : end + 2] != '"':
                break
            end += 2
        name = self._text[self._at + 1 : end].replace('""', '"')
        self._at = end + 1
        return name

    def _peek_word(self) -> str:
        self._skip_space()
        end = self._at
        while end < len(self._text) and (self._text[end].isalnum() or self._text[end] in "_$"):
            end += 1
        return self._text[self._at : end].lower()

    def _word(self) -> str:
        word = self._peek_word()
        if not word:
            raise self._error("a type name")
        self._at += len(word)
        return word

    def _optional_number(self) -> Optional[int]:
        if not self._accept("("):
            return None
        number = self._number()
        self._expect(")")
        return number

    def _number(self) -> int:
        word = self._peek_word()
        if not (word.isascii() and word.isdigit()) or len(word) > 10:
            raise self._error("a number")
        self._at += len(word)
        return int(word)

    def _skip_space(self) -> None:
        while self._text[self._at : self._at + 1] == " ":
            self._at += 1

    def _accept(self, expected: str) -> bool:
        self._skip_space()
        if self._text[self._at : self._at + 1] != expected:
            return False
        self._at += 1
        return True

    def _expect(self, expected: str) -> None:
        if not self._accept(expected):
            raise self._error("'%s'" % expected)

    def _error(self, expected: str) -> InvalidArgumentError:
        return InvalidArgumentError("Expected %s at character %d of the type %s" % (expected, self._at, self._text[:200]))
