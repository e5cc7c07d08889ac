package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import org.apache.paimon.data.BinaryRow;
import org.jspecify.annotations.Nullable;

/**
 * A compressed block of the metadata of consecutive data files of an image, with a summary for
 * pruning without decompression.
 *
 * <p>Its bytes are in memory, or in a persisted image until they are first read. Thread-safe.
 */
final class EntryBlock {
    /** A reader of the bytes of a block from a persisted image. */
    @FunctionalInterface
    interface Source {
        byte[] read() throws DamagedImageException;
    }

    /** The value of {@link #schemaId} where the files have several. */
    static final long SEVERAL_SCHEMAS = -1;

    /**
     * The range of the keys of all files.
     *
     * @param min the smallest value of each key column
     * @param max the largest value of each key column
     */
    record KeyRange(BinaryRow min, BinaryRow max) {
        KeyRange {
            requireNonNull(min, "min is null");
            requireNonNull(max, "max is null");
        }
    }

    private final int count;
    private final int rawSizeBytes;
    private final int sizeBytes;
    private final long rowCount;
    private final long schemaId;
    private final EntryPosition first;
    private final @Nullable KeyRange keys; // null: unknown
    private final @Nullable Source source; // null: in memory from the start
    private volatile byte @Nullable [] bytes;

    EntryBlock(
            int count,
            int rawSizeBytes,
            long rowCount,
            long schemaId,
            EntryPosition first,
            @Nullable KeyRange keys,
            byte[] bytes) {
        this(count, rawSizeBytes, bytes.length, rowCount, schemaId, first, keys, bytes, null);
    }

    /** A block whose bytes are read when they are first needed. */
    EntryBlock(
            int count,
            int rawSizeBytes,
            int sizeBytes,
            long rowCount,
            long schemaId,
            EntryPosition first,
            @Nullable KeyRange keys,
            Source source) {
        this(
                count,
                rawSizeBytes,
                sizeBytes,
                rowCount,
                schemaId,
                first,
                keys,
                null,
                requireNonNull(source, "source is null"));
    }

    private EntryBlock(
            int count,
            int rawSizeBytes,
            int sizeBytes,
            long rowCount,
            long schemaId,
            EntryPosition first,
            @Nullable KeyRange keys,
            byte @Nullable [] bytes,
            @Nullable Source source) {
        checkArgument(count > 0, "count must be > 0: %s", count);
        checkArgument(rawSizeBytes > 0, "rawSizeBytes must be > 0: %s", rawSizeBytes);
        this.count = count;
        this.rawSizeBytes = rawSizeBytes;
        this.sizeBytes = sizeBytes;
        this.rowCount = rowCount;
        this.schemaId = schemaId;
        this.first = requireNonNull(first, "first is null");
        this.keys = keys;
        this.bytes = bytes;
        this.source = source;
    }

    int count() {
        return count;
    }

    /** The size before compression. */
    int rawSizeBytes() {
        return rawSizeBytes;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    long rowCount() {
        return rowCount;
    }

    /** The schema of all files, or {@link #SEVERAL_SCHEMAS}. */
    long schemaId() {
        return schemaId;
    }

    EntryPosition first() {
        return first;
    }

    @Nullable KeyRange keys() {
        return keys;
    }

    byte[] bytes() throws DamagedImageException {
        byte[] read = bytes;
        if (read == null) {
            // Two threads may both read: the bytes are the same.
            read = requireNonNull(source, "source is null").read();
            bytes = read;
        }
        return read;
    }

    /** An estimate of the memory, in bytes, of the block once its bytes are read. */
    long retainedBytes() {
        long keyBytes =
                keys == null ? 0 : 160L + keys.min().getSizeInBytes() + keys.max().getSizeInBytes();
        return 96L + sizeBytes + first.retainedBytes() + keyBytes;
    }
}
