package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk in the order of keys. A part reads up to where the next file begins. Confined to one
 * thread at a time.
 *
 * <p>Invariant: {@code next} is at or below the key of every row of the range that was not read,
 * and above that of every row that was.
 */
final class AscendingWalk implements KeyWalk {
    private final KeyRange range;
    private byte[] next;

    AscendingWalk(KeyRange range) {
        this.range = requireNonNull(range, "range is null");
        this.next = range.lower();
    }

    @Override
    public byte[] next() {
        return next;
    }

    @Override
    public boolean read(TableView view, VisibleLsns visible, PageRows page, int maxVersions)
            throws IOException {
        int left = maxVersions;
        while (true) {
            byte[] upper = range.upper().orElse(null);
            if (upper != null && Arrays.compareUnsigned(next, upper) >= 0) {
                return true;
            }
            Window window = window(view, visible, page, upper);
            left = window.read(left);
            if (page.isFull() || (window.isDone && !window.endsAtFile)) {
                return true;
            }
            if (!window.isDone) {
                return false; // there may be more where it stopped
            }
            next = requireNonNull(window.end, "a window that ends at a file has an end");
            if (left <= 0) {
                return false;
            }
        }
    }

    /** The versions from {@code next} up to the next file, or to the end of the range. */
    private Window window(
            TableView view, VisibleLsns visible, PageRows page, byte @Nullable [] upper)
            throws IOException {
        byte[] end = upper;
        boolean endsAtFile = false;
        List<SstFile> files = new ArrayList<>();
        for (SstFile file : view.sstFiles()) {
            byte[] min = file.entry().minKey().orElseThrow();
            byte[] max = file.entry().maxKey().orElseThrow();
            if (Arrays.compareUnsigned(min, next) > 0) {
                if (end == null || Arrays.compareUnsigned(min, end) < 0) {
                    end = min;
                    endsAtFile = true;
                }
            } else if (Arrays.compareUnsigned(max, next) >= 0) {
                files.add(file);
            }
        }
        return new Window(KeyWalk.versionsFrom(next, view, files), visible, page, end, endsAtFile);
    }

    /** The merged versions of a part of the range. */
    private final class Window {
        private final Iterator<KeyedVersion> versions;
        private final VisibleLsns visible;
        private final PageRows page;
        private final byte @Nullable [] end;
        private final boolean endsAtFile;
        private @Nullable KeyedVersion last; // that was read
        private boolean isDecided; // whether the key of the last one needs no more
        private boolean isDone; // up to the end

        Window(
                Iterator<KeyedVersion> versions,
                VisibleLsns visible,
                PageRows page,
                byte @Nullable [] end,
                boolean endsAtFile) {
            this.versions = versions;
            this.visible = visible;
            this.page = page;
            this.end = end;
            this.endsAtFile = endsAtFile;
        }

        /** Stops between keys once {@code maxVersions} were read; returns how many are left. */
        int read(int maxVersions) throws IOException {
            int left = maxVersions;
            try {
                while (!page.isFull()) {
                    if (!versions.hasNext()) {
                        isDone = true;
                        break;
                    }
                    KeyedVersion version = versions.next();
                    page.countVersion();
                    if (KeyWalk.isBehind(version, end)) {
                        isDone = true;
                        break;
                    }
                    KeyedVersion before = last;
                    boolean isNewKey = before == null || before.compareKey(version) != 0;
                    if (isNewKey && before != null && left <= 0) {
                        break; // it is read again
                    }
                    left--;
                    last = version;
                    isDecided &= !isNewKey;
                    decide(version);
                }
            } catch (UncheckedIOException failed) {
                throw failed.getCause();
            } finally {
                moveOn();
            }
            return left;
        }

        private void decide(KeyedVersion version) {
            if (!isDecided && version.lsn() <= visible.last()) {
                // A key whose row is refused stays the next one
                isDecided = !visible.isRow(version) || page.take(version);
            }
        }

        private void moveOn() {
            KeyedVersion reached = last;
            if (reached != null) {
                next = isDecided ? KeyWalk.keyAfter(reached) : reached.key();
            }
        }
    }
}
