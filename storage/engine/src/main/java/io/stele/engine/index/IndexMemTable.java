package io.stele.engine.index;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A memtable of not yet flushed entries of one secondary index in one shard, with one writer and
 * readers without locks.
 *
 * <p>Entries are written without a lookup and seldom read before they are flushed, so a skip list
 * would not pay. They are appended to an unsorted buffer. A full buffer is sorted into a run, and
 * {@value #FAN_IN} runs are merged into a larger one. A reader scans the buffer and searches the
 * runs. Keys lie in large arrays, because an object per key would cost more memory and garbage
 * collection than all else.
 *
 * <p>The memtable of a unique index, which is checked for every written row, also has a set of the
 * hashes of its index columns ({@link #mayHave}).
 *
 * <p>One writer (the shard's execution context). Readers on any thread, without locks: they see the
 * entries of the last {@link #publish}.
 */
public final class IndexMemTable {
    private static final int TAIL_ENTRIES = 1024; // few enough for a lookup to scan
    private static final int FAN_IN = 16; // larger runs would stop the writer for milliseconds

    private final @Nullable HashSetOfLongs values; // hashes; unique only, for the context
    private volatile Parts parts = new Parts(List.of(), List.of(), new Tail());
    private int tailSize;
    private volatile long sizeBytes;
    private volatile long entryCount;
    private long addedBytes;
    private long addedCount;

    public IndexMemTable(boolean unique) {
        this.values = unique ? new HashSetOfLongs() : null;
    }

    /**
     * Adds an entry, which readers see after the next {@link #publish}.
     *
     * @param columnBytes the number of bytes of the entry that are index columns
     */
    public void add(byte[] source, int offset, int length, int columnBytes, long lsn) {
        Parts current = parts;
        current.tail.add(tailSize++, source, offset, length, lsn);
        addedBytes += EntryRun.OVERHEAD_BYTES + length;
        addedCount++;
        if (values != null) {
            values.add(IndexKeys.hash(source, offset, columnBytes));
        }
        if (tailSize == TAIL_ENTRIES) {
            parts = current.withFullTail();
            tailSize = 0;
        }
    }

    /** Makes the added entries visible to readers. */
    public void publish() {
        parts.tail.size = tailSize;
        sizeBytes = addedBytes + (values == null ? 0 : values.sizeBytes());
        entryCount = addedCount;
    }

    /**
     * Whether an entry may have given index columns; true for an index that is not unique. On the
     * shard's context.
     *
     * @param hash {@link IndexKeys#hash} of the index columns
     */
    boolean mayHave(long hash) {
        return values == null || values.contains(hash);
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    public long entryCount() {
        return entryCount;
    }

    public boolean isEmpty() {
        return entryCount == 0;
    }

    /** Every entry, by key ascending and LSN descending; an entry may occur several times. */
    public Iterator<KeyedVersion> entries() {
        Parts current = parts;
        List<EntryRun> few = new ArrayList<>(current.small);
        few.add(current.tail.sorted(current.tail.size));
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        current.large.forEach(run -> sources.add(run.from(new byte[0])));
        sources.add(EntryRun.merged(few).from(new byte[0]));
        return new MergingVersions(sources);
    }

    /**
     * Adds sorted sequences that contain every entry that begins with {@code prefix}, and possibly
     * later entries.
     */
    public void addSources(byte[] prefix, List<Iterator<KeyedVersion>> sources) {
        Parts current = parts;
        for (EntryRun run : current.large) {
            addRun(run, prefix, sources);
        }
        for (EntryRun run : current.small) {
            addRun(run, prefix, sources);
        }
        List<KeyedVersion> found = current.tail.find(prefix);
        if (!found.isEmpty()) {
            found.sort(null);
            sources.add(found.iterator());
        }
    }

    private static void addRun(EntryRun run, byte[] prefix, List<Iterator<KeyedVersion>> sources) {
        if (run.has(prefix)) {
            sources.add(run.from(prefix));
        }
    }

    /** Sorted runs, and the unsorted buffer that grows. */
    private record Parts(List<EntryRun> large, List<EntryRun> small, Tail tail) {
        private Parts withFullTail() {
            List<EntryRun> newSmall = new ArrayList<>(small);
            newSmall.add(tail.sorted(TAIL_ENTRIES));
            if (newSmall.size() < FAN_IN) {
                return new Parts(large, List.copyOf(newSmall), new Tail());
            }
            List<EntryRun> newLarge = new ArrayList<>(large);
            newLarge.add(EntryRun.merged(newSmall));
            return new Parts(List.copyOf(newLarge), List.of(), new Tail());
        }
    }

    /** Entries in the order of their addition; {@code size} is written after the entries. */
    private static final class Tail {
        private static final int EXPECTED_BYTES = 32; // an entry of two numbers

        private final int[] ends = new int[TAIL_ENTRIES];
        private final long[] lsns = new long[TAIL_ENTRIES];
        private byte[] bytes = new byte[TAIL_ENTRIES * EXPECTED_BYTES];
        private volatile int size;

        private void add(int place, byte[] source, int offset, int length, long lsn) {
            int start = place == 0 ? 0 : ends[place - 1];
            int end = Math.addExact(start, length);
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            }
            System.arraycopy(source, offset, bytes, start, length);
            ends[place] = end;
            lsns[place] = lsn;
        }

        private EntryRun sorted(int count) {
            return EntryRun.sorted(bytes, ends, lsns, count);
        }

        private List<KeyedVersion> find(byte[] prefix) {
            int count = size;
            byte[] present = bytes; // read after the size, so it has at least that many entries
            List<KeyedVersion> found = new ArrayList<>();
            int start = 0;
            for (int i = 0; i < count; i++) {
                int end = ends[i];
                if (end - start >= prefix.length
                        && Arrays.equals(
                                present, start, start + prefix.length, prefix, 0, prefix.length)) {
                    found.add(
                            KeyedVersion.live(
                                    present, start, end - start, lsns[i], present, start, 0));
                }
                start = end;
            }
            return found;
        }
    }
}
