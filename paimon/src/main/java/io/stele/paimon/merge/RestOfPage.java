package io.stele.paimon.merge;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.Objects;
import java.util.function.ObjLongConsumer;

/**
 * A result page over the rest of one input's page, whose wanted columns are loaded at their first
 * use. Confined to one driver.
 */
final class RestOfPage implements SourcePage {
    private static final int INSTANCE_SIZE = instanceSize(RestOfPage.class);

    private final SourcePage source;
    private final MergeLayout layout;

    RestOfPage(SourcePage source, MergeLayout layout) {
        this.source = requireNonNull(source, "source is null");
        this.layout = requireNonNull(layout, "layout is null");
    }

    @Override
    public int getPositionCount() {
        return source.getPositionCount();
    }

    @Override
    public long getSizeInBytes() {
        return source.getSizeInBytes();
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE + source.getRetainedSizeInBytes();
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer) {
        consumer.accept(this, INSTANCE_SIZE);
        source.retainedBytesForEachPart(consumer);
    }

    @Override
    public int getChannelCount() {
        return layout.columnCount();
    }

    @Override
    public Block getBlock(int channel) {
        Objects.checkIndex(channel, layout.columnCount());
        return TextLengths.cut(source.getBlock(channel), layout.lengths().get(channel));
    }

    @Override
    public Page getPage() {
        Block[] blocks = new Block[layout.columnCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = getBlock(channel);
        }
        return new Page(getPositionCount(), blocks);
    }

    @Override
    public void selectPositions(int[] positions, int offset, int size) {
        source.selectPositions(positions, offset, size);
    }
}
