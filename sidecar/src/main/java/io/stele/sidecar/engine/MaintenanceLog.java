package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.engine.shard.maintenance.MaintenanceListener;
import io.stele.engine.wal.LogSpace;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A rate-limited listener that writes failures and recoveries of flushes, compactions and manifest
 * writes to the log of the sidecar. Of each repeated work it logs the first, the second, the fourth
 * failure and so on, and the recovery. Thread-safe.
 *
 * <p>Invariant: it writes at most {@value #LINES} lines in ten seconds, and one with the number of
 * omitted lines, however many shards fail.
 */
final class MaintenanceLog implements MaintenanceListener {
    static final int LINES = 10;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> warnings;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private long windowNanos;

    @GuardedBy("this")
    private int lines;

    @GuardedBy("this")
    private long leftOut;

    /**
     * @param warnings receives lines
     */
    MaintenanceLog(Consumer<String> warnings, LongSupplier nanoTime) {
        this.warnings = requireNonNull(warnings, "warnings is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.windowNanos = nanoTime.getAsLong();
    }

    @Override
    public void failed(MaintenanceFailure failure) {
        if (Integer.bitCount(failure.attempts()) == 1) {
            add(failure.describe());
        }
    }

    @Override
    public void recovered(MaintenanceFailure last) {
        add(
                "Shard %s: the %s goes well again after %d failures, or is not needed any more"
                        .formatted(last.shard(), last.work(), last.attempts()));
    }

    @Override
    public void logSpaceChanged(LogSpace space) {
        add(
                "The write-ahead log takes %d bytes, and its disk has %d left: %s"
                        .formatted(
                                space.usedBytes(),
                                space.usableBytes(),
                                space.isShort()
                                        ? "writes wait until flushes, or you, have made room"
                                        : "writes go on"));
    }

    private synchronized void add(String line) {
        long now = nanoTime.getAsLong();
        if (now - windowNanos >= WINDOW_NANOS) {
            windowNanos = now;
            lines = 0;
            if (leftOut > 0) {
                warnings.accept(
                        "%d lines about flushes and merges were left out; the status says what still fails"
                                .formatted(leftOut));
                leftOut = 0;
            }
        }
        if (lines < LINES) {
            lines++;
            warnings.accept(line);
        } else {
            leftOut++;
        }
    }
}
