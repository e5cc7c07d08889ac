package io.stele.connector.read.cache;

import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ShortArrayBlock;

/** The selection of some positions of a block, for pages of the decoded-column cache. Stateless. */
final class NarrowedBlocks {
    private NarrowedBlocks() {}

    /**
     * The values at these positions. Numbers are copied, at about a nanosecond each, because every
     * later access through the dictionary of {@link Block#getPositions} would cost more. Other
     * values are not copied.
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
