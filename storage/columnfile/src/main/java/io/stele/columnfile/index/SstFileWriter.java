package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import java.io.IOException;

/**
 * A writer of an SST file, the file of row tablets, for flush and compaction: versions of rows by
 * key ascending, then LSN descending.
 *
 * <pre>
 * value of an entry: LSN 8 | flags 1 (bit 0: the row is deleted; others 0) | row as BinaryRow, nothing if deleted
 * footer adds:       varint deleted entries | smallest LSN 8 | largest LSN 8 | varint keys of the filter (FilteredKeys)
 * </pre>
 *
 * Confined to one thread. Nothing is visible before {@link #finish}; {@link #close} without it
 * publishes nothing.
 */
public final class SstFileWriter implements AutoCloseable {
    static final int VALUE_HEADER = 9;
    static final int FLAG_DELETED = 1;

    private final SortedFileWriter file;
    private final FilteredKeys filtered;
    private long deletedCount;
    private long minLsn = Long.MAX_VALUE;
    private long maxLsn;
    private long lastLsn;

    private SstFileWriter(SortedFileWriter file, FilteredKeys filtered) {
        this.file = file;
        this.filtered = filtered;
    }

    public static SstFileWriter create(ObjectStore store, String path, BlockFileOptions options)
            throws IOException {
        return create(store, path, options, FilteredKeys.WHOLE);
    }

    /**
     * @param filtered the keys of the filter
     */
    public static SstFileWriter create(
            ObjectStore store, String path, BlockFileOptions options, FilteredKeys filtered)
            throws IOException {
        return new SstFileWriter(
                SortedFileWriter.create(store, path, FileFormat.SST_FILE, options, filtered),
                filtered);
    }

    /** Adds a version whose row is the whole array. */
    public void add(byte[] key, long lsn, byte[] row) throws IOException {
        add(key, 0, key.length, lsn, false, row, 0, row.length);
    }

    /** Adds a deletion. */
    public void addDeleted(byte[] key, long lsn) throws IOException {
        add(key, 0, key.length, lsn, true, key, 0, 0);
    }

    /** Adds a version; the filter, if it has beginnings, gets the whole key. */
    public void add(
            byte[] key,
            int keyOffset,
            int keyLength,
            long lsn,
            boolean deleted,
            byte[] row,
            int rowOffset,
            int rowLength)
            throws IOException {
        add(key, keyOffset, keyLength, keyLength, lsn, deleted, row, rowOffset, rowLength);
    }

    /**
     * Adds a version.
     *
     * @param beginningLength length of the key's prefix that a filter of beginnings contains; equal
     *     for all keys with this prefix
     * @param rowLength 0 if {@code deleted}
     * @throws IllegalArgumentException if the entry is not after the last one: key ascending, then
     *     LSN descending
     */
    public void add(
            byte[] key,
            int keyOffset,
            int keyLength,
            int beginningLength,
            long lsn,
            boolean deleted,
            byte[] row,
            int rowOffset,
            int rowLength)
            throws IOException {
        if (lsn < 0 || (deleted && rowLength != 0)) {
            throw new IllegalArgumentException(
                    "Expected an LSN >= 0, and no row for a deletion, found LSN "
                            + lsn
                            + " and a row of "
                            + rowLength
                            + " bytes");
        }
        if (file.compareToLast(key, keyOffset, keyLength) == 0 && lsn >= lastLsn) {
            throw new IllegalArgumentException(
                    "Expected versions of a key by descending LSN, found "
                            + lsn
                            + " after "
                            + lastLsn);
        }
        ByteSink sink =
                file.add(key, keyOffset, keyLength, beginningLength, VALUE_HEADER + rowLength);
        sink.writeLong(lsn);
        sink.writeByte(deleted ? FLAG_DELETED : 0);
        sink.writeBytes(row, rowOffset, rowLength);
        deletedCount += deleted ? 1 : 0;
        minLsn = Math.min(minLsn, lsn);
        maxLsn = Math.max(maxLsn, lsn);
        lastLsn = lsn;
    }

    static boolean isDeleted(byte[] bytes, int valueOffset) {
        return (bytes[valueOffset + 8] & FLAG_DELETED) != 0;
    }

    public long entryCount() {
        return file.entryCount();
    }

    /**
     * The approximate size of the file so far, in bytes, so that the caller can end it at a limit.
     */
    public long sizeBytes() {
        return file.sizeBytes();
    }

    /** Completes the file, durable and visible when the call returns. */
    public SstFileSummary finish() throws IOException {
        ByteSink footer = new ByteSink(32);
        footer.writeVarint(deletedCount);
        footer.writeLong(minLsn);
        footer.writeLong(maxLsn);
        footer.writeVarint(filtered.code());
        long sizeBytes = file.finish(footer.toByteArray());
        return new SstFileSummary(
                sizeBytes,
                file.entryCount(),
                file.keyCount(),
                deletedCount,
                file.firstKey(),
                file.lastKey(),
                new Lsn(minLsn),
                new Lsn(maxLsn));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
