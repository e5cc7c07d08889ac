package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.row.KeyBytes;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
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

    @Override
    public byte @Nullable [] keyBelow(byte @Nullable [] end, int versions) {
        NavigableMap<KeyedVersion, KeyedVersion> below =
                end == null
                        ? this.versions
                        : this.versions.headMap(
                                KeyedVersion.probe(end, 0, end.length, Long.MAX_VALUE), false);
        int left = versions;
        for (KeyedVersion version : below.descendingMap().values()) {
            left--;
            if (left == 0) {
                // Behind that key, which may have many versions, unless it is the last one
                byte[] key = version.key();
                byte[] behind = KeyBytes.successor(key);
                return end == null || Arrays.compareUnsigned(behind, end) < 0 ? behind : key;
            }
        }
        return null;
    }
}
