package io.stele.sidecar.action;

import static java.util.Objects.requireNonNull;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.snapshot.OpenVersionReply;
import io.stele.protocol.api.snapshot.OpenVersionRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import java.util.List;
import java.util.Optional;

/**
 * The handler of the action that opens a snapshot of the past and describes a table as of it.
 * Thread-safe; it waits for the engine.
 */
final class VersionHandlers {
    private final EngineService engine;

    VersionHandlers(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.of(
                        SnapshotActions.OPEN_VERSION,
                        "Opens a leased snapshot of the past and describes a table as of it",
                        this::open));
    }

    private OpenVersionReply open(OpenVersionRequest request) {
        TableSchema table = engine.resolve(new TableRequest(request.table(), Optional.empty()));
        LeasedSnapshot snapshot = open(request, Optional.empty());
        if (!isPresent(request.at(), snapshot)) {
            engine.engine().closeSnapshot(snapshot.id());
            snapshot = open(request, Optional.of(request.at()));
        }
        try {
            SchemaHistory.AsOf then = engine.engine().tableAsOf(snapshot, table.id());
            return new OpenVersionReply(
                    engine.describe(then.schema()),
                    new SnapshotReply(snapshot.id(), snapshot.lsn(), request.ttlMillis()),
                    then.goneColumns());
        } catch (RuntimeException e) {
            engine.engine().closeSnapshot(snapshot.id());
            throw e;
        }
    }

    /** Whether an LSN is of the millisecond in which a snapshot of the present was just opened. */
    private static boolean isPresent(Lsn at, LeasedSnapshot present) {
        return at.compareTo(present.lsn()) > 0 && at.millis() == present.lsn().millis();
    }

    private LeasedSnapshot open(OpenVersionRequest request, Optional<Lsn> at) {
        return Blocking.await(
                engine.engine()
                        .openSnapshot(
                                at,
                                Optional.empty(),
                                ScanHandlers.checkedTtl(request.ttlMillis())));
    }
}
