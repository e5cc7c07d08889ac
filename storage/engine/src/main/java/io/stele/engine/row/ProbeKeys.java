package io.stele.engine.row;

import io.stele.protocol.schema.XxHash64;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The keys of one or more write batches, in ascending order with their hashes, to be looked up in
 * one file after the other. Immutable.
 */
public final class ProbeKeys {
    private static final int EXPECTED_KEY_BYTES = 16; // grows where they are longer

    private final byte[][] keys;
    private final long[] hashes;
    private final int[] batches;

    private ProbeKeys(byte[][] keys, int[] batches) {
        this.keys = keys;
        this.batches = batches;
        this.hashes = new long[keys.length];
        for (int i = 0; i < keys.length; i++) {
            hashes[i] = XxHash64.hash(keys[i], 0, keys[i].length);
        }
    }

    /**
     * The keys of all operations but appends, which have none; moves the batch's cursor to its end.
     */
    static ProbeKeys of(WriteBatchReader batch) {
        return of(List.of(batch), HashBucket.ALL);
    }

    /** The keys of a batch that are in a hash bucket. */
    public static ProbeKeys of(WriteBatchReader batch, HashBucket bucket) {
        return of(List.of(batch), bucket);
    }

    /** The keys of several batches. */
    public static ProbeKeys of(List<WriteBatchReader> batches) {
        return of(batches, HashBucket.ALL);
    }

    private static ProbeKeys of(List<WriteBatchReader> batches, HashBucket bucket) {
        int operations = batches.stream().mapToInt(WriteBatchReader::operationCount).sum();
        int[] ends = new int[operations];
        int[] batchOf = new int[operations];
        byte[] bytes = new byte[operations * EXPECTED_KEY_BYTES];
        int count = 0;
        int length = 0;
        for (int index = 0; index < batches.size(); index++) {
            WriteBatchReader batch = batches.get(index);
            for (batch.rewind(); batch.next(); ) {
                if (batch.kind() != OperationKind.APPEND
                        && bucket.has(batch.buffer(), batch.keyOffset(), batch.keyLength())) {
                    int end = Math.addExact(length, batch.keyLength());
                    if (end > bytes.length) {
                        bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
                    }
                    System.arraycopy(
                            batch.buffer(), batch.keyOffset(), bytes, length, batch.keyLength());
                    length = end;
                    batchOf[count] = index;
                    ends[count++] = length;
                }
            }
        }
        return sorted(bytes, ends, batchOf, count);
    }

    /** Keys that each count as a batch, whose index is the key's position in the list. */
    public static ProbeKeys ofEach(List<byte[]> keys) {
        int[] ends = new int[keys.size()];
        int[] places = new int[keys.size()];
        int length = 0;
        for (int i = 0; i < ends.length; i++) {
            length = Math.addExact(length, keys.get(i).length);
            ends[i] = length;
            places[i] = i;
        }
        byte[] bytes = new byte[length];
        for (int i = 0; i < ends.length; i++) {
            byte[] key = keys.get(i);
            System.arraycopy(key, 0, bytes, ends[i] - key.length, key.length);
        }
        return sorted(bytes, ends, places, ends.length);
    }

    private static ProbeKeys sorted(byte[] bytes, int[] ends, int[] batchOf, int count) {
        int[] order = EntryOrder.of(bytes, ends, new long[count], count);
        byte[][] sorted = new byte[count][];
        int[] sortedBatches = new int[count];
        for (int i = 0; i < count; i++) {
            int place = order[i];
            sorted[i] = Arrays.copyOfRange(bytes, place == 0 ? 0 : ends[place - 1], ends[place]);
            sortedBatches[i] = batchOf[place];
        }
        return new ProbeKeys(sorted, sortedBatches);
    }

    /** The index of the batch of a key, from 0. */
    public int batch(int index) {
        return batches[index];
    }

    public int count() {
        return keys.length;
    }

    public byte[] key(int index) {
        return keys[index];
    }

    public long hash(int index) {
        return hashes[index];
    }

    /** The position of the first key at or after a file's lowest; 0 if the file has no bounds. */
    public int firstAtOrAfter(Optional<byte[]> lowest) {
        return lowest.isEmpty() ? 0 : search(lowest.get(), false);
    }

    /** The position of the first key after a file's highest. */
    public int firstAfter(Optional<byte[]> highest) {
        return highest.isEmpty() ? keys.length : search(highest.get(), true);
    }

    private int search(byte[] bound, boolean after) {
        int low = 0;
        int high = keys.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = Arrays.compareUnsigned(keys[middle], bound);
            if (order < 0 || (after && order == 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
