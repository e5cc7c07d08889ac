package io.stele.paimon.read;

/** What is decoded of a data file to find its rows, without the file and the bytes it came from. Immutable. */
sealed interface FileMetadata permits OrcFooter, ParquetFooter {
    /** Bytes read first of a file's end, which hold the whole of most. */
    int FIRST_READ_BYTES = 64 << 10;

    /** An estimate of its memory. */
    long retainedBytes();
}
