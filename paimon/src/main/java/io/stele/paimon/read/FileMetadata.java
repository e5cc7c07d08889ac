package io.stele.paimon.read;

/**
 * A part of a data file's metadata (footer, index, bloom filters or Paimon's file index), as the
 * file metadata cache holds it, without a reference to the open file. Immutable.
 */
sealed interface FileMetadata
        permits OrcFooter,
                OrcStripeFooter,
                OrcRowIndex,
                OrcBloomFilters,
                FileIndexLookup.Indexes,
                ParquetFooter,
                ParquetIndexes {
    /** The bytes of a file's end that are read first, which contain the footers of most files. */
    int FIRST_READ_BYTES = 64 << 10;

    /** An estimate of its memory in bytes. */
    long retainedBytes();
}
