package io.stele.benchmarks.ingest;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A case of the ingest benchmark: the number of writers and of batches in flight.
 *
 * @param name the name of the case in the report
 * @param writers threads, each with a writer of its own
 * @param inFlight batches that a thread may have unacknowledged; with 1 it waits for each before it
 *     makes the next
 * @param rocksDbName the case whose RocksDB load this one is compared with
 */
record IngestCase(String name, int writers, int inFlight, String rocksDbName) {
    /**
     * RocksDB's calls return when the batch is synced, so that one thread of it is in lock step
     * always: the first two cases have one RocksDB load between them.
     */
    static final List<IngestCase> ALL =
            List.of(
                    new IngestCase("1 writer", 1, 8, "1 writer"),
                    new IngestCase("1 writer, lock-step", 1, 1, "1 writer"),
                    new IngestCase("8 writers, lock-step", 8, 1, "8 writers, lock-step"));

    IngestCase {
        requireNonNull(name, "name is null");
        requireNonNull(rocksDbName, "rocksDbName is null");
    }

    boolean runsRocksDb() {
        return name.equals(rocksDbName);
    }
}
