package io.stele.engine.scan;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.scan.RowCursor.Step;
import java.io.IOException;

/**
 * A source of the rows that a scan of one shard sees, one after the other, before the predicate is
 * applied. Confined to one thread at a time.
 */
interface ScanSource extends AutoCloseable {
    /** Does about the work of one row. */
    Step step() throws IOException;

    /** The row, after a step that reached one. */
    KeyedVersion version();

    @Override
    void close() throws IOException;
}
