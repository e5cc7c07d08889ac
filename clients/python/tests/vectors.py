"""The bytes that clients of every language have in common: clients/vectors.json, which the Java tests read as well.

Values are written as JSON: numbers of the integer types, booleans, lists (arrays and rows; maps as lists of
pairs), and text for all others: hexadecimal for varbinary, ISO 8601 for dates, times and timestamps of up to 9
digits, decimal seconds for those of more.
"""

from __future__ import annotations

import datetime
import decimal
import json
import pathlib
import re
import uuid
from typing import Any, Dict, List

_FILE = pathlib.Path(__file__).resolve().parent.parent.parent / "vectors.json"
_EPOCH = datetime.datetime(1970, 1, 1)


def load() -> Dict[str, Any]:
    with open(_FILE, encoding="utf-8") as file:
        found: Dict[str, Any] = json.load(file)
    return found


def value_of(type_text: str, written: Any) -> Any:
    """The Python object of a value as the file has it."""
    if written is None or type_text in ("boolean", "tinyint", "smallint", "integer", "bigint", "json"):
        return written
    name = re.split("[( ]", type_text)[0]
    if name in ("varchar", "char"):
        return written
    if name in ("real", "double"):
        return float(written)
    if name == "decimal":
        return decimal.Decimal(written)
    if name == "varbinary":
        return bytes.fromhex(written)
    if name == "uuid":
        return uuid.UUID(written)
    if name == "date":
        return datetime.date.fromisoformat(written)
    if name in ("time", "timestamp", "wide_timestamp"):
        return _time(type_text, written)
    return _nested(name, type_text, written)


def _time(type_text: str, written: str) -> Any:
    precision = int(re.findall(r"\((\d+)\)", type_text)[0])
    if precision > 9:
        return decimal.Decimal(written)
    body, _, fraction = written.rstrip("Z").partition(".")
    micros = int(fraction[:6].ljust(6, "0"))
    if type_text.startswith("time("):
        time = datetime.time.fromisoformat(body)
        if precision <= 6:
            return time.replace(microsecond=micros)
        seconds = (time.hour * 60 + time.minute) * 60 + time.second
        return _seconds(seconds, fraction, precision)
    moment = datetime.datetime.fromisoformat(body)
    if precision <= 6:
        zone = datetime.timezone.utc if type_text.endswith("zone") else None
        return moment.replace(microsecond=micros, tzinfo=zone)
    return _seconds((moment - _EPOCH) // datetime.timedelta(seconds=1), fraction, precision)


def _seconds(seconds: int, fraction: str, precision: int) -> decimal.Decimal:
    units = seconds * 10**precision + int(fraction.ljust(precision, "0")[:precision])
    return decimal.Decimal("%dE-%d" % (units, precision))


def _nested(name: str, type_text: str, written: Any) -> Any:
    parts = _parts(type_text[type_text.index("(") + 1 : -1])
    if name == "array":
        return [value_of(parts[0], element) for element in written]
    if name == "map":
        return {value_of(parts[0], key): value_of(parts[1], value) for key, value in written}
    fields = [re.fullmatch(r'"(\w+)" (.*)', part) for part in parts]
    return {
        field.group(1): value_of(field.group(2), value)
        for field, value in zip(fields, written)
        if field is not None
    }


def _parts(text: str) -> List[str]:
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text + ","):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts
