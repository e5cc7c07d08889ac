package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

/**
 * The reads of a table, of a query in a table, or of a whole process since its start.
 *
 * @param tableName {@code schema.table}; empty: of the whole process
 * @param queryId of Trino; empty: of all queries
 * @param scans that have ended: splits of a worker, streams of a sidecar; 0 of a whole process
 */
public record RetrievalUse(String tableName, String queryId, long scans, ReadCounters counters) {
    public RetrievalUse {
        requireNonNull(tableName, "tableName is null");
        requireNonNull(queryId, "queryId is null");
        requireNonNull(counters, "counters is null");
    }

    /** The same with the counters of another scan. */
    public RetrievalUse plus(ReadCounters scan) {
        return new RetrievalUse(tableName, queryId, scans + 1, counters.plus(scan));
    }

    /** The same with the scans of another use. */
    public RetrievalUse plus(RetrievalUse other) {
        return new RetrievalUse(
                tableName, queryId, scans + other.scans, counters.plus(other.counters));
    }
}
