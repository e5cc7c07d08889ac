package io.stele.paimon.read;

import java.io.IOException;

/** A file whose footer was read. Confined to one driver. */
interface FileOpening {
    /** Asks for the indexes of the parts that may have wanted rows; does not wait. */
    void fetchIndexes();

    /** Waits for the indexes, and asks for the first data. */
    FileRows open() throws IOException;
}
