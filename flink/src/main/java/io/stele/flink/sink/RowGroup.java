package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.write.PutMode;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A group of encoded rows with the same columns and the same effect. Immutable.
 *
 * @param columnIds ids of the columns, in the order of the encoding
 * @param rows each row as a length of four bytes and the bytes of {@link
 *     io.stele.protocol.row.RowEncoder}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RowGroup(PutMode mode, List<Integer> columnIds, int rowCount, byte[] rows) {
    RowGroup {
        requireNonNull(mode, "mode is null");
        columnIds = List.copyOf(columnIds);
        requireNonNull(rows, "rows is null");
    }

    /** Calls the visitor for each row, with the array, the row's offset and its length. */
    void forEach(RowVisitor visitor) {
        ByteBuffer view = ByteBuffer.wrap(rows);
        while (view.hasRemaining()) {
            int length = view.getInt();
            visitor.visit(rows, view.position(), length);
            view.position(view.position() + length);
        }
    }

    /** A consumer of encoded rows. */
    @FunctionalInterface
    interface RowVisitor {
        void visit(byte[] array, int offset, int length);
    }
}
