package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The newest rows of one table in one shard, in memory, in all their versions.
 *
 * <p>Invariant: the LSNs of successive {@link #put} calls never decrease. One writer at a time (the
 * shard's execution context, or for a part its apply worker); readers on any thread, without locks:
 * a reader that waited for the shard to apply LSN T sees every version at or below T.
 */
public sealed interface MemTable
        permits CountedMemTable, MappedMemTable, BucketedMemTable, StackedMemTable {
    /**
     * @param schemaVersion the version of all rows that will be put
     */
    static MemTable create(MemTableKind kind, int schemaVersion) {
        return switch (kind) {
            case APPENDED -> new AppendMemTable(schemaVersion);
            case ORDERED -> new KeyedMemTable(schemaVersion);
            case HASHED -> new HashedMemTable(schemaVersion);
        };
    }

    /** The memtable of a table whose changes come in {@code buckets} hash buckets. */
    static MemTable create(int buckets, MemTableKind kind, int schemaVersion) {
        return buckets == 1
                ? create(kind, schemaVersion)
                : BucketedMemTable.create(buckets, kind, schemaVersion);
    }

    /** The number of apply workers that can write at a time. */
    default int bucketCount() {
        return 1;
    }

    /** The part that the apply worker of this index, and no other code meanwhile, writes to. */
    default MemTable bucket(int bucket) {
        return this;
    }

    /** The schema version that the rows were written with. */
    int schemaVersion();

    /**
     * Adds a version; one with the same key and LSN (an earlier change of the same batch) is
     * replaced.
     *
     * @param logLsn LSN of the oldest log record this version can be replayed from
     */
    void put(KeyedVersion version, long logLsn);

    /**
     * The newest version of a key at or below {@code lsn}, tombstones included; null when there is
     * none.
     */
    @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn);

    /**
     * Every version, by key ascending and LSN descending; versions put meanwhile may or may not be
     * seen.
     */
    Iterator<KeyedVersion> versions();

    /** The same from the newest version of a key, or of the next one that is there, on. */
    Iterator<KeyedVersion> versionsFrom(byte[] key);

    /**
     * Every version of an LSN after one and up to another, in no defined order, and perhaps others;
     * versions put meanwhile may or may not be seen.
     */
    default Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        return versions();
    }

    /** Bytes held, about. */
    long sizeBytes();

    /** The number of versions that were put. */
    long versionCount();

    /** An upper limit of the versions that are not the newest of their key here. */
    default long olderVersionCount() {
        return versionCount();
    }

    default boolean isEmpty() {
        return versionCount() == 0;
    }

    /** The lowest log LSN that was put; {@code Long.MAX_VALUE} while empty. */
    long minLogLsn();

    /** The highest LSN that was put; 0 while empty. */
    long maxLsn();
}
