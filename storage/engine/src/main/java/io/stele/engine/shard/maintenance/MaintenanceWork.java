package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.StoreWait;
import io.stele.protocol.ShardId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of one kind of background work, such as a table's flushes: whether it runs, its
 * failures, and its waiting callers. Confined to the shard's context.
 */
final class MaintenanceWork {
    private final ShardId shard;
    private final List<MaintenanceWaiters> waiters;
    private @Nullable MaintenanceFailure failure;
    private boolean running;
    private boolean publishing;
    private boolean isAsked;

    MaintenanceWork(ShardId shard, MaintenanceWaiters... waiters) {
        this.shard = requireNonNull(shard, "shard is null");
        this.waiters = List.of(waiters);
    }

    /** Whether it may begin: it is not running, and does not pause after a failure. */
    boolean mayStart(long nowMillis) {
        return !running && (isAsked || failure == null || nowMillis >= failure.nextMillis());
    }

    /** A caller requests it now, without regard to earlier failures. */
    void ask() {
        isAsked = true;
    }

    void setRunning(boolean running) {
        this.running = running;
        isAsked &= !running;
    }

    /** Whether it waits for a manifest. */
    boolean isPublishing() {
        return publishing;
    }

    void setPublishing(boolean publishing) {
        this.publishing = publishing;
    }

    /** The last failure, if there was no success since. */
    Optional<MaintenanceFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Counts another failure; waiters are notified after enough of them. */
    MaintenanceFailure failed(String work, Exception cause, long nowMillis) {
        MaintenanceFailure last = failure;
        int attempts = last == null ? 1 : last.attempts() + 1;
        MaintenanceFailure next =
                new MaintenanceFailure(
                        shard,
                        work,
                        last == null ? nowMillis : last.sinceMillis(),
                        attempts,
                        nowMillis + StoreWait.pauseMillis(attempts),
                        text(cause));
        failure = next;
        failWaiters(next, cause);
        return next;
    }

    /** Work that it depends on failed. */
    void failWaiters(MaintenanceFailure found, Exception cause) {
        boolean hopeless = !StoreWait.isOutage(cause);
        waiters.forEach(each -> each.failed(found.refusal(cause), hopeless));
    }

    /** Counts a success; returns the preceding failure, if there was one. */
    Optional<MaintenanceFailure> recovered() {
        MaintenanceFailure last = failure;
        failure = null;
        return Optional.ofNullable(last);
    }

    /** The failure and its root cause, because libraries report what they did, not what failed. */
    static String text(Exception cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String said = cause.toString();
        String reason = root.toString();
        return said.contains(reason) ? said : said + " (" + reason + ")";
    }
}
