package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.manifest.FilePruningIndex;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A cache of the column file lists of tables in shards as {@link FilePruningIndex}, with which
 * planners select the files that may match a predicate. A changed list is derived from the list
 * before it. Bounded by weight. Thread-safe.
 */
public final class FileListCache {
    /** Up to this number, files are checked one by one, which is as fast as building columns. */
    private static final int FEW_FILES = 4;

    /** 128 MiB: of a million files with conditions on seven columns, 116 bytes each. */
    public static final long MAX_BYTES = 128L << 20;

    private static final long ENTRY_BYTES = 200; // key, map and policy, about

    private final SingleFlightCache<Key, FilePruningIndex<ColumnFile>> lists;
    private final boolean enabled;
    private final LongSupplier nanoTime;

    /**
     * @param maxBytes 0: nothing is cached
     * @param nanoTime the clock that measures the creation of lists
     */
    public FileListCache(long maxBytes, LongSupplier nanoTime) {
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
    public List<ColumnFile> select(
            TableVersions versions,
            ShardId shard,
            List<ColumnFile> files,
            PartitionMatcher partitions,
            ScanPredicate predicate) {
        if (predicate.isAll()) { // in the order of the list, which distinguishes plans
            return files;
        }
        Key key = new Key(versions.schema().id(), shard);
        Optional<FilePruningIndex<ColumnFile>> list = of(key, files);
        if (list.isEmpty()) {
            return files;
        }
        long bytes = list.get().retainedBytes();
        List<ColumnFile> found = list.get().select(partitions, predicate, versions.schemaVersion());
        if (list.get().retainedBytes() != bytes && lists.peek(key).equals(list)) {
            lists.put(key, list.get()); // with another weight
        }
        return found;
    }

    private Optional<FilePruningIndex<ColumnFile>> of(Key key, List<ColumnFile> files) {
        if (!enabled || files.size() <= FEW_FILES) {
            return Optional.empty();
        }
        Optional<FilePruningIndex<ColumnFile>> known = lists.peek(key);
        if (known.isPresent() && known.get().isOf(files)) {
            lists.used(key, 1);
            return known;
        }
        long start = nanoTime.getAsLong();
        FilePruningIndex<ColumnFile> next =
                known.map(before -> before.advanced(files))
                        .orElseGet(() -> FilePruningIndex.of(files, ColumnFile::entry));
        lists.putMissed(key, next, nanoTime.getAsLong() - start);
        return Optional.of(next);
    }

    public CacheStatistics statistics() {
        return lists.statistics();
    }

    private record Key(TableId table, ShardId shard) {}
}
