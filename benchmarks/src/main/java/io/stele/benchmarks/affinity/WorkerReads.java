package io.stele.benchmarks.affinity;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reads of one table through the data page cache of a worker.
 *
 * @param fetchedBytes from the store
 * @param hits pages that the cache had
 * @param misses pages that it did not have
 */
record WorkerReads(long fetchedBytes, long hits, long misses) {
    private static final WorkerReads NONE = new WorkerReads(0, 0, 0);

    /** By node id, since each worker started; workers that have not read anything are left out. */
    static Map<String, WorkerReads> of(TrinoSession trino, String catalog, String table)
            throws SQLException {
        Map<String, WorkerReads> reads = new HashMap<>();
        for (List<Object> row :
                trino.query(
                        "SELECT node, fetched_bytes, page_hits, page_misses FROM %s.system.caches WHERE layer = 'data_pages' AND process = 'worker' AND table_name = '%s'"
                                .formatted(catalog, table))) {
            reads.put(
                    (String) row.get(0),
                    new WorkerReads((long) row.get(1), (long) row.get(2), (long) row.get(3)));
        }
        return reads;
    }

    /** What was read between two moments. */
    static Map<String, WorkerReads> between(
            Map<String, WorkerReads> before, Map<String, WorkerReads> after) {
        Map<String, WorkerReads> reads = new HashMap<>();
        after.forEach((node, now) -> reads.put(node, now.since(before.getOrDefault(node, NONE))));
        return reads;
    }

    private WorkerReads since(WorkerReads before) {
        return new WorkerReads(
                fetchedBytes - before.fetchedBytes, hits - before.hits, misses - before.misses);
    }

    /** The part of the pages that the cache had; 1 if nothing was read. */
    double hitRate() {
        return hits + misses == 0 ? 1 : (double) hits / (hits + misses);
    }
}
