package io.stele.connector;

import io.trino.operator.RetryPolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * With {@code retry-policy=TASK}. Statements that write by the same ways as others run with {@code
 * --long}.
 */
final class SteleTaskRetriesIT extends SteleFailureRecovery {
    SteleTaskRetriesIT() {
        super(RetryPolicy.TASK);
    }

    @Test
    @Tag("long")
    @Override
    protected void testDeleteWithSubquery() {
        super.testDeleteWithSubquery();
    }

    @Test
    @Tag("long")
    @Override
    protected void testUpdateWithSubquery() {
        super.testUpdateWithSubquery();
    }

    @Test
    @Tag("long")
    @Override
    protected void testAnalyzeTable() {
        super.testAnalyzeTable();
    }

    @Test
    @Tag("long")
    @Override
    protected void testExplainAnalyze() {
        super.testExplainAnalyze();
    }

    @Test
    @Tag("long")
    @Override
    protected void testRequestTimeouts() {
        super.testRequestTimeouts();
    }
}
