package io.stele.connector.metadata.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.connector.sidecar.SidecarActions;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.RunJobRequest;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Actions of one transaction, which counts those that may have changed something: what it knew
 * before may be something else. Thread-safe.
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
    public <T> T change(String action, Object request, Class<T> replyType) {
        try {
            return actions.change(action, request, replyType);
        } finally {
            changes.incrementAndGet();
        }
    }

    @Override
    public <T> T call(String action, Object request, Class<T> replyType) {
        return actions.call(action, request, replyType);
    }

    @Override
    public <T> T callUntilKnown(String action, Object request, Class<T> replyType, String unknown) {
        try {
            return actions.callUntilKnown(action, request, replyType, unknown);
        } finally {
            changes.incrementAndGet();
        }
    }

    @Override
    public JobStatus runJob(RunJobRequest request) {
        return actions.runJob(request);
    }

    @Override
    public <T> T callNow(String action, Object request, Class<T> replyType) {
        return actions.callNow(action, request, replyType);
    }
}
