package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.RoundsStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What a start waits for that finds changes of rows in cold files in its log: as many rounds as one
 * change takes, and the rows that there were.
 */
class TestReplayRequests {
    private static final int ROWS = 60_000;
    private static final int FLUSHES = 6;

    private final AtomicReference<ObjectStore> inner = new AtomicReference<>();
    private final RoundsStore store = new RoundsStore(NewestStore.of(inner));
    private final List<TestTable> tables = new ArrayList<>();

    /** Of each table what it has, and at some LSNs what it had. */
    private final Map<TestTable, Map<Long, String>> rows = new HashMap<>();

    private final Map<TestTable, TreeMap<Lsn, Map<Long, String>>> past = new HashMap<>();

    @Test
    void recordsAreLookedUpTogether() throws IOException {
        SimulatedNode node = start();
        fill(node, Orientation.COLUMN);
        fill(node, Orientation.COLUMN);
        RequestCost idle = restart(node);
        RequestCost limit = new RequestCost(idle.requests() + 60, idle.rounds() + 3);
        RequestCost cost = RequestCost.UNKNOWN;
        for (int i = 0; i < RequestCost.ATTEMPTS && !cost.isWithin(limit); i++) {
            change(node, i);
            cost = restart(node);
            check(node);
        }
        assertThat(cost.isWithin(limit))
                .as("start over %s, %s without changes, at most %s", cost, idle, limit)
                .isTrue();
        assertThat(node.uncaught()).isEmpty();
    }

    /** With rows in SST files as well, and none that have columns. */
    @Test
    void otherTablesHaveTheirRows() throws IOException {
        SimulatedNode node = start();
        fill(node, Orientation.ROW_COLUMN);
        fill(node, Orientation.ROW);
        change(node, 0);
        restart(node);
        check(node);
        assertThat(node.uncaught()).isEmpty();
    }

    private SimulatedNode start() throws IOException {
        return RequestCost.start(inner, store);
    }

    private RequestCost restart(SimulatedNode node) {
        return RequestCost.of(
                store.record(
                        () -> {
                            node.restart();
                            return true;
                        }));
    }

    private void fill(SimulatedNode node, Orientation orientation) {
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "t" + tables.size(),
                        orientation,
                        true,
                        1,
                        TableOptions.NONE);
        tables.add(table);
        rows.put(table, new TreeMap<>());
        past.put(table, new TreeMap<>());
        for (int flush = 0; flush < FLUSHES; flush++) {
            WriteBatchBuilder batch = table.batch();
            for (long id = flush; id < ROWS; id += FLUSHES) {
                upsert(table, batch, id, "first", id);
            }
            node.await(table.write(node.engine(), table.shard(0), batch));
            node.await(node.engine().flush(table.id()));
        }
        for (int i = 0; i < 20; i++) {
            node.tick(1_000); // compactions come to their end
        }
    }

    /** Fifty changes of each table, of all kinds, over rows in files and over each other. */
    private void change(SimulatedNode node, int attempt) throws IOException {
        for (int i = 0; i < 50; i++) {
            for (TestTable table : tables) {
                String name = "changed" + attempt + "." + i;
                long first = (i / 2) * 997L + attempt * 31L; // two of them change the same rows
                switch (i % 5) {
                    case 0, 1 -> write(node, table, name, first);
                    case 2 -> transaction(node, table, name, first, true);
                    case 3 -> conditional(node, table, name, first);
                    default -> transaction(node, table, name, first, false);
                }
                if (i % 10 == 9) {
                    past.get(table).put(node.openSnapshot().lsn(), new TreeMap<>(rows.get(table)));
                }
            }
        }
    }

    private static LongStream ids(long first, int count) {
        return LongStream.range(0, count).map(i -> (first + i * 1_009) % ROWS);
    }

    private void write(SimulatedNode node, TestTable table, String name, long first) {
        WriteBatchBuilder batch = table.batch();
        ids(first, 40).forEach(id -> upsert(table, batch, id, name, id));
        ids(first + 20, 10).forEach(id -> upsert(table, batch, id, name + " again", -id));
        ids(first, 5)
                .forEach(
                        id -> {
                            batch.delete(table.key(id));
                            rows.get(table).remove(id);
                        });
        node.await(table.write(node.engine(), table.shard(0), batch));
    }

    /** Rows that are there are changed, and the same that are not there are not. */
    private void conditional(SimulatedNode node, TestTable table, String name, long first) {
        WriteBatchBuilder batch = table.batch();
        LongStream.concat(ids(first, 40), LongStream.of(ROWS + first))
                .forEach(
                        id -> {
                            table.update(
                                    batch, OperationKind.UPDATE, id, Optional.of(name), 7 * id);
                            rows.get(table).computeIfPresent(id, (key, row) -> name + ":" + 7 * id);
                        });
        node.await(table.apply(node.engine(), table.shard(0), batch));
    }

    private void transaction(
            SimulatedNode node, TestTable table, String name, long first, boolean commits) {
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        Map<Long, String> before = new TreeMap<>(rows.get(table));
        for (int part = 0; part < 2; part++) {
            WriteBatchBuilder batch = table.batch();
            ids(first + part * 500L, 20).forEach(id -> upsert(table, batch, id, name, 3 * id));
            byte[] bytes = batch.toByteArray();
            node.engine().stage(transaction, table.shard(0), bytes, 0, bytes.length);
        }
        if (commits) {
            node.await(node.commit(transaction, List.of()));
        } else {
            node.await(node.engine().abort(transaction));
            rows.put(table, before);
        }
    }

    private void upsert(
            TestTable table, WriteBatchBuilder batch, long id, String name, long amount) {
        batch.upsert(table.key(id), table.row(id, name, amount));
        rows.get(table).put(id, name + ":" + amount);
    }

    private void check(SimulatedNode node) throws IOException {
        for (TestTable table : tables) {
            assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                    .isEqualTo(rows.get(table));
            for (Map.Entry<Lsn, Map<Long, String>> then : past.get(table).entrySet()) {
                assertThat(table.snapshot(node.engine(), node.openSnapshot(then.getKey())))
                        .as("at %s", then.getKey())
                        .isEqualTo(then.getValue());
            }
        }
    }
}
