package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;

/**
 * The values of the counters of {@link TableImages} since its creation, for metrics.
 *
 * @param built images built from all manifests of a snapshot
 * @param advanced images made from an earlier one and deltas
 * @param reopened images found as they were persisted
 * @param notApplicable deltas that did not apply, so that an image was built from nothing
 * @param verified images compared with the manifests of their snapshot
 * @param different images that differed and were dropped
 * @param damaged images whose persisted blocks could not be read and were built again
 */
public record ImageStatistics(
        long built,
        long advanced,
        long reopened,
        long notApplicable,
        long verified,
        long different,
        long damaged,
        CacheStatistics cache) {
    public ImageStatistics {
        requireNonNull(cache, "cache is null");
    }
}
