package io.stele.engine.datafile;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.index.BlockFileReader;
import io.stele.columnfile.index.BlockFileWriter;
import io.stele.columnfile.index.BlockHandle;
import io.stele.columnfile.index.Compression;
import io.stele.columnfile.index.FileFormat;
import io.stele.engine.row.LsnOrder;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * The deletion vector of one column file: its deleted rows, and the LSN of each deletion. A reader
 * at LSN T skips the rows that {@link #bitmapAt}(T) has.
 *
 * <p>Deletions are a log in LSN order with a hash table of it by row. {@link #forget} moves those
 * that no open snapshot can distinguish any more to a bitmap. All rows of the file can be deleted
 * at once ({@link #endAll}), which costs no more than the deletion of one.
 *
 * <pre>
 * file:    header | base block | log block | footer block | tail                     (see BlockFileWriter)
 * base:    rows deleted at or below the floor, a RoaringBitmap in its portable format
 * log:     per deletion: varint LSN minus that of the one before (first: minus the floor) | varint zigzag of ordinal minus that before
 * footer:  base: varint offset | varint length | log: varint offset | varint length | floor LSN 8 | varint log entries | varint cardinality
 *          | end LSN 8 (2^63-1: none) | varint rows that it ends                 (both since version 2)
 * </pre>
 *
 * <p>Invariant: a row is deleted once, at the lowest LSN given for it. Invariant: every LSN in the
 * log is above the floor, and at or below the end of the file.
 *
 * <p>Thread-safe: guarded by its own lock.
 */
public final class DeletionVector {
    /** The LSN of the deletion of a row that is not deleted. */
    public static final long NOT_DELETED = Long.MAX_VALUE;

    private static final int INITIAL_CAPACITY = 16;

    // Most files have no deletions: these are shared until there is one
    private static final RoaringBitmap NO_ROWS = new RoaringBitmap();
    private static final int[] NO_ORDINALS = {};
    private static final long[] NO_LSNS = {};
    private static final int[] NO_SLOTS = {0}; // full with the first entry

    private RoaringBitmap base = NO_ROWS;
    private long floorLsn;
    private int[] ordinals = NO_ORDINALS;
    private long[] lsns = NO_LSNS;
    private int size;

    /** The LSN from which every row is deleted; {@link #NOT_DELETED} if there is none. */
    private long endLsn = NOT_DELETED;

    private int endRows; // rows of the file; set only with endLsn

    /** Open addressing: log position + 1 by hash of ordinal; 0 is free; at most half full. */
    private int[] table = NO_SLOTS;

    /**
     * The last returned bitmap: the base and the first {@code cachedSize} deletions of the log. It
     * is shared, so it never changes.
     */
    private @Nullable RoaringBitmap cached;

    private int cachedSize;

    /**
     * Marks a row deleted from {@code lsn} on.
     *
     * @return false if it was deleted at or before {@code lsn}, and nothing was changed
     */
    public synchronized boolean delete(int ordinal, long lsn) {
        return mark(ordinal, lsn);
    }

    /** As {@link #delete}, for the first {@code count} rows of an array. */
    public synchronized void deleteAll(int[] deleted, int count, long lsn) {
        for (int i = 0; i < count; i++) {
            mark(deleted[i], lsn);
        }
    }

    private boolean mark(int ordinal, long lsn) {
        if (ordinal < 0 || lsn <= 0 || lsn == NOT_DELETED) {
            throw new IllegalArgumentException(
                    "Expected an ordinal >= 0 and an LSN > 0, found " + ordinal + " and " + lsn);
        }
        int slot = slot(ordinal);
        long before = deletedAt(ordinal, slot);
        if (before <= lsn) {
            return false;
        }
        if (lsn <= floorLsn) {
            throw new IllegalArgumentException(
                    "Expected an LSN above the forgotten " + floorLsn + ", found " + lsn);
        }
        if (before != NOT_DELETED || (size > 0 && lsn < lsns[size - 1])) {
            insertOutOfOrder(ordinal, lsn);
        } else {
            append(ordinal, lsn, slot);
        }
        return true;
    }

    /**
     * Marks every row that was not deleted before as deleted from {@code lsn} on.
     *
     * @param rowCount rows of the file
     * @return false if all were deleted at or before {@code lsn}, and nothing was changed
     */
    public synchronized boolean endAll(int rowCount, long lsn) {
        if (rowCount <= 0 || lsn <= 0 || lsn == NOT_DELETED) {
            throw new IllegalArgumentException(
                    "Expected rows > 0 and an LSN > 0, found " + rowCount + " and " + lsn);
        }
        if (endLsn <= lsn || base.getCardinality() + countAt(lsn) == rowCount) {
            return false;
        }
        if (lsn <= floorLsn) {
            throw new IllegalArgumentException(
                    "Expected an LSN above the forgotten " + floorLsn + ", found " + lsn);
        }
        endLsn = lsn;
        endRows = rowCount;
        int kept = countAt(lsn);
        if (kept < size) { // later deletions are dropped; rare
            size = kept;
            rehash(tableSize(size));
            cached = null;
        }
        return true;
    }

    /**
     * The LSN from which all rows are deleted at once; {@link #NOT_DELETED} if there is none, or it
     * was merged into the base.
     */
    public synchronized long endLsn() {
        return endLsn;
    }

    /**
     * The LSN from which the row is deleted; 0 if it is at or below the floor; {@link #NOT_DELETED}
     * if it is not deleted.
     */
    public synchronized long deletedAt(int ordinal) {
        return deletedAt(ordinal, slot(ordinal));
    }

    private long deletedAt(int ordinal, int slot) {
        if (table[slot] != 0) {
            return lsns[table[slot] - 1];
        }
        return base.contains(ordinal) ? 0 : endLsn;
    }

    /** Whether a reader at {@code readLsn} must skip the row. */
    public boolean isDeleted(int ordinal, long readLsn) {
        long deletedAt = deletedAt(ordinal);
        return deletedAt != NOT_DELETED && deletedAt <= readLsn;
    }

    /** The number of rows that are deleted at any LSN. */
    public synchronized int cardinality() {
        return endLsn != NOT_DELETED ? endRows : base.getCardinality() + size;
    }

    /**
     * The LSN of the newest deletion; the floor if the log is empty, which is {@link Lsn#MIN} in a
     * new vector.
     */
    public synchronized Lsn maxLsn() {
        if (endLsn != NOT_DELETED) {
            return new Lsn(endLsn);
        }
        return new Lsn(size == 0 ? floorLsn : lsns[size - 1]);
    }

    /**
     * The rows that a reader at {@code readLsn} must skip. Shared: must not be changed.
     *
     * @throws SteleException SNAPSHOT_EXPIRED if {@code readLsn} is below the floor
     */
    public synchronized RoaringBitmap bitmapAt(long readLsn) {
        if (readLsn < floorLsn) {
            throw new SteleException(
                    ErrorCode.SNAPSHOT_EXPIRED,
                    "Expected a snapshot at or after LSN " + floorLsn + ", found " + readLsn);
        }
        if (isObsoleteAt(readLsn)) {
            return RoaringBitmap.bitmapOfRange(0, endRows);
        }
        int count = countAt(readLsn);
        RoaringBitmap known = cached;
        if (known != null && cachedSize == count) {
            return known;
        }
        boolean extend = known != null && cachedSize < count;
        RoaringBitmap result = known != null && extend ? known.clone() : base.clone();
        for (int i = extend ? cachedSize : 0; i < count; i++) {
            result.add(ordinals[i]);
        }
        cached = result;
        cachedSize = count;
        return result;
    }

    /**
     * Makes all deletions at or below {@code lsn} indistinguishable: no later reader may have a
     * lower snapshot LSN.
     */
    public synchronized void forget(long lsn) {
        if (lsn <= floorLsn) {
            return;
        }
        int count = countAt(lsn);
        if (isObsoleteAt(lsn)) {
            ownBase().add(0L, endRows);
            endLsn = NOT_DELETED;
            cached = null;
        } else {
            for (int i = 0; i < count; i++) {
                ownBase().add(ordinals[i]);
            }
        }
        floorLsn = lsn;
        if (count > 0) {
            System.arraycopy(ordinals, count, ordinals, 0, size - count);
            System.arraycopy(lsns, count, lsns, 0, size - count);
            size -= count;
            rehash(tableSize(size));
            cached = null;
        }
        if (size == 0) {
            ordinals = NO_ORDINALS;
            lsns = NO_LSNS;
            table = NO_SLOTS;
        }
    }

    /** The base, to be changed. */
    @SuppressWarnings("ReferenceEquality") // the shared object
    private RoaringBitmap ownBase() {
        if (base == NO_ROWS) {
            base = new RoaringBitmap();
        }
        return base;
    }

    /**
     * Calls {@link #forget} if that removes at least an eighth of the log, which is worth its cost.
     */
    public synchronized void forgetMany(long lsn) {
        if (lsn > floorLsn && (isObsoleteAt(lsn) || 8L * countAt(lsn) > size)) {
            forget(lsn);
        }
    }

    /**
     * The LSN up to which deletions are indistinguishable: no later reader may have a lower
     * snapshot LSN.
     */
    public synchronized long floorLsn() {
        return floorLsn;
    }

    /** The number of rows that a reader at {@code readLsn}, not below the floor, must skip. */
    public synchronized int cardinalityAt(long readLsn) {
        return isObsoleteAt(readLsn) ? endRows : base.getCardinality() + countAt(readLsn);
    }

    /**
     * The LSN of the first deletion after another LSN, which is not below the floor; {@link
     * #NOT_DELETED} if there is none.
     */
    public synchronized long firstAfter(long lsn) {
        int before = countAt(lsn);
        if (before < size) {
            return lsns[before];
        }
        return endLsn > lsn ? endLsn : NOT_DELETED;
    }

    /**
     * The rows that were deleted after {@code fromLsn}, exclusive, up to {@code toLsn}, inclusive.
     * The cost is proportional to their number, unless all rows of the file were deleted at once.
     *
     * @throws SteleException SNAPSHOT_EXPIRED if {@code fromLsn} is below the floor
     */
    public synchronized RoaringBitmap deletedBetween(long fromLsn, long toLsn) {
        if (fromLsn < floorLsn) {
            throw new SteleException(
                    ErrorCode.SNAPSHOT_EXPIRED,
                    "Expected deletions after LSN %s at the earliest, found %s"
                            .formatted(floorLsn, fromLsn));
        }
        int first = countAt(fromLsn);
        if (isObsoleteAt(toLsn) && !isObsoleteAt(fromLsn)) {
            RoaringBitmap rows = RoaringBitmap.bitmapOfRange(0, endRows);
            rows.andNot(base);
            for (int i = 0; i < first; i++) {
                rows.remove(ordinals[i]);
            }
            return rows;
        }
        int end = countAt(toLsn);
        RoaringBitmap rows = new RoaringBitmap();
        for (int i = first; i < end; i++) {
            rows.add(ordinals[i]);
        }
        return rows;
    }

    private boolean isObsoleteAt(long readLsn) {
        return endLsn != NOT_DELETED && endLsn <= readLsn;
    }

    /**
     * Stores the present vector, durable when the call returns; deletions during the call are not
     * in it. Blocks.
     */
    public DeletionVectorSummary write(ObjectStore store, String path) throws IOException {
        DeletionVector snapshot = snapshot();
        try (BlockFileWriter file = BlockFileWriter.create(store, path, FileFormat.DELETE_VECTOR)) {
            snapshot.base.runOptimize();
            ByteBuffer bitmap = ByteBuffer.allocate(snapshot.base.serializedSizeInBytes());
            snapshot.base.serialize(bitmap);
            BlockHandle baseHandle =
                    file.writeBlock(bitmap.array(), bitmap.position(), Compression.LZ4);
            ByteSink log = snapshot.encodeLog();
            BlockHandle logHandle = file.writeBlock(log.array(), log.size(), Compression.LZ4);
            ByteSink footer = new ByteSink(64);
            BlockFileReader.writeHandle(footer, baseHandle);
            BlockFileReader.writeHandle(footer, logHandle);
            footer.writeLong(snapshot.floorLsn);
            footer.writeVarint(snapshot.size);
            footer.writeVarint(snapshot.cardinality());
            footer.writeLong(snapshot.endLsn);
            footer.writeVarint(snapshot.endLsn == NOT_DELETED ? 0 : snapshot.endRows);
            long sizeBytes = file.finish(footer.toByteArray());
            return new DeletionVectorSummary(sizeBytes, snapshot.cardinality(), snapshot.maxLsn());
        }
    }

    /**
     * Reads a stored vector.
     *
     * @throws SteleException CORRUPT_DATA naming file, offset, expected and found
     */
    public static DeletionVector read(ObjectStore store, String path, long sizeBytes)
            throws IOException {
        BlockFileReader.Opened opened =
                BlockFileReader.open(store, path, sizeBytes, FileFormat.DELETE_VECTOR);
        BlockFileReader file = opened.file();
        ByteSource footer = file.footer();
        BlockHandle baseHandle = file.readHandle(footer);
        BlockHandle logHandle = file.readHandle(footer);
        DeletionVector vector = new DeletionVector();
        vector.floorLsn = footer.readLong();
        int entries = footer.readVarint32("log entries");
        int cardinality = footer.readVarint32("cardinality");
        if (file.version() >= 2) {
            vector.endLsn = footer.readLong();
            vector.endRows = footer.readVarint32("rows that ended");
        }
        footer.requireEnd();
        vector.ownBase().deserialize(ByteBuffer.wrap(opened.readBlock(baseHandle)));
        vector.decodeLog(
                new ByteSource(path, logHandle.offset(), opened.readBlock(logHandle)), entries);
        if (vector.cardinality() != cardinality) {
            throw Corruption.mismatch(
                    path, baseHandle.offset(), "deleted rows", cardinality, vector.cardinality());
        }
        return vector;
    }

    /**
     * A copy of the present vector, to be written, without the hash table, which would cost most.
     */
    private synchronized DeletionVector snapshot() {
        DeletionVector copy = new DeletionVector();
        copy.ownBase().or(base);
        copy.floorLsn = floorLsn;
        copy.ordinals = Arrays.copyOf(ordinals, size);
        copy.lsns = Arrays.copyOf(lsns, size);
        copy.size = size;
        copy.endLsn = endLsn;
        copy.endRows = endRows;
        return copy;
    }

    private ByteSink encodeLog() {
        ByteSink sink = new ByteSink(size * 4);
        long lastLsn = floorLsn;
        int lastOrdinal = 0;
        for (int i = 0; i < size; i++) {
            sink.writeVarint(lsns[i] - lastLsn);
            int step = ordinals[i] - lastOrdinal;
            sink.writeVarint(((step << 1) ^ (step >> 31)) & 0xffff_ffffL);
            lastLsn = lsns[i];
            lastOrdinal = ordinals[i];
        }
        return sink;
    }

    private void decodeLog(ByteSource source, int entries) {
        long lsn = floorLsn;
        int ordinal = 0;
        for (int i = 0; i < entries; i++) {
            lsn += source.readVarint();
            int step = (int) source.readVarint();
            ordinal += (step >>> 1) ^ -(step & 1);
            append(ordinal, lsn, slot(ordinal));
        }
        source.requireEnd();
    }

    /** The number of deletions in the log at or below {@code lsn}. */
    private int countAt(long lsn) {
        return LsnOrder.firstAfter(position -> lsns[position], 0, size, lsn);
    }

    /**
     * @param slot the free slot of the ordinal
     */
    private void append(int ordinal, long lsn, int slot) {
        if (size == ordinals.length) {
            int capacity = Math.max(INITIAL_CAPACITY, size * 2);
            ordinals = Arrays.copyOf(ordinals, capacity);
            lsns = Arrays.copyOf(lsns, capacity);
        }
        ordinals[size] = ordinal;
        lsns[size] = lsn;
        size++;
        if (2 * size > table.length) {
            rehash(tableSize(size));
        } else {
            table[slot] = size;
        }
    }

    /**
     * Inserts a deletion below existing ones, which rewrites the whole log. It is rare, since a
     * shard applies in LSN order.
     */
    private void insertOutOfOrder(int ordinal, long lsn) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (ordinals[i] != ordinal) {
                ordinals[kept] = ordinals[i];
                lsns[kept] = lsns[i];
                kept++;
            }
        }
        size = kept;
        int position = countAt(lsn);
        append(ordinal, lsn, 0); // the table is rebuilt below
        System.arraycopy(ordinals, position, ordinals, position + 1, size - 1 - position);
        System.arraycopy(lsns, position, lsns, position + 1, size - 1 - position);
        ordinals[position] = ordinal;
        lsns[position] = lsn;
        rehash(tableSize(size));
        cached = null;
    }

    private void rehash(int newLength) {
        table = new int[newLength];
        for (int i = 0; i < size; i++) {
            table[slot(ordinals[i])] = i + 1;
        }
    }

    /** The slot of an ordinal in the table, or the free slot for it. */
    private int slot(int ordinal) {
        int mask = table.length - 1;
        int slot = hash(ordinal) & mask;
        while (table[slot] != 0 && ordinals[table[slot] - 1] != ordinal) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /**
     * A power of two of at least four times {@code entries}, so that the table is half full only
     * after the entries double.
     */
    private static int tableSize(int entries) {
        return Integer.highestOneBit(
                        Math.max(4 * INITIAL_CAPACITY, Math.multiplyExact(entries, 4)) - 1)
                << 1;
    }

    private static int hash(int ordinal) {
        int mixed = ordinal * 0x9E3779B9;
        return mixed ^ (mixed >>> 16);
    }
}
