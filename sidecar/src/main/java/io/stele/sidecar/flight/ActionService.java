package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.flight.Action;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.Empty;
import io.stele.sidecar.metrics.AccessMetrics;
import java.util.Map;

/** DoAction and ListActions. Thread safe. */
final class ActionService {
    private final Map<String, ActionHandler> handlers;
    private final AccessMetrics metrics;

    ActionService(Map<String, ActionHandler> handlers, AccessMetrics metrics) {
        this.handlers = ImmutableMap.copyOf(handlers);
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    void doAction(Action action, StreamObserver<ActionResult> results) {
        metrics.actionCalled();
        ActionResult result;
        try {
            result =
                    new ActionResult(
                            ApiJson.write(handler(action.type()).run().apply(action.body())));
        } catch (RuntimeException e) {
            results.onError(CallFailures.describe("Action " + action.type(), e));
            return;
        }
        results.onNext(result);
        results.onCompleted();
    }

    void listActions(Empty request, StreamObserver<ActionType> types) {
        handlers.forEach(
                (type, handler) -> types.onNext(new ActionType(type, handler.description())));
        types.onCompleted();
    }

    private ActionHandler handler(String type) {
        ActionHandler handler = handlers.get(type);
        if (handler == null) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an action of "
                            + String.join(", ", handlers.keySet())
                            + "; found '"
                            + type
                            + "'");
        }
        return handler;
    }
}
