package io.stele.sidecar.flight;

import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import java.util.function.Function;

/**
 * One Flight action: its description for ListActions, and the function that runs its JSON body.
 *
 * @param changes whether it changes the catalog, or rows without a transaction: the log then has
 *     the user
 * @param run from the bytes of the request to the reply record; may block; fails with
 *     SteleException
 */
record ActionHandler(String description, boolean changes, Function<byte[], Object> run) {
    /** An action whose body is a record. */
    static <Q> ActionHandler of(String description, Class<Q> requestType, Function<Q, Object> run) {
        return new ActionHandler(
                description, false, body -> run.apply(ApiJson.read(body, requestType)));
    }

    /** The same for one that changes the catalog, or rows without a transaction. */
    static <Q> ActionHandler changing(
            String description, Class<Q> requestType, Function<Q, Object> run) {
        return new ActionHandler(description, true, of(description, requestType, run).run());
    }

    /** An action without a request: the body may be empty or {@code {}}. */
    static ActionHandler of(String description, java.util.function.Supplier<Object> run) {
        return new ActionHandler(
                description,
                false,
                body -> {
                    if (body.length > 0) {
                        ApiJson.read(body, Done.class);
                    }
                    return run.get();
                });
    }
}
