package io.stele.connector;

import io.trino.operator.RetryPolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * With {@code retry-policy=QUERY}. A statement that is run again is to the connector what a new one
 * is: those that write in one way only are enough, and the others run with {@code --long}. {@link
 * SteleTaskRetriesIT}, where writers of one statement run twice, always runs all.
 */
final class SteleQueryRetriesIT extends SteleFailureRecovery {
    SteleQueryRetriesIT() {
        super(RetryPolicy.QUERY);
    }

    @Test
    @Tag("long")
    @Override
    protected void testDelete() {
        super.testDelete();
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
    protected void testUpdate() {
        super.testUpdate();
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
