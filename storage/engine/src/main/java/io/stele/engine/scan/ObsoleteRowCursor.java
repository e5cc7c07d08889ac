package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.columnfile.orc.ColumnRow;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * A cursor, for change scans, over the rows of a column file that became obsolete between two LSNs,
 * in no defined order. A few rows are read individually, with their row groups in parallel;
 * otherwise the file is read from its beginning. Confined to one thread at a time.
 */
final class ObsoleteRowCursor implements AutoCloseable {
    /** With fewer than one obsolete row in so many, most row groups have none. */
    private static final int ROWS_A_SEEK = 512;

    /** Rows of one step that waits for the store. */
    private static final int ROWS_A_READ = 256;

    /** 8 MiB of rows of one such step, by the average size of the file's rows. */
    private static final long BYTES_A_READ = 8 << 20;

    /** Rows need several times their bytes in files. */
    private static final long DECODED_BYTES = 4;

    private final TableFiles files;
    private final ColumnFile file;
    private final @Nullable KeyEncoder keys;
    private final BinaryRow view;
    private final PeekableIntIterator ordinals;
    private final @Nullable ColumnFileCursor cursor; // null: rows are read by themselves
    private final Queue<ColumnRow> read = new ArrayDeque<>();
    private @Nullable KeyedVersion version;
    private long endLsn;

    private ObsoleteRowCursor(
            TableFiles files,
            ColumnFile file,
            @Nullable KeyEncoder keys,
            RoaringBitmap ordinals,
            @Nullable ColumnFileCursor cursor) {
        this.files = files;
        this.file = file;
        this.keys = keys;
        this.view = new BinaryRow(file.mapping().to());
        this.ordinals = ordinals.getIntIterator();
        this.cursor = cursor;
    }

    /**
     * Opens the file; blocks.
     *
     * @param keys encodes the key of a row; null: the row id is the key
     * @param fromLsn rows that ended after it
     * @param toLsn rows that ended at or before it
     * @throws io.stele.protocol.SteleException SNAPSHOT_EXPIRED when the file no longer has all
     *     deletions after {@code fromLsn}
     */
    static ObsoleteRowCursor open(
            TableFiles files, ColumnFile file, @Nullable KeyEncoder keys, long fromLsn, long toLsn)
            throws IOException {
        RoaringBitmap ended = file.deletes().deletedBetween(fromLsn, toLsn);
        boolean seeks = ended.getLongCardinality() * ROWS_A_SEEK < file.entry().rowCount();
        return new ObsoleteRowCursor(files, file, keys, ended, seeks ? null : files.openRows(file));
    }

    /**
     * Does about as much work as one row takes, unless it waits for the store.
     *
     * @return false at the end
     */
    boolean advance() throws IOException {
        version = null;
        ColumnFileCursor open = cursor;
        return open == null ? advanceBySeeks() : advance(open);
    }

    private boolean advance(ColumnFileCursor open) throws IOException {
        if (!ordinals.hasNext() || !open.advance()) {
            return false;
        }
        if (open.ordinal() == ordinals.peekNext()) {
            show(open.ordinal(), open.lsn(), open.rowId(), open.row().toByteArray());
            ordinals.next();
        }
        return true;
    }

    private boolean advanceBySeeks() throws IOException {
        if (read.isEmpty()) {
            if (!ordinals.hasNext()) {
                return false;
            }
            NonBlocking.check();
            readSome();
            return true;
        }
        ColumnRow row = files.asRow(file, requireNonNull(read.poll()));
        show(row.ordinal(), row.lsn(), row.rowId(), row.row());
        return true;
    }

    private void readSome() throws IOException {
        PeekableIntIterator ahead = ordinals.clone();
        long rowBytes = DECODED_BYTES * file.entry().sizeBytes() / file.entry().rowCount();
        int most = (int) Math.clamp(BYTES_A_READ / Math.max(1, rowBytes), 1, ROWS_A_READ);
        int[] wanted = new int[most];
        int count = 0;
        while (count < most && ahead.hasNext()) {
            wanted[count++] = ahead.next();
        }
        Optional<ColumnFileReader> present = files.findOpen(file);
        ColumnFileReader reader = present.isPresent() ? present.get() : files.openForRows(file);
        Queue<ColumnRow> found = new ConcurrentLinkedQueue<>();
        files.parallelReads()
                .runAll(files.rowReads(reader, Arrays.copyOf(wanted, count), found::add));
        for (int i = 0; i < count; i++) { // only now, since a step that failed is repeated
            ordinals.next();
        }
        read.addAll(found);
    }

    private void show(int ordinal, long lsn, long rowId, byte[] row) {
        endLsn = file.deletes().deletedAt(ordinal);
        version = ColumnFileVersions.version(keys, view.wrap(row), row, rowId, lsn);
    }

    /** The row that the cursor is on; null: it is on no row. */
    @Nullable KeyedVersion version() {
        return version;
    }

    /** The LSN at which the row became obsolete. */
    long endLsn() {
        return endLsn;
    }

    @Override
    public void close() throws IOException {
        ColumnFileCursor open = cursor;
        if (open != null) {
            open.close();
        }
    }
}
