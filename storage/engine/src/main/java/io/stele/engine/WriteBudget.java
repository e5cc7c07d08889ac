package io.stele.engine;

import io.stele.protocol.SteleException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of writes that are not yet in memtables, over all shards and clients of a node: rows
 * staged in transactions, and batches from their arrival to their acknowledgement. Thread safe.
 *
 * <p>Invariant: memory that was taken is returned exactly once, however the write ends. Invariant:
 * staged rows, which may wait for their commit for long, leave a quarter to batches.
 */
final class WriteBudget {
    private static final long RETRY_MILLIS = 500; // a tick of the maintenance

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    WriteBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** The limit of staged rows, and so of one transaction. */
    long stagedLimitBytes() {
        return limitBytes / 4 * 3;
    }

    /** Takes room for a batch; returns why there is none. */
    Optional<SteleException> take(long bytes) {
        return take(bytes, limitBytes, "batches on their way and staged rows");
    }

    /**
     * Takes room for rows that are staged.
     *
     * @throws SteleException BUSY: nothing was taken
     */
    void takeStaged(long bytes) {
        take(bytes, stagedLimitBytes(), "rows to stage, beside batches on their way")
                .ifPresent(
                        busy -> {
                            throw busy;
                        });
    }

    private Optional<SteleException> take(long bytes, long limit, String what) {
        while (true) {
            long used = usedBytes.get();
            // A batch above the whole limit passes alone: it would wait for ever
            if (used + bytes > limit && used > 0) {
                return Optional.of(
                        SteleException.busy(
                                "Expected at most %d bytes of %s (stele.write.max-pending-size), found %d and %d more"
                                        .formatted(limit, what, used, bytes),
                                RETRY_MILLIS));
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return Optional.empty();
            }
        }
    }

    void giveBack(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    long usedBytes() {
        return usedBytes.get();
    }
}
