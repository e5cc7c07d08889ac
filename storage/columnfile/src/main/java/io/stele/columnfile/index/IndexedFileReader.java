package io.stele.columnfile.index;

/** An open file that holds the top of its index in memory; the rest is in the block cache. */
public sealed interface IndexedFileReader permits KeyIndexReader, SstFileReader {
    /** The memory of the top of the index, about. */
    long retainedBytes();
}
