package io.stele.paimon.merge;

import static io.airlift.slice.SliceUtf8.countCodePoints;
import static io.airlift.slice.SliceUtf8.offsetOfCodePoint;

import io.airlift.slice.Slice;
import io.stele.paimon.type.BlockCast;
import io.trino.spi.block.Block;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.block.VariableWidthBlockBuilder;
import io.trino.spi.type.VarcharType;

/**
 * The cut of merged texts to the length of their type, as Trino's readers do. Keys are read whole,
 * since two keys that differ only after that length are two rows. Stateless.
 */
final class TextLengths {
    private TextLengths() {}

    /**
     * The same positions, each with at most so many characters.
     *
     * @param length negative: no text is cut
     */
    static Block cut(Block block, int length) {
        if (length < 0 || isShort(block, length)) {
            return block;
        }
        return BlockCast.ofValues(
                        VarcharType.createVarcharType(length),
                        (values, position, target) -> {
                            Slice text = ((VariableWidthBlock) values).getSlice(position);
                            int end =
                                    countCodePoints(text) <= length
                                            ? text.length()
                                            : offsetOfCodePoint(text, length);
                            ((VariableWidthBlockBuilder) target).writeEntry(text, 0, end);
                        })
                .apply(block);
    }

    /** Whether no value has more bytes than the length, so that none has more characters. */
    private static boolean isShort(Block block, int length) {
        VariableWidthBlock values = (VariableWidthBlock) block.getUnderlyingValueBlock();
        for (int i = 0; i < values.getPositionCount(); i++) {
            if (values.getSliceLength(i) > length) {
                return false;
            }
        }
        return true;
    }
}
