package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.flink.table.BoundTable;
import io.stele.flink.type.ValueConverter;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.utils.PartitionPathUtils;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a partition: a value for each partition column, in the table's order. Immutable,
 * and serialized into jobs.
 */
public final class Partition implements Serializable {
    private static final long serialVersionUID = 1;

    /** The values in the byte order of {@link io.stele.protocol.row.ValueCodec}; null for null. */
    private final byte[] @Nullable [] values;

    Partition(byte[] @Nullable [] values) {
        this.values = requireNonNull(values, "values is null");
    }

    /**
     * The partition that a PARTITION clause names.
     *
     * @param columns the declared columns, in the order of the table's declaration
     * @param clause the value of each column in the clause; empty: there is no clause
     * @return empty: the clause does not name all partition columns
     * @throws ValidationException a column of the clause is no partition column, or its value does
     *     not have its type
     */
    public static Optional<Partition> named(
            BoundTable table, List<Column> columns, Map<String, String> clause) {
        if (clause.isEmpty()) {
            return Optional.empty();
        }
        TableSchema schema = table.schema();
        List<ColumnSchema> partitionColumns = schema.columns(schema.partitionedBy());
        @Nullable Object[] values = new @Nullable Object[partitionColumns.size()];
        int named = 0;
        for (int field = 0; field < columns.size(); field++) {
            Column declared = columns.get(field);
            String text = clause.get(declared.getName());
            if (text != null) {
                ColumnSchema column = schema.column(table.columnIds().get(field));
                int position = partitionColumns.indexOf(column);
                if (position < 0) {
                    throw new ValidationException(
                            "Expected columns %s of table %s in the PARTITION clause, found '%s'"
                                    .formatted(
                                            partitionColumns.stream()
                                                    .map(ColumnSchema::name)
                                                    .toList(),
                                            table,
                                            column.name()));
                }
                values[position] = value(table, declared, column, text);
                named++;
            }
        }
        if (named < values.length) {
            return Optional.empty();
        }
        RowLayout layout = RowLayout.of(partitionColumns);
        BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, values));
        return Optional.of(new PartitionReader(schema, layout).partition(row));
    }

    private static @Nullable Object value(
            BoundTable table, Column declared, ColumnSchema column, String text) {
        try {
            return ValueConverter.toStele(declared.getDataType().getLogicalType(), column.type())
                    .convertNullable(
                            PartitionPathUtils.convertStringToInternalValue(
                                    text, declared.getDataType()));
        } catch (RuntimeException wrong) {
            throw new ValidationException(
                    "Expected a value of type %s for column '%s' of table %s in the PARTITION clause, found '%s'"
                            .formatted(declared.getDataType(), column.name(), table, text),
                    wrong);
        }
    }

    /**
     * A predicate that all rows of the partition meet.
     *
     * @param columnIds the partition columns of the table
     */
    ScanPredicate predicate(List<Integer> columnIds) {
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            byte[] value = values[i];
            domains.put(
                    columnIds.get(i),
                    value == null
                            ? ColumnDomain.onlyNull()
                            : ColumnDomain.of(ValueRange.equal(value)));
        }
        return new ScanPredicate(domains);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Partition that && Arrays.deepEquals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(values);
    }
}
