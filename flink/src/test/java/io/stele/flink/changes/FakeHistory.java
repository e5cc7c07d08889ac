package io.stele.flink.changes;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLease;
import io.stele.client.lease.SnapshotLeases;
import io.stele.client.lease.SnapshotService;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;

/**
 * A history in memory: row i of the commit at an LSN of a shard is (shard, LSN, i), and the
 * snapshot of a shard has the row (shard, LSN of the snapshot, -1). Its faults are those that a
 * test sets. Guarded by its own lock.
 */
final class FakeHistory implements ShardHistory {
    /** The size that rows say they have. */
    static final int ROW_BYTES = 100;

    private static final Duration LEASE_TIME = Duration.ofMinutes(1);

    /** A failure at a row of a commit, and how often it is still to happen. */
    private record Fault(ErrorCode code, int row, AtomicInteger left) {}

    private final Map<Integer, TreeMap<Long, Integer>> commits = new HashMap<>();
    private final Map<Long, Fault> faults = new HashMap<>();
    private long present = 1;
    private boolean isLate;
    private Runnable onHold = () -> {};
    private int openLeases;
    private int renewals;
    private final Map<Integer, Integer> renewalsOfFeeds = new HashMap<>();

    synchronized void commit(int shard, long lsn, int rowCount) {
        commits.computeIfAbsent(shard, missing -> new TreeMap<>()).put(lsn, rowCount);
        present = Math.max(present, lsn);
    }

    /** Time goes by without changes. */
    synchronized void pass(long lsn) {
        present = Math.max(present, lsn);
    }

    /** Lets the commit of an LSN break at a row, in a number of attempts. */
    synchronized void breakAt(long lsn, int row, ErrorCode code, int times) {
        faults.put(lsn, new Fault(code, row, new AtomicInteger(times)));
    }

    /** Lets an answer come with the second poll that may ask for it, as those of a sidecar do. */
    synchronized void answerLate() {
        isLate = true;
    }

    /** Runs in the thread that opens a lease. */
    synchronized void onHold(Runnable action) {
        onHold = action;
    }

    synchronized int openLeases() {
        return openLeases;
    }

    synchronized int renewals() {
        return renewals;
    }

    /** How often the feed of a shard was renewed. */
    synchronized int renewals(int shard) {
        return renewalsOfFeeds.getOrDefault(shard, 0);
    }

    static String text(RowData row) {
        return row.getString(0).toString();
    }

    private static RowData row(int shard, long lsn, int row) {
        return GenericRowData.of(StringData.fromString("%d/%d/%d".formatted(shard, lsn, row)));
    }

    @Override
    public synchronized SnapshotLease hold(ChangeSplit split) {
        onHold.run();
        return new SnapshotLeases(new Leases(), split.tableId(), LEASE_TIME)
                .hold(Optional.of(split.position()), System::nanoTime);
    }

    /** Leases that never end. */
    private final class Leases implements SnapshotService {
        @Override
        public SnapshotReply open(OpenSnapshotRequest request) {
            synchronized (FakeHistory.this) {
                openLeases++;
            }
            return new SnapshotReply("lease", request.lsn().orElseThrow(), request.ttlMillis());
        }

        @Override
        public void renew(RenewSnapshotRequest request) {
            synchronized (FakeHistory.this) {
                renewals++;
            }
        }

        @Override
        public void close(CloseSnapshotRequest request) {
            synchronized (FakeHistory.this) {
                openLeases--;
            }
        }
    }

    @Override
    public void read(ChangeSplit split, LeasedSnapshot snapshot, Consumer<RowData> rows) {
        rows.accept(row(split.shard(), snapshot.lsn().value(), -1));
    }

    @Override
    public synchronized ShardFeed follow(ChangeSplit split) {
        openLeases++;
        return new Feed(split.shard(), split.position());
    }

    @Override
    public void close() {}

    private synchronized Optional<Map.Entry<Long, Integer>> next(int shard, Lsn after) {
        return Optional.ofNullable(commits.get(shard)).map(all -> all.higherEntry(after.value()));
    }

    private synchronized void fail(long lsn, int row) {
        Fault fault = faults.get(lsn);
        if (fault != null && fault.row() == row && fault.left().getAndDecrement() > 0) {
            throw new SteleException(fault.code(), "a fault of the test");
        }
    }

    private synchronized boolean isLate() {
        return isLate;
    }

    private final class Feed implements ShardFeed {
        private final int shard;
        private Lsn position;
        private int polls; // since the last answer

        Feed(int shard, Lsn position) {
            this.shard = shard;
            this.position = position;
        }

        @Override
        public boolean poll(Consumer consumer) {
            Optional<Map.Entry<Long, Integer>> next = next(shard, position);
            if (next.isEmpty()) {
                synchronized (FakeHistory.this) {
                    if (next(shard, position).isEmpty() && present > position.value()) {
                        position = new Lsn(present);
                    }
                }
                return false;
            }
            if (isLate() && ++polls < 3) { // the first one is before its time
                return false;
            }
            polls = 0;
            long lsn = next.get().getKey();
            for (int i = 0; i < next.get().getValue(); i++) {
                fail(lsn, i);
                consumer.accept(row(shard, lsn, i), new Lsn(lsn), ROW_BYTES);
            }
            position = new Lsn(lsn);
            return true;
        }

        @Override
        public boolean isPending() {
            return isLate() ? polls == 2 : next(shard, position).isPresent();
        }

        @Override
        public Lsn position() {
            return position;
        }

        @Override
        public void renew() {
            synchronized (FakeHistory.this) {
                renewals++;
                renewalsOfFeeds.merge(shard, 1, Integer::sum);
            }
        }

        @Override
        public void close() {
            synchronized (FakeHistory.this) {
                openLeases--;
            }
        }
    }
}
