package io.stele.sidecar.action;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.engine.StorageEngine;
import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataChangesRequest;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.EstimateAggregationRequest;
import io.stele.protocol.api.scan.PlanScanRequest;
import io.stele.protocol.api.scan.ScanActions;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.RenewLeasesReply;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.flight.call.ReadLsnInterceptor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The handlers of the actions on snapshots and their leases, scan plans and aggregation estimates.
 * Thread-safe; they wait for the engine.
 */
final class ScanHandlers {
    /**
     * The most snapshots of one request: during it, a name is given to another table far less
     * often.
     */
    private static final int MAX_SNAPSHOTS = 16;

    private static final Logger log = Logger.get(ScanHandlers.class);

    // A lease retains old versions and files, so an abandoned one must expire.
    private static final Duration MAX_TTL = Duration.ofHours(24);

    // An object with its path and statistics of some columns, and its JSON
    static final long FILE_BYTES = 1 << 10;

    private static final long PLAN_BYTES = 16 << 10;

    private static final RelationReply NOTHING =
            new RelationReply(Optional.empty(), Optional.empty());

    private final EngineService engine;
    private final Optional<AggregateCache> aggregateCache;

    ScanHandlers(EngineService engine, Optional<AggregateCache> aggregateCache) {
        this.aggregateCache = requireNonNull(aggregateCache, "aggregateCache is null");
        this.engine = requireNonNull(engine, "engine is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.of(
                        SnapshotActions.RENEW_LEASES,
                        "Prolongs the leases of snapshots and open transactions",
                        this::renewAll),
                ActionHandler.of(
                        CatalogActions.METADATA_CHANGES,
                        "Says which tables and views are different since a version",
                        this::metadataChanges),
                ActionHandler.of(
                        SnapshotActions.OPEN_SNAPSHOT, "Opens a leased snapshot", this::open),
                ActionHandler.of(
                        SnapshotActions.OPEN_TABLE,
                        "Opens a leased snapshot and describes a table",
                        this::openTable),
                ActionHandler.of(
                        SnapshotActions.RENEW_SNAPSHOT,
                        "Prolongs the lease of a snapshot",
                        this::renew),
                ActionHandler.of(
                        SnapshotActions.CLOSE_SNAPSHOT,
                        "Ends the lease of a snapshot",
                        this::close),
                ActionHandler.listing(
                        ScanActions.PLAN_SCAN,
                        "Lists what a scan has to read",
                        request -> engine.engine().fileCount(request.tableId()) * FILE_BYTES,
                        this::plan),
                ActionHandler.of(
                        ScanActions.ESTIMATE_AGGREGATION,
                        "Estimates the cost of an aggregation",
                        this::estimate));
    }

    /**
     * The approximate memory, in bytes, of the reply that opens a table; its plans are of small
     * tables.
     */
    static long resultBytes(OpenTableRequest request) {
        return request.plans().map(plans -> plans.size() * PLAN_BYTES).orElse(0L);
    }

    SnapshotReply open(OpenSnapshotRequest request) {
        LeasedSnapshot snapshot =
                Blocking.await(
                        engine.engine()
                                .openSnapshot(
                                        request.lsn(),
                                        ReadLsnInterceptor.latest(request.atLeast()),
                                        checkedTtl(request.ttlMillis()),
                                        Set.copyOf(request.tableIds())));
        return new SnapshotReply(snapshot.id(), snapshot.lsn(), request.ttlMillis());
    }

    /**
     * The table is described after the snapshot was opened, because readers need columns that are
     * not older than it. The changes are collected after it for the same reason.
     *
     * <p>A table that got its name in between has rows that this snapshot does not see: the next
     * snapshot is after its publication.
     *
     * @throws SteleException STALE_TABLE if that happens again and again
     */
    OpenTableReply openTable(OpenTableRequest request) {
        request.ended().orElse(List.of()).forEach(engine.engine()::closeSnapshot);
        for (int attempt = 0; attempt < MAX_SNAPSHOTS; attempt++) {
            if (!engine.isThere(request.table())) {
                return new OpenTableReply(
                        NOTHING, Optional.empty(), changes(request), Optional.empty());
            }
            SnapshotReply snapshot =
                    open(
                            new OpenSnapshotRequest(
                                    List.of(),
                                    Optional.empty(),
                                    request.ttlMillis(),
                                    request.atLeast()));
            Optional<OpenTableReply> reply = describe(request, snapshot);
            if (reply.isPresent()) {
                return reply.get();
            }
        }
        throw new SteleException(
                ErrorCode.STALE_TABLE,
                "Expected table %s to stay while a snapshot is opened, found it replaced %s times"
                        .formatted(request.table().table(), MAX_SNAPSHOTS));
    }

    /** Empty, and the snapshot is closed, if the table is younger than the snapshot. */
    Optional<OpenTableReply> describe(OpenTableRequest request, SnapshotReply snapshot) {
        try {
            Optional<MetadataChanges> changes = changes(request);
            boolean isDescribed =
                    request.described().orElse(false)
                            && changes.isPresent()
                            && !changes.get().concerns(request.table().table());
            RelationReply relation = isDescribed ? NOTHING : engine.relation(request.table());
            if (relation.table().filter(table -> table.isYoungerThan(snapshot.lsn())).isPresent()) {
                engine.engine().closeSnapshot(snapshot.snapshotId());
                return Optional.empty();
            }
            return Optional.of(
                    new OpenTableReply(
                            relation,
                            Optional.of(snapshot),
                            changes,
                            request.plans().map(known -> plans(snapshot, known))));
        } catch (RuntimeException e) {
            engine.engine().closeSnapshot(snapshot.snapshotId());
            throw e;
        }
    }

    /**
     * Tables that cannot be planned are left out: a query that really scans one gets the failure.
     */
    private List<TablePlan> plans(SnapshotReply opened, List<CachedPlan> known) {
        LeasedSnapshot snapshot = engine.engine().snapshot(opened.snapshotId());
        List<TablePlan> plans = new ArrayList<>();
        for (CachedPlan table : known) {
            try {
                plans.add(engine.engine().tablePlan(snapshot, table));
            } catch (SteleException e) {
                log.debug(e, "No plan of table id %s ahead", table.tableId());
            }
        }
        return plans;
    }

    private Optional<MetadataChanges> changes(OpenTableRequest request) {
        return request.known().map(known -> engine.engine().metadataChanges(Optional.of(known)));
    }

    private MetadataChanges metadataChanges(MetadataChangesRequest request) {
        return engine.engine().metadataChanges(request.since());
    }

    private SnapshotReply renew(RenewSnapshotRequest request) {
        engine.engine().renewSnapshot(request.snapshotId(), checkedTtl(request.ttlMillis()));
        return new SnapshotReply(
                request.snapshotId(),
                engine.engine().snapshot(request.snapshotId()).lsn(),
                request.ttlMillis());
    }

    private RenewLeasesReply renewAll(RenewLeasesRequest request) {
        StorageEngine open = engine.engine();
        Duration snapshotTtl = checkedTtl(request.snapshotTtlMillis());
        Duration transactionTtl = checkedTtl(request.transactionTtlMillis());
        List<String> endedSnapshots = new ArrayList<>();
        for (String id : request.snapshotIds()) {
            try {
                open.renewSnapshot(id, snapshotTtl);
            } catch (SteleException expired) {
                endedSnapshots.add(id);
            }
        }
        return new RenewLeasesReply(
                endedSnapshots,
                request.transactionIds().stream()
                        .filter(id -> !open.renewTransaction(id, transactionTtl))
                        .toList());
    }

    private Done close(CloseSnapshotRequest request) {
        engine.engine().closeSnapshot(request.snapshotId());
        return DONE;
    }

    private ScanPlan plan(PlanScanRequest request) {
        StorageEngine open = engine.engine();
        LeasedSnapshot snapshot = open.snapshot(request.snapshotId());
        int schemaVersion =
                request.schemaVersion()
                        .orElseGet(
                                () ->
                                        open.catalog()
                                                .current()
                                                .table(request.tableId())
                                                .schemaVersion());
        if (!request.lookups()) {
            return open.plan(snapshot, request.tableId(), schemaVersion, request.predicate());
        }
        try {
            return open.planLookups(
                    snapshot, request.tableId(), schemaVersion, request.predicate());
        } catch (IOException failed) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot read indexes of table id " + request.tableId() + ": " + failed,
                    failed);
        }
    }

    private AggregationEstimate estimate(EstimateAggregationRequest request) {
        StorageEngine open = engine.engine();
        return open.aggregate(
                        open.snapshot(request.snapshotId()),
                        request.tableId(),
                        request.schemaVersion(),
                        request.predicate(),
                        request.aggregation(),
                        aggregateCache.filter(cache -> request.aggregation().usesCache()),
                        1) // nothing is computed
                .estimate(engine.queries().workers());
    }

    static Duration checkedTtl(long millis) {
        if (millis > MAX_TTL.toMillis()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected ttlMillis of at most " + MAX_TTL.toMillis() + ", found " + millis);
        }
        return Duration.ofMillis(millis);
    }
}
