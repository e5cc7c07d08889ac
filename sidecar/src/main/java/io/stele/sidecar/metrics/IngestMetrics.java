package io.stele.sidecar.metrics;

import io.airlift.stats.CounterStat;
import io.airlift.stats.DistributionStat;
import io.airlift.stats.TimeStat;
import java.util.concurrent.TimeUnit;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/** What was written through the doors. Thread safe. */
public final class IngestMetrics {
    private final CounterStat rows = new CounterStat();
    private final CounterStat bytes = new CounterStat();
    private final CounterStat failures = new CounterStat();
    private final DistributionStat batchRows = new DistributionStat();
    private final TimeStat acknowledgeTime = new TimeStat(TimeUnit.MICROSECONDS);

    /** Counts a batch that is durable and applied {@code nanos} after it came in. */
    public void acknowledged(long rowCount, long sizeBytes, long nanos) {
        rows.update(rowCount);
        bytes.update(sizeBytes);
        batchRows.add(rowCount);
        acknowledgeTime.addNanos(nanos);
    }

    /** Counts a batch that was refused or failed. */
    public void failed() {
        failures.update(1);
    }

    @Managed(description = "Rows acknowledged")
    @Nested
    public CounterStat getRows() {
        return rows;
    }

    @Managed(description = "Bytes of acknowledged batches")
    @Nested
    public CounterStat getBytes() {
        return bytes;
    }

    @Managed(description = "Batches refused or failed")
    @Nested
    public CounterStat getFailures() {
        return failures;
    }

    @Managed(description = "Rows of a batch")
    @Nested
    public DistributionStat getBatchRows() {
        return batchRows;
    }

    @Managed(description = "Microseconds from the arrival of a batch to its acknowledgement")
    @Nested
    public TimeStat getAcknowledgeTime() {
        return acknowledgeTime;
    }
}
