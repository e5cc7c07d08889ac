package io.stele.connector;

import io.stele.testing.LongTests;
import io.trino.operator.RetryPolicy;

/**
 * With {@code retry-policy=TASK}. By default an INSERT and an UPDATE, whose two kinds of writers
 * run again, and all statements with {@code --long}.
 */
@LongTests({
    "testSelect",
    "testCreateTable",
    "testDelete",
    "testDeleteWithSubquery",
    "testUpdateWithSubquery",
    "testAnalyzeTable",
    "testMerge",
    "testRefreshMaterializedView",
    "testExplainAnalyze",
    "testRequestTimeouts"
})
final class SteleTaskRetriesIT extends SteleFailureRecovery {
    SteleTaskRetriesIT() {
        super(RetryPolicy.TASK);
    }
}
