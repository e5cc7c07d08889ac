package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The open read points of a node, the history that is kept for them, and who may still be looking
 * at files.
 *
 * <p>Invariant: the horizon never goes back, and every open read point is at or above it; so what a
 * flush or a merge drops below the horizon nobody misses. Guarded by its own lock.
 */
final class ReadPoints {
    private static final int MAX_OPEN = 10_000; // each keeps history: more are leaks

    private final LongSupplier nowMillis;
    private final long retentionMillis;
    private final String idPrefix;
    private final Map<String, Lease> leases = new HashMap<>();
    private final Readers readers = new Readers();
    private volatile long horizon; // written under the lock
    private long nextId;

    ReadPoints(LongSupplier nowMillis, long retentionMillis, String idPrefix) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.retentionMillis = retentionMillis;
        this.idPrefix = requireNonNull(idPrefix, "idPrefix is null");
    }

    /**
     * Leases a snapshot. READ_POINT_EXPIRED if its history is not kept any more.
     *
     * @param choose the snapshot; called while the horizon stands still, so the present is never
     *     below it; must not wait
     */
    synchronized ReadPoint open(Supplier<Lsn> choose, long ttlMillis) {
        Lsn lsn = choose.get();
        if (lsn.value() < horizon) {
            throw new SteleException(
                    ErrorCode.READ_POINT_EXPIRED,
                    "Expected a read point at or after LSN "
                            + horizon
                            + ", the end of the retained history, found "
                            + lsn);
        }
        if (leases.size() >= MAX_OPEN) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected at most " + MAX_OPEN + " open read points, found " + leases.size());
        }
        ReadPoint point = new ReadPoint(idPrefix + ++nextId, lsn);
        leases.put(point.id(), new Lease(point, readers.enter(), deadline(ttlMillis)));
        return point;
    }

    synchronized ReadPoint find(String id) {
        return lease(id).point;
    }

    synchronized void renew(String id, long ttlMillis) {
        lease(id).deadlineMillis = deadline(ttlMillis);
    }

    synchronized void close(String id) {
        Lease lease = leases.remove(id);
        if (lease != null) {
            readers.exit(lease.reader);
        }
    }

    /** Ends the leases whose time is over. */
    synchronized void expire() {
        long now = nowMillis.getAsLong();
        leases.values()
                .removeIf(
                        lease -> {
                            boolean over = lease.deadlineMillis < now;
                            if (over) {
                                readers.exit(lease.reader);
                            }
                            return over;
                        });
    }

    /**
     * The LSN below which nobody reads any more: advances with time, held back by the oldest lease.
     */
    synchronized Lsn horizon() {
        long oldest = Math.max(0, nowMillis.getAsLong() - retentionMillis) << 16;
        for (Lease lease : leases.values()) {
            oldest = Math.min(oldest, lease.point.lsn().value());
        }
        horizon = Math.max(horizon, oldest);
        return new Lsn(horizon);
    }

    /**
     * READ_POINT_EXPIRED if the history at an LSN is not kept any more; call after reading: what
     * was dropped meanwhile may have been missed.
     */
    void requireRetained(Optional<Lsn> lsn) {
        if (lsn.isPresent()) {
            Lsn end = horizon();
            if (lsn.get().compareTo(end) < 0) {
                throw new SteleException(
                        ErrorCode.READ_POINT_EXPIRED,
                        "Expected an LSN at or after "
                                + end
                                + ", the end of the retained history, found "
                                + lsn.get());
            }
        }
    }

    /** The last {@link #horizon} that was asked for: nothing above it was dropped. */
    long passedLsn() {
        return horizon;
    }

    synchronized int openCount() {
        return leases.size();
    }

    /** Who may be looking at files: files that are obsolete stay until they exit. */
    Readers readers() {
        return readers;
    }

    private Lease lease(String id) {
        Lease lease = leases.get(id);
        if (lease == null) {
            throw new SteleException(
                    ErrorCode.READ_POINT_EXPIRED,
                    "Expected an open read point, found '" + id + "', which is closed or expired");
        }
        return lease;
    }

    private long deadline(long ttlMillis) {
        return nowMillis.getAsLong() + ttlMillis;
    }

    private static final class Lease {
        private final ReadPoint point;
        private final Readers.Generation reader;
        private long deadlineMillis;

        private Lease(ReadPoint point, Readers.Generation reader, long deadlineMillis) {
            this.point = point;
            this.reader = reader;
            this.deadlineMillis = deadlineMillis;
        }
    }
}
