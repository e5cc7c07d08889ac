package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.AggregationChoice;
import io.stele.protocol.api.scan.AggregationEstimate;

/**
 * Cost estimates of an aggregation in the sidecar and of a scan of the same rows by workers,
 * comparable with each other, not with a clock. Pure.
 *
 * @param work the work of both, as the sidecar estimated it
 * @param sidecarRequests requests of the sidecar to the store
 * @param sidecarMillis estimated time of the sidecar, in milliseconds
 * @param cachedMillis estimated time of the sidecar if it had all columns decoded, in milliseconds
 * @param workersMillis estimated time of the scan by workers, in milliseconds
 */
record AggregationCost(
        AggregationEstimate work,
        double sidecarRequests,
        double sidecarMillis,
        double cachedMillis,
        double workersMillis) {
    /*
     * Workers decode a value in a sixth of the sidecar's time (trino-orc beside the ORC library),
     * and are many. The sidecar adds decoded values in half of theirs, and has
     * results of files.
     *
     *   sidecar = requests for missing columns + (decoding of them + adding of rows) / its threads
     *   workers = splits + (decoding + adding) / all of their threads
     *
     * Nobody knows what workers have in memory. They count as half cold, as for a lookup.
     */

    /** Up to this number of rows no estimate is requested, because both take a few milliseconds. */
    static final long FEW_ROWS = 100_000;

    /** Q1 of TPC-H: 1.1 to 1.3 s for 7 columns of 6 million rows. */
    private static final double SIDECAR_NANOS_PER_VALUE = 25;

    /** The same columns: 22.6 ns a row. */
    private static final double WORKER_NANOS_PER_VALUE = 4;

    /** To group, compare or add a value that is decoded. */
    private static final double SIDECAR_NANOS_PER_OPERATION = 2.5;

    private static final double WORKER_NANOS_PER_OPERATION = 5;

    /** Metadata of files, then columns. */
    private static final double ROUNDS = 2;

    /** Files that the sidecar reads at once over a network, at least. */
    private static final double SIDECAR_FILES = 8;

    /** Requests side by side, of the sidecar and of a worker. */
    private static final double SIDECAR_REQUESTS = 128;

    private static final double WORKER_REQUESTS = 16;

    /** Most MiB of a request; longer runs take several requests. */
    private static final double REQUEST_MIB = 2;

    /** The chance that workers must read and decode. */
    private static final double COLD_SHARE = 0.5;

    /** To hand out a split, and to open its file. */
    private static final double MILLIS_PER_SPLIT = 3;

    /** To add, or to send, a row that is in no file. */
    private static final double SIDECAR_MILLIS_PER_LIVE_ROW = 0.001;

    private static final double WORKER_MILLIS_PER_LIVE_ROW = 0.002;

    /** A smaller saving is below the precision of the estimate. */
    private static final double MIN_SAVED_MILLIS = 10;

    private static final double MIB = 1 << 20;
    private static final double NANOS_PER_MILLI = 1e6;

    AggregationCost {
        requireNonNull(work, "work is null");
    }

    /**
     * @param operations values of a row that are grouped, compared or added
     * @param maxSplitBytes most bytes of a split
     * @param threads of a worker
     */
    static AggregationCost of(
            AggregationEstimate work,
            int operations,
            ReadCost.Store store,
            long maxSplitBytes,
            int threads,
            int workers) {
        double missingMiB = work.missingBytes() / MIB;
        double requests = Math.max(work.missingFiles(), missingMiB / REQUEST_MIB);
        double parallelFiles = Math.max(SIDECAR_FILES, work.workers());
        double parts = Math.clamp(work.files(), 1, (double) work.workers());
        double adding =
                work.computedRows()
                                * operations
                                * SIDECAR_NANOS_PER_OPERATION
                                / NANOS_PER_MILLI
                                / parts
                        + work.liveRows() * SIDECAR_MILLIS_PER_LIVE_ROW / parts;
        double reading =
                store(
                                store,
                                work.missingFiles(),
                                parallelFiles,
                                missingMiB,
                                requests,
                                SIDECAR_REQUESTS)
                        + work.missingValues() * SIDECAR_NANOS_PER_VALUE / NANOS_PER_MILLI / parts;
        return new AggregationCost(
                work,
                requests,
                reading + adding,
                adding,
                workers(
                        work,
                        operations,
                        store,
                        maxSplitBytes,
                        (double) threads * Math.max(1, workers),
                        WORKER_REQUESTS * Math.max(1, workers)));
    }

    private static double workers(
            AggregationEstimate work,
            int operations,
            ReadCost.Store store,
            long maxSplitBytes,
            double threads,
            double requests) {
        double mib = work.scannedBytes() / MIB;
        double splits = Math.max(work.files(), (double) work.fileBytes() / maxSplitBytes);
        double reading = store(store, work.files(), requests, mib, mib, requests);
        double values = (double) work.scannedRows() * work.columns();
        double nanos =
                values * WORKER_NANOS_PER_VALUE * COLD_SHARE
                        + (double) work.scannedRows() * operations * WORKER_NANOS_PER_OPERATION;
        return reading * COLD_SHARE
                + work.liveRows() * WORKER_MILLIS_PER_LIVE_ROW
                + (nanos / NANOS_PER_MILLI + splits * MILLIS_PER_SPLIT)
                        / Math.clamp(splits, 1, threads);
    }

    /** The wait for a store, whose files are read side by side. */
    private static double store(
            ReadCost.Store store,
            int files,
            double filesAtOnce,
            double mib,
            double requests,
            double requestsAtOnce) {
        return files == 0
                ? 0
                : ROUNDS * Math.max(1, files / filesAtOnce) * store.requestMillis()
                        + store.millisPerMiB() * mib / Math.clamp(requests, 1, requestsAtOnce);
    }

    /** Whether the sidecar is not slower, or slower by less than the estimate is precise. */
    boolean isSidecar() {
        return sidecarMillis <= workersMillis + MIN_SAVED_MILLIS;
    }

    /** By how much the sidecar is slower now. */
    double extraMillis() {
        return sidecarMillis - workersMillis;
    }

    /** By how much the sidecar would be faster with all columns in memory. */
    double foregoneMillis() {
        return Math.max(0, workersMillis - cachedMillis);
    }

    /**
     * The choice, as EXPLAIN shows it.
     *
     * @param fillsCaches whether the sidecar is chosen although it is slower
     */
    AggregationChoice choice(boolean fillsCaches) {
        return new AggregationChoice(
                Math.round(sidecarMillis),
                Math.round(sidecarRequests),
                work.missingBytes(),
                Math.round(workersMillis),
                work.files(),
                work.scannedBytes(),
                isSidecar() || fillsCaches,
                fillsCaches);
    }
}
