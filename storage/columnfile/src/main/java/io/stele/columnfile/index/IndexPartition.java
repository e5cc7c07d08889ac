package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;

/**
 * A decoded part of a sorted file's index with its part of the Bloom filter, which finds the entry
 * block that may contain a key. It covers some hundred consecutive entry blocks. Immutable; shared
 * by the block cache.
 */
final class IndexPartition extends CachedBlock {
    private final String path;
    private final BloomFilter filter;
    private final SortedKeys lastKeys;
    private final long[] offsets;
    private final int[] lengths;
    private final long[] firstOrdinals;
    private final BlockSlots kept;

    private IndexPartition(String path, BloomFilter filter, EntryBlock index) {
        this.path = path;
        this.filter = filter;
        this.lastKeys = SortedKeys.of(index);
        this.offsets = new long[index.entryCount];
        this.lengths = new int[index.entryCount];
        this.firstOrdinals = new long[index.entryCount];
        this.kept = new BlockSlots(index.entryCount);
    }

    /**
     * @param firstOrdinal position in the file of the first entry of the first block
     * @param entryCount entries of all its blocks, according to the top of the index
     */
    static IndexPartition of(
            BlockFileReader file,
            BloomFilter filter,
            EntryBlock index,
            long firstOrdinal,
            long entryCount) {
        IndexPartition partition = new IndexPartition(file.path(), filter, index);
        EntryCursor cursor = new EntryCursor(index);
        long ordinal = firstOrdinal;
        for (int i = 0; cursor.next(); i++) {
            ByteSource value = cursor.value();
            BlockHandle handle = file.readHandle(value);
            partition.offsets[i] = handle.offset();
            partition.lengths[i] = handle.length();
            partition.firstOrdinals[i] = ordinal;
            ordinal += value.readVarint32("entries of a block");
            value.requireEnd();
        }
        if (ordinal - firstOrdinal != entryCount) {
            throw Corruption.mismatch(
                    file.path(),
                    index.fileOffset,
                    "entries in the index",
                    entryCount,
                    ordinal - firstOrdinal);
        }
        return partition;
    }

    int blockCount() {
        return offsets.length;
    }

    BlockHandle block(int block) {
        return new BlockHandle(offsets[block], lengths[block]);
    }

    /** Its entry blocks that are in the block cache. */
    BlockSlots kept() {
        return kept;
    }

    /** Position in the file of the first entry of a block. */
    long firstOrdinal(int block) {
        return firstOrdinals[block];
    }

    /** False only if no key with this hash begins in the partition's blocks. */
    boolean mayContain(long hash) {
        return filter.mayContain(hash);
    }

    /** A copy of a key that is at or after the last key of a block, and before the next block. */
    byte[] lastKey(int block) {
        return lastKeys.key(block);
    }

    /**
     * The first block whose last key is at or after {@code key}; the top of the index guarantees
     * that there is one.
     */
    int findBlock(byte[] key) {
        int block = lastKeys.firstAtOrAfter(key);
        if (block == offsets.length) {
            throw Corruption.mismatch(
                    path,
                    offsets[0],
                    "last key of the index's part from here on to be at or after",
                    "that in the top of the index",
                    "one before");
        }
        return block;
    }

    @Override
    long retainedBytes() {
        return filter.payload().length
                + lastKeys.retainedBytes()
                + 20L * offsets.length
                + kept.retainedBytes()
                + 176;
    }
}
