package io.stele.engine.compaction.output;

import io.stele.columnfile.index.BitmapIndexBuilder;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/**
 * A builder of the bitmap index of a column file that a flush or compaction writes. Confined to one
 * thread.
 */
final class FileBitmaps {
    private final int[] columnIds;
    private final int[] columnIndexes;
    private final ValueCodec[] codecs;
    private final BitmapIndexBuilder index;
    private final GrowingBytes value = GrowingBytes.forStored("value");

    FileBitmaps(TableSchema table) {
        List<Integer> columns = table.options().bitmapColumns();
        this.columnIds = columns.stream().mapToInt(Integer::intValue).toArray();
        this.columnIndexes = columns.stream().mapToInt(table::indexOf).toArray();
        this.codecs =
                columns.stream()
                        .map(columnId -> ValueCodec.of(table.column(columnId).type()))
                        .toArray(ValueCodec[]::new);
        this.index = new BitmapIndexBuilder(table.columns(columns));
    }

    void add(BinaryRow row, int ordinal) {
        for (int i = 0; i < columnIds.length; i++) {
            if (row.isNull(columnIndexes[i])) {
                index.addNull(columnIds[i], ordinal);
            } else {
                value.clear();
                codecs[i].append(row, columnIndexes[i], value);
                index.add(columnIds[i], value.array(), 0, value.length(), ordinal);
            }
        }
    }

    /** Writes the index as an object and returns its size in bytes; empty if there is no index. */
    OptionalLong write(ObjectStore store, String path) throws IOException {
        return index.write(store, path);
    }
}
