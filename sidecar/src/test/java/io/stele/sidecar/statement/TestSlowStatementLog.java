package io.stele.sidecar.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class TestSlowStatementLog {
    private static final long THRESHOLD = TimeUnit.MILLISECONDS.toNanos(50);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final List<String> lines = new ArrayList<>();
    private final StatementStatistics statistics =
            new StatementStatistics(
                    10, new SlowStatementLog(THRESHOLD, now::get, id -> "shop.orders", lines::add));

    private void run(StatementRunner runner, long nanos) {
        statistics.ended("ann", "select a from t where id = 'secret'", runner, nanos, 1, false);
    }

    @Test
    void statementsFromTheThresholdOnAreWritten() {
        run(StatementRunner.FIXED_PLAN, THRESHOLD - 1);
        assertThat(lines).isEmpty();
        run(StatementRunner.FIXED_PLAN, THRESHOLD);
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst())
                .startsWith("Slow statement of ann: 50.0 ms, 1 rows, query_id ")
                .endsWith(": select a from t where id = ?");
    }

    @Test
    void statementsOfTrinoAndCopyAreNot() {
        run(StatementRunner.TRINO, THRESHOLD);
        run(StatementRunner.COPY, THRESHOLD);
        run(StatementRunner.CATALOG, THRESHOLD);
        assertThat(lines).isEmpty();
        assertThat(statistics.statements().getFirst().calls()).isEqualTo(3);
    }

    @Test
    void linesAreLimitedAndThoseLeftOutAreCounted() {
        for (int i = 0; i < 5; i++) {
            run(StatementRunner.FIXED_PLAN, THRESHOLD);
        }
        assertThat(lines).hasSize(1);
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(100)); // past the greatest long
        run(StatementRunner.FIXED_PLAN, THRESHOLD);
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).endsWith(" (4 more before it)");
    }

    @Test
    void lookupsNameTheirTable() {
        SlowStatementLog log =
                new SlowStatementLog(THRESHOLD, now::get, id -> "shop.orders", lines::add);
        log.lookedUp("ann", new TableId(7), 3, THRESHOLD);
        assertThat(lines).containsExactly("Slow lookup of ann: 50.0 ms, 3 keys of shop.orders");
    }
}
