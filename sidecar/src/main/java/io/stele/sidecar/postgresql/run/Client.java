package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.QueryIdentity;

/**
 * The client that a statement is run for.
 *
 * @param identity selects its scheduling group
 * @param cancellation ends its statement
 */
public record Client(QueryIdentity identity, Cancellation cancellation) {
    public Client {
        requireNonNull(identity, "identity is null");
        requireNonNull(cancellation, "cancellation is null");
    }
}
