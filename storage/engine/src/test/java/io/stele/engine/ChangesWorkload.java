package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Coordinator;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Random upserts and deletions, or appends and deletions by row id, many in flight at a time, while
 * readers keep old snapshots; one {@link SerialHistory} a shard says what each may see.
 *
 * <p>The client of a shard sends in order. When an answer fails or is lost it sends that batch and
 * those behind it again, with the same sequences, before anything new.
 */
final class ChangesWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int MAX_PINNED = 3;

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final boolean keyed;
    private final int ids;
    private final Map<ShardId, SerialHistory> histories = new HashMap<>();
    private final PinnedSnapshots<Seen> pinned;
    private final Map<Long, Long> rowIds = new TreeMap<>(); // id of a row to its row id
    private long nextId;
    private long nextValue;
    private long acknowledged;

    private ChangesWorkload(Simulation simulation, Orientation orientation, boolean keyed) {
        this.simulation = simulation;
        this.random = simulation.newRandom();
        this.node = simulation.node();
        this.keyed = keyed;
        this.ids = 5 + random.nextInt(60);
        this.pinned = new PinnedSnapshots<>(node, random, MAX_PINNED);
        table =
                TestTable.create(
                        node.engine(),
                        (keyed ? "changes_" + orientation.text().replace(',', '_') : "appends"),
                        orientation,
                        keyed,
                        SHARDS,
                        orientation.hasColumns() && random.nextBoolean()
                                ? List.of(3, 2)
                                : List.of(),
                        keyed && random.nextInt(3) == 0 ? List.of(1) : List.of(),
                        TableState.PUBLIC);
        table.schema().shards().forEach(shard -> histories.put(shard, new SerialHistory()));
    }

    static Workload keyed(Simulation simulation, Orientation orientation) {
        return new ChangesWorkload(simulation, orientation, true);
    }

    static Workload appendOnly(Simulation simulation) {
        return new ChangesWorkload(simulation, Orientation.COLUMN, false);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        int dice = random.nextInt(100);
        if (dice < 70) {
            change();
        } else if (dice < 80) {
            pin();
        } else if (dice < 92) {
            pinned.read(this::read);
        } else if (dice < 97) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> rows = readAll(snapshot);
        for (ShardId shard : table.schema().shards()) {
            // What nobody was told of is there up to some batch, and nothing of those behind it.
            history(shard).checkPresent(ofShard(rows, shard));
        }
        node.engine().closeSnapshot(snapshot.id());
        for (ShardId shard : table.schema().shards()) {
            SerialHistory history = history(shard);
            history.lost();
            for (SerialHistory.Batch batch : history.batches()) {
                // Some come although they were answered: the answer was lost on its way.
                if (!batch.isAcknowledged() || random.nextInt(20) == 0) {
                    node.await(send(shard, batch));
                }
            }
        }
        snapshot = node.openSnapshot();
        rows = readAll(snapshot);
        for (ShardId shard : table.schema().shards()) {
            assertThat(ofShard(rows, shard)).isEqualTo(history(shard).last());
            if (keyed) {
                checkLatest(shard);
            }
        }
        node.engine().closeSnapshot(snapshot.id());
    }

    /** Nothing is in flight: lookups, the second time from the row cache, find the last rows. */
    private void checkLatest(ShardId shard) throws IOException {
        Map<Long, String> last = history(shard).last();
        for (long id = 0; id < ids; id++) {
            for (int time = 0; time < 2 && table.shard(id).equals(shard); time++) {
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .as("key %s", id)
                        .isEqualTo(Optional.ofNullable(last.get(id)));
            }
        }
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
    }

    private SerialHistory history(ShardId shard) {
        return histories.get(shard);
    }

    private void change() throws IOException {
        ShardId shard = table.schema().shard(random.nextInt(SHARDS));
        SerialHistory history = history(shard);
        Optional<SerialHistory.Batch> failed = history.firstFailed();
        if (failed.isPresent()) {
            send(shard, failed.get());
            return;
        }
        if (!history.mayAppend()) {
            return;
        }
        WriteBatchBuilder batch = table.batch();
        Map<Long, Optional<String>> changes = new TreeMap<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            if (keyed) {
                changeKey(shard, batch, changes);
            } else {
                changeRow(shard, batch, changes);
            }
        }
        if (!batch.isEmpty()) {
            send(shard, history.append(batch.toByteArray(), changes));
        }
    }

    private void changeKey(
            ShardId shard, WriteBatchBuilder batch, Map<Long, Optional<String>> changes) {
        long id = random.nextInt(ids);
        if (!table.shard(id).equals(shard)) {
            return;
        }
        if (random.nextInt(4) == 0) {
            batch.delete(table.key(id));
            changes.put(id, Optional.empty());
        } else {
            String name = "n" + nextValue + "x".repeat(random.nextInt(120));
            batch.upsert(table.key(id), table.row(id, name, nextValue));
            changes.put(id, Optional.of(name + ":" + nextValue++));
        }
    }

    private void changeRow(
            ShardId shard, WriteBatchBuilder batch, Map<Long, Optional<String>> changes) {
        if (random.nextInt(4) == 0) {
            List<Long> known =
                    rowIds.keySet().stream().filter(id -> id % SHARDS == shard.index()).toList();
            if (!known.isEmpty()) {
                long id = known.get(random.nextInt(known.size()));
                batch.delete(KeyEncoder.rowIdKey(rowIds.get(id)));
                changes.put(id, Optional.empty());
            }
            return;
        }
        long id = nextId++ * SHARDS + shard.index();
        batch.append(table.row(id, "appended", nextValue));
        changes.put(id, Optional.of("appended:" + nextValue++));
    }

    private CompletableFuture<Lsn> send(ShardId shard, SerialHistory.Batch batch) {
        StorageEngine engine = node.engine();
        boolean first = batch.sent();
        CompletableFuture<Lsn> answer =
                engine.write(
                        shard,
                        table.writerId(),
                        batch.sequence(),
                        batch.bytes(),
                        0,
                        batch.bytes().length);
        answer.whenComplete(
                (lsn, failed) -> {
                    if (node.engine() != engine) {
                        return;
                    }
                    simulation.trace(
                            table.schema().qualifiedName() + " " + batch.sequence() + " at " + lsn);
                    if (failed == null) {
                        acknowledged++;
                        batch.acknowledged(lsn, first);
                    } else {
                        history(shard).failed(batch, Coordinator.unwrap(failed));
                    }
                });
        return answer;
    }

    /** Opens a snapshot; what it may see is known from now on. */
    private void pin() {
        Map<ShardId, SerialHistory.Range> ranges = new HashMap<>();
        histories.forEach((shard, history) -> ranges.put(shard, history.present()));
        pinned.open(Optional.empty(), new Seen(ranges));
    }

    private void read(LeasedSnapshot snapshot, Seen seen) throws IOException {
        Map<Long, String> rows = readAll(snapshot);
        for (ShardId shard : table.schema().shards()) {
            history(shard).check(ofShard(rows, shard), seen.ranges.get(shard), snapshot.lsn());
        }
        if (seen.rows == null) {
            seen.rows = rows;
        }
        assertThat(rows).as("read again at %s", snapshot.lsn()).isEqualTo(seen.rows);
    }

    /** Every way to read gives the same rows. */
    private Map<Long, String> readAll(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> rows = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(rows);
        if (keyed) {
            for (int i = 0; i < 5; i++) {
                table.checkLookups(node.engine(), snapshot, random.nextInt(ids), rows);
            }
        } else {
            readRowIds(snapshot);
        }
        return rows;
    }

    private void readRowIds(LeasedSnapshot snapshot) throws IOException {
        for (ShardId shard : table.schema().shards()) {
            try (RowCursor cursor = node.scan(snapshot, table.id(), shard)) {
                while (cursor.next()) {
                    Long earlier = rowIds.put(cursor.row().longAt(0), cursor.rowId());
                    assertThat(earlier == null || earlier == cursor.rowId())
                            .as("row ids never change")
                            .isTrue();
                }
            }
        }
    }

    private Map<Long, String> ofShard(Map<Long, String> rows, ShardId shard) {
        Map<Long, String> result = new TreeMap<>();
        rows.forEach(
                (id, row) -> {
                    boolean here =
                            keyed ? table.shard(id).equals(shard) : id % SHARDS == shard.index();
                    if (here) {
                        result.put(id, row);
                    }
                });
        return result;
    }

    /** What may be seen at a snapshot that is kept, and what was. */
    private static final class Seen {
        private final Map<ShardId, SerialHistory.Range> ranges;
        private Map<Long, String> rows;

        Seen(Map<ShardId, SerialHistory.Range> ranges) {
            this.ranges = ranges;
        }
    }
}
