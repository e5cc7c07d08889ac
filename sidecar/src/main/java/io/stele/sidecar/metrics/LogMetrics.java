package io.stele.sidecar.metrics;

import io.airlift.stats.DistributionStat;
import io.airlift.stats.TimeStat;
import java.util.concurrent.TimeUnit;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/** What the write-ahead log asked of its disk, group by group. Thread safe. */
public final class LogMetrics {
    private final DistributionStat groupBytes = new DistributionStat();
    private final TimeStat writeTime = new TimeStat(TimeUnit.MICROSECONDS);
    private final TimeStat syncTime = new TimeStat(TimeUnit.MICROSECONDS);

    /** A group was handed to the operating system. */
    public void written(long sizeBytes, long nanos) {
        groupBytes.add(sizeBytes);
        writeTime.addNanos(nanos);
    }

    /** A group was made durable. */
    public void synced(long nanos) {
        syncTime.addNanos(nanos);
    }

    @Managed(description = "Bytes of a group, which one fsync makes durable")
    @Nested
    public DistributionStat getGroupBytes() {
        return groupBytes;
    }

    @Managed(description = "Microseconds to hand a group to the operating system")
    @Nested
    public TimeStat getWriteTime() {
        return writeTime;
    }

    @Managed(description = "Microseconds of an fsync of the log")
    @Nested
    public TimeStat getSyncTime() {
        return syncTime;
    }
}
