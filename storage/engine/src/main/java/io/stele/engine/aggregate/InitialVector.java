package io.stele.engine.aggregate;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnSchema;
import java.util.Arrays;
import java.util.Optional;

/**
 * A factory of the vector of a column that was added after a file was written: its initial value,
 * or null, in every row. Stateless.
 */
final class InitialVector {
    private InitialVector() {}

    /** The initial value {@code size} times, or as many nulls. */
    static ValueVector of(ColumnSchema column, int size) {
        ValueVector vector = ValueVector.allocate(VectorKind.of(column.type()), size);
        Optional<BinaryRow> initial = InitialRow.of(column);
        if (initial.isEmpty()) {
            Arrays.fill(vector.nulls, true);
            vector.hasNulls = true;
            return vector;
        }
        for (int at = 0; at < size; at++) {
            RowVectors.copy(initial.get(), 0, column.type().form(), vector, at);
        }
        return vector;
    }
}
