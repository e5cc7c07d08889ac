package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.HiddenColumns;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.Type;

/**
 * A column of a scan or a write.
 *
 * @param id the column's id in the table; negative for what every table has: {@link
 *     HiddenColumns#LSN}, {@link HiddenColumns#ROW_ID} and {@link #MERGE_ROW_ID}
 */
public record SteleColumnHandle(int id, String name, Type type) implements ColumnHandle {
    /**
     * Where a row is, for UPDATE, DELETE and MERGE: row(shard, key columns...) or row(shard,
     * generated row id).
     */
    public static final int MERGE_ROW_ID = -3;

    /** The LSN of the row's version, as a hidden column. */
    public static final String LSN_NAME = "$lsn";

    public static final String MERGE_ROW_ID_NAME = "$row_id";

    public static final SteleColumnHandle LSN =
            new SteleColumnHandle(HiddenColumns.LSN, LSN_NAME, BigintType.BIGINT);

    public SteleColumnHandle {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
    }

    /** The column that tells {@link #MERGE_ROW_ID} apart. */
    public static SteleColumnHandle mergeRowId(Type type) {
        return new SteleColumnHandle(MERGE_ROW_ID, MERGE_ROW_ID_NAME, type);
    }

    @Override
    public String toString() {
        return name + ":" + type.getDisplayName();
    }
}
