package io.stele.engine.tablet;

import io.stele.protocol.schema.XxHash64;

/**
 * One of the lanes that the keys of a shard are divided into, by hash: all changes of a key are one
 * lane's.
 *
 * <p>Shards take the remainder of the hash of the distribution key; lanes take the upper bits of
 * the hash of the whole key, so that the keys of one shard fall in all lanes.
 *
 * @param index from 0
 * @param count of all lanes
 */
public record KeyLane(int index, int count) {
    /** The lane of a shard that has only one. */
    public static final KeyLane ALL = new KeyLane(0, 1);

    public KeyLane {
        if (count < 1 || index < 0 || index >= count) {
            throw new IllegalArgumentException(
                    "Expected a lane from 0 to below " + count + ", found " + index);
        }
    }

    /** The lane, of so many, that a key is in. */
    static int of(byte[] key, int offset, int length, int count) {
        return count == 1 ? 0 : of(XxHash64.hash(key, offset, length), count);
    }

    // The upper 32 bits as a fraction of all lanes.
    private static int of(long hash, int count) {
        return (int) ((hash >>> Integer.SIZE) * count >>> Integer.SIZE);
    }

    /** Whether a key is in this lane. */
    public boolean has(byte[] key, int offset, int length) {
        return of(key, offset, length, count) == index;
    }
}
