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
 * A conversion of rows of Flink to values of columns of Stele. Bound to one version of the table;
 * confined to one thread, because the arrays that it returns are reused.
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
     * Values of all columns of the table as it is now: null for those that are no fields.
     *
     * @param fields positions of the declared fields that are written
     */
    public static RowValues whole(BoundTable table, TableSchema present, int[] fields) {
        return new RowValues(present.columns()).bind(table, present, fields, fields);
    }

    /** Values of some declared fields, in their order. */
    public static RowValues of(BoundTable table, TableSchema present, int[] fields) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int field : fields) {
            columns.add(RowReader.columnOf(table, present, table.columnIds().get(field)));
        }
        return new RowValues(columns).bind(table, present, fields, fields);
    }

    /** Values of the primary key, in key order, which must be declared. */
    public static RowValues key(BoundTable table, TableSchema present) {
        int[] fields = keyFields(table, present);
        return of(table, present, fields);
    }

    /**
     * The same from rows of key columns only: position i of a row has the field {@code keys[i]}.
     */
    public static RowValues lookupKey(BoundTable table, TableSchema present, int[] keys) {
        int[] fields = keyFields(table, present);
        int[] places = new int[fields.length];
        for (int i = 0; i < fields.length; i++) {
            places[i] = -1;
            for (int place = 0; place < keys.length; place++) {
                if (keys[place] == fields[i]) {
                    places[i] = place;
                }
            }
            if (places[i] < 0) {
                throw new IllegalArgumentException(
                        "Expected a key that has field %d, found none".formatted(fields[i]));
            }
        }
        List<ColumnSchema> columns = present.primaryKeyColumns();
        return new RowValues(columns).bind(table, present, fields, places);
    }

    private static int[] keyFields(BoundTable table, TableSchema present) {
        return present.primaryKey().stream()
                .mapToInt(id -> table.columnIds().indexOf(id))
                .toArray();
    }

    /**
     * @param places for each field its position in the rows
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

    /** The values of a row, good until the next call. */
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
