package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.CloseAll;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over every row version of a table in one shard, without deletions, for the backfill of
 * an index. It reads memtables and then files one after the other, each in its own order and with
 * prefetching. Confined to one thread at a time.
 */
final class BaseVersions implements AutoCloseable {
    private final TableFiles files;
    private final TableSchema schema;
    private final long retentionLsn;
    private final SequentialReads reads;
    private final Deque<Iterator<KeyedVersion>> sequences = new ArrayDeque<>();
    private final Deque<SstFile> sstFiles = new ArrayDeque<>();
    private final Deque<ColumnFile> columnFiles = new ArrayDeque<>();
    private @Nullable ColumnFileVersions open;
    private @Nullable KeyedVersion current;

    /**
     * @param retentionLsn rows of column files that became obsolete at or below this LSN are
     *     skipped
     */
    BaseVersions(TableFiles files, TableView view, long retentionLsn) {
        this.files = requireNonNull(files, "files is null");
        this.schema = view.schema();
        this.retentionLsn = retentionLsn;
        this.reads = files.sequentialReads();
        view.memTables().forEach(memTable -> sequences.add(memTable.versions()));
        if (schema.orientation().hasRows()) {
            sstFiles.addAll(view.sstFiles());
        } else {
            columnFiles.addAll(view.columnFiles());
        }
    }

    /** The number of versions that a cursor over a view returns, at most. */
    static long count(TableView view) {
        long count = view.memTables().stream().mapToLong(MemTable::versionCount).sum();
        if (view.schema().orientation().hasRows()) {
            return count
                    + view.sstFiles().stream().mapToLong(file -> file.entry().rowCount()).sum();
        }
        return count + view.columnFiles().stream().mapToLong(file -> file.entry().rowCount()).sum();
    }

    /** Moves to the next version; false at the end. */
    boolean advance() throws IOException {
        while (true) {
            if (advanceInSequences()) {
                return true;
            }
            SstFile next = sstFiles.poll();
            if (next == null) {
                return advanceInColumnFiles();
            }
            reads.forget(); // of the previous file
            sequences.add(next.versions(reads));
        }
    }

    KeyedVersion version() {
        return requireNonNull(current, "no version");
    }

    @Override
    public void close() throws IOException {
        try {
            closeFile();
        } finally {
            reads.close();
        }
    }

    private void closeFile() throws IOException {
        ColumnFileVersions rows = open;
        open = null;
        if (rows != null) {
            CloseAll.of(rows::close, reads::forget);
        }
    }

    private boolean advanceInSequences() {
        for (Iterator<KeyedVersion> first = sequences.peek();
                first != null;
                first = sequences.peek()) {
            while (first.hasNext()) {
                current = first.next();
                if (!version().isDeleted()) {
                    return true;
                }
            }
            sequences.remove();
        }
        return false;
    }

    private boolean advanceInColumnFiles() throws IOException {
        while (true) {
            ColumnFileVersions rows = open;
            if (rows == null) {
                ColumnFile next = columnFiles.poll();
                if (next == null) {
                    return false;
                }
                rows =
                        new ColumnFileVersions(
                                next,
                                files.openRows(next, reads),
                                KeyEncoder.forPrimaryKey(schema),
                                retentionLsn,
                                0);
                open = rows;
            }
            if (rows.advance()) {
                current = rows.version();
                return true;
            }
            closeFile();
        }
    }
}
