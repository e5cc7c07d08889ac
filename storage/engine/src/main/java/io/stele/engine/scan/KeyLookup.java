package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.columnfile.index.RowVersion;
import io.stele.columnfile.orc.ColumnRow;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RowCache.Row;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A point lookup of the row of a primary key, as of an LSN. It searches the memtables, newest
 * first. Then it searches the SST files, newest first, or the column file whose key index has the
 * key and whose row is not deleted. Immutable.
 */
public final class KeyLookup {
    /** Not for the cache: at an older LSN the row may still be visible. */
    private static final Row EXPIRED = Row.absent(Row.UNKNOWN);

    private final TableFiles files;
    private final Prefetched fetched;
    private final boolean seeks;

    public KeyLookup(TableFiles files) {
        this(files, Prefetched.NONE);
    }

    /**
     * @param fetched rows and blocks that need not be read again
     */
    public KeyLookup(TableFiles files, Prefetched fetched) {
        this(files, fetched, true);
    }

    private KeyLookup(TableFiles files, Prefetched fetched, boolean seeks) {
        this.files = requireNonNull(files, "files is null");
        this.fetched = requireNonNull(fetched, "fetched is null");
        this.seeks = seeks;
    }

    /**
     * A lookup for one of several keys where nothing may block: a row of a column file counts as
     * not in memory even if its row group is, since the rows of all keys can be found in the row
     * group together, in about the time of one.
     */
    public KeyLookup withoutSeeks() {
        return new KeyLookup(files, fetched, false);
    }

    /**
     * The newest version of a key at or below {@code lsn}, a copy in the view's schema version.
     * Blocks on files.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     * @param lsn {@code Long.MAX_VALUE}: the latest; only for tables with SST files. Tables with
     *     column files alone mark the old row before the LSN of the new row counts as applied, but
     *     perhaps after the new row is in memory, so they are read at the applied LSN
     * @param fromLsn rows below have expired
     */
    public Row find(TableView view, byte[] key, long hash, long lsn, long fromLsn)
            throws IOException {
        boolean obsolete = false; // after lsn; a file's row may not be marked so yet
        for (MemTable table : view.memTables()) {
            KeyedVersion version = table.find(key, 0, key.length, Long.MAX_VALUE);
            if (version != null && version.lsn() > lsn) {
                obsolete = true;
                version = table.find(key, 0, key.length, lsn);
            }
            if (version != null) {
                if (view.mayBeNewerInFile(key, version.lsn(), Long.MAX_VALUE)) {
                    RowVersion newer =
                            view.findIngestedAfter(key, hash, version.lsn(), lsn, fetched::over);
                    if (newer != null) {
                        return row(newer, fromLsn, lsn == Long.MAX_VALUE);
                    }
                    obsolete |= lsn != Long.MAX_VALUE; // a file may have a version after lsn
                }
                if (version.lsn() < fromLsn) {
                    return EXPIRED; // and all older versions, too
                }
                long newestFromLsn = obsolete ? Row.UNKNOWN : version.lsn();
                if (!version.isDeleted()) {
                    return new Row(version.row(), version.lsn(), newestFromLsn);
                }
                if (view.schema().orientation().hasRows()) {
                    return Row.absent(newestFromLsn);
                }
                // A tombstone may stand for a worker's file that replaced a row in memory; older
                // rows of files are marked anyway.
                break;
            }
        }
        Row found =
                view.schema().orientation().hasRows()
                        ? findInSstFiles(view, key, hash, lsn, fromLsn)
                        : findInColumnFiles(view, key, hash, lsn, fromLsn);
        return obsolete ? new Row(found.bytes(), found.lsn(), Row.UNKNOWN) : found;
    }

    private Row findInSstFiles(TableView view, byte[] key, long hash, long lsn, long fromLsn)
            throws IOException {
        boolean latest = lsn == Long.MAX_VALUE;
        for (SstFile file : view.sstFiles()) {
            if (file.entry().mayContain(key)) {
                RowVersion version = fetched.over(file).find(key, hash, lsn);
                if (version != null) {
                    return row(version, fromLsn, latest);
                }
            }
        }
        // Never there, or deleted before the retained history.
        return Row.absent(latest ? 0 : Row.UNKNOWN);
    }

    private static Row row(RowVersion version, long fromLsn, boolean latest) {
        return version.lsn() < fromLsn
                ? EXPIRED
                : new Row(
                        version.deleted() ? null : version.toByteArray(),
                        version.lsn(),
                        latest ? version.lsn() : Row.UNKNOWN);
    }

    private Row findInColumnFiles(TableView view, byte[] key, long hash, long lsn, long fromLsn)
            throws IOException {
        for (ColumnFile file : view.columnFiles()) {
            boolean inTime =
                    file.entry().minLsn().value() <= lsn
                            && file.entry().maxLsn().value() >= fromLsn;
            if (inTime && !file.isObsoleteAt(lsn)) {
                Row row = findInColumnFile(file, key, hash, lsn, fromLsn);
                if (row != null) {
                    return row;
                }
            }
        }
        return Row.absent(Row.UNKNOWN);
    }

    private @Nullable Row findInColumnFile(
            ColumnFile file, byte[] key, long hash, long lsn, long fromLsn) throws IOException {
        int ordinal = findOrdinal(fetched.over(file), key, hash, lsn);
        return ordinal == ColumnFile.ABSENT ? null : visible(file, ordinal, lsn, fromLsn);
    }

    // A file may have several versions of the key, newest first, each ended by the next newer one.
    // So the version to see, if there is one, is the oldest that had not ended; only that is read.
    static int findOrdinal(ColumnFile file, byte[] key, long hash, long lsn) throws IOException {
        int ordinal = file.find(key, hash);
        if (ordinal == ColumnFile.ABSENT || file.deletes().isDeleted(ordinal, lsn)) {
            return ColumnFile.ABSENT; // older ones ended before
        }
        if (file.entry().maxLsn().value() > lsn && file.hasKeyIndex()) {
            KeyIndexCursor versions = file.keyIndex().cachedCursor();
            boolean found = versions.seek(key);
            while (found
                    && versions.keyEquals(key)
                    && !file.deletes().isDeleted(versions.ordinal(), lsn)) {
                ordinal = versions.ordinal();
                found = versions.advance();
            }
        }
        return ordinal;
    }

    private @Nullable Row visible(ColumnFile file, int ordinal, long lsn, long fromLsn)
            throws IOException {
        boolean obsolete = file.deletes().deletedAt(ordinal) != DeletionVector.NOT_DELETED;
        if (!seeks && fetched.find(file.entry().path(), ordinal).isEmpty()) {
            NonBlocking.check();
        }
        ColumnRow row = fetched.row(files, file, ordinal);
        if (row.lsn() < fromLsn) {
            return EXPIRED;
        }
        return row.lsn() <= lsn
                ? new Row(row.row(), row.lsn(), obsolete ? Row.UNKNOWN : row.lsn())
                : null;
    }
}
