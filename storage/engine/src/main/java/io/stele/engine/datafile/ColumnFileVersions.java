package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedRows;
import io.stele.engine.row.RetainedVersions;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the rows of a column file that some reader may still need, with their keys, in file
 * order. Rows are copied out of the vectors. Confined to one thread.
 */
public final class ColumnFileVersions implements AutoCloseable {
    private final ColumnFile file;
    private final ColumnFileCursor cursor;
    private final @Nullable KeyEncoder keys;
    private final RetainedRows retained;
    private @Nullable KeyedVersion version;
    private long endLsn;

    /**
     * @param keys encodes the key of a row; null: the row id is the key
     * @param retentionLsn rows that became obsolete at or below this LSN are skipped
     * @param expiredLsn rows with a lower LSN are skipped
     */
    public ColumnFileVersions(
            ColumnFile file,
            ColumnFileCursor cursor,
            @Nullable KeyEncoder keys,
            long retentionLsn,
            long expiredLsn) {
        this.file = requireNonNull(file, "file is null");
        this.cursor = requireNonNull(cursor, "cursor is null");
        this.keys = keys;
        this.retained = new RetainedRows(retentionLsn, expiredLsn);
    }

    /**
     * A row of a column file with its key.
     *
     * @param keys encodes the key of a row; null: the row id is the key
     * @param bytes of the row
     */
    public static KeyedVersion version(
            @Nullable KeyEncoder keys, BinaryRow row, byte[] bytes, long rowId, long lsn) {
        byte[] key = keys == null ? KeyEncoder.rowIdKey(rowId) : keys.encode(row);
        return KeyedVersion.live(key, 0, key.length, lsn, bytes, 0, bytes.length);
    }

    /** Moves to the next retained row; false at the end. */
    public boolean advance() throws IOException {
        while (cursor.advance()) {
            endLsn = file.deletes().deletedAt(cursor.ordinal());
            if (retained.contains(cursor.lsn(), endLsn)) {
                byte[] bytes = cursor.row().toByteArray();
                version = version(keys, cursor.row(), bytes, cursor.rowId(), cursor.lsn());
                return true;
            }
        }
        version = null;
        return false;
    }

    public KeyedVersion version() {
        return requireNonNull(version, "no row");
    }

    public int ordinal() {
        return cursor.ordinal();
    }

    /** The LSN from which the row is not visible; {@link RetainedVersions#PRESENT} if it is. */
    public long endLsn() {
        return endLsn;
    }

    @Override
    public void close() throws IOException {
        cursor.close();
    }
}
