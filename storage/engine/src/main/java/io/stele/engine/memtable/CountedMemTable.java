package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import java.util.Iterator;
import java.util.List;

/**
 * The base class of memtables with their own storage, which counts versions and bytes and notes the
 * bounds of their LSNs.
 */
abstract sealed class CountedMemTable implements MemTable
        permits KeyedMemTable, HashedMemTable, AppendMemTable {
    private final MemTableTotals totals = new MemTableTotals();
    private final int schemaVersion;

    CountedMemTable(int schemaVersion) {
        this.schemaVersion = schemaVersion;
    }

    /** The totals, to which the writer adds a version before it stores the version. */
    final MemTableTotals totals() {
        return totals;
    }

    /**
     * Skips the versions before the key one by one; a memtable that is sorted by key overrides
     * this.
     */
    @Override
    public Iterator<KeyedVersion> versionsFrom(byte[] key) {
        KeyedVersion first = KeyedVersion.probe(key, 0, key.length, Long.MAX_VALUE);
        Iterator<KeyedVersion> versions = versions();
        while (versions.hasNext()) {
            KeyedVersion version = versions.next();
            if (version.compareKey(first) >= 0) {
                return new MergingVersions(List.of(List.of(version).iterator(), versions));
            }
        }
        return versions;
    }

    @Override
    public final int schemaVersion() {
        return schemaVersion;
    }

    @Override
    public final long sizeBytes() {
        return totals.sizeBytes();
    }

    @Override
    public final long versionCount() {
        return totals.versionCount();
    }

    @Override
    public final long minLogLsn() {
        return totals.minLogLsn();
    }

    @Override
    public final long maxLsn() {
        return totals.maxLsn();
    }
}
