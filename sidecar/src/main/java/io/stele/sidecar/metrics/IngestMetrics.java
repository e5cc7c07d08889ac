package io.stele.sidecar.metrics;

import io.airlift.stats.CounterStat;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/** Metrics of the writes through the Flight and the framed endpoint. Thread-safe. */
public final class IngestMetrics {
    private final CounterStat rows = new CounterStat();
    private final CounterStat bytes = new CounterStat();
    private final CounterStat failures = new CounterStat();
    private final Histogram batchRows = Histogram.ofCounts();
    private final Histogram acknowledgeTime = Histogram.ofSeconds();

    /** Counts a batch that is durable and applied {@code nanos} after it came in. */
    public void acknowledged(long rowCount, long sizeBytes, long nanos) {
        rows.update(rowCount);
        bytes.update(sizeBytes);
        batchRows.add(rowCount);
        acknowledgeTime.add(nanos);
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
    public Histogram getBatchRows() {
        return batchRows;
    }

    @Managed(description = "Seconds from the arrival of a batch to its acknowledgement")
    @Nested
    public Histogram getAcknowledgeSeconds() {
        return acknowledgeTime;
    }
}
