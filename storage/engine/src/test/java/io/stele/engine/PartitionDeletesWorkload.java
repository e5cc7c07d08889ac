package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Upserts, appends, worker files and deletions of partitions, one after the other. The oracle is a
 * map to which each is applied whole: a deletion that is seen in one shard and not in another, or
 * that forgets a row in memory or in a file, or comes back after a crash, makes a difference. While
 * it is not known how a request ended, the map before it and the map after it are both right; after
 * a restart one of them is.
 */
final class PartitionDeletesWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int PARTITIONS = 12;
    private static final int MAX_PINNED = 3;

    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final Orientation orientation;
    private final boolean keyed;
    private final Optional<Integer> partitionColumn;
    private final List<Past> past = new ArrayList<>();
    private final PinnedSnapshots<Seen> pinned;
    private Map<Long, String> rows = new TreeMap<>();
    private Request open;
    private long nextId;
    private long nextValue;
    private long acknowledged;

    private PartitionDeletesWorkload(
            Simulation simulation,
            String name,
            Orientation orientation,
            boolean keyed,
            Optional<Integer> partitionColumn) {
        this.orientation = orientation;
        this.random = simulation.newRandom();
        this.node = simulation.node();
        this.pinned = new PinnedSnapshots<>(node, random, MAX_PINNED);
        this.keyed = keyed;
        this.partitionColumn = partitionColumn;
        this.table =
                TestTable.create(
                        node.engine(),
                        name,
                        orientation,
                        keyed,
                        SHARDS,
                        random.nextBoolean() && orientation.hasColumns()
                                ? List.of(3, 2)
                                : List.of(),
                        partitionColumn.map(List::of).orElse(List.of()),
                        TableState.PUBLIC);
    }

    /** Each id is a partition. */
    static Workload keyed(Simulation simulation, Orientation orientation) {
        return new PartitionDeletesWorkload(
                simulation,
                orientation.name().toLowerCase(Locale.ROOT) + "_partition_deletes",
                orientation,
                true,
                Optional.of(1));
    }

    /** Without partitions: all is deleted at once. */
    static Workload whole(Simulation simulation, Orientation orientation) {
        return new PartitionDeletesWorkload(
                simulation,
                orientation.name().toLowerCase(Locale.ROOT) + "_whole_deletes",
                orientation,
                true,
                Optional.empty());
    }

    /** Without a primary key, partitioned by the amount. */
    static Workload appends(Simulation simulation) {
        return new PartitionDeletesWorkload(
                simulation, "append_partition_deletes", Orientation.COLUMN, false, Optional.of(3));
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        int dice = random.nextInt(100);
        if (dice < 40) {
            write();
        } else if (dice < 52) {
            delete();
        } else if (dice < 57 && takesFiles()) {
            commitFiles();
        } else if (dice < 67) {
            pin();
        } else if (dice < 80) {
            pinned.read(this::readPinned);
        } else if (dice < 87) {
            pinPast();
        } else if (dice < 95) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    private boolean takesFiles() {
        return keyed && partitionColumn.isEmpty() && !orientation.hasRows();
    }

    @Override
    public void check() throws IOException {
        pinned.clear();
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> found = readAll(snapshot);
        Request unknown = open;
        if (unknown != null && unknown.lsn.isEmpty()) {
            assertThat(found).isIn(unknown.before, unknown.after);
            past.clear(); // nobody knows when it took effect
            rows = new TreeMap<>(found);
            open = null;
        } else {
            settle();
            assertThat(found).isEqualTo(rows);
        }
        node.engine().closeSnapshot(snapshot.id());
        for (long id = 0; keyed && id < PARTITIONS; id++) {
            for (int time = 0; time < 2; time++) {
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .isEqualTo(Optional.ofNullable(rows.get(id)));
            }
        }
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
    }

    private void write() {
        if (!settle()) {
            return;
        }
        ShardId shard = table.schema().shard(random.nextInt(SHARDS));
        WriteBatchBuilder batch = table.batch();
        Map<Long, String> after = new TreeMap<>(rows);
        for (int i = random.nextInt(6); i >= 0; i--) {
            String name = "n" + nextValue + "x".repeat(random.nextInt(100));
            if (!keyed) {
                long id = nextId++;
                long amount = random.nextInt(PARTITIONS);
                batch.append(table.row(id, name, amount));
                after.put(id, name + ":" + amount);
                continue;
            }
            long id = random.nextInt(PARTITIONS);
            if (!table.shard(id).equals(shard)) {
                continue;
            }
            if (random.nextInt(5) == 0) {
                batch.delete(table.key(id));
                after.remove(id);
            } else {
                batch.upsert(table.key(id), table.row(id, name, nextValue));
                after.put(id, name + ":" + nextValue++);
            }
        }
        if (!batch.isEmpty()) {
            send(after, table.write(node.engine(), shard, batch));
        }
    }

    private void delete() {
        if (!settle()) {
            return;
        }
        Map<Long, String> after = new TreeMap<>(rows);
        if (partitionColumn.isEmpty() || random.nextInt(8) == 0) {
            after.clear();
            send(after, node.engine().deletePartitions(table.id(), ScanPredicate.ALL));
            return;
        }
        long low = random.nextInt(PARTITIONS);
        long high = random.nextBoolean() ? low : low + random.nextInt(PARTITIONS);
        after.entrySet()
                .removeIf(
                        row -> {
                            long partition =
                                    keyed
                                            ? row.getKey()
                                            : Long.parseLong(
                                                    row.getValue()
                                                            .substring(
                                                                    row.getValue().indexOf(':')
                                                                            + 1));
                            return partition >= low && partition <= high;
                        });
        send(after, node.engine().deletePartitions(table.id(), partitions(low, high)));
    }

    private ScanPredicate partitions(long low, long high) {
        int columnId = partitionColumn.orElseThrow();
        ValueCodec codec = ValueCodec.of(table.schema().column(columnId).type());
        return new ScanPredicate(
                Map.of(
                        columnId,
                        ColumnDomain.of(
                                new ValueRange(
                                        Optional.of(codec.encodeLong(low)),
                                        true,
                                        Optional.of(codec.encodeLong(high)),
                                        true))));
    }

    private void commitFiles() throws IOException {
        if (!settle()) {
            return;
        }
        Map<ShardId, List<WorkerFiles.Row>> byShard = new HashMap<>();
        Map<Long, String> after = new TreeMap<>(rows);
        for (long id = 0; id < PARTITIONS; id++) {
            if (random.nextInt(3) == 0) {
                byShard.computeIfAbsent(table.shard(id), shard -> new ArrayList<>())
                        .add(new WorkerFiles.Row(id, "file", nextValue));
                after.put(id, "file:" + nextValue++);
            }
        }
        List<io.stele.protocol.api.write.WrittenFile> files = new ArrayList<>();
        for (Map.Entry<ShardId, List<WorkerFiles.Row>> part : byShard.entrySet()) {
            String fileId = "worker-" + nextValue + "-" + part.getKey().index();
            files.add(
                    WorkerFiles.write(
                            node.objects(), table, part.getKey(), fileId, part.getValue()));
        }
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        send(after, node.commit(transaction, files));
    }

    /** Whether the request before is known to be through, or there is none. */
    private boolean settle() {
        Request request = open;
        if (request == null) {
            return true;
        }
        if (request.lsn.isEmpty()) {
            return false; // in flight, or unknown until the next restart
        }
        rows = request.after;
        past.add(new Past(request.lsn.get(), request.after));
        if (past.size() > 50) {
            past.removeFirst();
        }
        open = null;
        return true;
    }

    private void send(Map<Long, String> after, CompletableFuture<Lsn> answer) {
        Request request = new Request(rows, after);
        open = request;
        answer.whenComplete(
                (lsn, failed) -> {
                    if (failed == null) {
                        acknowledged++;
                        request.lsn = Optional.of(lsn);
                    }
                });
    }

    private void pin() {
        settle();
        pinned.open(Optional.empty(), new Seen(Optional.ofNullable(open), rows));
    }

    /** A snapshot in the past, between two requests. */
    private void pinPast() {
        settle();
        if (past.size() < 2) {
            return;
        }
        int index = random.nextInt(past.size() - 1);
        Past state = past.get(index);
        long next = past.get(index + 1).lsn.value();
        Lsn at = random.nextBoolean() ? state.lsn : new Lsn(next - 1);
        pinned.open(Optional.of(at), new Seen(Optional.empty(), state.rows));
    }

    private void readPinned(LeasedSnapshot snapshot, Seen seen) throws IOException {
        Map<Long, String> found = readAll(snapshot);
        assertThat(found)
                .as(
                        "%s at %s, %s",
                        table.schema().tableName(),
                        snapshot.lsn(),
                        seen.request.map(
                                request ->
                                        request.lsn
                                                + " "
                                                + request.before
                                                + " -> "
                                                + request.after))
                .isIn(seen.possible(snapshot.lsn()));
        if (seen.rows == null) {
            seen.rows = found;
        }
        assertThat(found).as("again at %s", snapshot.lsn()).isEqualTo(seen.rows);
    }

    /** Every way to read gives the same rows. */
    private Map<Long, String> readAll(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> found = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(found);
        for (int i = 0; keyed && i < 3; i++) {
            table.checkLookups(node.engine(), snapshot, random.nextInt(PARTITIONS), found);
        }
        return found;
    }

    /** What was asked for last. */
    private static final class Request {
        private final Map<Long, String> before;
        private final Map<Long, String> after;
        private Optional<Lsn> lsn = Optional.empty();

        private Request(Map<Long, String> before, Map<Long, String> after) {
            this.before = before;
            this.after = after;
        }
    }

    /** The rows from an LSN on. */
    private record Past(Lsn lsn, Map<Long, String> rows) {}

    /** What may be seen at a snapshot that is kept, and what was. */
    private static final class Seen {
        private final Optional<Request> request; // that was under way
        private final Map<Long, String> present;
        private Map<Long, String> rows;

        private Seen(Optional<Request> request, Map<Long, String> present) {
            this.request = request;
            this.present = present;
        }

        private List<Map<Long, String>> possible(Lsn at) {
            if (request.isEmpty()) {
                return List.of(present);
            }
            Request during = request.get();
            if (during.lsn.isEmpty()) {
                return List.of(during.before, during.after);
            }
            boolean seesIt = during.lsn.get().compareTo(at) <= 0;
            return List.of(seesIt ? during.after : during.before);
        }
    }
}
