package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import java.time.ZoneId;
import java.util.List;

/**
 * The client whose statements are handed on, as its session is now.
 *
 * @param applicationName the source of its queries; empty: not known
 * @param searchPath of which the first is the schema of unqualified tables
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
