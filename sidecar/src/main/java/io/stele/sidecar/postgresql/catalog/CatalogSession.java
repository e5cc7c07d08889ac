package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import java.util.Map;

/**
 * The state of a client's session on which catalog queries depend.
 *
 * @param user who logged in; tables on which it has no privilege are invisible to it
 * @param processId result of {@code pg_backend_pid()}: the id in the client's cancel key
 * @param settings values of settings that the client has set, by name in lower case
 * @param times of the statement
 */
public record CatalogSession(
        AuthenticatedUser user, int processId, Map<String, String> settings, CurrentTimes times) {
    public CatalogSession {
        requireNonNull(user, "user is null");
        requireNonNull(times, "times is null");
        settings = Map.copyOf(settings);
    }
}
