package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

/**
 * A column in the result of a catalog query.
 *
 * @param typeOid PostgreSQL's OID of the type
 */
public record CatalogColumn(String name, int typeOid) {
    public CatalogColumn {
        requireNonNull(name, "name is null");
    }
}
