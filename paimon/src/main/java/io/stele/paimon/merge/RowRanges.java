package io.stele.paimon.merge;

import static java.util.Objects.requireNonNull;

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of rows in input batches that make up a result page, or one column of it, in order.
 * Confined to one driver.
 */
final class RowRanges {
    private @Nullable MergeBatch[] batches = new MergeBatch[64];
    private int[] starts = new int[64];
    private int[] lengths = new int[64];
    private int size;
    private int rowCount;

    int rowCount() {
        return rowCount;
    }

    void add(MergeBatch batch, int start, int length) {
        rowCount += length;
        int last = size - 1;
        if (last >= 0 && batches[last] == batch && starts[last] + lengths[last] == start) {
            lengths[last] += length;
            return;
        }
        if (size == starts.length) {
            batches = Arrays.copyOf(batches, 2 * size);
            starts = Arrays.copyOf(starts, 2 * size);
            lengths = Arrays.copyOf(lengths, 2 * size);
        }
        batches[size] = batch;
        starts[size] = start;
        lengths[size] = length;
        size++;
    }

    /** The values of a wanted column in all ranges, as one block. */
    Block block(Type type, int channel) {
        if (size == 1) {
            Block only = requireNonNull(batches[0]).block(channel);
            return lengths[0] == only.getPositionCount()
                    ? only
                    : only.getRegion(starts[0], lengths[0]);
        }
        BlockBuilder builder = type.createBlockBuilder(null, rowCount);
        for (int i = 0; i < size; i++) {
            Block block = requireNonNull(batches[i]).block(channel);
            if (lengths[i] == 1) {
                builder.append(
                        block.getUnderlyingValueBlock(),
                        block.getUnderlyingValuePosition(starts[i]));
            } else {
                builder.appendBlockRange(block, starts[i], lengths[i]);
            }
        }
        return builder.build();
    }

    void clear() {
        Arrays.fill(batches, 0, size, null);
        size = 0;
        rowCount = 0;
    }
}
