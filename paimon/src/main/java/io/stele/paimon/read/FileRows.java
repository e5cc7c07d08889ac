package io.stele.paimon.read;

import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the rows of one split of a data file, with the stored columns before their
 * conversion. Confined to one driver.
 */
interface FileRows extends Closeable {
    /** The rows of a data file of which none is wanted. */
    FileRows NONE =
            new FileRows() {
                @Override
                public @Nullable SourcePage next() {
                    return null;
                }

                @Override
                public long firstRow() {
                    return 0;
                }

                @Override
                public long readBytes() {
                    return 0;
                }

                @Override
                public long readNanos() {
                    return 0;
                }

                @Override
                public long memoryBytes() {
                    return 0;
                }

                @Override
                public Metrics metrics() {
                    return Metrics.EMPTY;
                }

                @Override
                public void close() {}
            };

    /** The next rows, which follow each other in the file; null: there are no more. */
    @Nullable SourcePage next() throws IOException;

    /** The number in the file of the last page's first row. */
    long firstRow();

    long readBytes();

    long readNanos();

    /** The bytes of the reader's buffers. */
    long memoryBytes();

    /** The metrics of the format's reader. */
    Metrics metrics();
}
