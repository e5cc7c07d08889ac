package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.bytes.LittleEndian;
import io.stele.columnfile.index.EntryBlock.Found;
import io.stele.columnfile.index.SortedFileReader.Located;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.Lsn;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A reader of an SST file, the file of row tablets, for lookups by key and for scans in key order.
 * It holds the top-level index in memory; all other blocks are in the block cache. Immutable and
 * thread-safe; cursors are not.
 */
public final class SstFileReader implements IndexedFileReader {
    private static final long NO_INGEST = -1;

    private final SortedFileReader file;
    private final long ingestLsn; // of all versions, instead of those stored with them
    private final long deletedCount;
    private final Lsn minLsn;
    private final Lsn maxLsn;
    private final FilteredKeys filtered;

    private SstFileReader(SortedFileReader file) {
        this.file = file;
        this.ingestLsn = NO_INGEST;
        ByteSource footer = file.added();
        this.deletedCount = footer.readVarint();
        this.minLsn = new Lsn(footer.readLong());
        this.maxLsn = new Lsn(footer.readLong());
        this.filtered =
                file.version() < 3
                        ? FilteredKeys.WHOLE
                        : FilteredKeys.of(file.path(), file.sizeBytes(), footer.readVarint());
        footer.requireEnd();
    }

    private SstFileReader(SstFileReader same, SortedFileReader file, long ingestLsn) {
        this.file = file;
        this.ingestLsn = ingestLsn;
        this.deletedCount = same.deletedCount;
        this.minLsn = ingestLsn == NO_INGEST ? same.minLsn : new Lsn(ingestLsn);
        this.maxLsn = ingestLsn == NO_INGEST ? same.maxLsn : new Lsn(ingestLsn);
        this.filtered = same.filtered;
    }

    /**
     * Opens a file and verifies all but its entry blocks, which are verified when read.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA naming file, offset, expected and found
     */
    public static SstFileReader open(
            ObjectStore store, String path, long sizeBytes, BlockCache cache) throws IOException {
        return new SstFileReader(
                SortedFileReader.open(store, path, sizeBytes, FileFormat.SST_FILE, cache));
    }

    /**
     * A reader of the same file, whose versions all have one LSN: that at which the file was
     * ingested. Each key has one version.
     */
    public SstFileReader ingestedAt(Lsn lsn) {
        return new SstFileReader(this, file, lsn.value());
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

    public long deletedCount() {
        return deletedCount;
    }

    /** The number of tombstones and of versions with a newer version in the file. */
    public long staleCount() {
        return Math.min(entryCount() - keyCount() + deletedCount, entryCount());
    }

    public Lsn minLsn() {
        return minLsn;
    }

    public Lsn maxLsn() {
        return maxLsn;
    }

    /** The smallest key; of length 0 in an empty file. */
    public byte[] minKey() {
        return file.firstKey();
    }

    public byte[] maxKey() {
        return file.lastKey();
    }

    /** Memory that the open reader holds, in bytes, without its blocks in the block cache. */
    @Override
    public long retainedBytes() {
        return file.retainedBytes();
    }

    /** False only if no version of the key is in the file; may read a part of the filter. */
    public boolean mayContain(byte[] key) throws IOException {
        return filtered != FilteredKeys.WHOLE
                || file.mayContain(key, BloomFilter.hash(key, 0, key.length));
    }

    /**
     * False only if no key begins with {@code beginning}; may read a part of the filter.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of {@code beginning}
     */
    public boolean mayContainBeginning(byte[] beginning, long hash) throws IOException {
        // A key that sorts between a prefix and a key with this prefix has the prefix, too. So the
        // first such key is in the first part of the index that ends after the prefix.
        return filtered != FilteredKeys.BEGINNINGS || file.mayContain(beginning, hash);
    }

    /** A reader of the same file that uses held blocks before the cache. */
    public SstFileReader holding(HeldBlocks blocks) {
        return new SstFileReader(this, file.holding(blocks), ingestLsn);
    }

    /**
     * A prefetch of the blocks that lookups of some keys will need. The blocks are held if this
     * reader is {@link #holding} blocks.
     */
    public SortedFilePrefetch prefetch() {
        return new SortedFilePrefetch(file, filtered == FilteredKeys.WHOLE);
    }

    /**
     * A prefetch of the blocks that lookups by key prefixes will need; the prefixes are added as
     * keys.
     */
    public SortedFilePrefetch prefetchBeginnings() {
        return new SortedFilePrefetch(file, filtered == FilteredKeys.BEGINNINGS);
    }

    /** Finds a version, as {@link #find} does, and computes the hash of the key. */
    public Optional<RowVersion> get(byte[] key, long readLsn) throws IOException {
        return Optional.ofNullable(find(key, BloomFilter.hash(key, 0, key.length), readLsn));
    }

    /**
     * The newest version of {@code key} at or below {@code readLsn}, which may be a deletion; null
     * if this file has none.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    public @Nullable RowVersion find(byte[] key, long hash, long readLsn) throws IOException {
        if (readLsn < minLsn.value()) {
            return null;
        }
        if (filtered != FilteredKeys.WHOLE) {
            return findOlder(key, readLsn);
        }
        Located newest = file.find(key, hash);
        if (newest == null) {
            return null;
        }
        Found entry = newest.entry();
        EntryBlock block = entry.block();
        checkValue(block.path, block.fileOffset, entry.valueLength());
        long lsn =
                ingestLsn == NO_INGEST
                        ? LittleEndian.getLong(block.bytes, entry.valueOffset())
                        : ingestLsn;
        return lsn <= readLsn
                ? new RowVersion(
                        lsn,
                        SstFileWriter.isDeleted(block.bytes, entry.valueOffset()),
                        block.bytes,
                        entry.valueOffset() + SstFileWriter.VALUE_HEADER,
                        entry.valueLength() - SstFileWriter.VALUE_HEADER)
                : findOlder(key, readLsn);
    }

    /** Searches the older versions, which are rare, and may be in later blocks. */
    private @Nullable RowVersion findOlder(byte[] key, long readLsn) throws IOException {
        SstFileCursor versions = cachedCursor();
        boolean found = versions.seek(key);
        while (found && versions.keyEquals(key)) {
            if (versions.lsn() <= readLsn) {
                return new RowVersion(
                        versions.lsn(),
                        versions.deleted(),
                        versions.rowArray(),
                        versions.rowOffset(),
                        versions.rowLength());
            }
            found = versions.advance();
        }
        return null;
    }

    /**
     * A cursor over all versions that bypasses the cache, whose entries a compaction would only
     * evict.
     */
    public SstFileCursor cursor() {
        return cursor(new SortedFileCursor(file, false));
    }

    /** A cursor over all versions for a compaction, which reads ahead and bypasses the cache. */
    public SstFileCursor cursor(SequentialReads reads) {
        return cursor(new SortedFileCursor(file.sequential(reads), false));
    }

    /**
     * A cursor over all versions that uses the block cache, for short ranges after {@link
     * SstFileCursor#seek}.
     */
    public SstFileCursor cachedCursor() {
        return cursor(new SortedFileCursor(file, true));
    }

    /**
     * The start of a window of this file for a reader against the order of keys: a key below {@code
     * end} from which on all versions below {@code end} are in one block, or are of one key. Null
     * if these are the first ones of the file. May read a part of the index.
     *
     * @param end null: behind the last key
     */
    public byte @Nullable [] keyBelow(byte @Nullable [] end) throws IOException {
        return file.keyBelow(end);
    }

    private SstFileCursor cursor(SortedFileCursor entries) {
        return new SstFileCursor(file.path(), entries, ingestLsn);
    }

    static void checkValue(String path, long fileOffset, int valueLength) {
        if (valueLength < SstFileWriter.VALUE_HEADER) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "row value of at least",
                    SstFileWriter.VALUE_HEADER + " bytes",
                    valueLength);
        }
    }
}
