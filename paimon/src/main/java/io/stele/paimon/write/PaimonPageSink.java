package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.SchemaTableName;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.apache.paimon.types.RowKind;

/**
 * The sink of one driver on a worker for an INSERT or CREATE TABLE AS, which writes rows through
 * Paimon's writer. Confined to one driver.
 */
final class PaimonPageSink implements ConnectorPageSink {
    private final SchemaTableName name;
    private final PaimonTableWriter writer;
    private final PageRow row;
    private final int[] channels;
    private long completedBytes;

    /**
     * @param channels of the table's columns in the pages; -1: none, the column is null
     */
    PaimonPageSink(SchemaTableName name, PaimonTableWriter writer, PageRow row, int[] channels) {
        this.name = requireNonNull(name, "name is null");
        this.writer = requireNonNull(writer, "writer is null");
        this.row = requireNonNull(row, "row is null");
        this.channels = channels.clone();
    }

    /** The blocks of a table's columns, by their channels; null for a negative channel. */
    static Block[] blocks(Page page, int[] channels) {
        Block[] blocks = new Block[channels.length];
        for (int i = 0; i < channels.length; i++) {
            if (channels[i] >= 0) {
                blocks[i] = page.getBlock(channels[i]);
            }
        }
        return blocks;
    }

    @Override
    public CompletableFuture<?> appendPage(Page page) {
        row.set(blocks(page, channels));
        WriteFailures.run(
                name,
                () -> {
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        writer.write(row.at(position, RowKind.INSERT));
                    }
                    return page;
                });
        completedBytes += page.getSizeInBytes();
        return NOT_BLOCKED;
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish() {
        return CompletableFuture.completedFuture(
                WriteFailures.run(name, () -> WriteMessages.encode(writer.finish())));
    }

    @Override
    public void abort() {
        WriteFailures.run(
                name,
                () -> {
                    writer.abort();
                    return name;
                });
    }

    @Override
    public long getCompletedBytes() {
        return completedBytes;
    }

    @Override
    public long getMemoryUsage() {
        return writer.memoryBytes(completedBytes);
    }
}
