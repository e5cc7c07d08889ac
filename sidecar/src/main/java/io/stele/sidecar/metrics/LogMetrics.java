package io.stele.sidecar.metrics;

import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * Metrics of the disk writes and fsyncs of the write-ahead log, one value for each commit group.
 * Thread-safe.
 */
public final class LogMetrics {
    private final Histogram groupBytes = Histogram.ofCounts();
    private final Histogram writeTime = Histogram.ofSeconds();
    private final Histogram syncTime = Histogram.ofSeconds();

    /** Counts a group that was passed to the operating system. */
    public void written(long sizeBytes, long nanos) {
        groupBytes.add(sizeBytes);
        writeTime.add(nanos);
    }

    /** Counts a group that was made durable. */
    public void synced(long nanos) {
        syncTime.add(nanos);
    }

    @Managed(description = "Bytes of a group, which one fsync makes durable")
    @Nested
    public Histogram getGroupBytes() {
        return groupBytes;
    }

    @Managed(description = "Seconds to hand a group to the operating system")
    @Nested
    public Histogram getWriteSeconds() {
        return writeTime;
    }

    @Managed(description = "Seconds of an fsync of the log")
    @Nested
    public Histogram getSyncSeconds() {
        return syncTime;
    }
}
