package io.stele.sidecar.statement;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.protocol.TableId;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The log of statements and lookups by key that took longer than a threshold, without the constants
 * of statements. At most one line in {@value #MIN_INTERVAL_MILLIS} ms; the next line says how many
 * were left out. Thread-safe.
 */
public final class SlowStatementLog {
    private static final Logger log = Logger.get(SlowStatementLog.class);
    private static final long MIN_INTERVAL_MILLIS = 100;

    private final long thresholdNanos;
    private final LongSupplier nanoTime;
    private final Function<TableId, String> tableNames;
    private final Consumer<String> out;
    private final AtomicLong nextNanos;
    private final AtomicLong leftOut = new AtomicLong();

    /**
     * @param thresholdNanos from which on it is written; {@link Long#MAX_VALUE}: never
     * @param tableNames the name of a table, for people
     */
    public SlowStatementLog(
            long thresholdNanos, LongSupplier nanoTime, Function<TableId, String> tableNames) {
        this(thresholdNanos, nanoTime, tableNames, log::warn);
    }

    SlowStatementLog(
            long thresholdNanos,
            LongSupplier nanoTime,
            Function<TableId, String> tableNames,
            Consumer<String> out) {
        this.thresholdNanos = thresholdNanos;
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.tableNames = requireNonNull(tableNames, "tableNames is null");
        this.out = requireNonNull(out, "out is null");
        this.nextNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /** Whether a statement or lookup of this time is logged. */
    boolean isSlow(long elapsedNanos) {
        return elapsedNanos >= thresholdNanos;
    }

    void ended(
            String user,
            StatementFingerprint fingerprint,
            long elapsedNanos,
            long rowCount,
            boolean isFailed) {
        if (isSlow(elapsedNanos)) {
            write(
                    "Slow statement of %s: %s, %s rows%s, query_id %s: %s",
                    user,
                    millis(elapsedNanos),
                    rowCount,
                    isFailed ? ", failed" : "",
                    fingerprint.id(),
                    fingerprint.text());
        }
    }

    /** Notes a lookup of keys of the framed protocol that has ended. */
    public void lookedUp(String user, TableId table, long keyCount, long elapsedNanos) {
        if (isSlow(elapsedNanos)) {
            write(
                    "Slow lookup of %s: %s, %s keys of %s",
                    user, millis(elapsedNanos), keyCount, tableNames.apply(table));
        }
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos * 1e-6);
    }

    private void write(String format, Object... values) {
        long now = nanoTime.getAsLong();
        long next = nextNanos.get();
        boolean isDue = now - next >= 0;
        if (!isDue
                || !nextNanos.compareAndSet(
                        next, now + TimeUnit.MILLISECONDS.toNanos(MIN_INTERVAL_MILLIS))) {
            leftOut.incrementAndGet();
            return;
        }
        long missing = leftOut.getAndSet(0);
        String line = format.formatted(values);
        out.accept(missing == 0 ? line : line + " (" + missing + " more before it)");
    }
}
