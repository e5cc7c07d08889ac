package io.stele.flink.lookup;

import io.stele.flink.table.RowReader;
import io.stele.flink.table.RowValues;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * The conversions of lookup keys and result rows for one version of the table. One thread converts
 * keys; any thread converts rows.
 */
final class LookupBinding {
    private final TableSchema schema;
    private final RowValues keys;
    private final RowReader reader;
    private final List<Condition> conditions = new ArrayList<>();
    private final int keyCount;

    /** A column outside of the primary key that must equal its value in the key row. */
    private record Condition(RowData.FieldGetter inKey, RowData.FieldGetter inRow) {}

    LookupBinding(LookupTarget target, TableSchema schema) {
        this.schema = schema;
        this.keys =
                RowValues.lookupKey(
                        target.table(), schema, schema.primaryKeyColumns(), target.keys());
        this.reader = RowReader.ofWholeRows(target.table(), schema);
        this.keyCount = target.keys().length;
        List<LogicalType> types = target.table().declared().getChildren();
        for (int place = 0; place < keyCount; place++) {
            int field = target.keys()[place];
            if (!schema.primaryKey().contains(target.table().columnIds().get(field))) {
                conditions.add(
                        new Condition(
                                RowData.createFieldGetter(types.get(field), place),
                                RowData.createFieldGetter(types.get(field), field)));
            }
        }
    }

    TableSchema schema() {
        return schema;
    }

    /**
     * The primary key of a key row; null if one of its values is null, because null equals nothing.
     */
    @Nullable Object @Nullable [] key(RowData keyRow) {
        for (int place = 0; place < keyCount; place++) {
            if (keyRow.isNullAt(place)) {
                return null;
            }
        }
        return keys.of(keyRow).clone();
    }

    /** The found row, if it meets the conditions. */
    Collection<RowData> rows(RowData keyRow, Optional<List<@Nullable Object>> found) {
        if (found.isEmpty()) {
            return List.of();
        }
        RowData row = reader.read(found.get());
        for (Condition condition : conditions) {
            if (!Objects.deepEquals(
                    condition.inKey().getFieldOrNull(keyRow),
                    condition.inRow().getFieldOrNull(row))) {
                return List.of();
            }
        }
        return List.of(row);
    }
}
