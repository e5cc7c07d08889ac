package io.stele.engine.wal;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Locale;

/**
 * The check of an engine's epoch when it takes a log over on any medium, and the error when a later
 * engine owns it.
 */
final class LogEpochs {
    private LogEpochs() {}

    static void check(long epoch) {
        if (epoch < 1) {
            throw new IllegalArgumentException("Expected an epoch of at least 1, found " + epoch);
        }
    }

    /**
     * @param found the epoch that owns the log
     * @param where the place that has this epoch
     */
    static SteleException takenLater(long epoch, long found, Object where) {
        return new SteleException(
                ErrorCode.UNAVAILABLE,
                String.format(
                        Locale.ROOT,
                        "Expected to take the log over in epoch %d, found it taken in epoch %d by an engine that was opened later: %s",
                        epoch,
                        found,
                        where));
    }
}
