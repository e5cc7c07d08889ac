"""Values at their edges, and bytes that are no rows."""

import datetime
import decimal
import random
import struct
import unittest
import uuid

from stele import CorruptDataError, InvalidArgumentError, KeyTooLargeError, NullKeyError, TypeMismatchError
from stele.errors import ColumnNotFoundError
from stele.schema import TableSchema
from stele.values import decode_values, encode_values, parse_type

from .vectors import load, value_of

D = decimal.Decimal
UTC = datetime.timezone.utc


def table(*types, key=(1,)):
    return TableSchema(
        {
            "id": 1,
            "schemaName": "s",
            "tableName": "t",
            "schemaVersion": 1,
            "tableGroup": 0,
            "shardCount": 4,
            "columns": [
                {"id": index + 1, "name": "c%d" % (index + 1), "type": text, "nullable": index + 1 not in key}
                for index, text in enumerate(types)
            ],
            "primaryKey": list(key),
            "distributionKey": [],
        }
    )


class ValuesTest(unittest.TestCase):
    def back(self, text, value):
        kind = parse_type(text)
        row = encode_values([kind], [value], "c")
        return decode_values([kind], row, 0, len(row))[0]

    def test_wrong_values_are_refused_by_column_and_type(self):
        for text, values in {
            "boolean": (1, "true"),
            "tinyint": (128, -129, True, 1.0, "1"),
            "bigint": (1 << 63,),
            "real": (1e39, "1", D(1), True),
            "double": ("x", (1 << 53) + 1, 10**400),
            "decimal(5,2)": (D("0.001"), D("1000"), 1.5, D("NaN"), D("Infinity"), 1000, D("1E+1000000000")),
            "varchar(2)": ("abc", b"a", "\ud800"),
            "char(1)": ("ab",),
            "varbinary": ("a", 1),
            "date": (datetime.datetime(2020, 1, 1), "2020-01-01", 1 << 31),
            "time(0)": (datetime.time(0, 0, 0, 1), datetime.time(1, tzinfo=UTC), D(86400), D(-1)),
            "timestamp(3)": (datetime.datetime(2020, 1, 1, 0, 0, 0, 1), datetime.datetime(2020, 1, 1, tzinfo=UTC)),
            "timestamp(3) with time zone": (datetime.datetime(2020, 1, 1),),
            "uuid": ("00112233-4455-6677-8899-aabbccddeeff", 1),
            "array(integer)": ("ab", [1, "x"], {1: 2}),
            "map(varchar, bigint)": ([("a", 1)], {None: 1}, {"a": "b"}),
            'row("a" integer, "b" integer)': ({"a": 1, "c": 2}, [1], 1),
            "json": ({"a": 1},),
        }.items():
            for value in values:
                with self.subTest(type=text, value=value), self.assertRaises(TypeMismatchError) as refused:
                    encode_values([parse_type(text)], [value], "t", ["price"])
                self.assertIn("'price'", str(refused.exception))

    def test_other_classes_that_fit_are_taken(self):
        self.assertEqual(self.back("decimal(5,2)", 7), D("7.00"))
        self.assertEqual(self.back("decimal(5,2)", D("1E+2")), D("100.00"))
        self.assertEqual(self.back("decimal(5,2)", D("1.50000000")), D("1.50"))
        self.assertEqual(self.back("double", 3), 3.0)
        self.assertEqual(self.back("char(4)", "ab  "), "ab")
        self.assertEqual(self.back("varbinary", bytearray(b"\0\1")), b"\0\1")
        self.assertEqual(self.back("timestamp(9)", datetime.datetime(1970, 1, 1, 0, 0, 1)), D("1.000000000"))
        self.assertEqual(self.back("time(12)", datetime.time(0, 0, 0, 1)), D("0.000001000000"))
        self.assertEqual(
            self.back(
                "timestamp(6) with time zone",
                datetime.datetime(2020, 1, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
            ),
            datetime.datetime(2020, 1, 1, tzinfo=UTC),
        )
        self.assertEqual(self.back('row("a" integer, "b" integer)', (1, None)), {"a": 1, "b": None})
        self.assertEqual(self.back("row(integer, varchar)", [1, "x"]), (1, "x"))
        self.assertEqual(self.back("map(array(integer), varchar)", {(1, 2): "x"}), {(1, 2): "x"})

    def test_what_python_has_no_class_for_comes_as_numbers(self):
        self.assertEqual(self.back("date", 3_000_000), 3_000_000)
        self.assertEqual(self.back("timestamp(6)", D("253402300800")), D("253402300800.000000"))
        self.assertEqual(self.back("timestamp(3)", D("-62135596800.001")), D("-62135596800.001"))

    def test_digits_do_not_depend_on_the_decimal_context(self):
        with decimal.localcontext() as context:
            context.prec = 3
            self.assertEqual(str(self.back("decimal(38,0)", D("9" * 38))), "9" * 38)

    def test_types_are_read_as_they_are_written(self):
        for written, text in {
            "int": "integer",
            "DOUBLE PRECISION": "double",
            "decimal": "decimal(38,0)",
            "char": "char(1)",
            "timestamp with time zone": "timestamp(3) with time zone",
            "array<map<varchar,int>>": "array(map(varchar, integer))",
            'row(a int, "b ""c" timestamp(6) with time zone, double)': 'row("a" integer, "b ""c" timestamp(6) with time zone, double)',
            "row(x array(int), y double precision)": 'row("x" array(integer), "y" double)',
        }.items():
            self.assertEqual(parse_type(written).text, text)
        for wrong in ("", "money", "decimal(39,0)", "timestamp(13)", "array(int", "int int", "time with time zone", "array(" * 40):
            with self.subTest(type=wrong), self.assertRaises(InvalidArgumentError):
                parse_type(wrong)

    def test_order_of_keys_is_order_of_values(self):
        chance = random.Random(7)
        samples = {
            "bigint": lambda: chance.randrange(-(1 << 63), 1 << 63) >> chance.randrange(64),
            "double": lambda: struct.unpack("<d", chance.randbytes(8))[0],
            "varchar": lambda: "".join(chance.choice("\0a\x01ñ") for _ in range(chance.randrange(4))),
            "decimal(30,5)": lambda: D(chance.randrange(-(10**30), 10**30)).scaleb(-5, decimal.Context(prec=40)),
            "varbinary": lambda: chance.randbytes(chance.randrange(4)),
            "date": lambda: datetime.date.fromordinal(chance.randrange(1, 3_000_000)),
            "uuid": lambda: uuid.UUID(int=chance.getrandbits(128)),
        }
        for text, sample in samples.items():
            kind = parse_type(text)
            values = [value for value in (sample() for _ in range(300)) if value == value]
            by_value = sorted(values, key=lambda value: value.encode() if isinstance(value, str) else value)
            by_bytes = sorted(values, key=lambda value: kind.component(value, "c"))
            self.assertEqual(by_bytes, by_value, text)

    def test_bytes_that_are_no_row_are_refused_and_nothing_else(self):
        chance = random.Random(8)
        accepted = refused = 0
        for entry in load()["rows"]:
            schema = table(*entry["types"], key=())
            row = bytes.fromhex(entry["row"])
            for _ in range(3000):
                damaged = bytearray(row)
                for _ in range(chance.randrange(1, 4)):
                    damaged[chance.randrange(len(damaged))] = chance.randrange(256)
                if chance.randrange(3) == 0:
                    del damaged[chance.randrange(len(damaged)) :]
                try:
                    schema.decode_row(bytes(damaged))
                    accepted += 1
                except CorruptDataError:
                    refused += 1
        self.assertGreater(accepted, 100)
        self.assertGreater(refused, 1000)


class SchemaTest(unittest.TestCase):
    def test_rows_and_keys_are_given_in_several_ways(self):
        schema = table("bigint", "varchar", "double", key=(2, 1))
        self.assertEqual(schema.primary_key, ("c2", "c1"))
        self.assertEqual(schema.values_of({"C1": 1, "c3": None}), {1: 1, 3: None})
        self.assertEqual(schema.values_of((1, "a", 2.0)), {1: 1, 2: "a", 3: 2.0})
        self.assertEqual(schema.encode_key(("a", 1)), schema.encode_key({"c1": 1, "c2": "a"}))
        self.assertEqual(schema.encode_key_prefix("a"), schema.encode_key_prefix(("a",)))
        self.assertEqual(schema.encode_key_prefix({"c2": "a"}), schema.encode_key_prefix(["a"]))
        for wrong in ((1,), {"c1": 1}, {"c1": 1, "c3": 1}, 5):
            with self.assertRaises(InvalidArgumentError):
                schema.encode_key(wrong)
        with self.assertRaises(ColumnNotFoundError):
            schema.values_of({"c9": 1})
        for wrong in ([1, 2], "abc", 5, {"c1": 1, "C1": 2}):
            with self.assertRaises(InvalidArgumentError):
                schema.values_of(wrong)

    def test_nulls_and_large_keys_are_refused(self):
        schema = table("varchar", "bigint")
        with self.assertRaises(NullKeyError):
            schema.encode_row({2: 1})
        with self.assertRaises(NullKeyError):
            schema.encode_key(None)
        with self.assertRaises(KeyTooLargeError):
            schema.encode_key("x" * 65535)
        self.assertEqual(len(schema.encode_key("x" * 65534)), 65536)

    def test_real_values_of_the_vectors_are_those_of_32_bits(self):
        row = bytes.fromhex(load()["types"][5]["values"][4]["row"])
        largest = decode_values([parse_type("real")], row, 0, len(row))[0]
        self.assertEqual(largest, struct.unpack("<f", bytes.fromhex("ffff7f7f"))[0])
        self.assertNotEqual(largest, value_of("real", "3.4028235E38"))


if __name__ == "__main__":
    unittest.main()
