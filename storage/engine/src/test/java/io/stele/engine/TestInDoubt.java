package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A transaction over two tables and their shards, with workers' files and rows, whose process dies
 * at each operation on the store or the log from its commit to the flush of what it changed, and
 * the next process at each of its operations until it serves.
 */
class TestInDoubt {
    private static final long GRACE_MILLIS = 60_000;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                    .withCollectionGrace(Duration.ofMillis(GRACE_MILLIS));

    @Test
    void aTransactionIsThereWhollyOrNotAtAllWhereverItsProcessDies() throws IOException {
        Run whole = new Run(CrashPoint.never());
        long first = whole.operationsBeforeCommit + 1;
        long last = whole.operationsAtEnd;
        assertThat(last - first).as("operations to die at").isGreaterThan(10);
        int runs = 0;
        int there = 0;
        int acknowledged = 0;
        for (long operation = first; operation <= last; operation++) {
            boolean died = true;
            for (long inRecovery = 1; died; inRecovery++) {
                Run run = new Run(CrashPoint.after(operation));
                died = run.recover(inRecovery);
                run.check();
                runs++;
                there += run.isThere ? 1 : 0;
                acknowledged += run.committed.isPresent() ? 1 : 0;
            }
        }
        assertThat(runs).as("with a second death at each operation of a start").isGreaterThan(50);
        assertThat(there).as("runs in which it was decided").isBetween(1, runs - 1);
        assertThat(acknowledged).isBetween(1, there - 1);
    }

    /** One process from its start to its death, and those after it. */
    private static final class Run {
        private final SimulatedNode node = start();
        private final TestTable columns =
                TestTable.create(node.engine(), "columns", Orientation.COLUMN, true, 3);
        private final TestTable rows =
                TestTable.create(node.engine(), "rows", Orientation.ROW, true, 2);
        private final Map<Long, String> columnsBefore = new TreeMap<>();
        private final Map<Long, String> columnsAfter;
        private final Map<Long, String> rowsBefore = new TreeMap<>();
        private final Map<Long, String> rowsAfter;
        private final List<WrittenFile> files = new ArrayList<>();
        private final long operationsBeforeCommit;
        private final long operationsAtEnd;
        private Optional<Lsn> committed = Optional.empty();
        private String transaction = "";
        private boolean isThere;

        Run(CrashPoint crashPoint) throws IOException {
            for (long id = 0; id < 12; id++) {
                node.await(columns.upsert(node.engine(), id, "old", id));
                columnsBefore.put(id, "old:" + id);
                node.await(rows.upsert(node.engine(), id, "old", id));
                rowsBefore.put(id, "old:" + id);
            }
            node.await(node.engine().flush(columns.id()));
            columnsAfter = new TreeMap<>(columnsBefore);
            rowsAfter = new TreeMap<>(rowsBefore);
            node.restart(crashPoint, StoreFaults.NONE);
            transaction = node.engine().beginTransaction(columns.id(), Optional.empty());
            writeFiles();
            stageRows();
            operationsBeforeCommit = crashPoint.operations();
            commitAndFlush();
            operationsAtEnd = crashPoint.operations();
        }

        private void writeFiles() throws IOException {
            Map<ShardId, List<Row>> content = new TreeMap<>();
            for (long id = 6; id < 18; id++) {
                content.computeIfAbsent(columns.shard(id), shard -> new ArrayList<>())
                        .add(new Row(id, "file", id));
                columnsAfter.put(id, "file:" + id);
            }
            for (Map.Entry<ShardId, List<Row>> file : content.entrySet()) {
                String fileId = "worker-" + file.getKey().index();
                files.add(
                        WorkerFiles.write(
                                node.objects(), columns, file.getKey(), fileId, file.getValue()));
            }
        }

        private void stageRows() {
            for (long id = 0; id < 12; id += 2) {
                WriteBatchBuilder batch = rows.batch();
                batch.upsert(rows.key(id), rows.row(id, "staged", id));
                rowsAfter.put(id, "staged:" + id);
                stage(rows, id, batch);
            }
            WriteBatchBuilder conditional = rows.batch();
            rows.update(conditional, OperationKind.UPDATE, 1, Optional.of("updated"), 100);
            rowsAfter.put(1L, "updated:100");
            stage(rows, 1, conditional);
            WriteBatchBuilder deletion = columns.batch();
            deletion.delete(columns.key(0));
            columnsAfter.remove(0L);
            stage(columns, 0, deletion);
        }

        private void stage(TestTable table, long id, WriteBatchBuilder batch) {
            node.engine()
                    .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        }

        private void commitAndFlush() {
            try {
                CompletableFuture<Lsn> commit = node.commit(transaction, files);
                runUntilDead(commit);
                if (commit.isDone() && !commit.isCompletedExceptionally()) {
                    committed = Optional.of(commit.join());
                }
                runUntilDead(node.engine().flush(columns.id()));
                runUntilDead(node.engine().flush(rows.id()));
            } catch (SteleException dying) {
                // refused by an engine whose log or shards have failed
            }
        }

        private void runUntilDead(CompletableFuture<?> future) {
            for (int idle = 0; !future.isDone() && idle < 10; ) {
                if (!node.pool().runOne()) {
                    idle++;
                    node.advance(500);
                    node.pool().tick();
                }
            }
        }

        /**
         * Starts again; the first start dies at its {@code operation}-th operation, if it gets
         * there.
         */
        boolean recover(long operation) throws IOException {
            CrashPoint crashPoint = CrashPoint.after(operation);
            try {
                node.restart(crashPoint, StoreFaults.NONE);
            } catch (IOException | SteleException crashed) {
                // the next start finds what this one left
            }
            boolean died = crashPoint.crashed();
            node.restart();
            return died;
        }

        void check() throws IOException {
            LeasedSnapshot snapshot = node.openSnapshot();
            Map<Long, String> found = columns.snapshot(node.engine(), snapshot);
            isThere = found.equals(columnsAfter);
            assertThat(found).isEqualTo(isThere ? columnsAfter : columnsBefore);
            assertThat(columns.planned(node, snapshot)).isEqualTo(found);
            assertThat(rows.snapshot(node.engine(), snapshot))
                    .as("the other table, where the first has it: %s", isThere)
                    .isEqualTo(isThere ? rowsAfter : rowsBefore);
            node.engine().closeSnapshot(snapshot.id());
            checkRepeatedCommit();
            checkNothingIsLocked();
            checkFiles();
        }

        private void checkRepeatedCommit() {
            CompletableFuture<Lsn> again = node.commit(transaction, files);
            if (isThere) {
                Lsn lsn = node.await(again);
                committed.ifPresent(reported -> assertThat(lsn).isEqualTo(reported));
            } else {
                assertThat(committed).as("acknowledged").isEmpty();
                assertRefused(ErrorCode.TRANSACTION_NOT_FOUND, () -> node.await(again));
            }
        }

        /** Every shard takes writes and transactions at once, and nothing is open. */
        private void checkNothingIsLocked() {
            assertThat(node.engine().status().openTransactions()).isZero();
            assertThat(node.engine().status().openSnapshots()).isZero();
            assertThat(node.engine().status().failedShards()).isEmpty();
            String next = node.engine().beginTransaction(rows.id(), Optional.empty());
            for (long id = 0; id < 12; id++) {
                node.await(columns.upsert(node.engine(), id, "later", id));
                WriteBatchBuilder batch = rows.batch();
                batch.upsert(rows.key(id), rows.row(id, "later", id));
                node.engine()
                        .stage(next, rows.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
            }
            node.await(node.commit(next, List.of()));
            node.await(node.engine().flush(columns.id()));
            node.await(node.engine().flush(rows.id()));
        }

        /** What was not committed is gone after the grace, and what was can be read on. */
        private void checkFiles() throws IOException {
            node.tick(GRACE_MILLIS + 500);
            node.tick(500);
            List<String> stored =
                    node.store().contents().list("data/").stream().map(ObjectEntry::path).toList();
            if (!isThere) {
                files.forEach(file -> assertThat(stored).doesNotContainAnyElementsOf(file.paths()));
            }
            node.restart();
            assertThat(columns.snapshot(node.engine(), node.openSnapshot()))
                    .containsEntry(11L, "later:11")
                    .hasSize(isThere ? 18 : 12);
        }

        private static SimulatedNode start() {
            try {
                return SimulatedNode.start(OPTIONS, 3);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
