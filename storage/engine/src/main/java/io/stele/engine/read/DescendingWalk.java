package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk against the order of keys. Files and memtables are read forwards only: the walk reads a
 * short window below the rows that it had, which begins with the greatest of the keys that the
 * index of each file and each memtable propose, and takes the rows of the window from the last to
 * the first. A window has a block of each file that overlaps it, and some versions of each
 * memtable. Confined to one thread at a time.
 *
 * <p>Invariant: {@code end} is above the key of every row of the range that was not read, and at or
 * below that of every row that was. Invariant: each window begins below {@code end}.
 */
final class DescendingWalk implements KeyWalk {
    private static final int VERSIONS_A_WINDOW = 64;

    /** A window of more files, a block of each, takes too long for a shared thread. */
    private static final int FILES_ON_SHARED_THREADS = 4;

    private static final Comparator<SstFile> BY_LAST_KEY =
            Comparator.comparing(DescendingWalk::maxKey, Arrays::compareUnsigned);

    private final KeyRange range;
    private byte @Nullable [] end; // null: there is none

    DescendingWalk(KeyRange range) {
        this.range = requireNonNull(range, "range is null");
        this.end = range.upper().orElse(null);
    }

    @Override
    public byte[] next() {
        return requireNonNull(end, "a page that is full has an end");
    }

    /**
     * Stops between windows only, each of which may have more versions than {@code maxVersions}.
     */
    @Override
    public boolean read(TableView view, VisibleLsns visible, PageRows page, int maxVersions)
            throws IOException {
        long stopAt = page.versionsRead() + maxVersions;
        while (!isAtLower()) {
            if (page.versionsRead() >= stopAt) {
                return false;
            }
            Window window = window(windowStart(view), view, visible, page);
            for (KeyedVersion row : window.rows.reversed()) {
                if (!page.take(row)) {
                    end = KeyWalk.keyAfter(row);
                    return true;
                }
            }
            end = window.start;
        }
        return true;
    }

    private boolean isAtLower() {
        byte[] bound = end;
        return bound != null && Arrays.compareUnsigned(bound, range.lower()) <= 0;
    }

    /** Only files with keys of the window are opened. */
    private byte[] windowStart(TableView view) throws IOException {
        byte[] start = range.lower();
        for (MemTable table : view.memTables()) {
            start = greater(start, table.keyBelow(end, VERSIONS_A_WINDOW));
        }
        for (SstFile file : files(view, start).stream().sorted(BY_LAST_KEY.reversed()).toList()) {
            if (Arrays.compareUnsigned(maxKey(file), start) >= 0) {
                start = greater(start, file.reader().keyBelow(end));
            }
        }
        return start;
    }

    private static byte[] greater(byte[] key, byte @Nullable [] other) {
        return other == null || Arrays.compareUnsigned(key, other) >= 0 ? key : other;
    }

    /** The files with keys from {@code start} up to {@code end}, as far as their bounds tell. */
    private List<SstFile> files(TableView view, byte[] start) {
        List<SstFile> files = new ArrayList<>();
        for (SstFile file : view.sstFiles()) {
            byte[] min = file.entry().minKey().orElseThrow();
            if ((end == null || Arrays.compareUnsigned(min, end) < 0)
                    && Arrays.compareUnsigned(maxKey(file), start) >= 0) {
                files.add(file);
            }
        }
        return files;
    }

    private static byte[] maxKey(SstFile file) {
        return file.entry().maxKey().orElseThrow();
    }

    /** The rows from {@code start} up to {@code end}, as far as one page may have room for them. */
    private Window window(byte[] start, TableView view, VisibleLsns visible, PageRows page)
            throws IOException {
        List<SstFile> files = files(view, start);
        if (files.size() > FILES_ON_SHARED_THREADS) {
            NonBlocking.check();
        }
        Window window = new Window(start, page.usefulRows(), page.roomBytes());
        Iterator<KeyedVersion> versions = KeyWalk.versionsFrom(start, view, files);
        KeyedVersion decided = null; // the last version that was the newest visible one of its key
        try {
            while (versions.hasNext()) {
                KeyedVersion version = versions.next();
                page.countVersion();
                if (KeyWalk.isBehind(version, end)) {
                    break;
                }
                boolean isOlder = decided != null && decided.compareKey(version) == 0;
                if (isOlder || version.lsn() > visible.last()) {
                    continue;
                }
                decided = version;
                if (visible.isRow(version)) {
                    window.add(version);
                }
                if (KeyWalk.isLastBelow(version, end)) {
                    break; // its older versions may be many
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return window;
    }

    /** The last rows of a window, in the order of keys. */
    private static final class Window {
        private final Deque<KeyedVersion> rows = new ArrayDeque<>();
        private final int maxRows;
        private final long maxBytes;
        private byte[] start; // of the keys whose rows it has
        private long bytes;

        Window(byte[] start, int maxRows, long maxBytes) {
            this.start = start;
            this.maxRows = maxRows;
            this.maxBytes = maxBytes;
        }

        /** Drops the first rows if all are more than a page has room for. */
        void add(KeyedVersion row) {
            rows.addLast(row);
            bytes += row.rowLength();
            while (rows.size() > 1 && (rows.size() > maxRows || bytes > maxBytes)) {
                bytes -= rows.removeFirst().rowLength();
                start = rows.getFirst().key();
            }
        }
    }
}
