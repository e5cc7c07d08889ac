package io.stele.sidecar.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.QueryTag;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.flight.Action;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.Empty;
import io.stele.sidecar.metrics.AccessMetrics;

/** DoAction and ListActions. Thread safe. */
final class ActionService {
    private static final Logger log = Logger.get(ActionService.class);

    /** Of a request; definitions of wide tables are longer. */
    private static final int MAX_LOGGED_CHARS = 2_000;

    private final ActionHandlers handlers;
    private final MetadataWatches watches;
    private final AccessMetrics metrics;

    ActionService(ActionHandlers handlers, MetadataWatches watches, AccessMetrics metrics) {
        this.handlers = requireNonNull(handlers, "handlers is null");
        this.watches = requireNonNull(watches, "watches is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    void doAction(Action action, StreamObserver<ActionResult> results) {
        metrics.actionCalled();
        if (action.type().equals(Actions.WATCH_METADATA)) {
            watches.begin(action.body(), (ServerCallStreamObserver<ActionResult>) results);
            return;
        }
        ActionResult result;
        audit(action);
        try {
            result =
                    new ActionResult(
                            ApiJson.write(handlers.find(action.type()).run().apply(action.body())));
        } catch (RuntimeException e) {
            results.onError(CallFailures.describe("Action " + action.type(), e));
            return;
        }
        results.onNext(result);
        results.onCompleted();
    }

    /** Logged, because after every accident the first question is which user changed what. */
    private void audit(Action action) {
        ActionHandler handler = handlers.all().get(action.type());
        if (handler != null && handler.changes()) {
            QueryTag tag = QueryTagInterceptor.current();
            String request = new String(action.body(), UTF_8);
            log.info(
                    "%s of user '%s' from '%s': %s",
                    action.type(),
                    tag.user(),
                    tag.source(),
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
        types.onNext(new ActionType(Actions.WATCH_METADATA, MetadataWatches.DESCRIPTION));
        types.onCompleted();
    }
}
