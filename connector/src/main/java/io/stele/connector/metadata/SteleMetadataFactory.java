package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.sidecar.ReadPoints;
import io.stele.connector.sidecar.SidecarActions;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.QueryTag;

/** Makes the view of one transaction. Thread-safe. */
public final class SteleMetadataFactory {
    private final SteleSidecar sidecar;
    private final ReadPoints readPoints;
    private final TableDefinitions definitions;
    private final TableStatisticsReader statistics;
    private final TrinoTypes types;

    @Inject
    public SteleMetadataFactory(
            SteleSidecar sidecar,
            ReadPoints readPoints,
            TableDefinitions definitions,
            TableStatisticsReader statistics,
            TrinoTypes types) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.types = requireNonNull(types, "types is null");
    }

    /**
     * A new transaction's.
     *
     * @param tag whose transaction it is, which the sidecar is told
     */
    public SteleMetadata create(QueryTag tag) {
        SidecarActions actions = sidecar.as(tag);
        CatalogRequests catalog = new CatalogRequests(actions);
        return new SteleMetadata(
                catalog,
                new WriteTransactions(actions, catalog),
                readPoints,
                definitions,
                statistics,
                new MetadataTables(catalog, types));
    }
}
