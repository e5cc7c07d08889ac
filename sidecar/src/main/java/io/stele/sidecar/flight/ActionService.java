package io.stele.sidecar.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.Empty;
import io.stele.protocol.flight.FlightAction;
import io.stele.protocol.flight.FlightMethods;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.AccessDeniedException;
import io.stele.sidecar.action.ActionHandler;
import io.stele.sidecar.action.ActionHandlers;
import io.stele.sidecar.action.ActionReply;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import io.stele.sidecar.flight.call.QueryIdentityInterceptor;
import io.stele.sidecar.flight.call.RequestRoomInterceptor;
import io.stele.sidecar.flight.call.SqlCallerInterceptor;
import io.stele.sidecar.flight.sql.SqlActions;
import io.stele.sidecar.metrics.AccessMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of Flight's DoAction and ListActions: access check, log line for each change,
 * and end of connections that leave results untaken. Thread safe.
 *
 * <p>Invariant: a result has its bytes of the budget of replies until its client has it; a client
 * that receives nothing for long loses its connection.
 */
final class ActionService {
    private static final Logger log = Logger.get(ActionService.class);

    /** The most characters of a request in the log; definitions of wide tables are longer. */
    private static final int MAX_LOGGED_CHARS = 2_000;

    /** The copies of a result in memory: its JSON, and the message that gRPC makes of it. */
    private static final int COPIES = 2;

    /** Less than clients accept, because of the bytes around the JSON. */
    private static final int MAX_RESULT_BYTES = FlightMethods.MAX_MESSAGE_BYTES - (1 << 10);

    private final AccessControl access;
    private final ActionHandlers handlers;
    private final MetadataWatches watches;
    private final AccessMetrics metrics;
    private final SqlActions sql;
    private final long untakenNanos;
    private final Set<Sent> sent = ConcurrentHashMap.newKeySet();

    /**
     * @param untaken how long a client may not receive a result
     */
    ActionService(
            AccessControl access,
            ActionHandlers handlers,
            MetadataWatches watches,
            AccessMetrics metrics,
            SqlActions sql,
            Duration untaken) {
        this.access = requireNonNull(access, "access is null");
        this.sql = requireNonNull(sql, "sql is null");
        this.untakenNanos = untaken.toNanos();
        this.handlers = requireNonNull(handlers, "handlers is null");
        this.watches = requireNonNull(watches, "watches is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    void doAction(FlightAction action, StreamObserver<ActionResult> results) {
        metrics.actionCalled();
        if (SqlActions.isKnown(action.type())) {
            runSql(action, results);
            return;
        }
        try {
            // These are about the engine, not about rows: tables, transactions, files, jobs
            access.checkHasSecret(
                    AuthenticationInterceptor.user(), "action '" + action.type() + "'");
        } catch (AccessDeniedException denied) {
            results.onError(CallFailures.describe("Action " + action.type(), denied));
            return;
        }
        if (action.type().equals(CatalogActions.WATCH_METADATA.name())) {
            watches.begin(action.body(), (ServerCallStreamObserver<ActionResult>) results);
            return;
        }
        ServerCallStreamObserver<ActionResult> call =
                (ServerCallStreamObserver<ActionResult>) results;
        Sent result = new Sent(RequestRoomInterceptor.endConnection());
        call.setOnCloseHandler(result::close);
        call.setOnCancelHandler(result::close);
        audit(action);
        Optional<ActionReply> reply;
        try {
            reply =
                    handlers.run(
                            action.type(),
                            action.body(),
                            call::isCancelled,
                            COPIES,
                            MAX_RESULT_BYTES);
        } catch (RuntimeException e) {
            results.onError(CallFailures.describe("Action " + action.type(), e));
            return;
        }
        reply.ifPresent(made -> send(made, result, call));
    }

    private void runSql(FlightAction action, StreamObserver<ActionResult> results) {
        List<byte[]> bodies;
        try {
            bodies = sql.run(action.type(), action.body(), SqlCallerInterceptor.current());
        } catch (RuntimeException e) {
            results.onError(CallFailures.describe("Action " + action.type(), e));
            return;
        }
        bodies.forEach(body -> results.onNext(new ActionResult(body)));
        results.onCompleted();
    }

    private static void send(
            ActionReply reply, Sent result, ServerCallStreamObserver<ActionResult> call) {
        result.hold(reply.room());
        call.onNext(new ActionResult(reply.bytes()));
        reply.room().shrink(reply.bytes().length); // what gRPC has of it
        call.onCompleted();
    }

    /** Ends the connections of clients that have not received their results for too long. */
    void endUntaken(long nowNanos) {
        sent.forEach(result -> result.endIfLate(nowNanos));
    }

    /** A result that holds its room until the client has it, or has gone. Thread safe. */
    private final class Sent implements AutoCloseable {
        private final Runnable endConnection;

        @GuardedBy("this")
        private ReplyBudget.@Nullable Room room;

        @GuardedBy("this")
        private boolean closed;

        @GuardedBy("this")
        private long sinceNanos;

        Sent(Runnable endConnection) {
            this.endConnection = endConnection;
        }

        synchronized void hold(ReplyBudget.Room taken) {
            if (closed) {
                taken.close();
                return;
            }
            room = taken;
            sinceNanos = System.nanoTime();
            sent.add(this);
        }

        void endIfLate(long nowNanos) {
            synchronized (this) {
                if (closed || nowNanos - sinceNanos < untakenNanos) {
                    return;
                }
            }
            log.warn("Closing a Flight connection: it takes no result of an action");
            endConnection.run();
        }

        @Override
        public synchronized void close() {
            closed = true;
            sent.remove(this);
            if (room != null) {
                room.close();
            }
        }
    }

    /** Logged, because after every accident the first question is which user changed what. */
    private void audit(FlightAction action) {
        ActionHandler handler = handlers.all().get(action.type());
        if (handler != null && handler.changes()) {
            QueryIdentity identity = QueryIdentityInterceptor.current();
            String request = new String(action.body(), UTF_8);
            log.info(
                    "%s of user '%s' from '%s': %s",
                    action.type(),
                    identity.user(),
                    identity.source(),
                    request.length() <= MAX_LOGGED_CHARS
                            ? request
                            : request.substring(0, MAX_LOGGED_CHARS) + "...");
        }
    }

    void listActions(Empty request, StreamObserver<ActionType> types) {
        handlers.all()
                .forEach(
                        (type, handler) ->
                                types.onNext(new ActionType(type, handler.description())));
        SqlActions.descriptions()
                .forEach((type, description) -> types.onNext(new ActionType(type, description)));
        types.onNext(
                new ActionType(CatalogActions.WATCH_METADATA.name(), MetadataWatches.DESCRIPTION));
        types.onCompleted();
    }
}
