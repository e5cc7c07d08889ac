package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Batches as Trino commits them, partly files that workers wrote and partly staged rows, over all
 * shards of two tables, while readers run.
 *
 * <p>Batch n writes n into every slot of one table, so that no reader ever sees two numbers there,
 * and appends its rows to another, where a reader sees all of them or none. A reader at T sees
 * exactly the batches whose commit LSN is at or below T, and in the slots the last of them.
 */
final class BatchesWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int SLOTS = 9;
    private static final int ROWS = 5; // of a batch, in the other table

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable slots;
    private final TestTable appended;
    private final List<Batch> batches = new ArrayList<>();
    private final PinnedReads<LeasedSnapshot> pinned;
    private long nextFile;
    private long acknowledged;

    BatchesWorkload(Simulation simulation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        pinned = new PinnedReads<>(node, Function.identity());
        slots = TestTable.create(node.engine(), "slots", Orientation.COLUMN, true, SHARDS);
        appended = TestTable.create(node.engine(), "batches", Orientation.COLUMN, false, SHARDS);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        pinned.follow();
        int dice = random.nextInt(100);
        if (dice < 40) {
            commit();
        } else if (dice < 60) {
            pinned.pin(Function.identity());
        } else if (dice < 85 && !pinned.isEmpty()) {
            read(pinned.any(random));
        } else if (dice < 93) {
            Simulation.ignore(node.engine().flush(slots.id()));
            Simulation.ignore(node.engine().flush(appended.id()));
        } else {
            Simulation.ignore(node.engine().compact(slots.id()));
            Simulation.ignore(node.engine().compact(appended.id()));
        }
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Set<Integer> seen = read(snapshot);
        node.engine().closeSnapshot(snapshot.id());
        for (Batch batch : batches) {
            if (batch.outcome == Outcome.UNKNOWN) {
                // Decided by the crash, once and for all.
                batch.outcome = seen.contains(batch.number) ? Outcome.COMMITTED : Outcome.NONE;
            }
            if (!batch.asked) {
                askAgain(batch);
            }
        }
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(slots.id()));
        node.await(node.engine().compact(appended.id()));
        check();
    }

    private void commit() throws IOException {
        StorageEngine engine = node.engine();
        Batch batch = new Batch(batches.size());
        String transaction = engine.beginTransaction(slots.id(), Optional.empty());
        batch.transaction = transaction;
        List<WrittenFile> files = new ArrayList<>();
        for (ShardId shard : slots.schema().shards()) {
            write(engine, transaction, slots, shard, batch.slotsOf(slots, shard), files);
        }
        for (int index = 0; index < SHARDS; index++) {
            ShardId shard = appended.schema().shard(index);
            write(engine, transaction, appended, shard, batch.rowsOf(index), files);
        }
        batches.add(batch);
        engine.commit(transaction, files, Optional.empty())
                .whenComplete(
                        (lsn, failed) -> {
                            if (node.engine() == engine && failed == null) {
                                batch.outcome = Outcome.COMMITTED;
                                batch.lsn = Optional.of(lsn);
                                acknowledged++;
                                simulation.trace("batch " + batch.number + " at " + lsn);
                            }
                        });
    }

    private void write(
            StorageEngine engine,
            String transaction,
            TestTable table,
            ShardId shard,
            List<WorkerFiles.Row> rows,
            List<WrittenFile> files)
            throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        if (random.nextInt(3) > 0) {
            files.add(WorkerFiles.write(node.objects(), table, shard, "w" + nextFile++, rows));
            return;
        }
        WriteBatchBuilder staged = table.batch();
        for (WorkerFiles.Row row : rows) {
            byte[] bytes = table.row(row.id(), row.name(), row.amount());
            if (table.schema().hasPrimaryKey()) {
                staged.upsert(table.key(row.id()), bytes);
            } else {
                staged.append(bytes);
            }
        }
        engine.stage(transaction, shard, staged.toByteArray(), 0, staged.sizeBytes());
    }

    /** Checks what a snapshot sees; returns the numbers of the batches. */
    private Set<Integer> read(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> slotRows;
        Map<Long, String> rows;
        try {
            slotRows = slots.snapshot(node.engine(), snapshot);
            assertThat(slots.planned(node, snapshot)).isEqualTo(slotRows);
            slots.checkLookups(node.engine(), snapshot, random.nextInt(SLOTS), slotRows);
            rows = appended.snapshot(node.engine(), snapshot);
            assertThat(appended.planned(node, snapshot)).isEqualTo(rows);
        } catch (SteleException expired) {
            pinned.remove(snapshot);
            throw expired;
        }
        Set<Integer> seen = new TreeSet<>();
        Map<Long, String> whole = new TreeMap<>();
        for (long id : rows.keySet()) {
            seen.add((int) (id / ROWS));
        }
        for (int number : seen) {
            batches.get(number).allRows().forEach(row -> whole.put(row.id(), row.name() + ":0"));
        }
        assertThat(rows).as("batches whole or not at all at %s", snapshot.lsn()).isEqualTo(whole);
        checkOrder(snapshot.lsn(), seen, new HashSet<>(slotRows.values()), slotRows.size());
        return seen;
    }

    private void checkOrder(Lsn at, Set<Integer> seen, Set<String> inSlots, int slotCount) {
        if (seen.isEmpty()) {
            assertThat(slotCount).isEqualTo(0);
            return;
        }
        assertThat(inSlots).as("slots at %s", at).hasSize(1);
        assertThat(slotCount).isEqualTo(SLOTS);
        for (Batch batch : batches) {
            boolean there = seen.contains(batch.number);
            if (batch.lsn.isPresent()) {
                assertThat(there)
                        .as("batch %s of %s at %s", batch.number, batch.lsn.get(), at)
                        .isEqualTo(batch.lsn.get().compareTo(at) <= 0);
            }
            if (!there) {
                assertThat(batch.outcome == Outcome.COMMITTED && batch.lsn.isEmpty())
                        .as("batch %s, found to be committed, is seen at %s", batch.number, at)
                        .isFalse();
            }
        }
        int inSlot = Integer.parseInt(inSlots.iterator().next().split(":")[1]);
        assertThat(seen).as("batches at %s", at).contains(inSlot);
        for (int number : seen) {
            Optional<Lsn> other = batches.get(number).lsn;
            Optional<Lsn> shown = batches.get(inSlot).lsn;
            if (other.isPresent() && shown.isPresent()) {
                assertThat(other.get()).as("slots at %s", at).isLessThanOrEqualTo(shown.get());
            }
        }
    }

    private void askAgain(Batch batch) {
        try {
            Lsn lsn =
                    node.await(
                            node.engine().commit(batch.transaction, List.of(), Optional.empty()));
            assertThat(batch.outcome).as("batch %s", batch.number).isEqualTo(Outcome.COMMITTED);
            batch.lsn.ifPresent(known -> assertThat(lsn).isEqualTo(known));
            batch.lsn = Optional.of(lsn);
        } catch (SteleException failed) {
            assertThat(failed.code())
                    .as("batch %s", batch.number)
                    .isEqualTo(ErrorCode.TRANSACTION_NOT_FOUND);
            assertThat(batch.outcome).as("batch %s", batch.number).isEqualTo(Outcome.NONE);
        }
        batch.asked = true;
    }

    private enum Outcome {
        UNKNOWN,
        COMMITTED,
        NONE
    }

    private static final class Batch {
        private final int number;
        private String transaction = "";
        private Outcome outcome = Outcome.UNKNOWN;
        private Optional<Lsn> lsn = Optional.empty();
        private boolean asked;

        Batch(int number) {
            this.number = number;
        }

        List<WorkerFiles.Row> slotsOf(TestTable table, ShardId shard) {
            List<WorkerFiles.Row> rows = new ArrayList<>();
            for (long id = 0; id < SLOTS; id++) {
                if (table.shard(id).equals(shard)) {
                    rows.add(new WorkerFiles.Row(id, "slot", number));
                }
            }
            return rows;
        }

        List<WorkerFiles.Row> allRows() {
            List<WorkerFiles.Row> rows = new ArrayList<>();
            for (long i = 0; i < ROWS; i++) {
                rows.add(new WorkerFiles.Row(number * (long) ROWS + i, "batch " + number, 0));
            }
            return rows;
        }

        List<WorkerFiles.Row> rowsOf(int shard) {
            return allRows().stream().filter(row -> row.id() % SHARDS == shard).toList();
        }
    }
}
