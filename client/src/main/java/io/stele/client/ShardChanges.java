package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightStream;
import io.stele.client.lease.SnapshotLease;
import io.stele.client.lease.SnapshotLeases;
import io.stele.client.lease.SnapshotService;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's change feed of one shard, commit by commit in LSN order; its polls block, and it
 * leases the history still unread. A reader that ends stores {@link #position}; a feed opened after
 * this LSN continues without gap or repetition.
 *
 * <p>Each round opens a snapshot and reads the changes since the previous snapshot. The feed holds
 * a lease on the previous snapshot. So the sidecar retains the history in between while the feed
 * polls, and for {@link ChangeOptions#leaseTime} after the last poll. After that, the table's
 * {@code retention} decides. A feed whose history is gone fails with SNAPSHOT_EXPIRED, so it never
 * omits a change.
 *
 * <p>Columns added to the table later are not returned. Confined to one thread.
 */
public final class ShardChanges implements AutoCloseable {
    /** Columns may change again while the table is described. */
    private static final int MAX_STALE_ROUNDS = 3;

    private final SteleClient client;
    private final Route route;
    private final ChangeOptions options;
    private final RowLayout layout;
    private final SnapshotLeases leases;
    private final LongSupplier nanoTime;
    private Lsn position;
    private @Nullable SnapshotLease held; // the history from the position on
    private @Nullable Round round;
    private Optional<Lsn> lastLsn = Optional.empty(); // the LSN at which the table was replaced
    private long nextRoundNanos;
    private int staleRounds; // consecutive
    private boolean isClosed;

    private ShardChanges(
            SteleClient client, CachedTable table, int shard, ChangeOptions options, Lsn position) {
        this.client = client;
        this.route = new Route(client, shard, table);
        this.options = options;
        this.layout = RowLayout.of(columns(table.schema(), options));
        this.leases =
                new SnapshotLeases(
                        SnapshotService.overFlight(route::flight),
                        table.schema().id(),
                        options.leaseTime());
        this.nanoTime = client.ticker();
        this.nextRoundNanos = nanoTime.getAsLong();
        this.position = position;
    }

    private static List<ColumnSchema> columns(TableSchema schema, ChangeOptions options) {
        List<ColumnSchema> columns = new ArrayList<>();
        options.columnIds().forEach(id -> columns.add(schema.column(id)));
        return columns.isEmpty() ? schema.columns() : columns;
    }

    static ShardChanges open(
            SteleClient client, CachedTable table, int shard, ChangeOptions options) {
        int shardCount = table.schema().shardCount();
        if (shard < 0 || shard >= shardCount) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a shard from 0 to %d of table %s, found %d"
                            .formatted(shardCount - 1, table.schema().qualifiedName(), shard));
        }
        ShardChanges changes =
                new ShardChanges(client, table, shard, options, options.after().orElse(Lsn.MIN));
        SnapshotLease lease = changes.lease(options.after());
        changes.held = lease;
        changes.position = lease.lsn();
        return changes;
    }

    /** The number of the shard. */
    public int shard() {
        return route.shard;
    }

    /** The columns of the rows of the changes. */
    public RowLayout layout() {
        return layout;
    }

    /**
     * The LSN up to which, inclusive, every change has been passed on. It also moves when there are
     * no changes.
     */
    public Lsn position() {
        return position;
    }

    /** Whether a round of changes has begun that are not all passed on yet. */
    public boolean isPending() {
        return round != null;
    }

    /**
     * Retains the history for {@link ChangeOptions#leaseTime} from about now on. It is for slow
     * readers, between two polls or while {@link #poll} passes changes on to them.
     *
     * @throws SteleException SNAPSHOT_EXPIRED if the history after the position is gone;
     *     UNAVAILABLE or BUSY: try again
     */
    public void renew() {
        if (isClosed) {
            throw new IllegalStateException("The feed is closed");
        }
        renewLeases();
    }

    private void renewLeases() {
        SnapshotLease from = held;
        if (from != null) {
            from.renewInTime();
        }
        Round present = round;
        if (present != null) {
            present.upTo.renewInTime();
        }
    }

    /**
     * Passes on all changes of the next commit that changed the shard, in undefined order; a row
     * before an update is directly before the row after it.
     *
     * @param wait the longest time to wait for the begin of a commit's changes
     * @return whether there was a commit
     * @throws SteleException SNAPSHOT_EXPIRED if the history after the position is gone.
     *     STALE_TABLE if the table was replaced or truncated, after all earlier changes were passed
     *     on, or if a column of the feed was dropped or has another type. TABLE_NOT_FOUND if the
     *     table was dropped, or was renamed and then its columns were changed. UNAVAILABLE or BUSY:
     *     try again. Some changes of a commit may have been passed on; the next call begins after
     *     the position
     */
    public boolean poll(Duration wait, Consumer<Change> consumer) {
        requireNonNull(consumer, "consumer is null");
        if (isClosed) {
            throw new IllegalStateException("The feed is closed");
        }
        long deadline = nanoTime.getAsLong() + wait.toNanos();
        boolean isDone = false;
        try {
            boolean isPassed = pollUntil(deadline, consumer);
            isDone = true;
            return isPassed;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SteleException(
                    ErrorCode.INTERNAL, "Interrupted while waiting for changes", stopped);
        } finally {
            if (!isDone) { // also after a failure of the consumer
                giveUp();
            }
        }
    }

    private boolean pollUntil(long deadline, Consumer<Change> consumer)
            throws InterruptedException {
        while (true) {
            Round present = round;
            if (present == null) {
                long now = nanoTime.getAsLong();
                long left = deadline - now;
                long early = nextRoundNanos - now;
                if (early > 0) {
                    pause(Math.max(0, Math.min(early, left)));
                    if (early > left) {
                        return false;
                    }
                }
                nextRoundNanos = nanoTime.getAsLong() + options.pollInterval().toNanos();
                present = begin();
                round = present;
            }
            renewLeases();
            try {
                if (!present.isReady(deadline - nanoTime.getAsLong())) {
                    return false;
                }
            } catch (SteleException failed) {
                if (failed.code() != ErrorCode.STALE_TABLE || ++staleRounds > MAX_STALE_ROUNDS) {
                    throw failed;
                }
                giveUp();
                describeAgain();
                continue;
            }
            staleRounds = 0;
            boolean isPassed = present.passNext(consumer);
            if (present.isOver) {
                end(present);
            } else {
                position = present.passed;
            }
            if (isPassed) {
                return true;
            }
        }
    }

    private void pause(long nanos) throws InterruptedException {
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    // ---- Rounds

    private Round begin() {
        SnapshotLease from = held;
        if (from == null) { // after a failure
            from = lease(Optional.of(position));
            held = from;
        }
        Optional<Lsn> end = lastLsn;
        if (end.isPresent() && position.compareTo(end.get()) >= 0) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected changes of table %s after LSN %s, found it replaced or truncated then: read it from the beginning"
                            .formatted(route.schema().qualifiedName(), position));
        }
        from.renewInTime();
        SnapshotLease upTo = lease(end);
        boolean isOpen = false;
        try {
            Round begun = new Round(upTo, new ChangeStream(stream(upTo), layout));
            isOpen = true;
            return begun;
        } finally {
            if (!isOpen) {
                upTo.close();
            }
        }
    }

    /** The stream of the changes between the position and a lease. */
    private FlightStream stream(SnapshotLease upTo) {
        TableSchema schema = route.schema();
        ScanTicket ticket =
                ScanTicket.of(
                                schema.id(),
                                ScanMode.CHANGES,
                                ChangeStream.columnIds(layout.columns()))
                        .at(upTo.snapshot().id(), upTo.lsn())
                        .in(schema.shard(route.shard))
                        .ofVersion(schema.schemaVersion())
                        .changesAfter(Optional.of(position))
                        .beforeImages(options.beforeImages())
                        .build();
        return route.flight().get(new Ticket(ticket.encode()));
    }

    private void end(Round ended) {
        ended.stream.close();
        round = null;
        position = ended.upTo.lsn();
        SnapshotLease before = held;
        held = ended.upTo;
        if (before != null) {
            before.close();
        }
    }

    private void giveUp() {
        Round broken = round;
        round = null;
        if (broken == null) {
            return;
        }
        boolean isInterrupted = Thread.interrupted(); // else the lease would stay
        try {
            broken.stream.close();
            broken.upTo.close();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Fetches the description of a changed table, whose rows are then read in the new version. */
    private void describeAgain() {
        TableSchema before = route.schema();
        CachedTable found =
                SteleClient.await(client.describe(before.schemaName(), before.tableName()));
        TableSchema present = found.schema();
        if (!present.id().equals(before.id())) {
            // Earlier changes must still be passed on
            lastLsn =
                    Optional.of(
                            found.description()
                                    .createdLsn()
                                    .map(lsn -> new Lsn(lsn.value() - 1))
                                    .filter(lsn -> lsn.compareTo(position) > 0)
                                    .orElse(position));
            return;
        }
        Map<Integer, ColumnSchema> columns = new HashMap<>();
        present.columns().forEach(column -> columns.put(column.id(), column));
        for (ColumnSchema column : layout.columns()) {
            ColumnSchema now = columns.get(column.id());
            if (now == null || !now.type().equals(column.type())) {
                throw new SteleException(
                        ErrorCode.STALE_TABLE,
                        "Expected column '%s' of type %s in the changes of table %s after LSN %s, found it %s: follow the table anew from there"
                                .formatted(
                                        column.name(),
                                        column.type(),
                                        before.qualifiedName(),
                                        position,
                                        now == null ? "dropped" : "of type " + now.type()));
            }
        }
        route.table = found;
    }

    private SnapshotLease lease(Optional<Lsn> lsn) {
        return leases.hold(lsn, nanoTime);
    }

    /** The table as it was described last, and the way to the owner of the shard. */
    private static final class Route {
        private final SteleClient client;
        private final int shard;
        private CachedTable table;

        Route(SteleClient client, int shard, CachedTable table) {
            this.client = client;
            this.shard = shard;
            this.table = table;
        }

        TableSchema schema() {
            return table.schema();
        }

        FlightClient flight() {
            Endpoint endpoint = table.flight(shard);
            return client.flight(endpoint.host(), endpoint.port());
        }
    }

    /** One scan of the changes between the position and a snapshot. */
    private final class Round {
        private final SnapshotLease upTo;
        private final ChangeStream stream;
        private Lsn passed = position;
        private boolean isBegun;
        private boolean isOver;

        Round(SnapshotLease upTo, ChangeStream stream) {
            this.upTo = upTo;
            this.stream = stream;
        }

        /** Waits until there is a change, or it is known that there is none. */
        boolean isReady(long nanos) throws InterruptedException {
            return isBegun || stream.isReady(nanos);
        }

        /**
         * Passes on the changes of the next LSN, and moves to the next change; false at the end.
         */
        boolean passNext(Consumer<Change> consumer) {
            if (!isBegun) {
                isBegun = true;
                isOver = !stream.advance();
            }
            if (isOver) {
                return false;
            }
            Lsn lsn = stream.change().lsn();
            do {
                consumer.accept(stream.change());
                isOver = !stream.advance();
                if (stream.isAtBatch()) { // keeps both leases of a slow reader
                    renewLeases();
                }
            } while (!isOver && stream.change().lsn().equals(lsn));
            passed = lsn;
            return true;
        }
    }

    /** Ends the leases. A position that is used later depends on the table's retention. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        giveUp();
        SnapshotLease last = held;
        held = null;
        if (last != null) {
            last.close();
        }
    }
}
