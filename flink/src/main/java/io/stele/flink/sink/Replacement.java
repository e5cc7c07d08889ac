package io.stele.flink.sink;

import io.stele.protocol.SteleException;
import org.apache.flink.table.data.RowData;

/**
 * An invisible set of new rows, which replaces other rows atomically when it is published. Owns
 * state at the sidecar until {@link #publish} or {@link #discard}. Confined to one thread; all
 * methods wait for the sidecar.
 */
sealed interface Replacement permits TableReplacement, PartitionReplacement {
    /**
     * Adds an inserted row.
     *
     * @throws SteleException the sidecar's refusal; the replacement is unusable after it
     */
    void add(RowData row);

    /** Renews the leases of the replacement while no rows arrive. */
    void renew();

    /**
     * Publishes the rows in place of the others.
     *
     * @throws SteleException the sidecar's refusal; after UNAVAILABLE or OUTCOME_UNKNOWN, the rows
     *     may have been published
     */
    void publish();

    /** Discards what was not published. If the sidecar does not answer, it expires. */
    void discard();
}
