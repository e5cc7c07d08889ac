package io.stele.sidecar.postgresql.catalog;

import java.util.List;
import java.util.Optional;

/**
 * The complete result of a catalog query or SHOW, in memory, with all values as texts.
 *
 * @param rows values in PostgreSQL's text format; empty: NULL
 */
public record CatalogResult(List<CatalogColumn> columns, List<List<Optional<String>>> rows) {
    public CatalogResult {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }
}
