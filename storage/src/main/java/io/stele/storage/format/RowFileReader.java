package io.stele.storage.format;

import io.stele.protocol.Lsn;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Optional;

/**
 * Reads a row shard file by key and in order. Holds its index and filter in memory, blocks in the
 * block cache. Immutable and thread-safe; cursors are not.
 */
public final class RowFileReader {
    private final SortedFileReader file;
    private final long deletedCount;
    private final Lsn minLsn;
    private final Lsn maxLsn;

    private RowFileReader(SortedFileReader file) {
        this.file = file;
        ByteSource footer = file.added();
        this.deletedCount = footer.readVarint();
        this.minLsn = new Lsn(footer.readLong());
        this.maxLsn = new Lsn(footer.readLong());
        footer.requireEnd();
    }

    /**
     * Opens a file and verifies all but its entry blocks, which are verified when read.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA naming file, offset, expected and found
     */
    public static RowFileReader open(
            ObjectStore store, String path, long sizeBytes, BlockCache cache) throws IOException {
        return new RowFileReader(
                SortedFileReader.open(store, path, sizeBytes, FileFormat.ROW_FILE, cache));
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

    public Lsn minLsn() {
        return minLsn;
    }

    public Lsn maxLsn() {
        return maxLsn;
    }

    /** Smallest key; of length 0 in an empty file. */
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

    /** False only if no version of the key is in the file. */
    public boolean mayContain(byte[] key) {
        return file.mayContain(key);
    }

    /**
     * The newest version of {@code key} at or below {@code readLsn}, which may be a deletion; empty
     * if there is none here.
     */
    public Optional<RowVersion> get(byte[] key, long readLsn) throws IOException {
        if (readLsn < minLsn.value() || !file.mayContain(key)) {
            return Optional.empty();
        }
        int block = file.findBlock(key);
        EntryCursor entries = new EntryCursor(file.block(block));
        boolean found = entries.seek(key);
        while (true) {
            while (!found) {
                block++;
                if (block == file.blockCount()) {
                    return Optional.empty();
                }
                entries.reset(file.block(block));
                found = entries.next();
            }
            if (!entries.keyEquals(key)) {
                return Optional.empty();
            }
            RowFileCursor.checkValue(file.path(), entries);
            long lsn = RowFileCursor.lsn(entries);
            if (lsn <= readLsn) {
                return Optional.of(
                        new RowVersion(
                                lsn,
                                RowFileCursor.deleted(entries),
                                entries.valueArray(),
                                entries.valueOffset() + RowFileWriter.VALUE_HEADER,
                                entries.valueLength() - RowFileWriter.VALUE_HEADER));
            }
            found = entries.next();
        }
    }

    /**
     * All versions in order; blocks are read past the cache, which a merge would only sweep clean.
     */
    public RowFileCursor cursor() {
        return new RowFileCursor(file, false);
    }

    /**
     * All versions in order, through the block cache: for short ranges after {@link
     * RowFileCursor#seek}.
     */
    public RowFileCursor cachedCursor() {
        return new RowFileCursor(file, true);
    }
}
