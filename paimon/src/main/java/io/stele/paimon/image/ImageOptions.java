package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * The limits of a cache of images.
 *
 * @param maxBytes memory of images and places of deletion vectors
 * @param parallelism files read at once for one image
 * @param maxDeltas snapshots between an image and the one made from it; beyond, an image is built
 *     from nothing
 * @param deltasToVerify the number of deltas of a table after which its image is compared with all
 *     manifests
 * @param deltasToPersist the number of deltas of a table after which its image is persisted
 */
public record ImageOptions(
        long maxBytes, int parallelism, int maxDeltas, int deltasToVerify, int deltasToPersist) {
    public ImageOptions {
        checkArgument(maxBytes >= 0, "maxBytes must be >= 0: %s", maxBytes);
        checkArgument(parallelism > 0, "parallelism must be > 0: %s", parallelism);
        checkArgument(maxDeltas >= 0, "maxDeltas must be >= 0: %s", maxDeltas);
        checkArgument(deltasToVerify > 0, "deltasToVerify must be > 0: %s", deltasToVerify);
        checkArgument(deltasToPersist > 0, "deltasToPersist must be > 0: %s", deltasToPersist);
    }
}
