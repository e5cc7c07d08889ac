package io.stele.storage.tablet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * The newest entries of one secondary index in one shard, in memory.
 *
 * <p>Entries are written blindly and seldom read before they are flushed, so they are not kept in a
 * skip list: they are appended to a tail, a full tail is sorted into a run, and {@value #FAN_IN}
 * runs become a larger one. A reader looks through the tail and searches the runs.
 *
 * <p>One writer (the shard's execution context). Readers on any thread, without locks: they see
 * what was there at the last {@link #publish}.
 */
public final class IndexMemTable {
    /** Bytes an entry costs beyond its key: the object and its place in a run. */
    static final int OVERHEAD_BYTES = 72;

    private static final int TAIL_ENTRIES = 1024; // what a lookup may look through one by one
    private static final int FAN_IN = 16; // larger runs would stop the writer for milliseconds

    private volatile Parts parts = new Parts(List.of(), List.of(), new Tail());
    private int tailSize;
    private volatile long sizeBytes;
    private volatile long entryCount;
    private long addedBytes;
    private long addedCount;

    /** Adds an entry, which readers see after the next {@link #publish}. */
    void add(KeyedVersion entry) {
        Parts current = parts;
        current.tail.entries[tailSize++] = entry;
        addedBytes += OVERHEAD_BYTES + entry.keyLength();
        addedCount++;
        if (tailSize == TAIL_ENTRIES) {
            parts = current.withFullTail();
            tailSize = 0;
        }
    }

    /** Shows readers what was added. */
    void publish() {
        parts.tail.size = tailSize;
        sizeBytes = addedBytes;
        entryCount = addedCount;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    public long entryCount() {
        return entryCount;
    }

    boolean isEmpty() {
        return entryCount == 0;
    }

    /** Every entry, by key ascending and LSN descending; the same one may come several times. */
    Iterator<KeyedVersion> entries() {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        addSources(new byte[0], sources);
        return new MergingVersions(sources);
    }

    /** Adds sorted sequences that have every entry that begins with {@code prefix}, and others. */
    public void addSources(byte[] prefix, List<Iterator<KeyedVersion>> sources) {
        Parts current = parts;
        KeyedVersion probe = KeyedVersion.probe(prefix, 0, prefix.length, Long.MAX_VALUE);
        for (KeyedVersion[] run : current.large) {
            addRun(run, probe, prefix, sources);
        }
        for (KeyedVersion[] run : current.small) {
            addRun(run, probe, prefix, sources);
        }
        int size = current.tail.size;
        List<KeyedVersion> found = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            KeyedVersion entry = current.tail.entries[i];
            if (entry.startsWith(prefix)) {
                found.add(entry);
            }
        }
        if (!found.isEmpty()) {
            found.sort(null);
            sources.add(found.iterator());
        }
    }

    private static void addRun(
            KeyedVersion[] run,
            KeyedVersion probe,
            byte[] prefix,
            List<Iterator<KeyedVersion>> sources) {
        int found = Arrays.binarySearch(run, probe);
        int from = found < 0 ? -found - 1 : found;
        if (from < run.length && run[from].startsWith(prefix)) {
            sources.add(Arrays.asList(run).subList(from, run.length).iterator());
        }
    }

    /** Sorted runs, and the tail that grows. */
    private record Parts(List<KeyedVersion[]> large, List<KeyedVersion[]> small, Tail tail) {
        private Parts withFullTail() {
            KeyedVersion[] run = tail.entries.clone();
            Arrays.sort(run);
            List<KeyedVersion[]> newSmall = new ArrayList<>(small);
            newSmall.add(run);
            if (newSmall.size() < FAN_IN) {
                return new Parts(large, List.copyOf(newSmall), new Tail());
            }
            List<KeyedVersion[]> newLarge = new ArrayList<>(large);
            newLarge.add(merged(newSmall));
            return new Parts(List.copyOf(newLarge), List.of(), new Tail());
        }

        // The sort finds the runs and merges them.
        private static KeyedVersion[] merged(List<KeyedVersion[]> runs) {
            KeyedVersion[] all = new KeyedVersion[TAIL_ENTRIES * FAN_IN];
            int at = 0;
            for (KeyedVersion[] run : runs) {
                System.arraycopy(run, 0, all, at, run.length);
                at += run.length;
            }
            Arrays.sort(all);
            return all;
        }
    }

    /** Entries in the order they came; {@code size} is written after them. */
    private static final class Tail {
        private final KeyedVersion[] entries = new KeyedVersion[TAIL_ENTRIES];
        private volatile int size;
    }
}
