package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A queue of snapshots that queries no longer need, for release in the sidecar. The next request
 * that opens a snapshot also releases them, so that the end of a query costs no request of its own.
 * If no such request follows soon, separate requests release them. If these fail, the leases
 * expire. Thread-safe.
 */
final class EndedSnapshots {
    private static final Logger log = Logger.get(EndedSnapshots.class);

    /** Longest delay of the release; the sidecar retains the snapshot's files meanwhile. */
    private static final long DELAY_MILLIS = 500;

    private final SidecarActions sidecar;
    private final ScheduledExecutorService later;
    private final Queue<String> ended = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isScheduled = new AtomicBoolean();

    EndedSnapshots(SidecarActions sidecar, ScheduledExecutorService later) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.later = requireNonNull(later, "later is null");
    }

    void add(String snapshotId) {
        ended.add(snapshotId);
        if (isScheduled.compareAndSet(false, true)) {
            try {
                later.schedule(this::release, DELAY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                log.debug(e, "Cannot close snapshot %s", snapshotId);
            }
        }
    }

    /**
     * Takes the snapshots that a request releases; if the request fails, the caller gives them
     * back.
     */
    List<String> take() {
        List<String> taken = new ArrayList<>();
        while (taken.size() < OpenTableRequest.MAX_ENDED) {
            String next = ended.poll();
            if (next == null) {
                break;
            }
            taken.add(next);
        }
        return taken;
    }

    /** Puts back the snapshots of a request that failed. */
    void giveBack(List<String> taken) {
        taken.forEach(this::add);
    }

    private void release() {
        isScheduled.set(false); // first: what is added from now on may have come too late
        for (String id = ended.poll(); id != null; id = ended.poll()) {
            try {
                sidecar.callNow(SnapshotActions.CLOSE_SNAPSHOT, new CloseSnapshotRequest(id));
            } catch (RuntimeException e) {
                log.debug(e, "Cannot close snapshot %s", id);
            }
        }
    }
}
