package io.stele.paimon.read;

import static io.airlift.slice.SizeOf.instanceSize;

import io.stele.paimon.type.FileColumns;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A page of the wanted columns, each decoded and converted at its first use. Confined to one
 * driver.
 */
final class WantedPage implements SourcePage {
    private static final int INSTANCE_SIZE = instanceSize(WantedPage.class);

    private final SourcePage source;
    private final FileColumns columns;
    private final Function<Exception, RuntimeException> failures;
    private final @Nullable Block[] blocks;

    /**
     * @param source with the stored columns
     */
    WantedPage(
            SourcePage source,
            FileColumns columns,
            Function<Exception, RuntimeException> failures) {
        this.source = source;
        this.columns = columns;
        this.failures = failures;
        this.blocks = new Block[columns.channels().size()];
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
            block = load(columns.channels().get(channel));
            blocks[channel] = block;
        }
        return block;
    }

    private Block load(FileColumns.Channel channel) {
        if (channel.index() < 0) {
            return RunLengthEncodedBlock.create(
                    channel.column().type(), null, source.getPositionCount());
        }
        try {
            return columns.stored()
                    .get(channel.index())
                    .values()
                    .cast()
                    .apply(source.getBlock(channel.index()));
        } catch (RuntimeException e) {
            throw failures.apply(e);
        }
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
