package io.stele.storage.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.KeyIndexCursor;
import io.stele.storage.format.RowVersion;
import io.stele.storage.orc.ColumnRow;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.KeyedVersion;
import io.stele.storage.tablet.MemTable;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the row of a key as of an LSN: memtables newest first; then the row files newest first, or
 * the column file whose key index has the key and whose row is not deleted. Immutable.
 */
public final class KeyLookup {
    private final TableSchema schema;
    private final TableFiles files;

    public KeyLookup(TableSchema schema, TableFiles files) {
        this.schema = requireNonNull(schema, "schema is null");
        this.files = requireNonNull(files, "files is null");
    }

    /** A copy of the row; empty if the key has none. Blocks on files. */
    public Optional<byte[]> find(TableView view, byte[] key, long lsn) throws IOException {
        KeyedVersion inMemory = findInMemory(view, key, lsn);
        if (inMemory != null && !inMemory.isDeleted()) {
            return Optional.of(inMemory.row());
        }
        if (schema.orientation().hasRows()) {
            return inMemory != null ? Optional.empty() : findInRowFiles(view, key, lsn);
        }
        // A tombstone may stand for a worker's file that replaced a row in memory; older rows of
        // files are marked anyway.
        return findInColumnFiles(view, key, lsn);
    }

    private static @Nullable KeyedVersion findInMemory(TableView view, byte[] key, long lsn) {
        for (MemTable table : view.memTables()) {
            KeyedVersion version = table.find(key, 0, key.length, lsn);
            if (version != null) {
                return version;
            }
        }
        return null;
    }

    private static Optional<byte[]> findInRowFiles(TableView view, byte[] key, long lsn)
            throws IOException {
        for (RowFile file : view.rowFiles()) {
            if (file.entry().mayContain(key)) {
                Optional<RowVersion> version = file.reader().get(key, lsn);
                if (version.isPresent()) {
                    return version.get().deleted()
                            ? Optional.empty()
                            : Optional.of(version.get().toByteArray());
                }
            }
        }
        return Optional.empty();
    }

    private Optional<byte[]> findInColumnFiles(TableView view, byte[] key, long lsn)
            throws IOException {
        for (ColumnFile file : view.columnFiles()) {
            if (file.entry().minLsn().value() <= lsn) {
                Optional<byte[]> row = findInColumnFile(file, key, lsn);
                if (row.isPresent()) {
                    return row;
                }
            }
        }
        return Optional.empty();
    }

    // A file may have several versions of the key, newest first; at most one of them is visible.
    private Optional<byte[]> findInColumnFile(ColumnFile file, byte[] key, long lsn)
            throws IOException {
        int ordinal = file.find(key);
        if (ordinal == ColumnFile.ABSENT) {
            return Optional.empty();
        }
        Optional<byte[]> newest = visible(file, ordinal, lsn);
        if (newest.isPresent() || file.keyIndex().isEmpty()) {
            return newest;
        }
        KeyIndexCursor versions = file.keyIndex().get().cursor();
        boolean found = versions.seek(key);
        while (found && versions.keyEquals(key)) {
            Optional<byte[]> row = visible(file, versions.ordinal(), lsn);
            if (row.isPresent()) {
                return row;
            }
            found = versions.advance();
        }
        return Optional.empty();
    }

    private Optional<byte[]> visible(ColumnFile file, int ordinal, long lsn) throws IOException {
        if (file.deletes().isDeleted(ordinal, lsn)) {
            return Optional.empty();
        }
        ColumnRow row = files.readRow(file, schema, ordinal);
        return row.lsn() <= lsn ? Optional.of(row.row()) : Optional.empty();
    }
}
