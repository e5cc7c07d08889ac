package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.CloseReadPointRequest;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.OpenTableRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Read points that queries are done with. The next request that opens one tells the sidecar, so
 * that a query costs no request for its end; where none comes soon, requests of their own do. Where
 * those fail, the leases' time to live ends them. Thread-safe.
 */
final class EndedReadPoints {
    private static final Logger log = Logger.get(EndedReadPoints.class);

    /** What a lease holds is held so much longer. */
    private static final long DELAY_MILLIS = 500;

    private final SidecarActions sidecar;
    private final ScheduledExecutorService later;
    private final Queue<String> ended = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isScheduled = new AtomicBoolean();

    EndedReadPoints(SidecarActions sidecar, ScheduledExecutorService later) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.later = requireNonNull(later, "later is null");
    }

    void add(String readPointId) {
        ended.add(readPointId);
        if (isScheduled.compareAndSet(false, true)) {
            try {
                later.schedule(this::release, DELAY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                log.debug(e, "Cannot close read point %s", readPointId);
            }
        }
    }

    /** Those that a request is to tell: whoever takes them tells them, or gives them back. */
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

    /** What was taken by a request that failed. */
    void giveBack(List<String> taken) {
        taken.forEach(this::add);
    }

    private void release() {
        isScheduled.set(false); // first: what is added from now on may have come too late
        for (String id = ended.poll(); id != null; id = ended.poll()) {
            try {
                sidecar.callNow(
                        Actions.CLOSE_READ_POINT, new CloseReadPointRequest(id), Done.class);
            } catch (RuntimeException e) {
                log.debug(e, "Cannot close read point %s", id);
            }
        }
    }
}
