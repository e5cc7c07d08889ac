package io.stele.protocol.api.catalog;

/**
 * The version of a sidecar's catalog metadata in a reply or a metadata cache, for comparisons
 * within one instance.
 *
 * @param instance of the sidecar's storage: versions of different instances are not comparable
 * @param catalog version of the catalog: definitions of tables and views
 * @param statistics version of the tables' row statistics
 */
public record MetadataVersion(long instance, long catalog, long statistics) {
    /** Whether metadata at {@code other} already includes everything up to this version. */
    public boolean isCoveredBy(MetadataVersion other) {
        return instance == other.instance
                && catalog <= other.catalog
                && statistics <= other.statistics;
    }
}
