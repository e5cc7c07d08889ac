package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.auth.AuthenticatedUser;
import java.util.Map;

/**
 * The state of a connection that answers about the catalog depend on.
 *
 * @param user who logged in; tables on which it has no privilege are not there for it
 * @param processId what {@code pg_backend_pid()} answers: the id in the client's cancel key
 * @param settings values of settings that the client has set, by name in lower case
 */
public record CatalogSession(AuthenticatedUser user, int processId, Map<String, String> settings) {
    public CatalogSession {
        requireNonNull(user, "user is null");
        settings = Map.copyOf(settings);
    }
}
