package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Coordinator;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Transactions that are larger than a record of the log, or small and come to more than that: whole
 * rows and partial updates of wide rows, one transaction after the other. Each is there whole or
 * not at all, and one that is refused has changed nothing.
 */
final class LargeTransactionsWorkload implements Workload {
    private static final int IDS = 24;
    private static final int LONGEST_NAME = 3_000; // with small limits, some rows fill a record

    private final SplittableRandom random;
    private final Simulation simulation;
    private final SimulatedNode node;
    private final TestTable table;
    private Map<Long, String> rows = new TreeMap<>();
    private Map<Long, String> rowsAfter = rows; // if the one in flight commits
    private boolean inFlight;
    private long acknowledged;
    private long nextValue;

    LargeTransactionsWorkload(Simulation simulation) {
        this.simulation = simulation;
        this.random = simulation.newRandom();
        this.node = simulation.node();
        Orientation[] orientations = Orientation.values();
        this.table =
                TestTable.create(
                        node.engine(),
                        "large",
                        orientations[random.nextInt(orientations.length)],
                        true,
                        1 + random.nextInt(2));
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() {
        int dice = random.nextInt(100);
        if (dice < 80) {
            if (!inFlight) {
                commit();
            }
        } else if (dice < 95) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    private void commit() {
        StorageEngine engine = node.engine();
        Map<Long, String> after = new TreeMap<>(rows);
        String transaction = engine.beginTransaction(table.id(), Optional.empty());
        boolean partial = random.nextBoolean();
        int first = random.nextInt(IDS);
        int last = random.nextInt(first, IDS);
        for (long id = first; id <= last; id++) {
            long value = nextValue++;
            WriteBatchBuilder batch = table.batch();
            if (partial) {
                table.update(batch, OperationKind.UPDATE, id, Optional.empty(), value);
                after.computeIfPresent(
                        id, (key, row) -> row.substring(0, row.indexOf(':') + 1) + value);
            } else {
                String name = "n".repeat(1 + random.nextInt(LONGEST_NAME));
                batch.upsert(table.key(id), table.row(id, name, value));
                after.put(id, name + ":" + value);
            }
            try {
                engine.stage(
                        transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
            } catch (SteleException refused) {
                Simulation.ignore(engine.abort(transaction));
                return;
            }
        }
        inFlight = true;
        rowsAfter = after;
        engine.commit(transaction, List.of(), Optional.empty())
                .whenComplete(
                        (lsn, failed) -> {
                            if (node.engine() == engine) {
                                answered(failed);
                            }
                        });
    }

    private void answered(Throwable failed) {
        simulation.trace(
                "large transaction: " + (failed == null ? "committed" : failed.toString()));
        if (failed == null) {
            rows = rowsAfter;
            acknowledged++;
            inFlight = false;
        } else if (Coordinator.unwrap(failed) instanceof SteleException refused
                && refused.code().category() == ErrorCode.Category.USER) {
            rowsAfter = rows;
            inFlight = false;
        } // else the next start decides
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> found = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(found);
        node.engine().closeSnapshot(snapshot.id());
        assertThat(found).as("rows after a start").isIn(rows, rowsAfter);
        assertThat(node.engine().status().openTransactions()).isZero();
        rows = found;
        rowsAfter = found;
        inFlight = false;
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
        commit();
        for (int i = 0; inFlight && i < 100; i++) {
            node.tick(500);
        }
        assertThat(inFlight).as("a commit that is never answered").isFalse();
        assertThat(node.engine().pendingWriteBytes()).as("bytes of writes that ended").isZero();
        check();
    }
}
