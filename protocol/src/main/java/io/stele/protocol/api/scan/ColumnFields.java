package io.stele.protocol.api.scan;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IdentifiedType;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The projection of row columns to the fields that a reader wants, so that the other fields are not
 * sent. A column is sent as a row of the wanted fields, in their own order. Immutable.
 *
 * @param paths by column id: paths of field ids, the outermost first; at most {@value #MAX_PATHS}
 *     for each column. Columns without paths are sent whole
 */
public record ColumnFields(Map<Integer, List<List<Integer>>> paths) {
    /**
     * More fields than a person writes in a query; a caller that wants more reads the whole column.
     */
    public static final int MAX_PATHS = 1_000;

    public ColumnFields {
        paths =
                paths.entrySet().stream()
                        .collect(
                                Collectors.toUnmodifiableMap(
                                        Map.Entry::getKey,
                                        entry ->
                                                entry.getValue().stream()
                                                        .map(List::copyOf)
                                                        .toList()));
        paths.forEach(
                (columnId, wanted) -> {
                    if (wanted.isEmpty() || wanted.size() > MAX_PATHS) {
                        throw new SteleException(
                                ErrorCode.INVALID_ARGUMENT,
                                "Expected 1 to %s paths of fields for the column of id %s, found %s"
                                        .formatted(MAX_PATHS, columnId, wanted.size()));
                    }
                });
    }

    /** The projected column, as it is sent. */
    public ColumnSchema of(ColumnSchema column) {
        List<List<Integer>> wanted = paths.get(column.id());
        if (wanted == null) {
            return column;
        }
        IdentifiedType kept =
                IdentifiedType.of(column)
                        .keeping(wanted)
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.COLUMN_NOT_FOUND,
                                                "Expected fields of column '%s', found ids %s"
                                                        .formatted(column.name(), wanted)));
        return new ColumnSchema(
                column.id(),
                column.name(),
                kept.type(),
                column.nullable(),
                column.comment(),
                kept.ids());
    }
}
