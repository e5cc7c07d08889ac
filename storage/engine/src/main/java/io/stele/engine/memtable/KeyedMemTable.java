package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The memtable of a table with row tablets and a primary key: a skip list of versions, key
 * ascending and LSN descending.
 */
final class KeyedMemTable extends CountedMemTable {
    // Key and value are the same object, unless a later change of the same batch replaced the
    // value.
    private final ConcurrentSkipListMap<KeyedVersion, KeyedVersion> versions =
            new ConcurrentSkipListMap<>();

    KeyedMemTable(int schemaVersion) {
        super(schemaVersion);
    }

    @Override
    public void put(KeyedVersion version, long logLsn) {
        totals().add(version, logLsn);
        versions.put(version, version);
    }

    @Override
    public @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn) {
        Map.Entry<KeyedVersion, KeyedVersion> entry =
                versions.ceilingEntry(KeyedVersion.probe(key, offset, length, lsn));
        if (entry == null) {
            return null;
        }
        KeyedVersion version = entry.getValue();
        return version.hasKey(key, offset, length) ? version : null;
    }

    @Override
    public Iterator<KeyedVersion> versions() {
        return versions.values().iterator();
    }

    @Override
    public Iterator<KeyedVersion> versionsFrom(byte[] key) {
        return versions.tailMap(KeyedVersion.probe(key, 0, key.length, Long.MAX_VALUE))
                .values()
                .iterator();
    }
}
