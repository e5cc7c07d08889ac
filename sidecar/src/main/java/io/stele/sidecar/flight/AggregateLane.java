package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.YieldSignal;
import io.stele.scheduler.fragment.BatchSource;
import io.stele.scheduler.fragment.Edge;
import io.stele.scheduler.fragment.EdgeOptions;
import io.stele.scheduler.fragment.Produced;
import io.stele.storage.aggregate.AggregatePart;
import io.stele.storage.aggregate.AggregateScan;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.WouldBlockException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The fragment that computes parts of an aggregation, one after the other, until there is none
 * left. Several lanes of one aggregation share its parts. A lane makes no batches: its end says
 * that it has merged all it took.
 *
 * <p>Batches are read where waiting for the store is allowed and computed on the lane's context. So
 * the part belongs to the context, or while {@code away} to the pool of reads; {@link #close} in
 * that time is done when it is back.
 */
final class AggregateLane implements BatchSource<AggregateLane.Nothing> {
    private final AggregateScan scan;
    private final Executor storeReads;
    private @Nullable Edge<Nothing> edge; // set before the first pull

    private final Object lock = new Object();
    private boolean away; // guarded by lock: the other pool has the part
    private boolean closed; // guarded by lock

    private @Nullable AggregatePart part;
    private @Nullable Boolean loadedAway; // what the last load in the other pool came to
    private @Nullable Throwable failureAway;

    /** What a lane makes. */
    enum Nothing {}

    private AggregateLane(AggregateScan scan, Executor storeReads) {
        this.scan = requireNonNull(scan, "scan is null");
        this.storeReads = requireNonNull(storeReads, "storeReads is null");
    }

    /**
     * The fragment; one pull starts it and is its end.
     *
     * @param context of this lane alone
     * @param storeReads does what waits for the store; refuses by throwing
     */
    static Edge<Nothing> open(ExecutionContext context, AggregateScan scan, Executor storeReads) {
        AggregateLane lane = new AggregateLane(scan, storeReads);
        Edge<Nothing> edge =
                new Edge<>(context.name(), context, lane, EdgeOptions.DEFAULT, nothing -> 0);
        lane.edge = edge;
        return edge;
    }

    @Override
    public Produced<Nothing> next(YieldSignal signal) throws Exception {
        Throwable failed = failureAway;
        if (failed != null) {
            switch (failed) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                default -> throw new IllegalStateException(failed);
            }
        }
        while (true) {
            AggregatePart current = part;
            if (current == null) {
                Optional<AggregatePart> next = scan.nextPart();
                if (next.isEmpty()) {
                    return new Produced.End<>();
                }
                current = next.get();
                part = current;
            }
            Boolean loaded = loadedAway;
            loadedAway = null;
            if (loaded == null) {
                Optional<CompletableFuture<?>> other = current.waitsFor();
                if (other.isPresent()) {
                    Edge<Nothing> waiting = requireNonNull(edge, "edge is null");
                    other.get().whenComplete((result, failure) -> waiting.resume());
                    return new Produced.Waiting<>();
                }
                try {
                    loaded = NonBlocking.read(current::load);
                } catch (WouldBlockException mustWait) {
                    goAway(current);
                    return new Produced.Waiting<>();
                }
            }
            if (loaded) {
                current.add();
            } else {
                scan.merge(current);
                part = null;
                current.close();
            }
            if (signal.shouldYield()) {
                return new Produced.Working<>();
            }
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (away) {
                return; // whoever has the part closes it
            }
        }
        closePart();
    }

    // ---- in the pool of reads

    private void goAway(AggregatePart current) {
        synchronized (lock) {
            away = true;
        }
        try {
            storeReads.execute(() -> loadAway(current));
        } catch (RuntimeException refused) {
            failureAway = refused;
            comeBack();
        }
    }

    private void loadAway(AggregatePart current) {
        try {
            loadedAway = current.load();
        } catch (Exception | Error failed) {
            failureAway = failed;
        }
        comeBack();
    }

    private void comeBack() {
        boolean nobodyWants;
        synchronized (lock) {
            away = false;
            nobodyWants = closed;
        }
        if (nobodyWants) {
            closePart();
        } else {
            requireNonNull(edge, "edge is null").resume();
        }
    }

    private void closePart() {
        AggregatePart open = part;
        part = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException unread) {
            // Nothing was written, and all that was wanted has been read.
        }
    }
}
