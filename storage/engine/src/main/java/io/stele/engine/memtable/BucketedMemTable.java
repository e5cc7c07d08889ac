package io.stele.engine.memtable;

import io.stele.engine.row.HashBucket;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A memtable of several parts, one for each hash bucket of keys, so that apply workers write in
 * parallel and share nothing. Readers see one memtable.
 *
 * <p>Invariant: a version is in the part of its key's bucket. Invariant: each part has one writer
 * at a time: its apply worker, or code that runs while the workers are idle ({@link #put}).
 */
final class BucketedMemTable implements MemTable {
    private final List<MemTable> parts;

    /**
     * @param parts one for each hash bucket
     */
    BucketedMemTable(List<MemTable> parts) {
        if (parts.size() < 2) {
            throw new IllegalArgumentException("Expected two parts or more, found " + parts.size());
        }
        this.parts = List.copyOf(parts);
    }

    static BucketedMemTable create(int buckets, MemTableKind kind, int schemaVersion) {
        List<MemTable> parts = new ArrayList<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            parts.add(MemTable.create(kind, schemaVersion));
        }
        return new BucketedMemTable(parts);
    }

    @Override
    public int bucketCount() {
        return parts.size();
    }

    @Override
    public MemTable bucket(int bucket) {
        return parts.get(bucket);
    }

    @Override
    public int schemaVersion() {
        return parts.getFirst().schemaVersion();
    }

    @Override
    public void put(KeyedVersion version, long logLsn) {
        part(version.keyArray(), version.keyOffset(), version.keyLength()).put(version, logLsn);
    }

    @Override
    public @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn) {
        return part(key, offset, length).find(key, offset, length, lsn);
    }

    private MemTable part(byte[] key, int offset, int length) {
        return parts.get(HashBucket.of(key, offset, length, parts.size()));
    }

    @Override
    public Iterator<KeyedVersion> versions() {
        return new MergingVersions(parts.stream().map(MemTable::versions).toList());
    }

    @Override
    public Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        return new ChainedVersions(
                parts.stream().map(part -> part.versionsBetween(fromLsn, toLsn)).toList());
    }

    @Override
    public Iterator<KeyedVersion> versionsFrom(byte[] key) {
        return new MergingVersions(parts.stream().map(part -> part.versionsFrom(key)).toList());
    }

    @Override
    public byte @Nullable [] keyBelow(byte @Nullable [] end, int versions) {
        return parts.stream()
                .map(part -> part.keyBelow(end, versions))
                .filter(Objects::nonNull)
                .max(Arrays::compareUnsigned)
                .orElse(null);
    }

    @Override
    public long sizeBytes() {
        return parts.stream().mapToLong(MemTable::sizeBytes).sum();
    }

    @Override
    public long versionCount() {
        return parts.stream().mapToLong(MemTable::versionCount).sum();
    }

    @Override
    public long olderVersionCount() {
        return parts.stream().mapToLong(MemTable::olderVersionCount).sum();
    }

    @Override
    public long minLogLsn() {
        return parts.stream().mapToLong(MemTable::minLogLsn).min().orElseThrow();
    }

    @Override
    public long maxLsn() {
        return parts.stream().mapToLong(MemTable::maxLsn).max().orElseThrow();
    }
}
