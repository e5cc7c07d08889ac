package io.stele.storage.scan;

import io.stele.storage.tablet.KeyedVersion;
import java.io.IOException;

/**
 * Rows that a reader sees, one after the other, before any predicate. Confined to one thread at a
 * time.
 */
interface ScanSource extends AutoCloseable {
    /** Moves to the next row; false at the end. */
    boolean advance() throws IOException;

    KeyedVersion version();

    @Override
    void close() throws IOException;
}
