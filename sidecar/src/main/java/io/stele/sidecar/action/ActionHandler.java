package io.stele.sidecar.action;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.CompletedStatement;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import io.stele.sidecar.flight.call.StatementIdInterceptor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The handler of an action: its description for ListActions, and the function that reads its JSON
 * body.
 *
 * @param changes whether it changes the catalog, or rows without a transaction; the process's log
 *     then records the user
 * @param reader decodes the bytes of the request into the call; throws SteleException
 */
public record ActionHandler(
        Action<?, ?> action, String description, boolean changes, Function<byte[], Call> reader) {
    public ActionHandler {
        requireNonNull(action, "action is null");
        requireNonNull(description, "description is null");
        requireNonNull(reader, "reader is null");
    }

    /**
     * An action with its request.
     *
     * @param resultBytes approximate memory of a result that grows with a table; 0: it is small, as
     *     are all results of changes
     * @param run returns the reply record; may block; throws SteleException
     */
    record Call(long resultBytes, Supplier<?> run) {}

    /** A handler of an action whose body is a record. */
    static <Q, R> ActionHandler of(
            Action<Q, R> action, String description, Function<? super Q, ? extends R> run) {
        return listing(action, description, _ -> 0, run);
    }

    /**
     * A handler of an action that only reads, and whose result grows with a table.
     *
     * @param resultBytes approximate memory of the result of a request
     */
    static <Q, R> ActionHandler listing(
            Action<Q, R> action,
            String description,
            ToLongFunction<? super Q> resultBytes,
            Function<? super Q, ? extends R> run) {
        return new ActionHandler(
                action,
                description,
                false,
                body -> {
                    Q request = ApiJson.read(body, action.request());
                    return new Call(resultBytes.applyAsLong(request), () -> run.apply(request));
                });
    }

    /** A handler of an action that changes the catalog, or rows without a transaction. */
    static <Q, R> ActionHandler changing(
            Action<Q, R> action, String description, Function<? super Q, ? extends R> run) {
        return new ActionHandler(action, description, true, of(action, description, run).reader());
    }

    /**
     * A handler of an action that changes the catalog once, however often its client sends it under
     * one statement id.
     *
     * @param repeated returns the reply if it took effect earlier
     */
    static <Q, R> ActionHandler statement(
            Action<Q, R> action,
            String description,
            Supplier<CatalogService> catalog,
            Function<Q, R> run,
            BiFunction<Q, CompletedStatement, R> repeated) {
        return changing(
                action,
                description,
                request ->
                        StatementIdInterceptor.current()
                                .map(
                                        id ->
                                                catalog.get()
                                                        .runOnce(
                                                                id,
                                                                () -> run.apply(request),
                                                                earlier ->
                                                                        repeated.apply(
                                                                                request, earlier)))
                                .orElseGet(() -> run.apply(request)));
    }

    /** A handler of an action without a request: the body may be empty or {@code {}}. */
    static <R> ActionHandler of(
            Action<Done, R> action, String description, Supplier<? extends R> run) {
        return new ActionHandler(
                action,
                description,
                false,
                body -> {
                    if (body.length > 0) {
                        ApiJson.read(body, action.request());
                    }
                    return new Call(0, run);
                });
    }
}
