package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A page source that adds row ids to the pages of another source, for MERGE, UPDATE and DELETE.
 * Confined to one driver.
 */
final class MergeRowPageSource implements ConnectorPageSource {
    /** The row id, in place of a channel. */
    static final int ROW_ID = -1;

    private final ConnectorPageSource source;
    private final int[] channels;
    private final int[] rowIdChannels;

    /**
     * @param channels the channels of the source, in the order of the result, or {@link #ROW_ID}
     * @param rowIdChannels the channels of the source, in the order of the fields of the row id
     */
    MergeRowPageSource(ConnectorPageSource source, int[] channels, int[] rowIdChannels) {
        this.source = requireNonNull(source, "source is null");
        this.channels = channels.clone();
        this.rowIdChannels = rowIdChannels.clone();
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        SourcePage next = source.getNextSourcePage();
        if (next == null) {
            return null;
        }
        Page page = next.getPage();
        Block[] result = new Block[channels.length];
        for (int i = 0; i < channels.length; i++) {
            result[i] = channels[i] == ROW_ID ? rowIds(page) : page.getBlock(channels[i]);
        }
        return SourcePage.create(new Page(page.getPositionCount(), result));
    }

    private Block rowIds(Page page) {
        Block[] fields = new Block[rowIdChannels.length];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = page.getBlock(rowIdChannels[i]);
        }
        return RowBlock.fromFieldBlocks(page.getPositionCount(), fields);
    }

    @Override
    public long getCompletedBytes() {
        return source.getCompletedBytes();
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return source.getCompletedPositions();
    }

    @Override
    public long getReadTimeNanos() {
        return source.getReadTimeNanos();
    }

    @Override
    public boolean isFinished() {
        return source.isFinished();
    }

    @Override
    public long getMemoryUsage() {
        return source.getMemoryUsage();
    }

    @Override
    public CompletableFuture<?> isBlocked() {
        return source.isBlocked();
    }

    @Override
    public Metrics getMetrics() {
        return source.getMetrics();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
