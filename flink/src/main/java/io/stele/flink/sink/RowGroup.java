package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.write.PutMode;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Encoded rows of the same columns that have the same effect.
 *
 * @param columnIds ids of the columns, in the order of the encoding
 * @param rows each as four bytes of length and a row of {@link io.stele.protocol.row.RowEncoder}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RowGroup(PutMode mode, List<Integer> columnIds, int rowCount, byte[] rows) {
    RowGroup {
        requireNonNull(mode, "mode is null");
        columnIds = List.copyOf(columnIds);
        requireNonNull(rows, "rows is null");
    }

    /** Calls with each row: the array, where it begins, and its length. */
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
