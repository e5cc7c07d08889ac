package io.stele.engine.catalog;

/**
 * A listener of new catalog versions, called once each version is durable, in version order, on the
 * thread of the statement. It must be quick, must not throw and must not change the catalog.
 *
 * <p>Every version takes effect in three steps: all listeners are notified by {@link
 * #catalogChanging}, then {@link CatalogService#current} returns the version, then all listeners
 * are notified by {@link #catalogChanged}.
 *
 * <p>Invariant: every table and column that a reader finds in the current catalog is served:
 * service of new tables and columns begins in the first step, and service of a dropped table ends
 * in the third. Invariant: a log of changes advances in the third step, so its version is never
 * above the current one. Else a reader could note that version, describe a table from the catalog
 * before it, and never learn of the change.
 */
@FunctionalInterface
public interface CatalogListener {
    /** {@code after} is about to be the current version; {@code before} still is. */
    default void catalogChanging(Catalog before, Catalog after) {}

    /** {@code after} is the current version. */
    void catalogChanged(Catalog before, Catalog after);
}
