package io.stele.protocol.arrow;

import java.util.List;

/**
 * A decoded Arrow record batch, whose columns are views of the received body.
 *
 * @param fields the columns' fields
 * @param rowCount number of rows
 * @param columns one for each field, each of {@code rowCount} values
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
