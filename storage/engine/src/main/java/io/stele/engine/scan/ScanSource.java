package io.stele.engine.scan;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.scan.RowCursor.Step;
import java.io.IOException;

/**
 * Rows that a reader sees, one after the other, before any predicate. Confined to one thread at a
 * time.
 */
interface ScanSource extends AutoCloseable {
    /** Does about the work of one row. */
    Step step() throws IOException;

    /** The row, after a step that came to one. */
    KeyedVersion version();

    @Override
    void close() throws IOException;
}
