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
 * A read that is begun again when it fails, as long as no row has been passed on. Confined to one
 * thread, which waits between attempts.
 */
final class RepeatedRead {
    /** One attempt. */
    interface Attempt {
        /**
         * Passes on all rows.
         *
         * @param isFirst nothing has failed before
         */
        void read(boolean isFirst, Consumer<RowData> rows);
    }

    /** Columns may change again while the table is described. */
    private static final int MAX_STALE = 2;

    private final Attempt attempt;
    private final Duration unavailableTimeout;
    private final Retries retries = new Retries();
    private boolean isBegun;
    private int stale;

    /**
     * A read.
     *
     * @param unavailableTimeout how long the sidecar may be away
     */
    RepeatedRead(Attempt attempt, Duration unavailableTimeout) {
        this.attempt = requireNonNull(attempt, "attempt is null");
        this.unavailableTimeout = requireNonNull(unavailableTimeout, "unavailableTimeout is null");
    }

    /**
     * Passes on all rows, each once.
     *
     * @throws SteleException rows have been passed on, it stays so, or the thread was interrupted
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
