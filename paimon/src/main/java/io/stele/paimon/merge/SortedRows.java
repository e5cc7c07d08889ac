package io.stele.paimon.merge;

import io.trino.spi.connector.SourcePage;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An input of a merge: pages of rows sorted by key, each key once, with the channels of a {@link
 * MergeLayout}.
 */
public interface SortedRows extends Closeable {
    /**
     * The next rows. Blocks of the page that were not loaded are gone at the next call.
     *
     * @return null: there are no more
     */
    @Nullable SourcePage next() throws IOException;

    /** The level of the file of the last page. */
    int level();

    /**
     * The sequence number of all rows of the last page's file, where the layout has no channel of
     * sequence numbers.
     */
    long sequenceNumber();

    /** The bytes of buffers, without the last page. */
    long memoryBytes();
}
