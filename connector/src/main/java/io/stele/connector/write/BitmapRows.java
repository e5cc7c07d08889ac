package io.stele.connector.write;

import io.stele.columnfile.index.BitmapIndexBuilder;
import io.stele.connector.type.RowWriter;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A builder of the bitmap index of a column file while a worker writes it. Confined to one thread.
 */
final class BitmapRows {
    private final BitmapIndexBuilder index;
    private final List<ColumnSchema> columns;
    private final int[] channels;
    private final ValueCodec[] codecs;
    private final Block[] blocks;
    private final RowWriter writer;
    private final BinaryRow row;
    private final GrowingBytes value = GrowingBytes.forRow();
    private int rowCount;

    /**
     * @param columns of the pages, in order
     * @param bitmapColumns ids of columns to index; those that are not among {@code columns} are
     *     not indexed in this file
     */
    BitmapRows(List<ColumnSchema> columns, List<Integer> bitmapColumns, TrinoTypes types) {
        List<ColumnSchema> indexed = new ArrayList<>();
        List<Integer> indexedChannels = new ArrayList<>();
        for (int channel = 0; channel < columns.size(); channel++) {
            if (bitmapColumns.contains(columns.get(channel).id())) {
                indexed.add(columns.get(channel));
                indexedChannels.add(channel);
            }
        }
        this.columns = List.copyOf(indexed);
        this.index = new BitmapIndexBuilder(indexed);
        this.channels = indexedChannels.stream().mapToInt(Integer::intValue).toArray();
        this.codecs =
                indexed.stream()
                        .map(column -> ValueCodec.of(column.type()))
                        .toArray(ValueCodec[]::new);
        this.blocks = new Block[channels.length];
        this.writer = new RowWriter(indexed, types);
        this.row = new BinaryRow(writer.layout());
    }

    /** Adds the next rows of the file. */
    void add(Page page) {
        if (channels.length == 0) {
            return;
        }
        for (int i = 0; i < channels.length; i++) {
            blocks[i] = page.getBlock(channels[i]);
        }
        for (int position = 0; position < page.getPositionCount(); position++) {
            int length = writer.write(blocks, position);
            row.wrap(writer.array(), 0, length);
            for (int i = 0; i < codecs.length; i++) {
                if (row.isNull(i)) {
                    index.addNull(columns.get(i).id(), rowCount);
                } else {
                    value.clear();
                    codecs[i].append(row, i, value);
                    index.add(columns.get(i).id(), value.array(), 0, value.length(), rowCount);
                }
            }
            rowCount++;
        }
    }

    long retainedBytes() {
        return index.retainedBytes();
    }

    /** Writes the index; returns its size in bytes, or empty if there is none. */
    OptionalLong write(ObjectStore warehouse, String path) throws IOException {
        return index.write(warehouse, path);
    }
}
