package io.stele.connector.type;

import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.util.List;

/**
 * An encoder of positions of Trino's pages as rows of a layout. Holds one reusable encoder:
 * confined to one thread.
 */
public final class RowWriter {
    private final ValueWriter[] writers;
    private final RowEncoder encoder;

    public RowWriter(List<ColumnSchema> columns, TrinoTypes types) {
        this.writers = new ValueWriter[columns.size()];
        for (int index = 0; index < writers.length; index++) {
            ColumnSchema column = columns.get(index);
            writers[index] = ValueWriter.of(column.type(), types.toTrino(column.type()));
        }
        this.encoder = new RowEncoder(RowLayout.of(columns));
    }

    /**
     * Encodes one row; its bytes are in {@link #array()} until the next call.
     *
     * @param channels for each column of the layout, its block
     * @return the length of the row
     */
    public int write(Block[] channels, int position) {
        encoder.reset();
        for (int index = 0; index < writers.length; index++) {
            writers[index].write(channels[index], position, encoder, index);
        }
        return encoder.finish();
    }

    public byte[] array() {
        return encoder.array();
    }

    public RowLayout layout() {
        return encoder.rowLayout();
    }

    /** The blocks of a page's channels, in the given order. */
    public static Block[] blocks(Page page, int[] channels) {
        Block[] blocks = new Block[channels.length];
        for (int index = 0; index < channels.length; index++) {
            blocks[index] = page.getBlock(channels[index]);
        }
        return blocks;
    }
}
