package io.stele.storage.format;

import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;

/**
 * Finds the row of a key in a column shard file. Holds its block index and filter in memory, blocks
 * in the block cache. Immutable and thread-safe; cursors are not.
 */
public final class KeyIndexReader {
    /** Returned by {@link #find} for a key that is not in the file. */
    public static final int ABSENT = -1;

    private final SortedFileReader file;
    private final boolean explicit;

    private KeyIndexReader(SortedFileReader file) {
        this.file = file;
        ByteSource footer = file.added();
        int kind = footer.readByte();
        footer.requireEnd();
        if (kind != KeyIndexWriter.KIND_RANK && kind != KeyIndexWriter.KIND_EXPLICIT) {
            throw Corruption.mismatch(file.path(), 0, "key index kind in", "[0, 1]", kind);
        }
        this.explicit = kind == KeyIndexWriter.KIND_EXPLICIT;
    }

    /**
     * Opens an index and verifies all but its entry blocks, which are verified when read.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA naming file, offset, expected and found
     */
    public static KeyIndexReader open(
            ObjectStore store, String path, long sizeBytes, BlockCache cache) throws IOException {
        return new KeyIndexReader(
                SortedFileReader.open(store, path, sizeBytes, FileFormat.KEY_INDEX, cache));
    }

    public String path() {
        return file.path();
    }

    public long entryCount() {
        return file.entryCount();
    }

    public long keyCount() {
        return file.keyCount();
    }

    public byte[] minKey() {
        return file.firstKey();
    }

    public byte[] maxKey() {
        return file.lastKey();
    }

    /** Memory held while the reader is open, beside the block cache. */
    public long retainedBytes() {
        return file.retainedBytes();
    }

    /** False only if the key is certainly not in the file. */
    public boolean mayContain(byte[] key) {
        return file.mayContain(key);
    }

    /**
     * The ordinal of the row of {@code key}, of its newest version if there are several, or {@link
     * #ABSENT}.
     */
    public int find(byte[] key) throws IOException {
        if (!file.mayContain(key)) {
            return ABSENT;
        }
        int block = file.findBlock(key);
        EntryCursor entries = new EntryCursor(file.block(block));
        if (!entries.seek(key) || !entries.keyEquals(key)) {
            return ABSENT;
        }
        return ordinal(file, explicit, block, entries);
    }

    /** All entries by key; blocks are read past the cache. */
    public KeyIndexCursor cursor() {
        return new KeyIndexCursor(file, explicit);
    }

    static int ordinal(SortedFileReader file, boolean explicit, int block, EntryCursor entries) {
        if (!explicit) {
            return Math.toIntExact(file.firstOrdinal(block) + entries.ordinal());
        }
        ByteSource value =
                new ByteSource(
                        file.path(),
                        entries.fileOffset(),
                        entries.valueArray(),
                        entries.valueOffset(),
                        entries.valueOffset() + entries.valueLength());
        int ordinal = value.readVarint32("row ordinal");
        value.requireEnd();
        return ordinal;
    }
}
