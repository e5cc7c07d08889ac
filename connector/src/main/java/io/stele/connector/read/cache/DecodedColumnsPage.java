package io.stele.connector.read.cache;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.Arrays;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A page of a file whose columns come from {@link DecodedColumnCache} if they are cached. The page
 * below is never narrowed, because columns are cached whole. Confined to one driver.
 */
final class DecodedColumnsPage implements SourcePage {
    private static final int INSTANCE_SIZE = instanceSize(DecodedColumnsPage.class);

    private final SourcePage file;
    private final DecodedColumnScan scan;
    private final long firstRow;
    private final @Nullable Block[] blocks;
    private int @Nullable [] positions;

    /**
     * @param firstRow number in the file of the page's first row
     */
    DecodedColumnsPage(SourcePage file, DecodedColumnScan scan, long firstRow) {
        this.file = requireNonNull(file, "file is null");
        this.scan = requireNonNull(scan, "scan is null");
        this.firstRow = firstRow;
        this.blocks = new Block[file.getChannelCount()];
    }

    @Override
    public int getPositionCount() {
        return positions == null ? file.getPositionCount() : positions.length;
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
        long size = INSTANCE_SIZE + sizeOf(positions);
        for (Block block : blocks) {
            size += block == null ? 0 : block.getRetainedSizeInBytes();
        }
        return size;
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer) {
        consumer.accept(this, INSTANCE_SIZE + sizeOf(positions));
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
            block = scan.load(file, channel, firstRow, positions);
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
    public void selectPositions(int[] selected, int offset, int size) {
        int[] narrowed = Arrays.copyOfRange(selected, offset, offset + size);
        for (int channel = 0; channel < blocks.length; channel++) {
            Block block = blocks[channel];
            if (block != null) {
                blocks[channel] = NarrowedBlocks.select(block, narrowed);
            }
        }
        if (positions == null) {
            positions = narrowed;
            return;
        }
        int[] composed = new int[size];
        for (int index = 0; index < size; index++) {
            composed[index] = positions[narrowed[index]];
        }
        positions = composed;
    }
}
