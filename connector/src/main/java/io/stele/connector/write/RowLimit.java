package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.type.RowWriter;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A check that refuses rows above the size limit, for the log and for files alike, because
 * compaction reads and rewrites the rows of files too. Confined to one thread.
 */
final class RowLimit {
    /**
     * Encoded, a row has at most a few times the bytes that its values have in a page. Below this
     * size it is not encoded, because it cannot exceed the limit.
     */
    private static final long SMALL_BYTES = RowLayout.MAX_ROW_BYTES / 8;

    private final String table;
    private final List<ColumnSchema> columns;
    private final TrinoTypes types;
    private @Nullable RowWriter writer; // few statements need one

    RowLimit(String table, List<ColumnSchema> columns, TrinoTypes types) {
        this.table = requireNonNull(table, "table is null");
        this.columns = List.copyOf(columns);
        this.types = requireNonNull(types, "types is null");
    }

    /**
     * @throws SteleException ROW_TOO_LARGE, naming the largest column
     */
    void check(Page page) {
        if (page.getSizeInBytes() <= SMALL_BYTES) {
            return; // all rows together are below it
        }
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        for (int position = 0; position < page.getPositionCount(); position++) {
            if (size(blocks, position) > SMALL_BYTES) {
                check(blocks, position);
            }
        }
    }

    private static long size(Block[] blocks, int position) {
        long size = 0;
        for (Block block : blocks) {
            size += block.getEstimatedDataSizeForStats(position);
        }
        return size;
    }

    private void check(Block[] blocks, int position) {
        RowWriter encoder = writer;
        if (encoder == null) {
            encoder = new RowWriter(columns, types);
            writer = encoder;
        }
        try {
            encoder.write(blocks, position);
        } catch (SteleException e) {
            if (e.code() != ErrorCode.ROW_TOO_LARGE) {
                throw e;
            }
            throw tooLarge(blocks, position);
        }
    }

    private SteleException tooLarge(Block[] blocks, int position) {
        int largest = 0;
        for (int channel = 1; channel < blocks.length; channel++) {
            if (blocks[channel].getEstimatedDataSizeForStats(position)
                    > blocks[largest].getEstimatedDataSizeForStats(position)) {
                largest = channel;
            }
        }
        return new SteleException(
                ErrorCode.ROW_TOO_LARGE,
                "Expected a row of %s of at most %d bytes, found about %d, of which column '%s' has %d"
                        .formatted(
                                table,
                                RowLayout.MAX_ROW_BYTES,
                                size(blocks, position),
                                columns.get(largest).name(),
                                blocks[largest].getEstimatedDataSizeForStats(position)));
    }
}
