package io.stele.paimon.read;

import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The rows of a split, with the stored columns as the file has them. Confined to one driver. */
interface FileRows extends Closeable {
    /** The next rows, which follow each other in the file; null: there are no more. */
    @Nullable SourcePage next() throws IOException;

    /** The number in the file of the last page's first row. */
    long firstRow();

    long readBytes();

    long readNanos();

    /** Of the reader's buffers. */
    long memoryBytes();

    /** Those of the format. */
    Metrics metrics();
}
