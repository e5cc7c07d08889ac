package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.scan.RowCursor;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TimeToLiveStep;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Writes to a table whose rows expire, and whose time to live changes, one after the other. The
 * oracle keeps every version of every key with its LSN: a reader at T sees the newest at or below
 * T, unless it is below the LSN that the time to live at T makes of T, or that an earlier one made
 * of the moment it was changed.
 *
 * <p>How a request ended is unknown after a failure until the next restart; then the rows tell.
 */
final class TimeToLiveWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int IDS = 12;
    private static final int MAX_PINNED = 3;
    private static final int MAX_STEPS = 12; // the catalog keeps more, so it forgets none
    private static final int INDEX = 1;

    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final Map<Long, List<Version>> versions = new TreeMap<>(); // by id, oldest first
    private final PinnedSnapshots<Optional<Lsn>> pinned; // with what was asked for
    private Request open;
    private long knownLsn; // up to here the versions are complete
    private long oldestLsn = 1; // from here on they are exact
    private boolean optionsUnknown; // a change of the time to live failed, or did not
    private List<TimeToLiveStep> stepsBefore = List.of(); // before the last change
    private long changedLsn; // up to here inserts may have followed those
    private long nextValue;
    private long acknowledged;

    private TimeToLiveWorkload(Simulation simulation, Orientation orientation) {
        this.random = simulation.newRandom();
        this.node = simulation.node();
        this.pinned = new PinnedSnapshots<>(node, random, MAX_PINNED);
        this.table =
                TestTable.create(
                        node.engine(),
                        "expiring_" + orientation.text().replace(',', '_'),
                        orientation,
                        true,
                        SHARDS,
                        TableOptions.NONE
                                .withTimeToLiveMillis(OptionalLong.of(randomTimeToLive()))
                                .withIndexes(
                                        List.of(
                                                new IndexSchema(
                                                        INDEX,
                                                        "by_amount",
                                                        List.of(3),
                                                        false,
                                                        true))));
    }

    static Workload of(Simulation simulation, Orientation orientation) {
        return new TimeToLiveWorkload(simulation, orientation);
    }

    private long randomTimeToLive() {
        return 1_000L + random.nextInt(40_000);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        int dice = optionsUnknown ? 85 + random.nextInt(15) : random.nextInt(100);
        if (dice < 50) {
            write();
        } else if (dice < 54) {
            changeTimeToLive();
        } else if (dice < 64) {
            pin(Optional.empty());
        } else if (dice < 70) {
            pin(
                    Optional.of(
                            new Lsn(
                                    Math.max(
                                            oldestLsn,
                                            knownLsn - random.nextLong(30_000L << 16)))));
        } else if (dice < 85) {
            pinned.read(this::readPinned);
        } else if (dice < 95) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    @Override
    public void check() throws IOException {
        pinned.clear();
        LeasedSnapshot snapshot = node.openSnapshot();
        if (optionsUnknown) {
            optionsUnknown = false;
            oldestLsn = snapshot.lsn().value();
            changedLsn = oldestLsn;
        }
        resolve(snapshot);
        assertThat(readAll(snapshot))
                .as("at %s", snapshot.lsn())
                .isEqualTo(expected(snapshot.lsn()));
        knownLsn = snapshot.lsn().value();
        node.engine().closeSnapshot(snapshot.id());
        for (long id = 0; id < IDS; id++) {
            for (int time = 0; time < 2; time++) { // the second time from the row cache
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .as("the latest row of %s in %s", id, table.schema().tableName())
                        .isEqualTo(visible(id, Lsn.MAX, now()));
            }
        }
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
        expireEverything();
    }

    /** In the end nothing is left, in no file either. */
    private void expireEverything() throws IOException {
        node.restart(); // no snapshot is left
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        List.of(TableOption.TIME_TO_LIVE),
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(1_000)));
        node.await(node.engine().flush(table.id()));
        for (int tick = 0; tick < 6; tick++) {
            node.tick(30_000);
        }
        node.await(node.engine().compact(table.id()));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEmpty();
        node.tick(1_000);
        assertThat(node.engine().statistics(table.id()).rowCount()).as("rows in files").isZero();
    }

    private void write() {
        if (!settle()) {
            return;
        }
        ShardId shard = table.schema().shard(random.nextInt(SHARDS));
        WriteBatchBuilder batch = table.batch();
        Map<Long, Optional<String>> changes = new TreeMap<>();
        if (random.nextInt(3) == 0) {
            insertIfAbsent(shard);
            return;
        }
        for (int i = random.nextInt(4); i >= 0; i--) {
            long id = random.nextInt(IDS);
            if (!table.shard(id).equals(shard)) {
                continue;
            }
            if (random.nextInt(6) == 0) {
                batch.delete(table.key(id));
                changes.put(id, Optional.empty());
            } else {
                batch.upsert(table.key(id), table.row(id, "n", nextValue));
                changes.put(id, Optional.of("n:" + nextValue++));
            }
        }
        if (!batch.isEmpty()) {
            send(shard, batch, changes, Optional.empty());
        }
    }

    private void insertIfAbsent(ShardId shard) {
        long id = random.nextInt(IDS);
        if (!table.shard(id).equals(shard)) {
            return;
        }
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT_IF_ABSENT, id, "i", nextValue);
        send(
                shard,
                batch,
                Map.of(id, Optional.of("i:" + nextValue++)),
                Optional.of(visible(id, Lsn.MAX, now()).isPresent()));
    }

    /**
     * @param wasThere of an insert: whether its key had a row when it was sent
     */
    private void send(
            ShardId shard,
            WriteBatchBuilder batch,
            Map<Long, Optional<String>> changes,
            Optional<Boolean> wasThere) {
        Request request = new Request(changes, wasThere);
        open = request;
        CompletableFuture<WriteOutcome> answer = table.apply(node.engine(), shard, batch);
        answer.whenComplete(
                (outcome, failed) -> {
                    if (failed == null) {
                        acknowledged++;
                        request.outcome = Optional.of(outcome);
                    }
                });
    }

    /** Whether the request before is known to be through, or there is none. */
    private boolean settle() {
        Request request = open;
        if (request == null) {
            return true;
        }
        if (request.outcome.isEmpty()) {
            return false; // in flight, or unknown until the next restart
        }
        WriteOutcome outcome = request.outcome.get();
        knownLsn = outcome.lsn().value();
        if (request.wasThere.isPresent()) {
            long id = request.changes.keySet().iterator().next();
            boolean skipped = outcome.skipped() > 0;
            Lsn lsn = outcome.lsn();
            List<Boolean> allowed = new ArrayList<>();
            allowed.add(request.wasThere.get()); // it may have expired since
            allowed.add(visible(id, lsn).isPresent());
            if (lsn.value() <= changedLsn) {
                // A change is of the moment it began, and in force once it is stored
                allowed.add(visible(id, lsn, lsn, stepsBefore).isPresent());
            }
            assertThat(skipped).as("insert of %s skipped at %s", id, lsn).isIn(allowed);
            if (skipped) {
                open = null;
                return true;
            }
        }
        add(request, outcome.lsn());
        open = null;
        return true;
    }

    private void add(Request request, Lsn lsn) {
        request.changes.forEach(
                (id, row) ->
                        versions.computeIfAbsent(id, key -> new ArrayList<>())
                                .add(new Version(lsn, row)));
    }

    /** Finds out by the rows whether an unknown request got through, and at which LSN. */
    private void resolve(LeasedSnapshot snapshot) throws IOException {
        if (settle()) {
            return;
        }
        Request request = open;
        open = null;
        oldestLsn = snapshot.lsn().value();
        Map<Long, String> found = table.snapshot(node.engine(), snapshot);
        if (found.equals(expected(snapshot.lsn()))) {
            return; // not there, or expired already
        }
        Optional<Lsn> lsn = lsnOfNewRow(snapshot, request);
        add(request, lsn.orElse(snapshot.lsn()));
        assertThat(found).as("after the unknown request").isEqualTo(expected(snapshot.lsn()));
    }

    private Optional<Lsn> lsnOfNewRow(LeasedSnapshot snapshot, Request request) throws IOException {
        for (ShardId shard : table.schema().shards()) {
            try (RowCursor cursor = node.scan(snapshot, table.id(), shard)) {
                while (cursor.next()) {
                    String amount = ":" + cursor.row().longAt(2);
                    boolean isNew =
                            request.changes
                                    .getOrDefault(cursor.row().longAt(0), Optional.empty())
                                    .filter(row -> row.endsWith(amount))
                                    .isPresent();
                    if (isNew) {
                        return Optional.of(new Lsn(cursor.lsn()));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private void changeTimeToLive() {
        if (steps().size() < MAX_STEPS) {
            optionsUnknown = true; // unless it goes well
            stepsBefore = steps();
            node.engine()
                    .catalog()
                    .setOptions(
                            table.id(),
                            List.of(TableOption.TIME_TO_LIVE),
                            TableOptions.NONE.withTimeToLiveMillis(
                                    random.nextInt(4) == 0
                                            ? OptionalLong.empty()
                                            : OptionalLong.of(randomTimeToLive())));
            optionsUnknown = false;
            changedLsn = now().value() | 0xFFFF; // the whole millisecond
        }
    }

    private void pin(Optional<Lsn> at) {
        settle();
        if (open != null && at.isEmpty()) {
            return; // nobody knows what it would see
        }
        pinned.open(at, at);
    }

    private void readPinned(LeasedSnapshot snapshot, Optional<Lsn> asked) throws IOException {
        assertThat(snapshot.lsn()).isEqualTo(asked.orElse(snapshot.lsn()));
        assertThat(readAll(snapshot))
                .as("at %s", snapshot.lsn())
                .isEqualTo(expected(snapshot.lsn()));
    }

    /** Every way to read gives the same rows. */
    private Map<Long, String> readAll(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> found = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(found);
        for (int i = 0; i < 4; i++) {
            long id = random.nextInt(IDS);
            table.checkLookups(node.engine(), snapshot, id, found);
            long amount = nextValue == 0 ? 0 : random.nextLong(nextValue);
            Map<Long, String> byAmount = new TreeMap<>(found);
            byAmount.values().removeIf(row -> !row.endsWith(":" + amount));
            assertThat(
                            table.lookup(
                                    node.engine(),
                                    snapshot,
                                    node.engine()
                                            .catalog()
                                            .current()
                                            .table(table.id())
                                            .options()
                                            .indexes()
                                            .getFirst()
                                            .id(),
                                    List.of(amount)))
                    .isEqualTo(byAmount);
        }
        return found;
    }

    private Map<Long, String> expected(Lsn at) {
        Map<Long, String> rows = new TreeMap<>();
        for (long id : versions.keySet()) {
            visible(id, at).ifPresent(row -> rows.put(id, row));
        }
        return rows;
    }

    private Optional<String> visible(long id, Lsn at) {
        return visible(id, at, at);
    }

    private Optional<String> visible(long id, Lsn at, Lsn time) {
        return visible(id, at, time, steps());
    }

    private Optional<String> visible(long id, Lsn at, Lsn time, List<TimeToLiveStep> steps) {
        Version newest = null;
        for (Version version : versions.getOrDefault(id, List.of())) {
            newest = version.lsn.compareTo(at) <= 0 ? version : newest;
        }
        return newest == null || newest.lsn.value() < expiredBelow(time.value(), steps)
                ? Optional.empty()
                : newest.row;
    }

    private Lsn now() {
        return new Lsn(Math.max(knownLsn >>> 16, node.nowMillis()) << 16);
    }

    /** The highest LSN that had expired at any moment up to T. */
    private static long expiredBelow(long at, List<TimeToLiveStep> steps) {
        long highest = 0;
        for (int i = 0; i < steps.size() && steps.get(i).since().value() <= at; i++) {
            long end = i + 1 < steps.size() ? steps.get(i + 1).since().value() : Long.MAX_VALUE;
            if (steps.get(i).millis() >= 0) {
                highest = Math.max(highest, Math.min(end, at) - (steps.get(i).millis() << 16));
            }
        }
        return highest;
    }

    private List<TimeToLiveStep> steps() {
        return node.engine().catalog().current().table(table.id()).options().timeToLiveSteps();
    }

    /** A row, or the end of one, from an LSN on. */
    private record Version(Lsn lsn, Optional<String> row) {}

    /** What was asked for last. */
    private static final class Request {
        private final Map<Long, Optional<String>> changes;
        private final Optional<Boolean> wasThere;
        private Optional<WriteOutcome> outcome = Optional.empty();

        private Request(Map<Long, Optional<String>> changes, Optional<Boolean> wasThere) {
            this.changes = changes;
            this.wasThere = wasThere;
        }
    }
}
