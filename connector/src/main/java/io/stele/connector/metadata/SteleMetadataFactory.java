package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.metadata.cache.MetadataWatch;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.metadata.plan.AggregationChoices;
import io.stele.connector.metadata.plan.ReadCosts;
import io.stele.connector.metadata.plan.ScanPlanCache;
import io.stele.connector.metadata.plan.TransactionPlans;
import io.stele.connector.metadata.system.MetadataTables;
import io.stele.connector.metadata.transaction.ChangeCountingActions;
import io.stele.connector.metadata.transaction.PastTables;
import io.stele.connector.metadata.transaction.TransactionSnapshot;
import io.stele.connector.metadata.transaction.WriteTransactions;
import io.stele.connector.metadata.view.MaterializedViews;
import io.stele.connector.metadata.view.Views;
import io.stele.connector.sidecar.Leases;
import io.stele.connector.sidecar.QuerySnapshots;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.api.scan.ScanActions;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.type.TypeManager;
import java.util.Optional;

/** A factory of the {@link SteleMetadata} of one transaction. Thread-safe. */
public final class SteleMetadataFactory {
    private final SteleSidecar sidecar;
    private final QuerySnapshots querySnapshots;
    private final Leases leases;
    private final MetadataCache cache;
    private final ScanPlanCache plans;
    private final MetadataWatch watch;
    private final TableDefinitions definitions;
    private final TableStatisticsReader statistics;
    private final TrinoTypes types;
    private final TypeManager typeManager;
    private final ReadCosts costs;
    private final String catalogName;

    @Inject
    public SteleMetadataFactory(
            SteleSidecar sidecar,
            QuerySnapshots querySnapshots,
            Leases leases,
            MetadataCache cache,
            ScanPlanCache plans,
            MetadataWatch watch,
            TableDefinitions definitions,
            TableStatisticsReader statistics,
            TrinoTypes types,
            TypeManager typeManager,
            ReadCosts costs,
            CatalogName catalogName) {
        this.costs = requireNonNull(costs, "costs is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.querySnapshots = requireNonNull(querySnapshots, "querySnapshots is null");
        this.leases = requireNonNull(leases, "leases is null");
        this.cache = requireNonNull(cache, "cache is null");
        this.plans = requireNonNull(plans, "plans is null");
        this.watch = requireNonNull(watch, "watch is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.types = requireNonNull(types, "types is null");
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.catalogName = catalogName.toString();
    }

    /**
     * Creates the metadata of a new transaction.
     *
     * @param identity the identity of its query, which the sidecar receives
     * @param cached whether it uses metadata that other transactions loaded
     */
    public SteleMetadata create(QueryIdentity identity, boolean cached) {
        watch.start();
        ChangeCountingActions actions = new ChangeCountingActions(sidecar.as(identity));
        CatalogRequests catalog = new CatalogRequests(actions);
        WriteTransactions writes = new WriteTransactions(actions, catalog, leases);
        boolean keeps = cached && cache.isEnabled();
        TransactionSnapshot snapshot =
                new TransactionSnapshot(
                        catalog,
                        querySnapshots,
                        keeps ? Optional.of(cache) : Optional.empty(),
                        new TransactionPlans(keeps ? Optional.of(plans) : Optional.empty()),
                        actions::changes);
        return new SteleMetadata(
                catalog,
                writes,
                snapshot,
                new PastTables(catalog, querySnapshots),
                new RowCounts(sidecar, querySnapshots),
                definitions,
                statistics,
                new MetadataTables(catalog, types),
                new RelationListing(snapshot, definitions),
                new ColumnChanges(catalog, snapshot, definitions),
                new Views(catalog, snapshot),
                new MaterializedViews(
                        catalogName, catalog, snapshot, definitions, typeManager, writes),
                costs,
                new AggregationChoices(
                        costs,
                        request -> sidecar.openNow(ScanActions.ESTIMATE_AGGREGATION, request)));
    }
}
