package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.manifest.FileSlices;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A cache of the column file lists of tables in shards as {@link FileSlices}, with which planners
 * select the files that may match a predicate. A changed list is derived from the list before it.
 * Bounded by weight. Thread-safe.
 */
public final class FileLists {
    /** Up to this number, files are checked one by one, which is as fast as building columns. */
    private static final int FEW_FILES = 4;

    /** 64 MiB: lists of some 470,000 files at most 136 bytes each. */
    public static final long MAX_BYTES = 64L << 20;

    private static final long ENTRY_BYTES = 200; // key, map and policy, about

    private final SingleFlightCache<Key, FileSlices<ColumnFile>> lists;
    private final boolean enabled;
    private final LongSupplier nanoTime;

    /**
     * @param maxBytes 0: nothing is cached
     * @param nanoTime the clock that measures the creation of lists
     */
    public FileLists(long maxBytes, LongSupplier nanoTime) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.enabled = maxBytes > 0;
        this.lists =
                new SingleFlightCache<>(
                        "file-lists",
                        maxBytes,
                        list -> list.retainedBytes() + ENTRY_BYTES,
                        nanoTime);
    }

    /**
     * The files of a shard that may have rows of a predicate, and perhaps some that have none.
     *
     * @param files an immutable list, the same object as long as it has the same files
     * @param partitions of the predicate
     */
    List<ColumnFile> select(
            TableVersions versions,
            ShardId shard,
            List<ColumnFile> files,
            PartitionMatcher partitions,
            ScanPredicate predicate) {
        if (predicate.isAll()) { // in the order of the list, which distinguishes plans
            return files;
        }
        return of(versions.schema().id(), shard, files)
                .map(list -> list.select(partitions::matches, predicate, versions.schemaVersion()))
                .orElse(files);
    }

    private Optional<FileSlices<ColumnFile>> of(
            TableId table, ShardId shard, List<ColumnFile> files) {
        if (!enabled || files.size() <= FEW_FILES) {
            return Optional.empty();
        }
        Key key = new Key(table, shard);
        Optional<FileSlices<ColumnFile>> known = lists.peek(key);
        if (known.isPresent() && known.get().isOf(files)) {
            lists.used(key, 1);
            return known;
        }
        long start = nanoTime.getAsLong();
        FileSlices<ColumnFile> next =
                known.map(before -> before.advanced(files))
                        .orElseGet(() -> FileSlices.of(files, ColumnFile::entry));
        lists.putMissed(key, next, nanoTime.getAsLong() - start);
        return Optional.of(next);
    }

    public CacheStatistics statistics() {
        return lists.statistics();
    }

    private record Key(TableId table, ShardId shard) {}
}
