package io.stele.engine.shard;

import io.stele.engine.tablet.TableView;
import java.io.IOException;
import java.util.Optional;

/**
 * The keys of files that are to be ingested as insertions into one table of a shard. Confined to
 * one thread; blocks.
 */
interface InsertedTableKeys {
    /** A key that two rows of the files have, if there is any. */
    Optional<byte[]> findTwice() throws IOException;

    /**
     * A key of the files that has a row, if there is any.
     *
     * @param sinceLsn rows at or below are known not to have one of the keys; 0: none is known
     * @param firstVisibleLsn rows below have expired
     */
    Optional<byte[]> findPresent(TableView view, long sinceLsn, long firstVisibleLsn)
            throws IOException;
}
