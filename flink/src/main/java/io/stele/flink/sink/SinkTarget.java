package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.SinkOptions;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;

/**
 * The table of a sink and the declared fields that it writes. Immutable, and sent to the tasks.
 *
 * @param fields positions of the written fields among the declared ones
 * @param whole whether rows replace all columns; else others keep their values, which only tables
 *     with a primary key can do
 * @param inserts whether a key that is not there gets a row; else it is skipped, and rows are not
 *     whole
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SinkTarget(
        BoundTable table, SinkOptions options, int[] fields, boolean whole, boolean inserts)
        implements Serializable {
    public SinkTarget {
        requireNonNull(table, "table is null");
        requireNonNull(options, "options is null");
        fields = fields.clone();
    }

    /**
     * A sink of declared fields: whole rows if these are all columns of the table, or it has no
     * primary key.
     *
     * @throws ValidationException a column that must have a value gets none
     */
    public static SinkTarget of(BoundTable table, SinkOptions options, int[] fields) {
        TableSchema schema = table.schema();
        Set<Integer> written = new HashSet<>();
        Arrays.stream(fields).forEach(field -> written.add(table.columnIds().get(field)));
        for (ColumnSchema column : schema.primaryKeyColumns()) {
            if (!written.contains(column.id())) {
                throw new ValidationException(
                        "Expected a value for primary key column '%s' of table %s, found none"
                                .formatted(column.name(), schema.qualifiedName()));
            }
        }
        boolean all = written.size() == schema.columns().size();
        for (ColumnSchema column : schema.columns()) {
            if (!schema.hasPrimaryKey() && !column.nullable() && !written.contains(column.id())) {
                throw new ValidationException(
                        "Expected a value for column '%s' of table %s, which is NOT NULL, found none"
                                .formatted(column.name(), schema.qualifiedName()));
            }
        }
        return new SinkTarget(table, options, fields, all || !schema.hasPrimaryKey(), true);
    }

    /**
     * A sink of changes of rows that are there: all declared fields are written.
     *
     * @param table with the primary key among its declared fields
     */
    public static SinkTarget ofPresentRows(BoundTable table, SinkOptions options) {
        int[] fields = IntStream.range(0, table.declared().getFieldCount()).toArray();
        return new SinkTarget(table, options, fields, false, false);
    }
}
