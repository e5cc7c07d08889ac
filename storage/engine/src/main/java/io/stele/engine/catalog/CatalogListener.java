package io.stele.engine.catalog;

/**
 * A listener of new catalog versions, called once each version is durable, in version order, on the
 * thread of the statement. It must be quick, must not throw and must not change the catalog.
 */
@FunctionalInterface
public interface CatalogListener {
    void catalogChanged(Catalog before, Catalog after);
}
