package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/**
 * A read that restarts after a failure, as long as it has emitted no row. Confined to one thread,
 * which waits between attempts.
 */
final class RepeatedRead {
    /** One attempt of the read. */
    interface Attempt {
        /**
         * Emits all rows.
         *
         * @param isFirst no attempt has failed before
         */
        void read(boolean isFirst, Consumer<RowData> rows);
    }

    /** The columns may change again while the table is described. */
    private static final int MAX_STALE = 2;

    private final Attempt attempt;
    private final Duration unavailableTimeout;
    private final Retries retries = new Retries();
    private boolean isBegun;
    private int stale;

    /**
     * A read that may be repeated.
     *
     * @param unavailableTimeout time for which a sidecar may be unreachable
     */
    RepeatedRead(Attempt attempt, Duration unavailableTimeout) {
        this.attempt = requireNonNull(attempt, "attempt is null");
        this.unavailableTimeout = requireNonNull(unavailableTimeout, "unavailableTimeout is null");
    }

    /**
     * Emits all rows, each once; blocks.
     *
     * @throws SteleException the failure came after the first row, repeats itself, or the thread
     *     was interrupted
     */
    void read(Consumer<RowData> rows) {
        Consumer<RowData> counted =
                row -> {
                    isBegun = true;
                    rows.accept(row);
                };
        for (boolean isFirst = true; ; isFirst = false) {
            try {
                attempt.read(isFirst, counted);
                return;
            } catch (SteleException failed) {
                Optional<Duration> pause = isBegun ? Optional.empty() : fail(failed);
                if (pause.isEmpty()) {
                    throw failed;
                }
                pause(pause.get(), failed);
            }
        }
    }

    private Optional<Duration> fail(SteleException failed) {
        if (failed.code() == ErrorCode.STALE_TABLE) {
            return ++stale > MAX_STALE ? Optional.empty() : Optional.of(Duration.ZERO);
        }
        return retries.fail(failed, unavailableTimeout);
    }

    private void pause(Duration pause, SteleException failed) {
        LockSupport.parkNanos(this, pause.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw failed;
        }
    }
}
