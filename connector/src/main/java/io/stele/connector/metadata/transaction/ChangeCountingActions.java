package io.stele.connector.metadata.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.connector.sidecar.SidecarActions;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.RunJobRequest;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A decorator of the sidecar requests of one transaction, which counts those that may have changed
 * the catalog, because metadata read before may be outdated. Thread-safe.
 */
public final class ChangeCountingActions implements SidecarActions {
    private final SidecarActions actions;
    private final AtomicLong changes = new AtomicLong();

    public ChangeCountingActions(SidecarActions actions) {
        this.actions = requireNonNull(actions, "actions is null");
    }

    /** The number of changes that have ended, also with a failure. */
    public long changes() {
        return changes.get();
    }

    @Override
    public <Q, R> R change(Action<Q, R> action, Q request) {
        try {
            return actions.change(action, request);
        } finally {
            changes.incrementAndGet();
        }
    }

    @Override
    public <Q, R> R call(Action<Q, R> action, Q request) {
        return actions.call(action, request);
    }

    @Override
    public <Q, R> R callUntilKnown(Action<Q, R> action, Q request, String unknown) {
        try {
            return actions.callUntilKnown(action, request, unknown);
        } finally {
            changes.incrementAndGet();
        }
    }

    @Override
    public JobStatus runJob(RunJobRequest request) {
        return actions.runJob(request);
    }

    @Override
    public <Q, R> R callNow(Action<Q, R> action, Q request) {
        return actions.callNow(action, request);
    }
}
