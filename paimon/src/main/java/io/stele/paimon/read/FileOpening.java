package io.stele.paimon.read;

import java.io.IOException;

/**
 * A data file that a scan is opening: its footer was read, and its indexes and first data are
 * fetched next. Confined to one driver.
 */
interface FileOpening {
    /** Starts to fetch the indexes of the parts that may have wanted rows; does not wait. */
    void fetchIndexes();

    /** Waits for the indexes, and starts to fetch the first data. */
    FileRows open() throws IOException;
}
