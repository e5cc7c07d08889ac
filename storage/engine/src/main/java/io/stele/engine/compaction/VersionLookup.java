package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.columnfile.index.RowVersion;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A lookup by key, for index repair, of the LSN of the row version that a reader at an LSN sees. It
 * blocks on files, and reads the row itself only where it must. Thread-safe.
 */
final class VersionLookup {
    /** The result if the reader sees no row of the key. */
    static final long ABSENT = -1;

    private final TableFiles files;
    private final TableSchema schema;
    private final TableView view;

    VersionLookup(TableFiles files, TableSchema schema, TableView view) {
        this.files = requireNonNull(files, "files is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.view = requireNonNull(view, "view is null");
    }

    long find(byte[] key, long lsn) throws IOException {
        KeyedVersion inMemory = findInMemory(key, lsn);
        if (inMemory != null && view.mayBeNewerInFile(key, inMemory.lsn(), lsn)) {
            long hash = XxHash64.hash(key, 0, key.length);
            RowVersion newer =
                    view.findIngestedAfter(
                            key, hash, inMemory.lsn(), lsn, UnaryOperator.identity());
            if (newer != null) {
                return newer.deleted() ? ABSENT : newer.lsn();
            }
        }
        if (inMemory != null && !inMemory.isDeleted()) {
            return inMemory.lsn();
        }
        if (!schema.orientation().hasRows()) {
            // A tombstone in memory may mark a row that a worker's file replaced.
            return findInColumnFiles(key, lsn);
        }
        return inMemory != null ? ABSENT : findInSstFiles(key, lsn);
    }

    private @Nullable KeyedVersion findInMemory(byte[] key, long lsn) {
        for (MemTable table : view.memTables()) {
            KeyedVersion version = table.find(key, 0, key.length, lsn);
            if (version != null) {
                return version;
            }
        }
        return null;
    }

    private long findInSstFiles(byte[] key, long lsn) throws IOException {
        for (SstFile file : view.sstFiles()) {
            if (file.entry().mayContain(key)) {
                Optional<RowVersion> version = file.get(key, lsn);
                if (version.isPresent()) {
                    return version.get().deleted() ? ABSENT : version.get().lsn();
                }
            }
        }
        return ABSENT;
    }

    private long findInColumnFiles(byte[] key, long lsn) throws IOException {
        for (ColumnFile file : view.columnFiles()) {
            if (file.entry().minLsn().value() <= lsn) {
                long found = findInColumnFile(file, key, lsn);
                if (found != ABSENT) {
                    return found;
                }
            }
        }
        return ABSENT;
    }

    // A file may have several versions of the key, newest first; at most one of them is visible.
    private long findInColumnFile(ColumnFile file, byte[] key, long lsn) throws IOException {
        int ordinal = file.find(key);
        if (ordinal == ColumnFile.ABSENT) {
            return ABSENT;
        }
        long newest = visible(file, ordinal, lsn);
        if (newest != ABSENT || !file.hasKeyIndex()) {
            return newest;
        }
        KeyIndexCursor versions = file.keyIndex().cursor();
        boolean found = versions.seek(key);
        while (found && versions.keyEquals(key)) {
            long version = visible(file, versions.ordinal(), lsn);
            if (version != ABSENT) {
                return version;
            }
            found = versions.advance();
        }
        return ABSENT;
    }

    private long visible(ColumnFile file, int ordinal, long lsn) throws IOException {
        if (file.deletes().isDeleted(ordinal, lsn)) {
            return ABSENT;
        }
        long version =
                file.entry().minLsn().equals(file.entry().maxLsn())
                        ? file.entry().minLsn().value()
                        : files.readRow(file, ordinal).lsn();
        return version <= lsn ? version : ABSENT;
    }
}
