package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * The bloom filters and page indexes of a Parquet file, cached as encoded bytes; trino-parquet
 * decodes those of columns with a condition.
 *
 * @param offset where the bytes begin in the file
 */
record ParquetIndexes(long offset, byte[] bytes) implements FileMetadata {
    static final ParquetIndexes NONE = new ParquetIndexes(0, new byte[0]);

    ParquetIndexes {
        requireNonNull(bytes, "bytes is null");
    }

    static ParquetIndexes read(FileScan scan, ReadAhead.Range range) throws IOException {
        return new ParquetIndexes(
                range.offset(), scan.file().read(range.offset(), (int) range.length()));
    }

    boolean has(long position, long length) {
        return offset <= position && position + length <= offset + bytes.length;
    }

    /** Copies a range of the file that {@link #has} confirms. */
    void copy(long position, byte[] buffer, int bufferOffset, int length) {
        System.arraycopy(bytes, (int) (position - offset), buffer, bufferOffset, length);
    }

    @Override
    public long retainedBytes() {
        return 64L + bytes.length;
    }
}
