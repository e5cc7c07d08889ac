package io.stele.protocol.api;

/**
 * Up to where somebody knows the metadata of a sidecar.
 *
 * @param instance of the sidecar's storage: versions of two instances are not compared
 * @param catalog version of the catalog: definitions of tables and views
 * @param statistics version of what is known of the rows of tables
 */
public record MetadataVersion(long instance, long catalog, long statistics) {
    /** Whether whoever knows {@code other} learns nothing from this one. */
    public boolean isCoveredBy(MetadataVersion other) {
        return instance == other.instance
                && catalog <= other.catalog
                && statistics <= other.statistics;
    }
}
