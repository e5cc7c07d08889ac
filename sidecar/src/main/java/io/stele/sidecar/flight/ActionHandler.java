package io.stele.sidecar.flight;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.CompletedStatement;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * One Flight action: its description for ListActions, and the function that reads its JSON body.
 *
 * @param changes whether it changes the catalog, or rows without a transaction: the log then has
 *     the user
 * @param reader from the bytes of the request to the call; fails with SteleException
 */
record ActionHandler(String description, boolean changes, Function<byte[], Call> reader) {
    /**
     * An action with its request.
     *
     * @param resultBytes about the memory of a result that grows with a table; 0: it is small, as
     *     all are that change anything
     * @param run returns the reply record; may block; fails with SteleException
     */
    record Call(long resultBytes, Supplier<Object> run) {}

    /** An action whose body is a record. */
    static <Q> ActionHandler of(String description, Class<Q> requestType, Function<Q, Object> run) {
        return listing(description, requestType, request -> 0, run);
    }

    /**
     * The same for one that only reads, and whose result grows with a table.
     *
     * @param resultBytes about the memory that the result of a request will take
     */
    static <Q> ActionHandler listing(
            String description,
            Class<Q> requestType,
            ToLongFunction<Q> resultBytes,
            Function<Q, Object> run) {
        return new ActionHandler(
                description,
                false,
                body -> {
                    Q request = ApiJson.read(body, requestType);
                    return new Call(resultBytes.applyAsLong(request), () -> run.apply(request));
                });
    }

    /** The same for one that changes the catalog, or rows without a transaction. */
    static <Q> ActionHandler changing(
            String description, Class<Q> requestType, Function<Q, Object> run) {
        return new ActionHandler(description, true, of(description, requestType, run).reader());
    }

    /**
     * The same for one that changes the catalog once, however often its client sends it under one
     * statement id.
     *
     * @param repeated what to answer if it took effect earlier
     */
    static <Q> ActionHandler statement(
            String description,
            Class<Q> requestType,
            Supplier<CatalogService> catalog,
            Function<Q, Object> run,
            BiFunction<Q, CompletedStatement, Object> repeated) {
        return changing(
                description,
                requestType,
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

    /** An action without a request: the body may be empty or {@code {}}. */
    static ActionHandler of(String description, Supplier<Object> run) {
        return new ActionHandler(
                description,
                false,
                body -> {
                    if (body.length > 0) {
                        ApiJson.read(body, Done.class);
                    }
                    return new Call(0, run);
                });
    }
}
