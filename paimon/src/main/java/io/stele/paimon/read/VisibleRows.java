package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ReadTally;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the wanted rows of one split of a data file that are not deleted, as pages of the
 * wanted columns. Confined to one driver.
 */
final class VisibleRows implements Closeable {
    private final FileScan scan;
    private final FileRows rows;
    private final SelectedRows selected;
    private long positions;
    private boolean isClosed;

    /**
     * @param rows owned from now on
     */
    VisibleRows(FileScan scan, FileRows rows, SelectedRows selected) {
        this.scan = requireNonNull(scan, "scan is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.selected = requireNonNull(selected, "selected is null");
    }

    /**
     * The next rows.
     *
     * @return null: there are no more
     * @throws io.trino.spi.TrinoException that names the file
     */
    @Nullable SourcePage next() {
        try {
            while (true) {
                SourcePage page = rows.next();
                if (page == null) {
                    return null;
                }
                positions += page.getPositionCount();
                SourcePage visible = selected.select(page, rows.firstRow());
                if (visible != null) {
                    return new WantedPage(visible, scan.columns(), scan.failures());
                }
            }
        } catch (IOException | RuntimeException e) {
            throw scan.failures().apply(e);
        }
    }

    /** The number of rows read, including deleted rows. */
    long positions() {
        return positions;
    }

    long readBytes() {
        return rows.readBytes();
    }

    long readNanos() {
        return rows.readNanos();
    }

    /** The bytes of the reader's buffers. */
    long memoryBytes() {
        return rows.memoryBytes();
    }

    Metrics metrics() {
        ReadTally tally = scan.file().tally();
        return rows.metrics()
                .mergeWith(
                        new Metrics(
                                Map.of(
                                        "Bytes read of files",
                                        new LongCount(tally.readBytes()),
                                        "Bytes fetched from the lake",
                                        new LongCount(tally.fetchedBytes()),
                                        "Requests to the lake",
                                        new LongCount(tally.requests()),
                                        "Waits for the lake",
                                        new LongCount(tally.waits()),
                                        "Files left out by their index",
                                        new LongCount(scan.rows().isNone() ? 1 : 0),
                                        "Rows left out by the index of their file",
                                        new LongCount(selected.unselected()))));
    }

    @Override
    public void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            rows.close();
        }
    }
}
