package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import org.weakref.jmx.Managed;

/**
 * The JMX metrics of the metadata images and snapshot checks of one catalog on this node, since its
 * start. Thread-safe.
 */
public final class ImageMetrics {
    private final TableImages images;
    private final LatestSnapshots snapshots;

    @Inject
    public ImageMetrics(TableImages images, LatestSnapshots snapshots) {
        this.images = requireNonNull(images, "images is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    @Managed(description = "Images and lists of deletion vectors held")
    public long getEntries() {
        return images.statistics().cache().entries();
    }

    @Managed(description = "Bytes held, about")
    public long getBytes() {
        return images.statistics().cache().weightBytes();
    }

    @Managed(description = "Bytes that may be held")
    public long getMaxBytes() {
        return images.statistics().cache().maxWeightBytes();
    }

    @Managed(description = "Images and lists of deletion vectors that queries found")
    public long getHits() {
        return images.statistics().cache().hits();
    }

    @Managed(description = "Images and lists of deletion vectors that had to be made")
    public long getMisses() {
        return images.statistics().cache().misses();
    }

    @Managed(description = "Images and lists of deletion vectors that could not be made")
    public long getFailures() {
        return images.statistics().cache().failures();
    }

    @Managed(description = "Images and lists of deletion vectors that made room for others")
    public long getEvictions() {
        return images.statistics().cache().evictions();
    }

    @Managed(description = "Images built from all manifests of a snapshot")
    public long getBuilt() {
        return images.statistics().built();
    }

    @Managed(description = "Images made from an earlier one and the manifests of deltas")
    public long getAdvanced() {
        return images.statistics().advanced();
    }

    @Managed(description = "Images found as they were persisted")
    public long getReopened() {
        return images.statistics().reopened();
    }

    @Managed(description = "Deltas that did not apply, so that an image was built from nothing")
    public long getNotApplicable() {
        return images.statistics().notApplicable();
    }

    @Managed(description = "Images compared with all manifests of their snapshot")
    public long getVerified() {
        return images.statistics().verified();
    }

    @Managed(description = "Images that differed from the manifests and were dropped")
    public long getDifferent() {
        return images.statistics().different();
    }

    @Managed(description = "Persisted images that the disk had damaged and that were built again")
    public long getDamaged() {
        return images.statistics().damaged();
    }

    @Managed(description = "Checks for new snapshots that failed")
    public long getFailedChecks() {
        return snapshots.failureCount();
    }
}
