package io.stele.connector;

import io.trino.operator.RetryPolicy;

/** With {@code retry-policy=TASK}. */
final class SteleTaskRetriesIT extends SteleFailureRecovery {
    SteleTaskRetriesIT() {
        super(RetryPolicy.TASK);
    }
}
