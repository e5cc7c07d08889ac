package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.sidecar.ReadPoints;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;

/** Makes the view of one transaction. Thread-safe. */
public final class SteleMetadataFactory {
    private final SteleSidecar sidecar;
    private final CatalogRequests catalog;
    private final ReadPoints readPoints;
    private final TableDefinitions definitions;
    private final TableStatisticsReader statistics;
    private final MetadataTables metadataTables;

    @Inject
    public SteleMetadataFactory(
            SteleSidecar sidecar,
            CatalogRequests catalog,
            ReadPoints readPoints,
            TableDefinitions definitions,
            TableStatisticsReader statistics,
            TrinoTypes types) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.metadataTables = new MetadataTables(catalog, types);
    }

    public SteleMetadata create() {
        return new SteleMetadata(
                catalog,
                new WriteTransactions(sidecar, catalog),
                readPoints,
                definitions,
                statistics,
                metadataTables);
    }
}
