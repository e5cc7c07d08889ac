package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The settings of {@link TableImages}: its memory and parallelism, and when images are rebuilt,
 * verified and persisted.
 *
 * @param maxBytes heap, in bytes, of images and places of deletion vectors
 * @param parallelism files read at once for one image
 * @param maxDeltas snapshots between an image and the image made from it; beyond this number, an
 *     image is built from nothing
 * @param deltasToVerify the number of advanced images of a table after which its image is compared
 *     with all manifests
 * @param deltasToPersist the number of new images of a table after which its image is persisted; an
 *     image that is built from nothing is always persisted
 * @param persistAfter how long after an image has advanced the newest image of its table is
 *     persisted in any case; large images later
 */
public record ImageOptions(
        long maxBytes,
        int parallelism,
        int maxDeltas,
        int deltasToVerify,
        int deltasToPersist,
        Duration persistAfter) {
    public ImageOptions {
        checkArgument(maxBytes >= 0, "maxBytes must be >= 0: %s", maxBytes);
        checkArgument(parallelism > 0, "parallelism must be > 0: %s", parallelism);
        checkArgument(maxDeltas >= 0, "maxDeltas must be >= 0: %s", maxDeltas);
        checkArgument(deltasToVerify > 0, "deltasToVerify must be > 0: %s", deltasToVerify);
        checkArgument(deltasToPersist > 0, "deltasToPersist must be > 0: %s", deltasToPersist);
        requireNonNull(persistAfter, "persistAfter is null");
        checkArgument(persistAfter.isPositive(), "persistAfter must be > 0: %s", persistAfter);
    }
}
