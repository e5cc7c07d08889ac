package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.type.KeyRows;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A sink that buffers rows and writes them into sorted column files, one for each shard and
 * partition, whenever its buffer is full. Rows of {@link SmallPartitions} wait until all rows have
 * come, and are then staged for the log or become files. Of rows with the same primary key the last
 * one remains: within a buffer the others are left out, between buffers the order of the files
 * decides, and rows in the log come after all files. Confined to one thread.
 */
final class SortedFilesSink implements RowSink {
    // Of each page: its blocks and their headers
    private static final int PAGE_OVERHEAD_BYTES = 512;

    private final WriteContext context;
    private final KeyRows keys;
    private final List<Page> pages = new ArrayList<>();
    private final List<SortedRows.Row> rows = new ArrayList<>();
    private final SinkFiles files;
    private final SmallPartitions small;
    private final SpilledRows spilled;
    private long bufferedBytes;

    private SortedFilesSink(WriteContext context, SmallPartitions small) {
        this.context = requireNonNull(context, "context is null");
        this.small = small;
        this.keys = new KeyRows(context.table(), context.columns(), context.types());
        this.files = new SinkFiles(context);
        this.spilled = new SpilledRows(context, files, keys);
    }

    /**
     * A sink of many rows.
     *
     * @param fewPartitions the number of files of any size, as in {@link SmallPartitions}
     */
    static SortedFilesSink byFile(WriteContext context, int fewPartitions) {
        return new SortedFilesSink(context, SmallPartitions.byFile(context, fewPartitions));
    }

    /** A sink of few rows, for tables whose rows may be in any shard. */
    static SortedFilesSink byLog(WriteContext context) {
        return new SortedFilesSink(context, SmallPartitions.byLog(context));
    }

    @Override
    public void append(Page page) throws IOException {
        Block[] blocks = SortedRows.blocks(page);
        List<SortedRows.Row> added = new ArrayList<>(page.getPositionCount());
        for (int position = 0; position < page.getPositionCount(); position++) {
            keys.read(blocks, position);
            added.add(SortedRows.read(context, keys, position));
        }
        buffer(page, added);
        if (isFull()) {
            writeLarge();
        }
    }

    private void buffer(Page page, List<SortedRows.Row> added) {
        for (SortedRows.Row row : added) {
            rows.add(row.at(rows.size()));
            bufferedBytes += row.retainedBytes();
        }
        pages.add(page);
        bufferedBytes += page.getSizeInBytes() + PAGE_OVERHEAD_BYTES;
    }

    private boolean isFull() {
        return bufferedBytes >= context.sortBufferBytes();
    }

    /** Empties the buffer: large partitions become files, small ones wait. */
    private void writeLarge() throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        SortedRows sorted = new SortedRows(context, pages, rows, files);
        SmallPartitions.Division division = small.divide(sorted, sorted.runs());
        sorted.write(division.rest());
        spilled.add(sorted, division.small());
        clear();
    }

    /**
     * Empties the buffer when no row has to wait any more.
     *
     * @param continues whether more rows of the last partition follow
     */
    private void writeAll(boolean continues) throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        SortedRows sorted = new SortedRows(context, pages, rows, files);
        sorted.write(small.stage(sorted, sorted.runs(), continues));
        clear();
    }

    private void clear() {
        pages.clear();
        rows.clear();
        bufferedBytes = 0;
    }

    @Override
    public long retainedBytes() {
        return bufferedBytes;
    }

    @Override
    public long writtenBytes() {
        return files.finishedBytes() + small.stagedBytes();
    }

    @Override
    public List<WrittenFile> finish() throws IOException {
        if (!spilled.isEmpty()) {
            writeLarge();
            spilled.drain(new Last());
        }
        writeAll(false);
        return files.finished();
    }

    @Override
    public List<UUID> parts() {
        return small.parts();
    }

    @Override
    public void abort() throws IOException {
        clear();
        files.delete();
    }

    /** The receiver, at the end, of all rows that have waited. */
    private final class Last implements SpilledRows.Target {
        @Override
        public void add(Page page, List<SortedRows.Row> added) throws IOException {
            if (isFull()) {
                writeAll(true);
            }
            buffer(page, added);
        }

        /** Empties a buffer that is half full, so that few partitions are cut. */
        @Override
        public void groupEnded() throws IOException {
            if (bufferedBytes >= context.sortBufferBytes() / 2) {
                writeAll(false);
            }
        }
    }
}
