package io.stele.connector;

import io.trino.operator.RetryPolicy;

/** With {@code retry-policy=QUERY}. */
final class SteleQueryRetriesIT extends SteleFailureRecovery {
    SteleQueryRetriesIT() {
        super(RetryPolicy.QUERY);
    }
}
