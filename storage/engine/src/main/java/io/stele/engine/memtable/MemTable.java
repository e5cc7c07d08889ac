package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * All versions of the rows of one table in one shard that are not yet flushed to files. The memory
 * layout differs by implementation.
 *
 * <p>Invariant: the LSNs of successive {@link #put} calls never decrease. One writer at a time (the
 * shard's execution context, or for a part its apply worker). Readers may be on any thread and use
 * no locks; a reader that waited for the shard to apply LSN T sees every version at or below T.
 */
public sealed interface MemTable
        permits CountedMemTable, MappedMemTable, BucketedMemTable, StackedMemTable {
    /**
     * @param schemaVersion the schema version of all rows that will be put
     */
    static MemTable create(MemTableKind kind, int schemaVersion) {
        return switch (kind) {
            case APPENDED -> new AppendMemTable(schemaVersion);
            case ORDERED -> new KeyedMemTable(schemaVersion);
            case HASHED -> new HashedMemTable(schemaVersion);
        };
    }

    /**
     * A memtable for as many apply workers as {@code buckets}, each of which writes one hash
     * bucket.
     */
    static MemTable create(int buckets, MemTableKind kind, int schemaVersion) {
        return buckets == 1
                ? create(kind, schemaVersion)
                : BucketedMemTable.create(buckets, kind, schemaVersion);
    }

    /** The number of apply workers that can write at a time. */
    default int bucketCount() {
        return 1;
    }

    /** The part to which only the apply worker of this index writes, while it works. */
    default MemTable bucket(int bucket) {
        return this;
    }

    /** The schema version with which the rows were written. */
    int schemaVersion();

    /**
     * Adds a version, which replaces a version with the same key and LSN (an earlier change of the
     * same batch).
     *
     * @param logLsn LSN of the oldest log record from which this version can be replayed
     */
    void put(KeyedVersion version, long logLsn);

    /**
     * The newest version of a key at or below {@code lsn}, which may be a tombstone; null if there
     * is none.
     */
    @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn);

    /**
     * Every version, by key ascending and LSN descending; versions put meanwhile may or may not be
     * seen.
     */
    Iterator<KeyedVersion> versions();

    /**
     * As {@link #versions}, from the newest version of the first key at or after {@code key} on.
     */
    Iterator<KeyedVersion> versionsFrom(byte[] key);

    /**
     * The start of a window for a reader against the order of keys: a key below {@code end} such
     * that the versions between the two are at most {@code versions}, or all have one key. Null if
     * fewer are below {@code end}, or if this memtable is not ordered by key.
     *
     * @param end null: behind the last key
     */
    default byte @Nullable [] keyBelow(byte @Nullable [] end, int versions) {
        return null;
    }

    /**
     * Every version with an LSN above {@code fromLsn} and at or below {@code toLsn}, and possibly
     * other versions, in no defined order; versions put meanwhile may or may not be seen.
     */
    default Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        return versions();
    }

    /** The approximate memory, in bytes. */
    long sizeBytes();

    /** The number of versions that were put, including replaced ones. */
    long versionCount();

    /**
     * An upper bound of the number of versions that are not the newest of their key in this
     * memtable.
     */
    default long olderVersionCount() {
        return versionCount();
    }

    default boolean isEmpty() {
        return versionCount() == 0;
    }

    /** The lowest log LSN of all versions; {@code Long.MAX_VALUE} while empty. */
    long minLogLsn();

    /** The highest LSN of all versions; 0 while empty. */
    long maxLsn();
}
