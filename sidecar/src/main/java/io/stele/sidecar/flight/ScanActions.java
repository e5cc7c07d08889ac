package io.stele.sidecar.flight;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.CloseReadPointRequest;
import io.stele.protocol.api.OpenReadPointRequest;
import io.stele.protocol.api.OpenTableReply;
import io.stele.protocol.api.OpenTableRequest;
import io.stele.protocol.api.PlanScanRequest;
import io.stele.protocol.api.ReadPointReply;
import io.stele.protocol.api.RelationReply;
import io.stele.protocol.api.RenewReadPointRequest;
import io.stele.sidecar.engine.EngineService;
import io.stele.storage.engine.ReadPoint;
import io.stele.storage.engine.StorageEngine;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The actions on read points and scan plans. Thread safe. */
final class ScanActions {
    // A lease holds old versions and files, so a forgotten one must end by itself.
    private static final Duration MAX_TTL = Duration.ofHours(24);

    private final EngineService engine;

    ScanActions(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    Map<String, ActionHandler> handlers() {
        return ImmutableMap.of(
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
     * The table is described after the read point was opened: readers need columns that are not
     * older.
     */
    private Object openTable(OpenTableRequest request) {
        RelationReply there = engine.relation(request.table());
        if (there.table().isEmpty() && there.view().isEmpty()) {
            return new OpenTableReply(there, Optional.empty());
        }
        ReadPointReply readPoint =
                open(
                        new OpenReadPointRequest(
                                List.of(),
                                Optional.empty(),
                                request.ttlMillis(),
                                request.atLeast()));
        try {
            return new OpenTableReply(engine.relation(request.table()), Optional.of(readPoint));
        } catch (RuntimeException e) {
            engine.engine().closeReadPoint(readPoint.readPointId());
            throw e;
        }
    }

    private Object renew(RenewReadPointRequest request) {
        engine.engine().renewReadPoint(request.readPointId(), checkedTtl(request.ttlMillis()));
        return new ReadPointReply(
                request.readPointId(),
                engine.engine().readPoint(request.readPointId()).lsn(),
                request.ttlMillis());
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
