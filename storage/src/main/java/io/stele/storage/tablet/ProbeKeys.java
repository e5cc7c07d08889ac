package io.stele.storage.tablet;

import io.stele.protocol.schema.XxHash64;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Arrays;
import java.util.Optional;

/**
 * The keys of a batch in ascending order with their hashes, to be looked up in one file after the
 * other. Immutable.
 */
final class ProbeKeys {
    private final byte[][] keys;
    private final long[] hashes;

    private ProbeKeys(byte[][] keys) {
        this.keys = keys;
        this.hashes = new long[keys.length];
        for (int i = 0; i < keys.length; i++) {
            hashes[i] = XxHash64.hash(keys[i], 0, keys[i].length);
        }
    }

    /** The keys of all operations but appends, which have none; leaves the batch at its end. */
    static ProbeKeys of(WriteBatchReader batch) {
        return of(batch, KeyLane.ALL);
    }

    /** Those of them that are in a lane. */
    static ProbeKeys of(WriteBatchReader batch, KeyLane lane) {
        byte[][] keys = new byte[batch.operationCount()][];
        int count = 0;
        for (batch.rewind(); batch.next(); ) {
            if (batch.kind() != OperationKind.APPEND
                    && lane.has(batch.buffer(), batch.keyOffset(), batch.keyLength())) {
                keys[count++] = batch.key();
            }
        }
        byte[][] present = count == keys.length ? keys : Arrays.copyOf(keys, count);
        Arrays.sort(present, Arrays::compareUnsigned);
        return new ProbeKeys(present);
    }

    int count() {
        return keys.length;
    }

    byte[] key(int index) {
        return keys[index];
    }

    long hash(int index) {
        return hashes[index];
    }

    /** The position of the first key at or after a file's lowest; 0 if the file has no bounds. */
    int firstAtOrAfter(Optional<byte[]> lowest) {
        return lowest.isEmpty() ? 0 : search(lowest.get(), false);
    }

    /** The position of the first key after a file's highest. */
    int firstAfter(Optional<byte[]> highest) {
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
