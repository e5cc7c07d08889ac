"""Writes foreign-stream.arrows, which TestForeignStream reads. Written with pyarrow 26.0.1."""
import datetime
import decimal

import pyarrow as pa
import pyarrow.ipc as ipc

instant = datetime.datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=datetime.timezone.utc)
local = datetime.datetime(2026, 1, 2, 3, 4, 5, 678000)
columns = {
    "ID": pa.array([1, 2, 3], pa.int32()),
    "name": pa.array(["one", None, "drei \u00fc"], pa.large_string()),
    "data": pa.array([b"\x00\xff", b"", None], pa.large_binary()),
    "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-99.99")], pa.decimal128(4, 2)),
    "millis": pa.array([local, None, local], pa.timestamp("ms")),
    "berlin": pa.array([instant, instant, None], pa.timestamp("s", tz="Europe/Berlin")),
    "clock": pa.array([datetime.time(23, 59, 59, 1000), None, datetime.time(0)], pa.time32("ms")),
    "day": pa.array([datetime.date(1969, 12, 31), None, datetime.date(2026, 1, 2)], pa.date32()),
    "flags": pa.array([[True, None], [], None], pa.large_list(pa.bool_())),
    "tags": pa.array([[("a", 1.5)], None, [("b", None), ("c", 2.0)]], pa.map_(pa.string(), pa.float32())),
    "point": pa.array([{"x": 1, "y": "p"}, None, {"x": None, "y": "q"}], pa.struct([("x", pa.int64()), ("y", pa.string())])),
}
table = pa.table(columns)
with ipc.new_stream("foreign-stream.arrows", table.schema) as writer:
    writer.write_table(table.slice(0, 1))
    # A slice: offsets that do not start at zero, bitmaps that do.
    writer.write_table(table.slice(1, 2))
