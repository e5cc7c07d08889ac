package io.stele.paimon.field;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A page source of columns and fields over one of columns. A field is null where a row on the way
 * to it is. Confined to one driver.
 */
public final class FieldPageSource implements ConnectorPageSource {
    private final ConnectorPageSource columns;
    private final List<ScanColumns.Part> parts;

    /**
     * @param columns owned from now on
     */
    public FieldPageSource(ConnectorPageSource columns, List<ScanColumns.Part> parts) {
        this.columns = requireNonNull(columns, "columns is null");
        this.parts = List.copyOf(parts);
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        SourcePage page = columns.getNextSourcePage();
        return page == null ? null : new FieldPage(page, parts);
    }

    @Override
    public long getCompletedBytes() {
        return columns.getCompletedBytes();
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return columns.getCompletedPositions();
    }

    @Override
    public long getReadTimeNanos() {
        return columns.getReadTimeNanos();
    }

    @Override
    public boolean isFinished() {
        return columns.isFinished();
    }

    @Override
    public long getMemoryUsage() {
        return columns.getMemoryUsage();
    }

    @Override
    public CompletableFuture<?> isBlocked() {
        return columns.isBlocked();
    }

    @Override
    public Metrics getMetrics() {
        return columns.getMetrics();
    }

    @Override
    public void close() throws IOException {
        columns.close();
    }

    /** A page whose columns are decoded when one of their parts is used first. */
    private record FieldPage(SourcePage columns, List<ScanColumns.Part> parts)
            implements SourcePage {
        @Override
        public int getPositionCount() {
            return columns.getPositionCount();
        }

        @Override
        public long getSizeInBytes() {
            return columns.getSizeInBytes();
        }

        @Override
        public long getRetainedSizeInBytes() {
            return columns.getRetainedSizeInBytes();
        }

        @Override
        public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer) {
            columns.retainedBytesForEachPart(consumer);
        }

        @Override
        public int getChannelCount() {
            return parts.size();
        }

        @Override
        public Block getBlock(int channel) {
            ScanColumns.Part part = parts.get(channel);
            Block block = columns.getBlock(part.channel());
            for (int position : part.positions()) {
                block = RowBlock.getRowFieldsFromBlock(block).get(position);
            }
            return block;
        }

        @Override
        public Page getPage() {
            Block[] loaded = new Block[parts.size()];
            for (int channel = 0; channel < loaded.length; channel++) {
                loaded[channel] = getBlock(channel);
            }
            return new Page(getPositionCount(), loaded);
        }

        @Override
        public void selectPositions(int[] positions, int offset, int size) {
            columns.selectPositions(positions, offset, size);
        }
    }
}
