package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.type.KeyRows;
import io.stele.protocol.api.WrittenFile;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Collects rows, and writes them sorted, each shard and partition a file, whenever its buffer is
 * full. Rows of {@link SmallPartitions} go by the log. Of rows with the same primary key the last
 * one stays: within a buffer by leaving the others out, between buffers by the order of the files,
 * and since what is in the log comes after all files.
 */
final class SortedFilesSink implements RowSink {
    private final WriteContext context;
    private final KeyRows keys;
    private final List<Page> pages = new ArrayList<>();
    private final List<SortedRows.Row> rows = new ArrayList<>();
    private final SinkFiles files;
    private final SmallPartitions small;
    private long bufferedBytes;

    private SortedFilesSink(WriteContext context, SmallPartitions small) {
        this.context = requireNonNull(context, "context is null");
        this.small = small;
        this.keys = new KeyRows(context.table(), context.columns(), context.types());
        this.files = new SinkFiles(context);
    }

    /**
     * Many rows.
     *
     * @param fewPartitions as {@link SmallPartitions} takes it
     */
    static SortedFilesSink byFile(WriteContext context, int fewPartitions) {
        return new SortedFilesSink(context, SmallPartitions.byFile(context, fewPartitions));
    }

    /** Rows that are few in all, of tables that leave their shard open. */
    static SortedFilesSink byLog(WriteContext context) {
        return new SortedFilesSink(context, SmallPartitions.byLog(context));
    }

    @Override
    public void append(Page page) throws IOException {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        for (int position = 0; position < page.getPositionCount(); position++) {
            keys.read(blocks, position);
            SortedRows.Row row = SortedRows.read(context, keys, rows.size());
            rows.add(row);
            bufferedBytes += row.retainedBytes();
        }
        pages.add(page);
        bufferedBytes += page.getSizeInBytes();
        if (bufferedBytes >= context.sortBufferBytes()) {
            flush();
        }
    }

    private void flush() throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        SortedRows sorted = new SortedRows(context, pages, rows, files);
        sorted.write(small.stage(sorted, sorted.runs()));
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
        flush();
        return files.finished();
    }

    @Override
    public List<UUID> parts() {
        return small.parts();
    }

    @Override
    public void abort() throws IOException {
        pages.clear();
        rows.clear();
        files.delete();
    }
}
