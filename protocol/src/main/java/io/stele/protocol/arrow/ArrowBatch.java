package io.stele.protocol.arrow;

import java.util.List;

/**
 * A decoded record batch: views of the body it came from.
 *
 * @param fields the columns' fields
 * @param rowCount rows
 * @param columns one a field, each of {@code rowCount} values
 */
public record ArrowBatch(List<ArrowField> fields, int rowCount, List<ArrowColumn> columns) {
    public ArrowBatch {
        fields = List.copyOf(fields);
        columns = List.copyOf(columns);
    }

    public ArrowColumn column(int index) {
        return columns.get(index);
    }
}
