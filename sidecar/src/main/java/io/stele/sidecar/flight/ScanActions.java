package io.stele.sidecar.flight;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.airlift.log.Logger;
import io.stele.engine.ReadPoint;
import io.stele.engine.StorageEngine;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.CloseReadPointRequest;
import io.stele.protocol.api.KnownPlan;
import io.stele.protocol.api.MetadataChanges;
import io.stele.protocol.api.MetadataChangesRequest;
import io.stele.protocol.api.OpenReadPointRequest;
import io.stele.protocol.api.OpenTableReply;
import io.stele.protocol.api.OpenTableRequest;
import io.stele.protocol.api.PlanScanRequest;
import io.stele.protocol.api.ReadPointReply;
import io.stele.protocol.api.RelationReply;
import io.stele.protocol.api.RenewLeasesReply;
import io.stele.protocol.api.RenewLeasesRequest;
import io.stele.protocol.api.RenewReadPointRequest;
import io.stele.protocol.api.TablePlan;
import io.stele.sidecar.engine.EngineService;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The actions on snapshots and scan plans. Thread safe. */
final class ScanActions {
    private static final Logger log = Logger.get(ScanActions.class);

    // A lease retains old versions and files, so an abandoned one must expire.
    private static final Duration MAX_TTL = Duration.ofHours(24);

    private static final RelationReply NOTHING =
            new RelationReply(Optional.empty(), Optional.empty());

    private final EngineService engine;

    ScanActions(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    Map<String, ActionHandler> handlers() {
        return ImmutableMap.of(
                Actions.RENEW_LEASES,
                ActionHandler.of(
                        "Prolongs the leases of snapshots and open transactions",
                        RenewLeasesRequest.class,
                        this::renewAll),
                Actions.METADATA_CHANGES,
                ActionHandler.of(
                        "Says which tables and views are different since a version",
                        MetadataChangesRequest.class,
                        this::metadataChanges),
                Actions.OPEN_READ_POINT,
                ActionHandler.of("Opens a leased snapshot", OpenReadPointRequest.class, this::open),
                Actions.OPEN_TABLE,
                ActionHandler.of(
                        "Opens a leased snapshot and describes a table",
                        OpenTableRequest.class,
                        this::openTable),
                Actions.RENEW_READ_POINT,
                ActionHandler.of(
                        "Prolongs the lease of a snapshot",
                        RenewReadPointRequest.class,
                        this::renew),
                Actions.CLOSE_READ_POINT,
                ActionHandler.of(
                        "Ends the lease of a snapshot", CloseReadPointRequest.class, this::close),
                Actions.PLAN_SCAN,
                ActionHandler.of(
                        "Lists what a scan has to read", PlanScanRequest.class, this::plan));
    }

    private ReadPointReply open(OpenReadPointRequest request) {
        ReadPoint readPoint =
                Blocking.await(
                        engine.engine()
                                .openReadPoint(
                                        request.lsn(),
                                        ReadLsnInterceptor.latest(request.atLeast()),
                                        checkedTtl(request.ttlMillis())));
        return new ReadPointReply(readPoint.id(), readPoint.lsn(), request.ttlMillis());
    }

    /**
     * The table is described after the snapshot was opened, because readers need columns that are
     * not older than it. The changes are collected after it for the same reason.
     */
    OpenTableReply openTable(OpenTableRequest request) {
        request.ended().orElse(List.of()).forEach(engine.engine()::closeReadPoint);
        if (!engine.isThere(request.table())) {
            return new OpenTableReply(
                    NOTHING, Optional.empty(), changes(request), Optional.empty());
        }
        ReadPointReply readPoint =
                open(
                        new OpenReadPointRequest(
                                List.of(),
                                Optional.empty(),
                                request.ttlMillis(),
                                request.atLeast()));
        try {
            Optional<MetadataChanges> changes = changes(request);
            boolean isDescribed =
                    request.described().orElse(false)
                            && changes.isPresent()
                            && !changes.get().concerns(request.table().table());
            return new OpenTableReply(
                    isDescribed ? NOTHING : engine.relation(request.table()),
                    Optional.of(readPoint),
                    changes,
                    request.plans().map(known -> plans(readPoint, known)));
        } catch (RuntimeException e) {
            engine.engine().closeReadPoint(readPoint.readPointId());
            throw e;
        }
    }

    /**
     * Tables that cannot be planned are left out: a query that really scans one gets the failure.
     */
    private List<TablePlan> plans(ReadPointReply opened, List<KnownPlan> known) {
        ReadPoint readPoint = engine.engine().readPoint(opened.readPointId());
        List<TablePlan> plans = new ArrayList<>();
        for (KnownPlan table : known) {
            try {
                plans.add(engine.engine().tablePlan(readPoint, table));
            } catch (SteleException e) {
                log.debug(e, "No plan of table id %s ahead", table.tableId());
            }
        }
        return plans;
    }

    private Optional<MetadataChanges> changes(OpenTableRequest request) {
        return request.known().map(known -> engine.engine().metadataChanges(Optional.of(known)));
    }

    private Object metadataChanges(MetadataChangesRequest request) {
        return engine.engine().metadataChanges(request.since());
    }

    private Object renew(RenewReadPointRequest request) {
        engine.engine().renewReadPoint(request.readPointId(), checkedTtl(request.ttlMillis()));
        return new ReadPointReply(
                request.readPointId(),
                engine.engine().readPoint(request.readPointId()).lsn(),
                request.ttlMillis());
    }

    private Object renewAll(RenewLeasesRequest request) {
        StorageEngine open = engine.engine();
        Duration readPointTtl = checkedTtl(request.readPointTtlMillis());
        Duration transactionTtl = checkedTtl(request.transactionTtlMillis());
        List<String> endedReadPoints = new ArrayList<>();
        for (String id : request.readPointIds()) {
            try {
                open.renewReadPoint(id, readPointTtl);
            } catch (SteleException expired) {
                endedReadPoints.add(id);
            }
        }
        return new RenewLeasesReply(
                endedReadPoints,
                request.transactionIds().stream()
                        .filter(id -> !open.renewTransaction(id, transactionTtl))
                        .toList());
    }

    private Object close(CloseReadPointRequest request) {
        engine.engine().closeReadPoint(request.readPointId());
        return DONE;
    }

    private Object plan(PlanScanRequest request) {
        StorageEngine open = engine.engine();
        ReadPoint readPoint = open.readPoint(request.readPointId());
        int schemaVersion =
                request.schemaVersion()
                        .orElseGet(
                                () ->
                                        open.catalog()
                                                .current()
                                                .table(request.tableId())
                                                .schemaVersion());
        if (!request.lookups()) {
            return open.plan(readPoint, request.tableId(), schemaVersion, request.predicate());
        }
        try {
            return open.planLookups(
                    readPoint, request.tableId(), schemaVersion, request.predicate());
        } catch (IOException failed) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot read indexes of table id " + request.tableId() + ": " + failed,
                    failed);
        }
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
