package io.stele.connector.read;

import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ShortArrayBlock;

/** Blocks of some positions of other blocks. */
final class NarrowedBlocks {
    private NarrowedBlocks() {}

    /**
     * The values at these positions. Numbers are copied, a nanosecond each: as {@link
     * Block#getPositions} gives them, behind a dictionary, every later access would cost more than
     * that. Other values are not copied.
     */
    static Block select(Block block, int[] positions) {
        return switch (block) {
            case LongArrayBlock _,
                    IntArrayBlock _,
                    ShortArrayBlock _,
                    ByteArrayBlock _,
                    Int128ArrayBlock _,
                    Fixed12Block _ ->
                    block.copyPositions(positions, 0, positions.length);
            default -> block.getPositions(positions, 0, positions.length);
        };
    }
}
