package io.stele.paimon.read;

/**
 * A decoded part of the metadata of a data file, without the file and the bytes it came from.
 * Immutable.
 */
sealed interface FileMetadata
        permits OrcFooter,
                OrcStripeFooter,
                OrcRowIndex,
                OrcBloomFilters,
                ParquetFooter,
                ParquetIndexes {
    /** Bytes read first of a file's end, which hold the whole of most. */
    int FIRST_READ_BYTES = 64 << 10;

    /** An estimate of its memory. */
    long retainedBytes();
}
