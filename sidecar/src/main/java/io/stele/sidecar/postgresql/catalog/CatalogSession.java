package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.auth.AuthenticatedUser;
import java.util.Map;

/**
 * The state of a client's session on which catalog queries depend.
 *
 * @param user who logged in; tables on which it has no privilege are invisible to it
 * @param processId result of {@code pg_backend_pid()}: the id in the client's cancel key
 * @param settings values of settings that the client has set, by name in lower case
 */
public record CatalogSession(AuthenticatedUser user, int processId, Map<String, String> settings) {
    public CatalogSession {
        requireNonNull(user, "user is null");
        settings = Map.copyOf(settings);
    }
}
