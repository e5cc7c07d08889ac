package io.stele.flink.table;

import io.stele.flink.type.ValueConverter;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * A converter of Flink's rows to values of Stele's columns, for one version of the table. Confined
 * to one thread, because it reuses the returned arrays.
 */
public final class RowValues {
    private final List<ColumnSchema> columns;
    private final RowData.@Nullable FieldGetter[] getters;
    private final @Nullable ValueConverter[] converters;
    private final @Nullable Object[] values;

    private RowValues(List<ColumnSchema> columns) {
        this.columns = List.copyOf(columns);
        this.getters = new RowData.@Nullable FieldGetter[columns.size()];
        this.converters = new @Nullable ValueConverter[columns.size()];
        this.values = new @Nullable Object[columns.size()];
    }

    /**
     * A converter to all columns of the current table: null for columns without a field.
     *
     * @param fields positions of the written declared fields
     */
    public static RowValues whole(BoundTable table, TableSchema present, int[] fields) {
        return new RowValues(present.columns()).bind(table, present, fields, fields);
    }

    /** A converter to certain declared fields, in order. */
    public static RowValues of(BoundTable table, TableSchema present, int[] fields) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int field : fields) {
            columns.add(RowReader.columnOf(table, present, table.columnIds().get(field)));
        }
        return new RowValues(columns).bind(table, present, fields, fields);
    }

    /** A converter to the primary key, in key order; its columns must be declared. */
    public static RowValues key(BoundTable table, TableSchema present) {
        return of(table, present, fields(table, present.primaryKey()));
    }

    /**
     * A converter of the rows of a lookup to some of their columns, in order; the rows must have
     * them.
     *
     * @param keys for each field of a row, its position among the declared fields
     */
    public static RowValues lookupKey(
            BoundTable table, TableSchema present, List<ColumnSchema> columns, int[] keys) {
        int[] fields = fields(table, columns.stream().map(ColumnSchema::id).toList());
        int[] places = new int[fields.length];
        for (int i = 0; i < fields.length; i++) {
            places[i] = place(fields[i], keys);
        }
        return new RowValues(columns).bind(table, present, fields, places);
    }

    private static int place(int field, int[] keys) {
        for (int place = 0; place < keys.length; place++) {
            if (keys[place] == field) {
                return place;
            }
        }
        throw new IllegalArgumentException(
                "Expected a key that has field %d, found none".formatted(field));
    }

    private static int[] fields(BoundTable table, List<Integer> columnIds) {
        return columnIds.stream().mapToInt(id -> table.columnIds().indexOf(id)).toArray();
    }

    /**
     * Binds fields to positions of rows.
     *
     * @param places the position of each field in the rows
     */
    private RowValues bind(BoundTable table, TableSchema present, int[] fields, int[] places) {
        List<LogicalType> types = table.declared().getChildren();
        for (int i = 0; i < fields.length; i++) {
            ColumnSchema column =
                    RowReader.columnOf(table, present, table.columnIds().get(fields[i]));
            int position = columns.indexOf(column);
            LogicalType type = types.get(fields[i]);
            getters[position] = RowData.createFieldGetter(type, places[i]);
            converters[position] = ValueConverter.toStele(type, column.type());
        }
        return this;
    }

    /** The columns of the values. */
    public List<ColumnSchema> columns() {
        return columns;
    }

    /** The values of a row, valid until the next call. */
    public @Nullable Object[] of(RowData row) {
        for (int i = 0; i < values.length; i++) {
            RowData.FieldGetter getter = getters[i];
            ValueConverter converter = converters[i];
            values[i] =
                    getter == null || converter == null
                            ? null
                            : converter.convertNullable(getter.getFieldOrNull(row));
        }
        return values;
    }
}
