package io.stele.flink.changes;

import io.stele.client.lease.SnapshotService;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The snapshots of a sidecar in memory, with a clock and an executor of periodic work that a test
 * moves. Leases end by the clock, and hold the history of a table. Confined to one thread.
 */
final class FakeSnapshots implements SnapshotService {
    /** A lease on the history from an LSN on. */
    private record Lease(Lsn lsn, long endMillis) {}

    /** Work that is repeated. */
    private static final class Periodic {
        private final Runnable work;
        private final long periodMillis;
        private long dueMillis;

        Periodic(Runnable work, long periodMillis, long dueMillis) {
            this.work = work;
            this.periodMillis = periodMillis;
            this.dueMillis = dueMillis;
        }
    }

    private final Map<String, Lease> leases = new TreeMap<>();
    private final List<Periodic> periodic = new ArrayList<>();
    private long nowMillis;
    private Lsn present = Lsn.MIN;
    private Lsn horizon = Lsn.MIN;
    private boolean isAway;
    private int opened;

    /** Time goes by, and periodic work is done when it is due. */
    void pass(Duration time) {
        long end = nowMillis + time.toMillis();
        while (nowMillis < end) {
            nowMillis++;
            leases.values().removeIf(lease -> lease.endMillis() <= nowMillis);
            for (Periodic each : periodic) {
                if (each.dueMillis <= nowMillis) {
                    each.dueMillis = nowMillis + each.periodMillis;
                    each.work.run();
                }
            }
        }
    }

    /** Does work in each period from the next one on. */
    void every(Duration period, Runnable work) {
        periodic.add(new Periodic(work, period.toMillis(), nowMillis + period.toMillis()));
    }

    /** The table has changes up to an LSN. */
    void write(Lsn lsn) {
        present = lsn;
    }

    /** Drops the history that no lease holds. */
    void dropHistory() {
        Lsn held = leases.values().stream().map(Lease::lsn).min(Lsn::compareTo).orElse(present);
        horizon = horizon.compareTo(held) < 0 ? held : horizon;
    }

    /** The sidecar is started again without its leases. */
    void restart() {
        leases.clear();
    }

    void setAway(boolean away) {
        isAway = away;
    }

    /** The LSNs of the leases that are open. */
    List<Lsn> held() {
        return leases.values().stream().map(Lease::lsn).sorted().toList();
    }

    /** Where the history begins. */
    Lsn horizon() {
        return horizon;
    }

    private void checkThere() {
        if (isAway) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "away for the test");
        }
    }

    @Override
    public SnapshotReply open(OpenSnapshotRequest request) {
        checkThere();
        Lsn lsn = request.lsn().orElse(present);
        if (lsn.compareTo(horizon) < 0) {
            throw new SteleException(ErrorCode.SNAPSHOT_EXPIRED, "dropped by the test");
        }
        String id = "lease " + ++opened;
        leases.put(id, new Lease(lsn, nowMillis + request.ttlMillis()));
        return new SnapshotReply(id, lsn, request.ttlMillis());
    }

    @Override
    public void renew(RenewSnapshotRequest request) {
        checkThere();
        Lease renewed =
                leases.computeIfPresent(
                        request.snapshotId(),
                        (id, lease) -> new Lease(lease.lsn(), nowMillis + request.ttlMillis()));
        if (renewed == null) {
            throw new SteleException(ErrorCode.SNAPSHOT_EXPIRED, "no such lease in the test");
        }
    }

    @Override
    public void close(CloseSnapshotRequest request) {
        checkThere();
        leases.remove(request.snapshotId());
    }
}
