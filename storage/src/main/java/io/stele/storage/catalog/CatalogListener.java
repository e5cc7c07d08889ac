package io.stele.storage.catalog;

/**
 * Is told of every new catalog version once it is durable, in version order, by the thread of the
 * statement. Must be quick, must not throw and must not change the catalog.
 */
@FunctionalInterface
public interface CatalogListener {
    void catalogChanged(Catalog before, Catalog after);
}
