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
 * The description of a sink: the table, the written fields and the options. Immutable, and
 * serialized into jobs.
 *
 * @param fields positions of the written fields among the declared fields
 * @param whole whether rows replace all columns; otherwise, other columns retain their values,
 *     which requires a primary key
 * @param inserts whether a missing key is inserted; otherwise it is skipped, and rows are not whole
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
     * A sink of certain declared fields. Its rows are whole if the fields are all columns of the
     * table, or if it has no primary key.
     *
     * @throws ValidationException a column that requires a value gets none
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
     * A sink that changes existing rows, with all declared fields.
     *
     * @param table its declared fields include the primary key
     */
    public static SinkTarget ofPresentRows(BoundTable table, SinkOptions options) {
        int[] fields = IntStream.range(0, table.declared().getFieldCount()).toArray();
        return new SinkTarget(table, options, fields, false, false);
    }
}
