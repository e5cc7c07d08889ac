package io.stele.engine.memtable;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A memtable stacked on an older memtable of the same table that is no longer written, after a
 * change of the number of apply workers. Both are sealed and flushed as one.
 *
 * <p>Invariant: of each key, the versions above are newer than the versions below.
 */
public final class StackedMemTable implements MemTable {
    private final MemTable above;
    private final MemTable below;

    public StackedMemTable(MemTable above, MemTable below) {
        this.above = requireNonNull(above, "above is null");
        this.below = requireNonNull(below, "below is null");
        if (above.schemaVersion() != below.schemaVersion()) {
            throw new IllegalArgumentException(
                    "Expected rows of version %d, found %d"
                            .formatted(above.schemaVersion(), below.schemaVersion()));
        }
    }

    /** The number of stacked memtables. */
    public static int height(MemTable table) {
        int height = 1;
        for (MemTable top = table; top instanceof StackedMemTable stack; top = stack.below) {
            height++;
        }
        return height;
    }

    @Override
    public int bucketCount() {
        return above.bucketCount();
    }

    @Override
    public MemTable bucket(int bucket) {
        return above.bucket(bucket);
    }

    @Override
    public int schemaVersion() {
        return above.schemaVersion();
    }

    @Override
    public void put(KeyedVersion version, long logLsn) {
        above.put(version, logLsn);
    }

    @Override
    public @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn) {
        KeyedVersion newer = above.find(key, offset, length, lsn);
        return newer != null ? newer : below.find(key, offset, length, lsn);
    }

    @Override
    public Iterator<KeyedVersion> versions() {
        return new MergingVersions(List.of(above.versions(), below.versions()));
    }

    @Override
    public Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        return new ChainedVersions(
                List.of(
                        above.versionsBetween(fromLsn, toLsn),
                        below.versionsBetween(fromLsn, toLsn)));
    }

    @Override
    public Iterator<KeyedVersion> versionsFrom(byte[] key) {
        return new MergingVersions(List.of(above.versionsFrom(key), below.versionsFrom(key)));
    }

    @Override
    public byte @Nullable [] keyBelow(byte @Nullable [] end, int versions) {
        byte[] key = above.keyBelow(end, versions);
        byte[] other = below.keyBelow(end, versions);
        return key == null || (other != null && Arrays.compareUnsigned(key, other) < 0)
                ? other
                : key;
    }

    @Override
    public long sizeBytes() {
        return above.sizeBytes() + below.sizeBytes();
    }

    @Override
    public long versionCount() {
        return above.versionCount() + below.versionCount();
    }

    @Override
    public long minLogLsn() {
        return Math.min(above.minLogLsn(), below.minLogLsn());
    }

    @Override
    public long maxLsn() {
        return Math.max(above.maxLsn(), below.maxLsn());
    }
}
