package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.ReadEstimate;
import io.stele.connector.sidecar.Warehouse;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.retrieval.LatencyFit;
import io.stele.objectstore.warehouse.WarehouseLocation;
import io.trino.spi.TrinoException;

/**
 * Cost estimates of a key lookup in the sidecar and of a scan by workers of the files that may
 * contain the keys, comparable with each other, not with a clock.
 *
 * @param keys number of wanted keys
 * @param files the files that may contain them
 * @param touchedShare share of the files' row groups that contain some of the keys
 * @param lookupRequests requests of the lookup to the store
 * @param lookupMillis estimated time of the lookup, in milliseconds
 * @param scanMillis estimated time of the scan, in milliseconds
 */
record ReadCost(
        int keys,
        Files files,
        double touchedShare,
        double lookupRequests,
        double lookupMillis,
        double scanMillis) {
    /*
     * Both read the same files. A lookup reads row groups, with all of their columns, but only those
     * of its keys; in files that are sorted by something else each key has one of its own. A scan
     * reads all row groups, but only the wanted columns, and workers are likely to have them.
     *
     *   lookup = rounds * request + groups/parallel requests of 1 MiB + decoding of groups
     *   scan   = splits + decoding of the wanted columns, by all threads of all workers
     *
     * A lookup makes requests to the store in three rounds: parts of key indexes; metadata and
     * blocks of indexes; rows. Other keys of the same files find all but the rows in memory, so how
     * many rounds there are is between one and three. A scan is estimated as if columns were
     * cached, for half of what it costs if they are not: a table that is joined is read again and
     * again, and what a scan reads of it stays, where the next keys of a lookup need other row
     * groups.
     */

    /**
     * Rows of a column file that are read and decoded together, fewer if they are wide, as in
     * {@code ColumnFileOptions}.
     */
    private static final long MAX_GROUP_ROWS = 10_000;

    private static final long MIN_GROUP_ROWS = 1_000;
    private static final double GROUP_BYTES = 2 << 20;

    /** The size of rows in memory, relative to their size in files. */
    private static final double DECODED_BYTES = 4;

    /**
     * Up to this share of row groups, rows are always looked up, because a scan would occupy all
     * workers.
     */
    private static final double FEW_GROUPS = 0.01;

    /**
     * The mean of three rounds, of the first lookup in its files, and one round, of later lookups.
     */
    private static final double LOOKUP_ROUNDS = 2;

    /** Metadata of files, then columns. */
    private static final double SCAN_ROUNDS = 2;

    /** The chance that workers, or lookups in indexes, must request data from the store. */
    private static final double COLD_SHARE = 0.5;

    /**
     * The assumed share of a file's bytes that the wanted columns have; the plan does not contain
     * it.
     */
    private static final double WANTED_SHARE = 0.5;

    /** Requests side by side, of a lookup and of the scans of a worker. */
    private static final double LOOKUP_REQUESTS = 128;

    private static final double SCAN_REQUESTS = 16;

    /** Most bytes of a request of a lookup: neighbouring rows are read together. */
    private static final double REQUEST_MIB = 1;

    /** To seek rows in a row group and make rows of them: a thread decodes 80 MiB/s of files. */
    private static final double LOOKUP_MILLIS_PER_MIB = 12;

    /** To decode columns that no cache has, and to compare them. */
    private static final double SCAN_MILLIS_PER_MIB = 6;

    /** To find a key in indexes and send its row. */
    private static final double MILLIS_PER_KEY = 0.05;

    /** To hand out a split, and to open its file. */
    private static final double MILLIS_PER_SPLIT = 3;

    /** A smaller saving is below the precision of the estimate. */
    private static final double MIN_SAVED_MILLIS = 10;

    /** To send a row that is in no file. */
    private static final double MILLIS_PER_LIVE_ROW = 0.002;

    private static final double MIB = 1 << 20;

    /**
     * The column files that a read needs.
     *
     * @param splits that workers read them in
     * @param bytes of all of them, with all columns
     * @param liveRows that only the sidecar has
     */
    record Files(int count, int splits, long rows, long bytes, long liveRows) {
        Files {
            if (count < 0 || splits < count || rows < 0 || bytes < 0 || liveRows < 0) {
                throw new IllegalArgumentException(
                        "Expected counts of at least 0, found %d files in %d splits, %d rows, %d bytes and %d rows in no file"
                                .formatted(count, splits, rows, bytes, liveRows));
            }
        }
    }

    /**
     * The latencies of a store.
     *
     * @param requestMillis of any request; 0: a local disk
     * @param millisPerMiB of its reply
     */
    record Store(double requestMillis, double millisPerMiB) {
        /** A local disk, whose files are in the system's memory. */
        static final Store LOCAL = new Store(0, 0);

        /** S3's times, where nothing was measured. */
        static final Store S3 =
                new Store(
                        LatencyFit.S3.baseNanos() / 1e6,
                        LatencyFit.S3.nanosPerByte() * (1 << 20) / 1e6);

        /**
         * The measured times of the warehouse, if it is open. It is not opened for this: a
         * coordinator that reads no files never opens it. S3's times if the sidecar does not report
         * the location.
         */
        static Store of(Warehouse warehouse) {
            return warehouse.findOpen().map(Store::of).orElseGet(() -> ofLocation(warehouse));
        }

        private static Store ofLocation(Warehouse warehouse) {
            try {
                return warehouse.location() instanceof WarehouseLocation.Folder ? LOCAL : S3;
            } catch (TrinoException | IllegalArgumentException _) {
                return S3;
            }
        }

        static Store of(ObjectStore store) {
            return store.isRemote()
                    ? store.retrieval()
                            .map(
                                    known ->
                                            new Store(
                                                    known.baseLatencyMillis(),
                                                    known.dataLatencyMillisPerMiB()))
                            .orElse(S3)
                    : LOCAL;
        }
    }

    ReadCost {
        requireNonNull(files, "files is null");
    }

    /**
     * @param threads of a node
     * @param workers that scan; the sidecar is one node
     */
    static ReadCost of(int keys, Files files, Store store, int threads, int workers) {
        double groups = Math.max(1, Math.ceil(files.rows / groupRows(files)));
        // As if each key were in a random group
        double touchedShare = 1 - Math.pow(1 - 1 / groups, keys);
        double touched = groups * touchedShare;
        double requests = lookupRequests(files, touched, touchedShare);
        return new ReadCost(
                keys,
                files,
                touchedShare,
                requests,
                lookup(keys, files, touched, touchedShare, requests, store, threads),
                scan(files, store, threads, Math.max(1, workers)));
    }

    private static double groupRows(Files files) {
        double rowBytes = DECODED_BYTES * files.bytes / Math.max(1, files.rows);
        return Math.clamp(GROUP_BYTES / Math.max(1, rowBytes), MIN_GROUP_ROWS, MAX_GROUP_ROWS);
    }

    private static double lookupRequests(Files files, double touched, double touchedShare) {
        double mib = files.bytes / MIB * touchedShare;
        return Math.max(
                Math.max(1, files.count * COLD_SHARE), // parts of indexes
                Math.max(touched, mib / REQUEST_MIB));
    }

    private static double lookup(
            int keys,
            Files files,
            double touched,
            double touchedShare,
            double requests,
            Store store,
            int threads) {
        double mib = files.bytes / MIB * touchedShare;
        double requestsInTurn =
                files.count == 0 ? 0 : Math.max(LOOKUP_ROUNDS, requests / LOOKUP_REQUESTS);
        return requestsInTurn * store.requestMillis
                + store.millisPerMiB * mib / Math.min(requests, LOOKUP_REQUESTS)
                + mib * LOOKUP_MILLIS_PER_MIB / Math.clamp(touched, 1, (double) threads)
                + keys * MILLIS_PER_KEY;
    }

    private static double scan(Files files, Store store, int threads, int workers) {
        double mib = files.bytes / MIB * WANTED_SHARE;
        double parallel = Math.clamp(files.splits, 1, (double) threads * workers);
        double requests = Math.clamp(mib / REQUEST_MIB, 1, SCAN_REQUESTS * workers);
        double requestsInTurn =
                files.count == 0
                        ? 0
                        : SCAN_ROUNDS * Math.max(1, files.count / (SCAN_REQUESTS * workers));
        double cold = requestsInTurn * store.requestMillis + store.millisPerMiB * mib / requests;
        return cold * COLD_SHARE
                + files.liveRows * MILLIS_PER_LIVE_ROW
                + (mib * SCAN_MILLIS_PER_MIB + Math.max(1, files.splits) * MILLIS_PER_SPLIT)
                        / parallel;
    }

    /**
     * Whether the rows should be looked up, also if that saves less than the estimate is precise.
     */
    boolean isLookup() {
        return touchedShare <= FEW_GROUPS || lookupMillis <= scanMillis + MIN_SAVED_MILLIS;
    }

    /** The estimate, for EXPLAIN and for the choice between lookup and scan. */
    ReadEstimate estimate() {
        return new ReadEstimate(
                keys,
                Math.round(lookupMillis),
                Math.round(lookupRequests),
                Math.round(files.bytes * touchedShare),
                Math.round(scanMillis),
                files.count,
                files.bytes,
                isLookup());
    }
}
