package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.bytes.LittleEndian;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The verified payload of a block of sorted entries of an SST file or key index, with a search by
 * key (see {@link EntryBlockBuilder}). Immutable; shared by the block cache.
 */
final class EntryBlock extends CachedBlock {
    /** Object headers and a share of the path, in addition to the bytes. */
    private static final int OVERHEAD_BYTES = 176;

    final String path;
    final long fileOffset;
    final byte[] bytes;
    final int entryCount;
    final int restartInterval;
    final int restartCount;

    /** The end of the entries and start of the restart offsets; the hash index follows them. */
    final int entriesEnd;

    private final int bucketCount;

    /** Created by the first search; two threads may both create it. */
    private volatile @Nullable RestartHeads heads;

    private EntryBlock(
            String path,
            long fileOffset,
            byte[] bytes,
            int entryCount,
            int restartInterval,
            int restartCount,
            int bucketCount,
            int entriesEnd) {
        this.path = path;
        this.fileOffset = fileOffset;
        this.bytes = bytes;
        this.entryCount = entryCount;
        this.restartInterval = restartInterval;
        this.restartCount = restartCount;
        this.bucketCount = bucketCount;
        this.entriesEnd = entriesEnd;
    }

    /**
     * An entry that was found.
     *
     * @param ordinal position in the block, from 0
     * @param valueOffset of its value in {@link EntryBlock#bytes}
     */
    record Found(EntryBlock block, int ordinal, int valueOffset, int valueLength) {
        ByteSource value() {
            return block.value(valueOffset, valueLength);
        }
    }

    static EntryBlock of(String path, long fileOffset, byte[] bytes) {
        int trailer = EntryBlockBuilder.TRAILER_FIXED;
        if (bytes.length < trailer) {
            throw Corruption.mismatch(
                    path, fileOffset, "entry block of at least", trailer + " bytes", bytes.length);
        }
        int bucketCount = LittleEndian.getInt(bytes, bytes.length - 12);
        int entryCount = LittleEndian.getInt(bytes, bytes.length - 8);
        int restartInterval = LittleEndian.getInt(bytes, bytes.length - 4);
        if (entryCount < 1 || restartInterval < 1 || bucketCount < 0) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "an entry count, a restart interval and a bucket count",
                    ">= 1, 1, 0",
                    entryCount + ", " + restartInterval + ", " + bucketCount);
        }
        int restartCount = (entryCount - 1) / restartInterval + 1;
        long entriesEnd = bytes.length - trailer - 4L * restartCount - bucketCount;
        if (entriesEnd < 0) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "room for restart points and buckets",
                    restartCount + " and " + bucketCount,
                    bytes.length + " bytes");
        }
        return new EntryBlock(
                path,
                fileOffset,
                bytes,
                entryCount,
                restartInterval,
                restartCount,
                bucketCount,
                (int) entriesEnd);
    }

    int restartOffset(int restart) {
        int offset = LittleEndian.getInt(bytes, entriesEnd + 4 * restart);
        if (offset < 0 || offset >= entriesEnd) {
            throw Corruption.mismatch(path, fileOffset, "restart offset below", entriesEnd, offset);
        }
        return offset;
    }

    /** Whether it has a hash index. */
    boolean hasBuckets() {
        return bucketCount > 0;
    }

    /** Reads a value of this block. */
    ByteSource value(int offset, int length) {
        return new ByteSource(path, fileOffset, bytes, offset, offset + length);
    }

    /**
     * The first entry of {@code key}; null if the block has none.
     *
     * @param hash the key's {@link BloomFilter#hash}
     */
    @Nullable Found find(byte[] key, long hash) {
        if (bucketCount > 0) {
            int bucket =
                    bytes[
                                    entriesEnd
                                            + 4 * restartCount
                                            + EntryBlockBuilder.bucket(hash, bucketCount)]
                            & 0xff;
            if (bucket == EntryBlockBuilder.BUCKET_EMPTY) {
                return null;
            }
            if (bucket != EntryBlockBuilder.BUCKET_SHARED) {
                return bucket < restartCount
                        ? new EntryScan(this, bucket)
                                .find(key, Math.min(entryCount, (bucket + 1) * restartInterval))
                        : badBucket(bucket);
            }
        }
        return new EntryScan(this, lastRestartBefore(key)).find(key, entryCount);
    }

    private Found badBucket(int bucket) {
        throw Corruption.mismatch(
                path, fileOffset, "bucket with a restart point below", restartCount, bucket);
    }

    /** The last restart point whose key is before {@code target}, or the first of all. */
    int lastRestartBefore(byte[] target) {
        RestartHeads present = heads;
        if (present == null) {
            present = RestartHeads.of(this);
            heads = present;
        }
        int prefix =
                SortedKeys.comparePrefix(target, bytes, present.firstKey, present.sharedLength);
        if (prefix != 0) {
            return prefix < 0 ? 0 : restartCount - 1;
        }
        long head = SortedKeys.head(target, present.sharedLength, target.length);
        int low = 0;
        int high = restartCount - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            int order = Long.compareUnsigned(present.heads[middle], head);
            if (order < 0 || (order == 0 && compareRestart(middle, target) < 0)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /**
     * The eight bytes after the common prefix of each restart point's key, which suffice for most
     * searches.
     *
     * @param firstKey the start of the first key in the block
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record RestartHeads(long[] heads, int firstKey, int sharedLength) {
        private static RestartHeads of(EntryBlock block) {
            EntryScan first = block.wholeKey(0);
            EntryScan last = block.wholeKey(block.restartCount - 1);
            int mismatch =
                    Arrays.mismatch(
                            block.bytes,
                            first.keyOffset(),
                            first.keyOffset() + first.otherLength(),
                            block.bytes,
                            last.keyOffset(),
                            last.keyOffset() + last.otherLength());
            int shared = mismatch < 0 ? first.otherLength() : mismatch;
            long[] heads = new long[block.restartCount];
            for (int restart = 0; restart < heads.length; restart++) {
                EntryScan key = block.wholeKey(restart);
                heads[restart] =
                        SortedKeys.head(
                                block.bytes,
                                key.keyOffset() + shared,
                                key.keyOffset() + key.otherLength());
            }
            return new RestartHeads(heads, first.keyOffset(), shared);
        }
    }

    private EntryScan wholeKey(int restart) {
        EntryScan scan = new EntryScan(this, restart);
        scan.readLengths();
        scan.requireWhole();
        return scan;
    }

    private int compareRestart(int restart, byte[] target) {
        EntryScan scan = wholeKey(restart);
        int from = scan.keyOffset();
        return Arrays.compareUnsigned(
                bytes, from, from + scan.otherLength(), target, 0, target.length);
    }

    @Override
    long retainedBytes() {
        return bytes.length + (long) OVERHEAD_BYTES + (long) Long.BYTES * restartCount;
    }
}
