package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.SortedFile;
import io.stele.paimon.merge.SortedRows;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one sorted run of files, as input of a merge; while one file is read, the next is
 * being opened. Confined to one driver.
 */
final class RunRows implements SortedRows {
    private record Next(SortedFile file, OpeningRows rows) {}

    private final Deque<Next> pending = new ArrayDeque<>();
    private @Nullable SortedFile file;
    private @Nullable VisibleRows rows;
    private boolean isNextAnnounced;
    private long positions;
    private long readBytes;
    private long readNanos;
    private Metrics metrics = Metrics.EMPTY;

    /**
     * @param opener prepares the rows of a file without a request
     */
    RunRows(List<SortedFile> files, Function<SortedFile, OpeningRows> opener) {
        for (SortedFile next : files) {
            OpeningRows opening = opener.apply(next);
            if (!opening.isNone()) {
                pending.add(new Next(next, opening));
            }
        }
    }

    /** Starts to fetch the end of the next file. */
    void fetchFooter() {
        if (!pending.isEmpty()) {
            pending.getFirst().rows().fetchFooter();
        }
    }

    /** Waits for the end of the next file, and starts to fetch its indexes. */
    void fetchIndexes() {
        if (!pending.isEmpty()) {
            pending.getFirst().rows().fetchIndexes();
        }
    }

    /** Opens the next file after its indexes, and starts to fetch the end of the file after it. */
    void open() {
        Next next = pending.pollFirst();
        if (next != null) {
            file = next.file();
            rows = next.rows().open();
            isNextAnnounced = false;
            fetchFooter();
        }
    }

    @Override
    public @Nullable SourcePage next() throws IOException {
        while (rows != null) {
            SourcePage page = rows.next();
            if (page != null) {
                if (!isNextAnnounced) {
                    isNextAnnounced = true;
                    fetchIndexes();
                }
                return page;
            }
            close();
            if (!pending.isEmpty() && !isNextAnnounced) {
                fetchIndexes();
            }
            open();
        }
        return null;
    }

    @Override
    public int level() {
        return requireNonNull(file, "no file is open").level();
    }

    @Override
    public long sequenceNumber() {
        return requireNonNull(file, "no file is open").minSequence();
    }

    @Override
    public long memoryBytes() {
        return rows == null ? 0 : rows.memoryBytes();
    }

    /** The number of rows read, including deleted rows. */
    long positions() {
        return positions + (rows == null ? 0 : rows.positions());
    }

    long readBytes() {
        return readBytes + (rows == null ? 0 : rows.readBytes());
    }

    long readNanos() {
        return readNanos + (rows == null ? 0 : rows.readNanos());
    }

    Metrics metrics() {
        return rows == null ? metrics : metrics.mergeWith(rows.metrics());
    }

    /** Closes the open file. */
    @Override
    public void close() throws IOException {
        VisibleRows open = rows;
        if (open != null) {
            positions += open.positions();
            readBytes += open.readBytes();
            readNanos += open.readNanos();
            metrics = metrics.mergeWith(open.metrics());
            rows = null;
            open.close();
        }
    }
}
