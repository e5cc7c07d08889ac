package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import java.time.ZoneId;
import java.util.List;

/**
 * The user and present session settings that the sidecar sends to Trino with a PostgreSQL client's
 * statement. Immutable.
 *
 * @param applicationName the source of the client's queries; empty: not known
 * @param searchPath the schemas, of which the first is the schema of unqualified tables
 */
public record TrinoIdentity(
        String user, String applicationName, ZoneId zone, List<String> searchPath) {
    public TrinoIdentity {
        requireNonNull(user, "user is null");
        requireNonNull(applicationName, "applicationName is null");
        requireNonNull(zone, "zone is null");
        searchPath = List.copyOf(searchPath);
    }
}
