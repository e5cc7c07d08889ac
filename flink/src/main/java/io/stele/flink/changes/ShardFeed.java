package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import org.apache.flink.table.data.RowData;

/** The changes of a shard, commit by commit. Confined to one thread. */
interface ShardFeed extends AutoCloseable {
    /** Takes the changes of a commit one by one. */
    interface Consumer {
        /**
         * A change.
         *
         * @param sizeBytes about the memory of the row
         */
        void accept(RowData row, Lsn lsn, int sizeBytes);
    }

    /**
     * Passes on the changes of the next commit if it is there, and waits for the rest of it.
     *
     * @return whether it was there
     * @throws SteleException the next call begins again after the position, with all changes of the
     *     commit
     */
    boolean poll(Consumer consumer);

    /** Whether changes were asked for that are not all passed on yet. */
    boolean isPending();

    /** The LSN up to which every change has been passed on. */
    Lsn position();

    /** Keeps the history after the position. */
    void renew();

    @Override
    void close();
}
