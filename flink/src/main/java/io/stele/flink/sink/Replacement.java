package io.stele.flink.sink;

import io.stele.protocol.SteleException;
import org.apache.flink.table.data.RowData;

/**
 * Rows that nobody sees until they take the place of others, all at once. Confined to one thread.
 * All methods wait for the sidecar.
 */
sealed interface Replacement permits TableReplacement, PartitionReplacement {
    /**
     * Adds an inserted row.
     *
     * @throws SteleException what the sidecar refuses; the replacement is of no more use
     */
    void add(RowData row);

    /** Keeps what was added, while no rows come. */
    void renew();

    /**
     * Puts the rows in their place.
     *
     * @throws SteleException what the sidecar refuses; UNAVAILABLE, OUTCOME_UNKNOWN and the like:
     *     they may have got there
     */
    void publish();

    /** Drops what was not published, or leaves it to expire where the sidecar does not answer. */
    void discard();
}
