package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * Bloom filters and page indexes of a Parquet file, as they are in it: trino-parquet decodes those
 * of the columns with a condition.
 *
 * @param offset in the file
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

    /** Copies bytes of the file that are here. */
    void copy(long position, byte[] buffer, int bufferOffset, int length) {
        System.arraycopy(bytes, (int) (position - offset), buffer, bufferOffset, length);
    }

    @Override
    public long retainedBytes() {
        return 64L + bytes.length;
    }
}
