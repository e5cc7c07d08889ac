package io.stele.storage.format;

/** What the block cache holds: decoded, verified, immutable. */
sealed interface CachedBlock permits EntryBlock, IndexPartition {
    /** Bytes it keeps in memory, about. */
    long retainedBytes();
}
