package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.scan.HiddenColumns;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import java.util.List;

/**
 * Trino's handle of a column, hidden column or field inside a column that a scan reads or a write
 * fills.
 *
 * @param id the column's id in the table; negative for the hidden columns of every table: {@link
 *     HiddenColumns#LSN}, {@link HiddenColumns#ROW_ID}, {@link #MERGE_ROW_ID}, {@link #PATH_ID},
 *     {@link #SHARD_ID} and {@link #FILE_MODIFIED_TIME_ID}
 * @param path ids of fields, from the outside in, where the scan wants a field inside the column;
 *     empty: the column itself
 */
public record SteleColumnHandle(int id, String name, Type type, List<Integer> path)
        implements ColumnHandle {
    /**
     * The location of a row, for UPDATE, DELETE and MERGE: row(shard, key columns...) or row(shard,
     * generated row id).
     */
    public static final int MERGE_ROW_ID = -3;

    public static final int PATH_ID = -4;
    public static final int SHARD_ID = -5;
    public static final int FILE_MODIFIED_TIME_ID = -6;

    /** The file that the row was read from; null of a row that came from a sidecar. */
    public static final SteleColumnHandle PATH =
            new SteleColumnHandle(PATH_ID, "$path", VarcharType.VARCHAR);

    /** The shard of the row. */
    public static final SteleColumnHandle SHARD =
            new SteleColumnHandle(SHARD_ID, "$shard", IntegerType.INTEGER);

    /** When the youngest row of the file was written; null where {@link #PATH} is null. */
    public static final SteleColumnHandle FILE_MODIFIED_TIME =
            new SteleColumnHandle(
                    FILE_MODIFIED_TIME_ID,
                    "$file_modified_time",
                    TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS);

    /** The LSN of the row's version, as a hidden column. */
    public static final String LSN_NAME = "$lsn";

    public static final String MERGE_ROW_ID_NAME = "$row_id";

    public static final SteleColumnHandle LSN =
            new SteleColumnHandle(HiddenColumns.LSN, LSN_NAME, BigintType.BIGINT);

    /** The columns that every table has and {@code SELECT *} does not show. */
    public static final List<SteleColumnHandle> HIDDEN =
            List.of(LSN, PATH, SHARD, FILE_MODIFIED_TIME);

    public SteleColumnHandle {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        path = List.copyOf(path);
    }

    /** A whole column. */
    public SteleColumnHandle(int id, String name, Type type) {
        this(id, name, type, List.of());
    }

    /** Whether it is a field inside a column. */
    public boolean isField() {
        return !path.isEmpty();
    }

    /** The column of {@link #MERGE_ROW_ID}, which identifies a row. */
    public static SteleColumnHandle mergeRowId(Type type) {
        return new SteleColumnHandle(MERGE_ROW_ID, MERGE_ROW_ID_NAME, type);
    }

    @Override
    public String toString() {
        return name + ":" + type.getDisplayName();
    }
}
