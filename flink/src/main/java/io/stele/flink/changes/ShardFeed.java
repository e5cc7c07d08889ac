package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import org.apache.flink.table.data.RowData;

/**
 * A stream of the changes of one shard, commit by commit, with a lease on the history after its
 * position. Confined to one thread.
 */
interface ShardFeed extends AutoCloseable {
    /** A consumer of the changes of a commit, one by one. */
    interface Consumer {
        /**
         * Takes a change.
         *
         * @param sizeBytes approximate memory of the row
         */
        void accept(RowData row, Lsn lsn, int sizeBytes);
    }

    /**
     * Passes on the changes of the next commit if it has arrived, and waits for the rest of it.
     *
     * @return whether it had arrived
     * @throws SteleException the next call starts again after the position, with all changes of the
     *     commit
     */
    boolean poll(Consumer consumer);

    /** Whether requested changes have not all been passed on yet. */
    boolean isPending();

    /** The LSN up to which every change has been passed on. */
    Lsn position();

    /** Renews the lease on the history after the position. */
    void renew();

    @Override
    void close();
}
