package io.stele.paimon.type;

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Type;

/** A conversion of blocks of one type to blocks of another. Stateless. */
@FunctionalInterface
public interface BlockCast {
    /** The conversion between types whose blocks are alike. */
    BlockCast NONE = block -> block;

    /** Returns a block of the other type with the same positions. */
    Block apply(Block block);

    /** A conversion of one value that is not null. */
    @FunctionalInterface
    interface Value {
        /**
         * Appends the value.
         *
         * @param block the block that has the value at {@code position}
         */
        void append(ValueBlock block, int position, BlockBuilder target);
    }

    /** This conversion followed by another. */
    default BlockCast then(BlockCast next) {
        if (this == NONE) {
            return next;
        }
        return next == NONE ? this : block -> next.apply(apply(block));
    }

    /** The conversion of each value to one of {@code target}. */
    static BlockCast ofValues(Type target, Value value) {
        return block ->
                switch (block) {
                    case RunLengthEncodedBlock run ->
                            RunLengthEncodedBlock.create(
                                    append(target, value, run.getValue()), run.getPositionCount());
                    case DictionaryBlock dictionary when isShared(dictionary) ->
                            dictionary.createProjection(
                                    append(target, value, dictionary.getDictionary()));
                    default -> append(target, value, block);
                };
    }

    private static boolean isShared(DictionaryBlock block) {
        return block.getDictionary().getPositionCount() <= block.getPositionCount();
    }

    private static Block append(Type target, Value value, Block block) {
        BlockBuilder builder = target.createBlockBuilder(null, block.getPositionCount());
        ValueBlock values = block.getUnderlyingValueBlock();
        for (int i = 0; i < block.getPositionCount(); i++) {
            if (block.isNull(i)) {
                builder.appendNull();
            } else {
                value.append(values, block.getUnderlyingValuePosition(i), builder);
            }
        }
        return builder.build();
    }
}
