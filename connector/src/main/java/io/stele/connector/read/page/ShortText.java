package io.stele.connector.read.page;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.block.VariableWidthBlockBuilder;
import java.util.Arrays;

/**
 * A dictionary encoder of text blocks whose values have at most one byte (flags, codes), for scans.
 * ORC writers use no dictionary for such text, because it saves them no bytes. But Trino groups and
 * filters by the few entries of a dictionary instead of comparing every value. Stateless.
 */
public final class ShortText {
    private static final int EMPTY = 256;
    private static final int NULL = 257;
    private static final int CODES = 258;

    private ShortText() {}

    /** The same values, as a dictionary block if all are short; otherwise the block itself. */
    public static Block encode(Block block) {
        int positions = block.getPositionCount();
        if (positions == 0 || !(block instanceof VariableWidthBlock text)) {
            return block;
        }
        Slice bytes = text.getRawSlice();
        int[] entries = new int[CODES];
        Arrays.fill(entries, -1);
        int[] ids = new int[positions];
        int[] codes = new int[CODES];
        int count = 0;
        boolean mayHaveNull = text.mayHaveNull();
        for (int position = 0; position < positions; position++) {
            int code;
            if (mayHaveNull && text.isNull(position)) {
                code = NULL;
            } else {
                int length = text.getSliceLength(position);
                if (length > 1) {
                    return block;
                }
                code =
                        length == 0
                                ? EMPTY
                                : bytes.getUnsignedByte(text.getRawSliceOffset(position));
            }
            if (entries[code] < 0) {
                entries[code] = count;
                codes[count++] = code;
            }
            ids[position] = entries[code];
        }
        return DictionaryBlock.create(positions, dictionary(codes, count), ids);
    }

    private static Block dictionary(int[] codes, int count) {
        VariableWidthBlockBuilder builder = new VariableWidthBlockBuilder(null, count, count);
        for (int entry = 0; entry < count; entry++) {
            switch (codes[entry]) {
                case NULL -> builder.appendNull();
                case EMPTY -> builder.writeEntry(Slices.EMPTY_SLICE);
                default -> builder.writeEntry(Slices.wrappedBuffer((byte) codes[entry]));
            }
        }
        return builder.build();
    }
}
