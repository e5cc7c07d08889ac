package io.stele.engine.shard;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.schema.XxHash64;
import java.util.Arrays;

/** A set of 64-bit hashes of keys, which is sorted once it is whole. Confined to one thread. */
final class KeyHashes {
    private long[] hashes;
    private int count;

    KeyHashes() {
        this(16);
    }

    KeyHashes(int capacity) {
        this.hashes = new long[Math.max(capacity, 1)];
    }

    boolean add(KeyedVersion row) {
        add(XxHash64.hash(row.keyArray(), row.keyOffset(), row.keyLength()));
        return true;
    }

    void add(KeyIndexCursor key) {
        add(hash(key));
    }

    private void add(long hash) {
        if (count == hashes.length) {
            hashes = Arrays.copyOf(hashes, Math.multiplyExact(2, count));
        }
        hashes[count++] = hash;
    }

    /** Hashes that came, with those that came more than once. */
    int count() {
        return count;
    }

    void clear() {
        count = 0;
    }

    void sort() {
        Arrays.sort(hashes, 0, count);
    }

    /** Whether a key may have come; if not, it certainly has not. Sorted. */
    boolean contain(KeyIndexCursor key) {
        return Arrays.binarySearch(hashes, 0, count, hash(key)) >= 0;
    }

    /**
     * The hashes that came more than once, each once: of equal keys, and seldom of others. Sorted.
     */
    KeyHashes repeated() {
        KeyHashes found = new KeyHashes();
        for (int i = 1; i < count; i++) {
            boolean isNext = found.count == 0 || found.hashes[found.count - 1] != hashes[i];
            if (hashes[i] == hashes[i - 1] && isNext) {
                found.add(hashes[i]);
            }
        }
        return found;
    }

    /** At most {@code size} of the hashes. Sorted. */
    KeyHashes part(int from, int size) {
        int end = Math.min(count, from + size);
        KeyHashes part = new KeyHashes(end - from);
        for (int i = from; i < end; i++) {
            part.add(hashes[i]);
        }
        return part;
    }

    private static long hash(KeyIndexCursor key) {
        return XxHash64.hash(key.keyArray(), 0, key.keyLength());
    }
}
