package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * A choice of levels for the SST files of a bulk load. A file comes below level 0 where nothing at
 * that level or above, nor in memory, is in its range of keys: of one key, the versions in a level
 * are newer than those in every level below. So a load into an empty table, or of ascending keys,
 * is where compactions would bring it.
 */
final class IngestLevels {
    /** 256 MiB: about what compactions leave in level 1. */
    private static final long LEVEL1_BYTES = 256L << 20;

    private static final int RATIO = 10;

    /** Level 5 holds 2.5 TB. */
    private static final int LAST_LEVEL = 5;

    private final TableView view;
    private final int wanted;

    /**
     * @param loaded all files of the load, by whose size the level is chosen
     */
    IngestLevels(TableView view, List<SstFile> loaded) {
        this.view = requireNonNull(view, "view is null");
        long bytes = loaded.stream().mapToLong(file -> file.entry().sizeBytes()).sum();
        int level = 1;
        for (long limit = LEVEL1_BYTES; limit < bytes && level < LAST_LEVEL; limit *= RATIO) {
            level++;
        }
        this.wanted = level;
    }

    /** The level of one file. */
    int of(FileEntry file) {
        byte[] least = file.minKey().orElseThrow();
        byte[] greatest = file.maxKey().orElseThrow();
        for (MemTable table : view.memTables()) {
            Iterator<KeyedVersion> versions = table.versionsFrom(least);
            if (versions.hasNext() && !isAbove(versions.next(), greatest)) {
                return 0;
            }
        }
        int highest = wanted + 1; // the highest level that has something in the range
        for (SstFile other : view.sstFiles()) {
            if (other.entry().level() < highest && other.entry().overlaps(file)) {
                highest = other.entry().level();
            }
        }
        return Math.max(0, highest - 1);
    }

    private static boolean isAbove(KeyedVersion version, byte[] key) {
        return Arrays.compareUnsigned(
                        version.keyArray(),
                        version.keyOffset(),
                        version.keyOffset() + version.keyLength(),
                        key,
                        0,
                        key.length)
                > 0;
    }
}
