package io.stele.paimon.image;

/** A thing in the cache of images. Immutable. */
sealed interface CachedMetadata permits TableImage, DeletionVectors {
    long retainedBytes();
}
