package io.stele.paimon.image;

/**
 * A value of the cache of {@link TableImages}: an image, or the places of a snapshot's deletion
 * vectors. Immutable.
 */
sealed interface CachedMetadata permits TableImage, DeletionVectors {
    long retainedBytes();
}
