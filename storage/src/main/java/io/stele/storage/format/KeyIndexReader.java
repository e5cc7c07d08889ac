package io.stele.storage.format;

import io.stele.storage.format.SortedFileReader.Located;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.SequentialReads;
import java.io.IOException;

/**
 * Finds the row of a key in a column shard file. Holds the top of its index in memory, all else in
 * the block cache. Immutable and thread-safe; cursors are not.
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

    private KeyIndexReader(SortedFileReader file, boolean explicit) {
        this.file = file;
        this.explicit = explicit;
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

    /** Whether the entries come in the order of the rows: the file is sorted by key. */
    public boolean isByRank() {
        return !explicit;
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

    /** False only if the key is certainly not in the file; may read a part of the filter. */
    public boolean mayContain(byte[] key) throws IOException {
        return file.mayContain(key, BloomFilter.hash(key, 0, key.length));
    }

    /** As {@link #find(byte[], long)}, for callers that have no hash at hand. */
    public int find(byte[] key) throws IOException {
        return find(key, BloomFilter.hash(key, 0, key.length));
    }

    /**
     * The ordinal of the row of {@code key}, of its newest version if there are several, or {@link
     * #ABSENT}.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    public int find(byte[] key, long hash) throws IOException {
        Located found = file.find(key, hash);
        return found == null ? ABSENT : ordinal(explicit, found.ordinal(), found.entry().value());
    }

    /** The same index: its blocks that are held are not asked of the cache. */
    public KeyIndexReader holding(HeldBlocks blocks) {
        return new KeyIndexReader(file.holding(blocks), explicit);
    }

    /**
     * What lookups of some keys will need, to be read before them, and held if this is {@link
     * #holding} blocks.
     */
    public SortedFilePrefetch prefetch() {
        return new SortedFilePrefetch(file);
    }

    /** For many keys at a time. */
    public KeyIndexProbe probe() {
        return new KeyIndexProbe(file, explicit);
    }

    /** All entries by key; blocks are read past the cache. */
    public KeyIndexCursor cursor() {
        return new KeyIndexCursor(new SortedFileCursor(file, false), explicit);
    }

    /** The same for a merge, which reads ahead. */
    public KeyIndexCursor cursor(SequentialReads reads) {
        return new KeyIndexCursor(new SortedFileCursor(file.sequential(reads), false), explicit);
    }

    /** All entries by key, through the block cache: for few entries after a seek. */
    public KeyIndexCursor cachedCursor() {
        return new KeyIndexCursor(new SortedFileCursor(file, true), explicit);
    }

    static int ordinal(boolean explicit, long rank, ByteSource value) {
        int ordinal = explicit ? value.readVarint32("row ordinal") : Math.toIntExact(rank);
        value.requireEnd();
        return ordinal;
    }
}
