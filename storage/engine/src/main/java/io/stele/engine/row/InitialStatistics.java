package io.stele.engine.row;

import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import java.util.List;
import java.util.Optional;

/**
 * The statistics and sketch of a column for rows that were written before the column was added,
 * computed from its initial value. Stateless.
 */
public final class InitialStatistics {
    private InitialStatistics() {}

    /**
     * The statistics of {@code rowCount} rows that all have the initial value, or null if there is
     * none.
     */
    static ColumnStats of(ColumnSchema column, long rowCount) {
        return InitialRow.of(column)
                .map(row -> ofValue(column, row))
                .orElseGet(
                        () -> new ColumnStats(Optional.empty(), Optional.empty(), rowCount, false));
    }

    private static ColumnStats ofValue(ColumnSchema column, BinaryRow row) {
        boolean isNaN =
                switch (column.type().kind()) {
                    case REAL -> Float.isNaN(row.floatAt(0));
                    case DOUBLE -> Double.isNaN(row.doubleAt(0));
                    default -> false;
                };
        Optional<byte[]> bound =
                isNaN || !column.type().isOrderable()
                        ? Optional.empty()
                        : Optional.of(ValueCodec.of(column.type()).encode(row, 0));
        return new ColumnStats(bound, bound, 0, isNaN);
    }

    /** A sketch of one row with the initial value; empty: there is none, or no sketch of it. */
    public static Optional<ColumnSketch> sketch(ColumnSchema column) {
        return InitialRow.of(column)
                .flatMap(
                        row -> {
                            RowSketches sketches = new RowSketches(RowLayout.of(List.of(column)));
                            sketches.add(row);
                            return Optional.ofNullable(sketches.sketches().get(column.id()));
                        });
    }
}
