package io.stele.engine.read;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.row.KeyBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the rows of a key range of a shard in one direction, in parts. It holds nothing of
 * the files between parts: each part seeks the key with which it continues. A part opens only files
 * that have keys of it. Confined to one thread at a time.
 *
 * <p>Invariant: {@link #next} is between the rows of the range that were put into the page and
 * those that were not.
 */
sealed interface KeyWalk permits AscendingWalk, DescendingWalk {
    static KeyWalk of(KeyRange range, KeyDirection direction) {
        return switch (direction) {
            case ASCENDING -> new AscendingWalk(range);
            case DESCENDING -> new DescendingWalk(range);
        };
    }

    /**
     * Puts the next rows into the page, after reading about {@code maxVersions}.
     *
     * @return true at the end of the range, or when the page is full
     */
    boolean read(TableView view, VisibleLsns visible, PageRows page, int maxVersions)
            throws IOException;

    /**
     * The bound of the range of the rows that are left: the inclusive lower one if the walk
     * ascends, else the exclusive upper one. Only after a page that is full.
     */
    byte[] next();

    /** The versions in memtables and the given files, merged, from a key on. */
    static Iterator<KeyedVersion> versionsFrom(byte[] key, TableView view, List<SstFile> files)
            throws IOException {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        for (MemTable table : view.memTables()) {
            sources.add(table.versionsFrom(key));
        }
        try {
            for (SstFile file : files) {
                sources.add(file.versionsFrom(key));
            }
            return new MergingVersions(sources);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** Whether a version's key is at or behind an exclusive upper bound; null: there is none. */
    static boolean isBehind(KeyedVersion version, byte @Nullable [] upper) {
        return upper != null
                && Arrays.compareUnsigned(
                                version.keyArray(),
                                version.keyOffset(),
                                version.keyOffset() + version.keyLength(),
                                upper,
                                0,
                                upper.length)
                        >= 0;
    }

    /** The least key above that of a version. */
    static byte[] keyAfter(KeyedVersion version) {
        return KeyBytes.successor(version.key());
    }

    /** Whether no key is between that of a version and an exclusive upper bound. */
    static boolean isLastBelow(KeyedVersion version, byte @Nullable [] upper) {
        int length = version.keyLength();
        int from = version.keyOffset();
        return upper != null
                && upper.length == length + 1
                && upper[length] == 0
                && Arrays.equals(version.keyArray(), from, from + length, upper, 0, length);
    }
}
