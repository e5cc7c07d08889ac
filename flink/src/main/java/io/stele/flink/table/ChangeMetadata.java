package io.stele.flink.table;

import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The metadata columns of scans and changes. Rows of a snapshot have the LSN and time of the
 * snapshot.
 */
public enum ChangeMetadata {
    /** The LSN of the commit that changed the row. */
    LSN("change-lsn", DataTypes.BIGINT().notNull()),
    /** The time of that commit. */
    TIMESTAMP("change-timestamp", DataTypes.TIMESTAMP_LTZ(3).notNull());

    private final String key;
    private final DataType type;

    ChangeMetadata(String key, DataType type) {
        this.key = key;
        this.type = type;
    }

    /** All metadata keys with their types. */
    public static Map<String, DataType> types() {
        Map<String, DataType> types = new LinkedHashMap<>();
        for (ChangeMetadata metadata : values()) {
            types.put(metadata.key, metadata.type);
        }
        return types;
    }

    /** The metadata columns of certain keys, in order. */
    public static List<ChangeMetadata> of(List<String> keys) {
        List<ChangeMetadata> found = new ArrayList<>();
        for (String key : keys) {
            for (ChangeMetadata metadata : values()) {
                if (metadata.key.equals(key)) {
                    found.add(metadata);
                }
            }
        }
        if (found.size() != keys.size()) {
            throw new IllegalArgumentException(
                    "Expected metadata of %s, found %s".formatted(types().keySet(), keys));
        }
        return List.copyOf(found);
    }

    /** The row type with metadata columns after the others. */
    public static RowType append(RowType columns, List<ChangeMetadata> metadata) {
        List<RowType.RowField> fields = new ArrayList<>(columns.getFields());
        for (ChangeMetadata added : metadata) {
            fields.add(new RowType.RowField(added.key, added.type.getLogicalType()));
        }
        return new RowType(columns.isNullable(), fields);
    }

    /** The metadata value of a row, in Flink's internal form. */
    Object of(Lsn lsn) {
        return switch (this) {
            case LSN -> lsn.value();
            case TIMESTAMP -> TimestampData.fromEpochMillis(lsn.millis());
        };
    }
}
