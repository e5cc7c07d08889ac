package io.stele.storage.format;

import static java.util.Objects.requireNonNull;

import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Arrays;

/**
 * The index and the filter of a row file or key index, in memory, and its entry blocks through the
 * block cache. Immutable and thread-safe.
 */
final class SortedFileReader {
    private final BlockFileReader file;
    private final BlockCache cache;
    private final BloomFilter filter;
    private final byte[][] lastKeys;
    private final BlockHandle[] handles;
    private final long[] firstOrdinals;
    private final long entryCount;
    private final long keyCount;
    private final byte[] firstKey;
    private final byte[] lastKey;
    private final byte[] added;
    private final long retainedBytes;

    private SortedFileReader(BlockFileReader file, BlockCache cache) throws IOException {
        this.file = file;
        this.cache = cache;
        ByteSource footer = file.footer();
        BlockHandle filterHandle = file.readHandle(footer);
        BlockHandle indexHandle = file.readHandle(footer);
        entryCount = footer.readVarint();
        keyCount = footer.readVarint();
        firstKey = footer.readSizedBytes();
        lastKey = footer.readSizedBytes();
        added = footer.readBytes(footer.remaining());
        filter = BloomFilter.of(file.path(), filterHandle.offset(), file.readBlock(filterHandle));
        if (entryCount == 0) {
            lastKeys = new byte[0][];
            handles = new BlockHandle[0];
            firstOrdinals = new long[0];
            retainedBytes = filter.payload().length;
            return;
        }
        EntryBlock index =
                EntryBlock.of(file.path(), indexHandle.offset(), file.readBlock(indexHandle));
        lastKeys = new byte[index.entryCount][];
        handles = new BlockHandle[index.entryCount];
        firstOrdinals = new long[index.entryCount];
        retainedBytes = filter.payload().length + readIndex(index);
    }

    static SortedFileReader open(
            ObjectStore store, String path, long sizeBytes, FileFormat format, BlockCache cache)
            throws IOException {
        return new SortedFileReader(
                BlockFileReader.open(store, path, sizeBytes, format),
                requireNonNull(cache, "cache is null"));
    }

    String path() {
        return file.path();
    }

    long entryCount() {
        return entryCount;
    }

    long keyCount() {
        return keyCount;
    }

    byte[] firstKey() {
        return firstKey.clone();
    }

    byte[] lastKey() {
        return lastKey.clone();
    }

    /** What the kind of file added to the footer. */
    ByteSource added() {
        return new ByteSource(file.path(), file.sizeBytes(), added);
    }

    /** Memory held by index and filter. */
    long retainedBytes() {
        return retainedBytes;
    }

    int blockCount() {
        return handles.length;
    }

    /** Position in the file of the first entry of a block. */
    long firstOrdinal(int blockIndex) {
        return firstOrdinals[blockIndex];
    }

    EntryBlock block(int blockIndex) throws IOException {
        return cache.get(file, handles[blockIndex]);
    }

    /** A block that is read once, as merges do, and so leaves the cache as it is. */
    EntryBlock uncachedBlock(int blockIndex) throws IOException {
        return EntryBlock.of(
                file.path(), handles[blockIndex].offset(), file.readBlock(handles[blockIndex]));
    }

    /** False only if the key is certainly not in the file. */
    boolean mayContain(byte[] key) {
        return entryCount > 0
                && Arrays.compareUnsigned(key, lastKey) <= 0
                && Arrays.compareUnsigned(firstKey, key) <= 0
                && filter.mayContain(BloomFilter.hash(key, 0, key.length));
    }

    /**
     * The first block that may hold {@code key} or a key after it; {@link #blockCount()} if there
     * is none.
     */
    int findBlock(byte[] key) {
        int low = 0;
        int high = lastKeys.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(lastKeys[middle], key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private long readIndex(EntryBlock index) {
        EntryCursor cursor = new EntryCursor(index);
        long ordinal = 0;
        long keyBytes = 0;
        for (int i = 0; cursor.next(); i++) {
            lastKeys[i] = Arrays.copyOf(cursor.keyArray(), cursor.keyLength());
            ByteSource value =
                    new ByteSource(
                            file.path(),
                            index.fileOffset,
                            index.bytes,
                            cursor.valueOffset(),
                            cursor.valueOffset() + cursor.valueLength());
            handles[i] = file.readHandle(value);
            firstOrdinals[i] = ordinal;
            ordinal += value.readVarint32("entries of a block");
            value.requireEnd();
            keyBytes += lastKeys[i].length + 64L;
        }
        if (ordinal != entryCount) {
            throw Corruption.mismatch(
                    file.path(), index.fileOffset, "entries in the index", entryCount, ordinal);
        }
        return keyBytes;
    }
}
