package io.stele.connector.read.page;

import static io.airlift.slice.SizeOf.instanceSize;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A page whose columns are computed by {@link ScanChannel}s from another page's columns, each at
 * its first use. Confined to one driver.
 */
public final class ChannelSourcePage implements SourcePage {
    private static final int INSTANCE_SIZE = instanceSize(ChannelSourcePage.class);

    private final SourcePage source;
    private final List<ScanChannel> channels;
    private final @Nullable Block[] blocks;

    public ChannelSourcePage(SourcePage source, List<ScanChannel> channels) {
        this.source = source;
        this.channels = channels;
        this.blocks = new Block[channels.size()];
    }

    @Override
    public int getPositionCount() {
        return source.getPositionCount();
    }

    @Override
    public long getSizeInBytes() {
        long size = 0;
        for (Block block : blocks) {
            size += block == null ? 0 : block.getSizeInBytes();
        }
        return size;
    }

    @Override
    public long getRetainedSizeInBytes() {
        long size = INSTANCE_SIZE + source.getRetainedSizeInBytes();
        for (Block block : blocks) {
            size += block == null ? 0 : block.getRetainedSizeInBytes();
        }
        return size;
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer) {
        consumer.accept(this, INSTANCE_SIZE);
        source.retainedBytesForEachPart(consumer);
        for (Block block : blocks) {
            if (block != null) {
                block.retainedBytesForEachPart(consumer);
            }
        }
    }

    @Override
    public int getChannelCount() {
        return blocks.length;
    }

    @Override
    public Block getBlock(int channel) {
        Block block = blocks[channel];
        if (block == null) {
            block = channels.get(channel).load(source);
            blocks[channel] = block;
        }
        return block;
    }

    @Override
    public Page getPage() {
        Block[] loaded = new Block[blocks.length];
        for (int channel = 0; channel < loaded.length; channel++) {
            loaded[channel] = getBlock(channel);
        }
        return new Page(getPositionCount(), loaded);
    }

    @Override
    public void selectPositions(int[] positions, int offset, int size) {
        source.selectPositions(positions, offset, size);
        for (int channel = 0; channel < blocks.length; channel++) {
            Block block = blocks[channel];
            if (block != null) {
                blocks[channel] = block.getPositions(positions, offset, size);
            }
        }
    }
}
