package io.stele.sidecar.metrics;

import io.airlift.stats.CounterStat;
import io.stele.protocol.api.scan.ScanMode;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * Metrics of the scans, aggregations and lookups through the Flight, the framed and the PostgreSQL
 * endpoint. Thread-safe.
 */
public final class ReadMetrics {
    private final CounterStat scans = new CounterStat();
    private final CounterStat aggregations = new CounterStat();
    private final CounterStat indexScans = new CounterStat();
    private final CounterStat scanRows = new CounterStat();
    private final CounterStat scanBytes = new CounterStat();
    private final CounterStat lookups = new CounterStat();
    private final CounterStat lookupKeys = new CounterStat();
    private final CounterStat lookupHits = new CounterStat();
    private final CounterStat keyScanPages = new CounterStat();
    private final CounterStat keyScanRows = new CounterStat();
    private final CounterStat keyScanVersions = new CounterStat();
    private final Histogram lookupBatchKeys = Histogram.ofCounts();
    private final Histogram lookupTime = Histogram.ofSeconds();

    /** Counts the start of a scan. */
    public void scanStarted(ScanMode mode) {
        scans.update(1);
        if (mode == ScanMode.LOOKUP) {
            indexScans.update(1);
        }
    }

    /** Counts an aggregation that came to {@code rowCount} rows. */
    public void aggregated(long rowCount) {
        aggregations.update(1);
        scanRows.update(rowCount);
    }

    /** Counts a record batch sent. */
    public void scanned(long rowCount, long sizeBytes) {
        scanRows.update(rowCount);
        scanBytes.update(sizeBytes);
    }

    /** Counts a multi-get of {@code keyCount} keys, {@code hitCount} of which had a row. */
    public void lookedUp(long keyCount, long hitCount, long nanos) {
        lookups.update(1);
        lookupKeys.update(keyCount);
        lookupHits.update(hitCount);
        lookupBatchKeys.add(keyCount);
        lookupTime.add(nanos);
    }

    /** Counts a page of a scan by key, also as a lookup of its rows. */
    public void scannedByKey(long rowCount, long versionsRead, long nanos) {
        keyScanPages.update(1);
        keyScanRows.update(rowCount);
        keyScanVersions.update(versionsRead);
        lookedUp(rowCount, rowCount, nanos);
    }

    @Managed(description = "Scans started")
    @Nested
    public CounterStat getScans() {
        return scans;
    }

    @Managed(description = "Scans started that were to be answered by a secondary index")
    @Nested
    public CounterStat getIndexScans() {
        return indexScans;
    }

    @Managed(description = "Aggregations computed")
    @Nested
    public CounterStat getAggregations() {
        return aggregations;
    }

    @Managed(description = "Rows sent by scans")
    @Nested
    public CounterStat getScanRows() {
        return scanRows;
    }

    @Managed(description = "Bytes of Arrow record batches sent by scans")
    @Nested
    public CounterStat getScanBytes() {
        return scanBytes;
    }

    @Managed(description = "Multi-gets answered")
    @Nested
    public CounterStat getLookups() {
        return lookups;
    }

    @Managed(description = "Keys of multi-gets")
    @Nested
    public CounterStat getLookupKeys() {
        return lookupKeys;
    }

    @Managed(description = "Keys of multi-gets that had a row")
    @Nested
    public CounterStat getLookupHits() {
        return lookupHits;
    }

    @Managed(description = "Pages of scans by key")
    @Nested
    public CounterStat getKeyScanPages() {
        return keyScanPages;
    }

    @Managed(description = "Rows of the pages of scans by key")
    @Nested
    public CounterStat getKeyScanRows() {
        return keyScanRows;
    }

    @Managed(description = "Versions of rows that scans by key looked at")
    @Nested
    public CounterStat getKeyScanVersions() {
        return keyScanVersions;
    }

    @Managed(description = "Keys of one multi-get")
    @Nested
    public Histogram getLookupBatchKeys() {
        return lookupBatchKeys;
    }

    @Managed(description = "Seconds of one multi-get in the engine")
    @Nested
    public Histogram getLookupSeconds() {
        return lookupTime;
    }
}
