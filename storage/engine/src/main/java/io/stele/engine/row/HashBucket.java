package io.stele.engine.row;

import io.stele.protocol.schema.XxHash64;

/**
 * One of the hash buckets into which a shard's keys are divided for its apply workers: all changes
 * of a key belong to one bucket.
 *
 * <p>Shards use the remainder of the hash of the distribution key. Buckets use the upper bits of
 * the hash of the whole key, so that the keys of one shard are in all buckets.
 *
 * @param index from 0
 * @param count of all buckets
 */
public record HashBucket(int index, int count) {
    /** The bucket of a shard that has only one. */
    public static final HashBucket ALL = new HashBucket(0, 1);

    public HashBucket {
        if (count < 1 || index < 0 || index >= count) {
            throw new IllegalArgumentException(
                    "Expected a bucket from 0 to below " + count + ", found " + index);
        }
    }

    /** The bucket of a key, of {@code count} buckets. */
    public static int of(byte[] key, int offset, int length, int count) {
        return count == 1 ? 0 : of(XxHash64.hash(key, offset, length), count);
    }

    // The upper 32 bits as a fraction of all buckets.
    private static int of(long hash, int count) {
        return (int) ((hash >>> Integer.SIZE) * count >>> Integer.SIZE);
    }

    /** Whether a key is in this bucket. */
    public boolean has(byte[] key, int offset, int length) {
        return of(key, offset, length, count) == index;
    }
}
