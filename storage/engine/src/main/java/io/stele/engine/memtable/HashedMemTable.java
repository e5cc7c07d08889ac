package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.LsnOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The memtable of a column table with a primary key: versions in arrival order with a hash table of
 * their keys.
 *
 * <p>Versions are sorted in parts, so that no reader has to wait for it. The writer sorts every
 * {@value #RUN_SIZE} versions into a run; a reader in key order merges the runs and the few
 * versions since. A lookup of an old version goes through the versions of its key, newest first.
 *
 * <p>One writer; readers on any thread, without locks.
 */
final class HashedMemTable extends CountedMemTable {
    /** Sorted in a quarter of a millisecond; the largest memtable has about a hundred. */
    static final int RUN_SIZE = 4096;

    /**
     * The approximate memory of a version besides key and row: hash slots are from a quarter to
     * half full, and a run has an index.
     */
    private static final int OVERHEAD_BYTES =
            VersionStore.OVERHEAD_BYTES + 3 * Long.BYTES + Integer.BYTES;

    private final VersionStore store = new VersionStore();
    private final KeySlots keys = new KeySlots(store);
    private volatile List<int[]> runs = List.of(); // of all versions but the last few
    private volatile int size; // written after the version
    private volatile int keyCount;

    HashedMemTable(int schemaVersion) {
        super(schemaVersion);
    }

    @Override
    public void put(KeyedVersion version, long logLsn) {
        totals().add(
                        version.lsn(),
                        logLsn,
                        OVERHEAD_BYTES + version.keyLength() + version.rowLength());
        byte[] key = version.keyArray();
        int hash = KeySlots.hash(key, version.keyOffset(), version.keyLength());
        int before = keys.find(hash, key, version.keyOffset(), version.keyLength());
        boolean replaces = before != VersionStore.NONE && store.lsn(before) == version.lsn();
        int index = store.add(version, replaces ? store.older(before) : before);
        keys.put(hash, index, before);
        keyCount = keys.keyCount();
        size = index + 1;
        if (size % RUN_SIZE == 0) {
            List<int[]> more = new ArrayList<>(runs);
            more.add(VersionOrder.of(store, size - RUN_SIZE, size));
            runs = List.copyOf(more);
        }
    }

    @Override
    public @Nullable KeyedVersion find(byte[] key, int offset, int length, long lsn) {
        int index = keys.find(KeySlots.hash(key, offset, length), key, offset, length);
        while (index != VersionStore.NONE && store.lsn(index) > lsn) {
            index = store.older(index);
        }
        return index == VersionStore.NONE ? null : store.version(index);
    }

    @Override
    public Iterator<KeyedVersion> versions() {
        int end = size;
        List<int[]> sorted = new ArrayList<>(runs);
        int start = sorted.size() * RUN_SIZE;
        if (start < end) {
            sorted.add(VersionOrder.of(store, start, end));
        }
        return new VersionMerge(store, sorted);
    }

    @Override
    public Iterator<KeyedVersion> versionsBetween(long fromLsn, long toLsn) {
        int end = LsnOrder.firstAfter(store::lsn, 0, size, toLsn);
        int first = LsnOrder.firstAfter(store::lsn, 0, end, fromLsn);
        return IntStream.range(first, end)
                .filter(this::isCurrent)
                .mapToObj(store::version)
                .iterator();
    }

    /** Whether no later version has the same key and LSN. */
    private boolean isCurrent(int index) {
        KeyedVersion version = store.version(index);
        byte[] key = version.keyArray();
        int hash = KeySlots.hash(key, version.keyOffset(), version.keyLength());
        int newest = keys.find(hash, key, version.keyOffset(), version.keyLength());
        while (newest > index) {
            newest = store.older(newest);
        }
        return newest == index;
    }

    @Override
    public long olderVersionCount() {
        return (long) size - keyCount;
    }
}
