"""The client against a real sidecar, whose tables ``PythonClientIT`` of the Java build has made.

Needs STELE_TEST_ENDPOINT (host:port of the framed protocol) and STELE_SHARED_SECRET.
"""

import datetime
import decimal
import os
import random
import select
import socket
import threading
import time
import unittest

import stele
from stele import tokens
from stele.values import encode_values, parse_type

from .vectors import load, value_of

ENDPOINT = os.environ.get("STELE_TEST_ENDPOINT", "")
SECRET = os.environ.get("STELE_SHARED_SECRET", "")
VECTOR_ROWS = 8


def vector_row(types, number):
    """Row ``number`` of a table with one column of each type: its values taken in turn."""
    return (
        number,
        *(value_of(entry["type"], entry["values"][number % len(entry["values"])]["value"]) for entry in types),
    )


class CuttingProxy:
    """A port before the sidecar's that cuts each connection after some bytes."""

    def __init__(self, target, seed):
        self._target = target
        self._chance = random.Random(seed)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            left = self._chance.randrange(2_000, 60_000)
            threading.Thread(target=self._pass_on, args=(near, far, left), daemon=True).start()

    def _pass_on(self, near, far, left):
        with near, far:
            other = {near: far, far: near}
            while left > 0:
                for sock in select.select([near, far], [], [])[0]:
                    part = sock.recv(min(left, 4096))
                    if not part:
                        return
                    left -= len(part)
                    other[sock].sendall(part)
            self.cuts += 1


@unittest.skipUnless(ENDPOINT, "needs STELE_TEST_ENDPOINT")
class SidecarTest(unittest.TestCase):
    def setUp(self):
        host, _, port = ENDPOINT.rpartition(":")
        self.address = (host, int(port))
        self.client = self.connect()

    def connect(self, port=None, **settings):
        client = stele.connect(self.address[0], port or self.address[1], secret=SECRET, **settings)
        self.addCleanup(client.close)
        return client

    def test_rows_of_all_types_that_java_wrote(self):
        self.check_vector_rows(self.client.table("python", "all_types"))

    def test_rows_of_all_types_for_java_to_read(self):
        table = self.client.table("python", "written")
        types = load()["types"]
        result = table.upsert(vector_row(types, number) for number in range(VECTOR_ROWS))
        self.assertEqual(result.rows, VECTOR_ROWS)
        table.upsert({"id": VECTOR_ROWS})
        self.check_vector_rows(table)
        self.assertEqual(set(table.get(VECTOR_ROWS).values()), {VECTOR_ROWS, None})

    def check_vector_rows(self, table):
        types = load()["types"]
        self.assertEqual([column.type_text for column in table.schema.columns[1:]], [entry["type"] for entry in types])
        found = table.get_many(range(VECTOR_ROWS))
        for number, row in enumerate(found):
            for column, expected in zip(table.schema.columns, vector_row(types, number)):
                with self.subTest(type=column.type_text, number=number):
                    value = row[column.name]
                    # As bytes: NaN is not equal to itself, and a real has 32 bits.
                    self.assertEqual(
                        encode_values([column.type], [value], "c"), encode_values([column.type], [expected], "c")
                    )
                    self.assertIs(type(value), type(expected))

    def test_writes_of_every_kind(self):
        table = self.client.table("python", "counters")
        table.delete_many(["a", "b", "c"])
        self.assertEqual(table.insert([{"k": "a", "n": 1, "note": "first"}, ("b", 2, None)]).skipped, 0)
        with self.assertRaises(stele.DuplicateKeyError) as failed:
            table.insert([("c", 3, None), ("a", 9, None)])
        self.assertEqual(failed.exception.failed_rows, [1])
        self.assertEqual(table.insert_if_absent([("a", 9, None), ("b", 9, None)]).skipped, 2)
        self.assertEqual(table.update([{"k": "a", "n": 10}, {"k": "x", "n": 1}]).skipped, 1)
        self.assertEqual(table.update_or_insert([{"k": "b", "note": "changed", "n": 2}]).skipped, 0)
        with self.assertRaises(stele.NullKeyError) as failed:
            table.update_or_insert({"k": "x", "note": "n is NOT NULL"})
        self.assertEqual(failed.exception.failed_rows, [0])
        self.assertEqual(
            table.get_many(["a", "b", "c", "x"]),
            [
                {"k": "a", "n": 10, "note": "first"},
                {"k": "b", "n": 2, "note": "changed"},
                {"k": "c", "n": 3, "note": None},
                None,
            ],
        )
        lsn = table.delete("c").lsn
        self.assertEqual(self.client.last_lsn, lsn)
        self.assertIsNone(table.get({"K": "c"}))

    def test_many_rows_and_keys(self):
        table = self.client.table("shop", "lines")
        rows = [(order, line, "item %d" % line, None) for order in range(1000, 1200) for line in range(50)]
        self.assertEqual(table.upsert(rows).rows, len(rows))
        keys = [(order, line) for order, line, _, _ in rows] + [(999, 0)]
        random.Random(1).shuffle(keys)
        found = table.get_many(keys)
        self.assertEqual([row and (row["order_id"], row["line"]) for row in found], [key if key[0] != 999 else None for key in keys])

    def test_rows_are_scanned_in_the_order_of_their_keys(self):
        table = self.client.table("shop", "lines")
        rows = [(order, line, "x" * (line * 10), line) for order in range(-5, 20) for line in range(-3, 30)]
        table.upsert(random.Random(2).sample(rows, len(rows)))
        found = [(row["order_id"], row["line"]) for row in table.scan(upper=20, page_rows=7)]
        self.assertEqual(found, [row[:2] for row in rows])
        for order in (-5, 0, 19, 500):
            of_one = [row["line"] for row in table.scan(prefix=order, page_bytes=200)]
            self.assertEqual(of_one, [row[1] for row in rows if row[0] == order])
        self.assertEqual([row["line"] for row in table.scan((3, 5))], [5])
        self.assertEqual([row["line"] for row in table.scan({"order_id": 3}, limit=2)], [-3, -2])
        between = [(row["order_id"], row["line"]) for row in table.scan(lower=(1, 28), upper=(2, -1))]
        self.assertEqual(between, [(1, 28), (1, 29), (2, -3), (2, -2)])
        backwards = [(row["order_id"], row["line"]) for row in table.scan(upper=20, descending=True, page_rows=7)]
        self.assertEqual(backwards, [row[:2] for row in reversed(rows)])
        latest = [row["line"] for row in table.scan({"order_id": 3}, descending=True, limit=2)]
        self.assertEqual(latest, [29, 28])
        self.assertEqual(list(table.scan(limit=0)), [])
        with self.client.snapshot() as snapshot:
            table.delete((7, 7))
            self.assertEqual(len(list(table.scan(7, read_lsn=snapshot.lsn))), 33)
            self.assertEqual(len(list(table.scan(7))), 32)
        for wrong in ((1, 2, 3), {"line": 1}):
            with self.assertRaises(stele.InvalidArgumentError):
                table.scan(wrong)
        with self.assertRaises(stele.InvalidArgumentError):
            table.scan(1, lower=2)
        with self.assertRaises(stele.InvalidArgumentError):
            self.client.table("python", "events").scan()

    def test_a_table_without_a_primary_key_takes_rows(self):
        table = self.client.table("python", "events")
        self.assertEqual(table.append([{"id": number, "what": "x"} for number in range(10)]).rows, 10)
        with self.assertRaises(stele.InvalidArgumentError):
            table.get(1)
        with self.assertRaises(stele.InvalidArgumentError):
            table.upsert({"id": 1})

    def test_a_snapshot_stays_as_it_was(self):
        table = self.client.table("python", "counters")
        table.upsert(("snapshot", 1, None) for _ in range(1))
        with self.client.snapshot() as snapshot:
            table.upsert({"k": "snapshot", "n": 2})
            self.assertEqual(table.get("snapshot", read_lsn=snapshot.lsn)["n"], 1)
            self.assertEqual(table.get("snapshot")["n"], 2)

    def test_each_row_is_inserted_once_over_connections_that_break(self):
        proxy = CuttingProxy(self.address, seed=11)
        self.addCleanup(proxy.close)
        # The description names the port of the sidecar itself: the routing goes through the proxy here.
        client = self.connect(proxy.port, unavailable_timeout=60)
        table = client.table("python", "counters")
        table._description._owners = [client._endpoint] * len(table._description._owners)
        table.delete_many("once %d" % number for number in range(2000))
        rows = [{"k": "once %d" % number, "n": number, "note": "y" * 50} for number in range(2000)]
        for start in range(0, 2000, 500):
            # An insert that was applied twice would be a duplicate.
            self.assertEqual(table.insert(rows[start : start + 500]).rows, 500)
        # One reply has more bytes than a connection lives: not through the proxy.
        found = self.client.table("python", "counters").get_many(row["k"] for row in rows)
        self.assertEqual([row["n"] for row in found], list(range(2000)))
        self.assertGreater(proxy.cuts, 5)

    def test_who_may_not_enter_is_told_so(self):
        with self.assertRaises(stele.UnauthenticatedError):
            stele.connect(*self.address, secret="another secret of the tests")
        with self.assertRaises(stele.TableNotFoundError) as missing:
            self.client.table("python", "nowhere")
        self.assertIn("nowhere", str(missing.exception))
        self.assertTrue(tokens.issue(SECRET, "x", int(time.time())))

    def test_threads_share_a_client(self):
        table = self.client.table("python", "counters")
        failures = []

        def work(name):
            try:
                for number in range(50):
                    table.upsert({"k": "%s %d" % (name, number), "n": number})
                    if table.get("%s %d" % (name, number))["n"] != number:
                        failures.append(number)
            except Exception as failure:  # noqa: BLE001
                failures.append(failure)

        threads = [threading.Thread(target=work, args=("thread %d" % index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_moments_come_back(self):
        table = self.client.table("shop", "orders")
        moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
        table.upsert({"id": 77, "total": decimal.Decimal("12.5"), "placed": moment})
        self.assertEqual(
            table.get(77), {"id": 77, "status": None, "total": decimal.Decimal("12.50"), "placed": moment}
        )


class ParserTest(unittest.TestCase):
    def test_types_of_the_vectors_are_known(self):
        for entry in load()["types"]:
            self.assertEqual(parse_type(entry["type"]).text, entry["type"])


if __name__ == "__main__":
    unittest.main()
