package io.stele.storage.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock: LSNs that follow wall time in milliseconds and always increase, whatever
 * the wall clock does.
 *
 * <p>Invariant: each {@link #next} is above every LSN that was returned or observed before. Guarded
 * by itself.
 */
public final class HybridClock {
    /** The sign bit stays clear, so that LSNs compare as signed numbers: the year 6429. */
    private static final long MAX_MILLIS = (1L << 47) - 1;

    private final LongSupplier wallMillis;
    private long last;

    /**
     * @param wallMillis milliseconds since the epoch
     */
    public HybridClock(LongSupplier wallMillis) {
        this.wallMillis = requireNonNull(wallMillis, "wallMillis is null");
    }

    /** The next LSN: the present time, or one above the last. */
    public Lsn next() {
        long millis = Math.clamp(wallMillis.getAsLong(), 0, MAX_MILLIS);
        synchronized (this) {
            if (last == Long.MAX_VALUE) {
                throw new IllegalStateException(
                        String.format(
                                Locale.ROOT,
                                "Expected an LSN below the maximum, found %d as the last",
                                last));
            }
            last = Math.max(last + 1, millis << 16);
            return new Lsn(last);
        }
    }

    /**
     * Moves the clock to at least {@code lsn}, which was assigned elsewhere or before a restart.
     */
    public synchronized void observe(Lsn lsn) {
        last = Math.max(last, lsn.value());
    }

    /** The last LSN returned or observed. */
    public synchronized Lsn last() {
        return new Lsn(last);
    }
}
