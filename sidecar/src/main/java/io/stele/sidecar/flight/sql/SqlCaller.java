package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.QueryIdentity;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.trino.TrinoIdentity;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/**
 * The caller of a Flight SQL request: its user, scheduling identity and search path.
 *
 * @param user who has logged in: the owner of what the request opens
 * @param identity selects the scheduling group of reads
 * @param searchPath schemas in which a table without one is looked for, in order
 */
public record SqlCaller(AuthenticatedUser user, QueryIdentity identity, List<String> searchPath) {
    public SqlCaller {
        requireNonNull(user, "user is null");
        requireNonNull(identity, "identity is null");
        searchPath = List.copyOf(searchPath);
    }

    String name() {
        return user.name();
    }

    /** The identity of the caller for Trino. */
    TrinoIdentity ofTrino() {
        return new TrinoIdentity(name(), identity.source(), ZoneOffset.UTC, searchPath);
    }

    /** The session that expressions use. */
    Scope.Session session(CurrentTimes times) {
        return new Scope.Session(name(), times, UUID::randomUUID);
    }
}
