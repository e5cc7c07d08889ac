package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.BulkLoad;
import io.stele.engine.transaction.Coordinator;
import io.stele.engine.transaction.LoadWait;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Bulk loads of blocks of keys with a tiny buffer, so that files are ingested beside crashes. A
 * block is loaded while it is empty, and otherwise the load is refused; it is emptied by one
 * transaction, and single rows of it change. Of each block one thing happens at a time, so that its
 * rows are known at each LSN, but for what a crash interrupted.
 */
final class LoadsWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int BLOCKS = 4;
    private static final int BLOCK_ROWS = 200;
    private static final int MAX_TASKS = 3_000; // of a dying node
    private static final Duration TTL = Duration.ofMinutes(10);

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final List<Block> blocks = new ArrayList<>();
    private final PinnedReads<LeasedSnapshot> pinned;
    private long acknowledged;
    private long loads;
    private int numbers;

    private LoadsWorkload(Simulation simulation, Orientation orientation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        pinned = new PinnedReads<>(node, snapshot -> snapshot);
        table =
                TestTable.create(
                        node.engine(), "loads_" + orientation.text(), orientation, true, SHARDS);
        for (int number = 0; number < BLOCKS; number++) {
            blocks.add(new Block(number));
        }
    }

    static LoadsWorkload of(Simulation simulation, Orientation orientation) {
        return new LoadsWorkload(simulation, orientation);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    /** Loads that committed with files. */
    long loads() {
        return loads;
    }

    @Override
    public void act() throws IOException {
        pinned.follow();
        int dice = random.nextInt(100);
        Block block = blocks.get(random.nextInt(BLOCKS));
        if (dice < 65) {
            if (!block.isBusy) {
                change(block, dice);
            }
        } else if (dice < 75) {
            pinned.pin(snapshot -> snapshot);
        } else if (dice < 88 && !pinned.isEmpty()) {
            LeasedSnapshot snapshot = pinned.any(random);
            try {
                read(snapshot);
            } catch (SteleException expired) {
                pinned.remove(snapshot);
                throw expired;
            }
        } else if (dice < 95) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    private void change(Block block, int dice) {
        block.isBusy = true;
        boolean isSent = false;
        try {
            if (dice < 30) {
                load(block);
            } else if (dice < 42) {
                empty(block);
            } else {
                touch(block);
            }
            isSent = true;
        } finally {
            block.isBusy &= isSent;
        }
    }

    /** All rows of a block in any order, which is refused if there is one. */
    private void load(Block block) {
        StorageEngine engine = node.engine();
        int number = numbers++;
        List<Long> ids = new ArrayList<>();
        Map<Long, String> after = new TreeMap<>();
        for (long id = block.first(); id < block.first() + BLOCK_ROWS; id++) {
            ids.add(id);
            after.put(id, "load " + number + ":1");
        }
        for (int i = ids.size() - 1; i > 0; i--) {
            Collections.swap(ids, i, random.nextInt(i + 1));
        }
        boolean isEmpty = block.now().isEmpty();
        String transaction =
                engine.beginSessionTransaction(table.id(), Optional.empty(), Optional.of(TTL));
        BulkLoad load = engine.load(transaction, table.schema(), TTL, new TaskWait());
        List<WrittenFile> files;
        try {
            for (long id : ids) {
                byte[] row = table.row(id, "load " + number, 1);
                int shard = table.shard(id).index();
                if (load.add(shard, table.key(id), row, row.length)) {
                    load.drain(shard);
                }
            }
            files = load.finish();
        } catch (SteleException interrupted) {
            load.close();
            Simulation.ignore(engine.abort(transaction));
            throw interrupted;
        }
        sent(
                block,
                engine,
                engine.commitLoad(transaction, files, Optional.empty()),
                isEmpty ? after : block.now(),
                !isEmpty,
                load);
        loads += files.isEmpty() ? 0 : 1;
    }

    private void empty(Block block) {
        StorageEngine engine = node.engine();
        String transaction = engine.beginTransaction(table.id(), Optional.empty());
        for (ShardId shard : table.schema().shards()) {
            WriteBatchBuilder batch = table.batch();
            for (long id : block.now().keySet()) {
                if (table.shard(id).equals(shard)) {
                    batch.delete(table.key(id));
                }
            }
            if (!batch.isEmpty()) {
                engine.stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
            }
        }
        sent(
                block,
                engine,
                engine.commit(transaction, List.of(), Optional.empty()),
                new TreeMap<>(),
                false,
                () -> {});
    }

    private void touch(Block block) {
        StorageEngine engine = node.engine();
        long id = block.first() + random.nextInt(BLOCK_ROWS);
        Map<Long, String> after = new TreeMap<>(block.now());
        CompletableFuture<Lsn> written;
        if (random.nextBoolean()) {
            int number = numbers++;
            after.put(id, "touch " + number + ":1");
            written = table.upsert(engine, id, "touch " + number, 1);
        } else {
            after.remove(id);
            written = table.delete(engine, id);
        }
        sent(block, engine, written, after, false, () -> {});
    }

    private void sent(
            Block block,
            StorageEngine engine,
            CompletableFuture<Lsn> written,
            Map<Long, String> after,
            boolean isDuplicate,
            AutoCloseable load) {
        Change change = new Change(Optional.empty(), after);
        block.changes.add(change);
        written.whenComplete(
                (lsn, failed) -> {
                    if (node.engine() != engine) {
                        return; // it stays unknown, and the check finds out
                    }
                    answered(block, lsn, failed, isDuplicate);
                    try {
                        load.close();
                    } catch (Exception broken) {
                        simulation.fail(new AssertionError(broken));
                    }
                });
    }

    private void answered(Block block, Lsn lsn, Throwable failed, boolean isDuplicate) {
        if (failed == null) {
            if (isDuplicate) {
                simulation.fail(new AssertionError("Expected a duplicate key in " + block.number));
            }
            Change last = block.changes.removeLast();
            block.changes.add(new Change(Optional.of(lsn), last.rows));
            block.isBusy = false;
            acknowledged++;
            simulation.trace("block " + block.number + " at " + lsn);
            return;
        }
        Throwable cause = Coordinator.unwrap(failed);
        if (cause instanceof SteleException refused && refused.code().nothingIsChanged()) {
            if (refused.code() == ErrorCode.DUPLICATE_KEY && !isDuplicate) {
                simulation.fail(new AssertionError("Expected no row in " + block.number, refused));
            }
            block.changes.removeLast();
            block.isBusy = false;
        } // else it is unknown until the check
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> all = table.snapshot(node.engine(), snapshot);
        for (Block block : blocks) {
            if (block.isBusy) {
                block.settle(block.rowsOf(all));
            }
        }
        read(snapshot);
        node.engine().closeSnapshot(snapshot.id());
    }

    @Override
    public void finish() throws IOException {
        check();
        node.await(node.engine().compact(table.id()));
        check();
    }

    private void read(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> all = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(all);
        for (Block block : blocks) {
            assertThat(block.possibleAt(snapshot.lsn()))
                    .as("rows of block %s at %s", block.number, snapshot.lsn())
                    .contains(block.rowsOf(all));
        }
        for (int i = 0; i < 3; i++) {
            table.checkLookups(node.engine(), snapshot, random.nextInt(BLOCKS * BLOCK_ROWS), all);
        }
    }

    /** Runs the node until a step is done; a dying node has no more tasks. */
    private final class TaskWait implements LoadWait {
        @Override
        public void until(CompletableFuture<?> step) {
            for (int ran = 0; !step.isDone() && ran < MAX_TASKS; ran++) {
                if (!node.pool().runOne()) {
                    break;
                }
            }
            if (!step.isDone()) {
                throw new SteleException(ErrorCode.UNAVAILABLE, "The node runs no more tasks");
            }
            try {
                step.join();
            } catch (CompletionException failed) {
                throw failed.getCause() instanceof SteleException cause
                        ? cause
                        : new SteleException(ErrorCode.STORE_FAILED, "Cannot load: " + failed);
            }
        }
    }

    /**
     * What happened to a block.
     *
     * @param lsn empty: it is unknown whether, or when
     */
    private record Change(Optional<Lsn> lsn, Map<Long, String> rows) {}

    private static final class Block {
        private final int number;
        private final List<Change> changes = new ArrayList<>();
        private boolean isBusy;

        Block(int number) {
            this.number = number;
            changes.add(new Change(Optional.of(Lsn.MIN), new TreeMap<>()));
        }

        long first() {
            return (long) number * BLOCK_ROWS;
        }

        /** The rows, while nothing is in flight. */
        Map<Long, String> now() {
            return changes.getLast().rows;
        }

        Map<Long, String> rowsOf(Map<Long, String> all) {
            Map<Long, String> rows = new TreeMap<>(all);
            rows.keySet().removeIf(id -> id < first() || id >= first() + BLOCK_ROWS);
            return rows;
        }

        /** The crash decided what became of the last change. */
        void settle(Map<Long, String> found) {
            isBusy = false;
            if (!changes.getLast().rows.equals(found)) {
                changes.removeLast();
            }
        }

        /** The rows at an LSN: of the last change at or below, or of unknown ones behind it. */
        Set<Map<Long, String>> possibleAt(Lsn lsn) {
            Set<Map<Long, String>> possible = new LinkedHashSet<>();
            for (Change change : changes) {
                if (change.lsn.isEmpty()) {
                    possible.add(change.rows);
                } else if (change.lsn.get().compareTo(lsn) <= 0) {
                    possible.clear();
                    possible.add(change.rows);
                }
            }
            return possible;
        }
    }
}
