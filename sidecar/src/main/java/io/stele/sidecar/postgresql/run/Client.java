package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.QueryIdentity;
import io.stele.sidecar.auth.AuthenticatedUser;

/**
 * The client for which a statement is run: its user, scheduling identity and cancellation.
 *
 * @param user whose privileges count
 * @param identity selects its scheduling group
 * @param cancellation ends its statement
 */
public record Client(AuthenticatedUser user, QueryIdentity identity, Cancellation cancellation) {
    public Client {
        requireNonNull(user, "user is null");
        requireNonNull(identity, "identity is null");
        requireNonNull(cancellation, "cancellation is null");
    }
}
