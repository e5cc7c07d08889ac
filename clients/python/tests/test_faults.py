"""Lost connections, busy and stale tables, and sidecars that answer nonsense."""

import random
import unittest

import stele
from stele import wire

from .scripted_sidecar import Fault, ScriptedSidecar

SECRET = "the secret of the tests"


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.sidecar = ScriptedSidecar()
        self.addCleanup(self.sidecar.close)

    def connect(self, **settings):
        client = stele.connect("127.0.0.1", self.sidecar.port, secret=SECRET, **settings)
        self.addCleanup(client.close)
        return client

    def table(self, **settings):
        return self.connect(**settings).table("s", "t")

    def written(self, keys):
        table = self.table()
        return [row and row["v"] for row in table.get_many(keys)]

    def assert_applied_once_in_order(self, batches):
        """Each batch of each shard was applied, none twice, in the order sent."""
        self.assertEqual(len(self.sidecar.applied), batches)
        for shard in range(self.sidecar.shard_count):
            sequences = [sequence for at, sequence, _ in self.sidecar.applied if at == shard]
            self.assertEqual(sequences, sorted(set(sequences)))

    def test_a_batch_is_applied_once_however_its_connection_breaks(self):
        table = self.table(answer_timeout=0.3)
        for fault in (Fault.BREAK_BEFORE, Fault.BREAK_AFTER, Fault.SWALLOW, Fault.BABBLE, Fault.AWAY):
            with self.subTest(fault=fault):
                self.sidecar.applied.clear()
                self.sidecar.script(wire.WRITE, fault)
                result = table.insert({"k": hash(fault), "v": fault})
                self.assertEqual((result.rows, result.skipped), (1, 0))
                self.assertEqual(self.written([hash(fault)]), [fault])
                self.assert_applied_once_in_order(1)

    def test_what_is_in_flight_is_sent_again_in_order(self):
        table = self.table(answer_timeout=0.3)
        chance = random.Random(5)
        faults = [None, None, Fault.BREAK_BEFORE, Fault.BREAK_AFTER, Fault.SWALLOW, Fault.BUSY, Fault.BABBLE]
        self.sidecar.script(wire.WRITE, *(chance.choice(faults) for _ in range(60)))
        rows = [{"k": key, "v": "v%d" % key} for key in range(200)]
        self.assertEqual(table.insert(rows).rows, 200)  # each in a batch of its own
        self.assert_applied_once_in_order(200)
        self.assertEqual(self.written(range(200)), [row["v"] for row in rows])
        self.assertGreater(self.sidecar.greetings, 3)

    def test_rows_of_one_key_keep_their_order_in_a_busy_shard(self):
        table = self.table()
        self.sidecar.script(wire.WRITE, None, Fault.BUSY, None, Fault.BUSY, Fault.BUSY)
        wide = "x" * 100_000  # few rows a batch
        table.upsert([{"k": 1, "v": "%d %s" % (turn, wide)} for turn in range(40)])
        self.assertTrue(self.written([1])[0].startswith("39 "))
        sequences = [sequence for _, sequence, _ in self.sidecar.applied]
        self.assertEqual(sequences, sorted(set(sequences)))
        self.assertGreater(len(sequences), 10)

    def test_a_shard_that_stays_busy_fails_the_rows_and_goes_on_later(self):
        table = self.table(busy_timeout=0.05)
        self.sidecar.script(wire.WRITE, *([Fault.BUSY] * 200))
        with self.assertRaises(stele.BusyError) as failed:
            table.upsert([{"k": 1, "v": "a"}, {"k": 1, "v": "b"}])
        self.assertEqual(list(failed.exception.failed_rows), [0, 1])
        self.assertEqual(list(failed.exception.unknown_rows), [])
        self.sidecar.faults[wire.WRITE].clear()
        table.upsert({"k": 1, "v": "later"})
        self.assertEqual(self.written([1]), ["later"])

    def test_a_changed_table_is_fetched_again(self):
        table = self.table()
        self.sidecar.script(wire.WRITE, None, Fault.STALE)
        rows = [{"k": key, "v": "x" * 60_000} for key in range(40)]
        self.assertEqual(table.upsert(rows).rows, 40)
        self.assertEqual(table.schema.version, 2)
        self.assertEqual(len(self.sidecar.rows), 40)
        self.sidecar.script(wire.MULTI_GET, Fault.STALE)
        self.assertEqual(table.get(5)["added3"], None)
        self.assertEqual(table.schema.version, 3)

    def test_duplicates_fail_their_rows_only(self):
        table = self.table()
        table.upsert([(2, "there"), (4, "there")])
        with self.assertRaises(stele.DuplicateKeyError) as failed:
            table.insert([(key, "new") for key in range(6)])
        self.assertEqual(failed.exception.failed_rows, [2, 4])
        self.assertEqual(failed.exception.unknown_rows, [])
        self.assertEqual(self.written(range(6)), ["new", "new", "there", "new", "there", "new"])

    def test_lookups_are_asked_for_again(self):
        table = self.table(answer_timeout=0.3)
        table.upsert([(key, str(key)) for key in range(0, 10_000, 2)])
        self.sidecar.max_rows_a_reply = 1000
        self.sidecar.script(
            wire.MULTI_GET, Fault.BUSY, None, Fault.BREAK_AFTER, Fault.SWALLOW, Fault.BUSY, Fault.AWAY, Fault.BABBLE
        )
        keys = list(range(10_000))
        random.Random(3).shuffle(keys)
        found = table.get_many(keys)
        self.assertEqual([row and row["k"] for row in found], [key if key % 2 == 0 else None for key in keys])
        self.sidecar.script(wire.MULTI_GET, *([Fault.BUSY] * 11))
        with self.assertRaises(stele.BusyError) as failed:
            table.get(1)
        self.assertEqual(failed.exception.retry_after, 0.003)
        self.sidecar.faults[wire.MULTI_GET].clear()
        self.assertEqual(table.get(2)["v"], "2")

    def test_a_sidecar_that_stays_away_leaves_outcomes_open(self):
        table = self.table(unavailable_timeout=0.3, answer_timeout=0.1)
        table.upsert({"k": 2, "v": "before"})
        writer = table._writer.id
        self.sidecar.script(wire.WRITE, *([Fault.SWALLOW] * 1000))
        with self.assertRaises(stele.UnavailableError) as failed:
            table.upsert({"k": 1, "v": "a"})
        self.assertEqual(failed.exception.unknown_rows, [0])
        self.sidecar.faults[wire.WRITE].clear()
        self.assertNotEqual(table._writer.id, writer)  # what it has open may still be applied
        table.upsert({"k": 1, "v": "b"})
        self.assertEqual(self.written([1]), ["b"])
        self.sidecar.close()
        with self.assertRaises(stele.UnavailableError) as failed:
            table.upsert({"k": 1, "v": "c"})
        with self.assertRaises(stele.UnavailableError):
            table.get(1)

    def test_nothing_is_sent_of_a_call_with_a_wrong_row(self):
        table = self.table()
        with self.assertRaises(stele.TypeMismatchError):
            table.upsert([(1, "a"), (2, 3)])
        with self.assertRaises(stele.InvalidArgumentError):
            table.append((3, "a") for _ in range(1))
        self.assertNotIn(wire.WRITE, self.sidecar.requests)

    def test_clients_end(self):
        with self.connect() as client:
            table = client.table("s", "t")
            client.ping()
        client.close()
        for call in (client.ping, lambda: table.get(1), lambda: table.upsert({"k": 1})):
            with self.assertRaises(stele.UnavailableError):
                call()
        with self.assertRaises(ValueError):
            stele.connect("127.0.0.1", self.sidecar.port, secret="short")
        self.sidecar.close()
        with self.assertRaises(stele.UnavailableError):
            self.connect()

    def test_nothing_to_do_is_done(self):
        table = self.table()
        self.assertEqual(table.get_many([]), [])
        self.assertEqual(table.upsert([]), (0, 0, 0))
        self.assertEqual(table.delete_many([]), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
