package io.stele.connector;

import io.trino.operator.RetryPolicy;
import org.junit.jupiter.api.Tag;

/**
 * With {@code retry-policy=QUERY}. A statement that is run again is to the connector what a new one
 * is; in {@link SteleTaskRetriesIT}, which always runs, writers of one statement run twice.
 */
@Tag("long")
final class SteleQueryRetriesIT extends SteleFailureRecovery {
    SteleQueryRetriesIT() {
        super(RetryPolicy.QUERY);
    }
}
