package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import java.util.Iterator;
import java.util.List;

/** A memtable of one part, which counts what it was given. */
abstract sealed class CountedMemTable implements MemTable
        permits KeyedMemTable, HashedMemTable, AppendMemTable {
    private final MemTableTotals totals = new MemTableTotals();
    private final int schemaVersion;

    CountedMemTable(int schemaVersion) {
        this.schemaVersion = schemaVersion;
    }

    /** For the writer, before it puts a version in. */
    final MemTableTotals totals() {
        return totals;
    }

    /** Passes over what is before the key; a memtable that is sorted by key has a better way. */
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
