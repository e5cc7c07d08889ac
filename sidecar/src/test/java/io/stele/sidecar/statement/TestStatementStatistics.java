package io.stele.sidecar.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.api.status.StatementStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestStatementStatistics {
    private static StatementStatistics statistics(int max) {
        return new StatementStatistics(
                max, new SlowStatementLog(Long.MAX_VALUE, () -> 0, Object::toString));
    }

    private static void run(StatementStatistics statistics, String user, String sql, long millis) {
        statistics.ended(
                user,
                sql,
                StatementRunner.FIXED_PLAN,
                TimeUnit.MILLISECONDS.toNanos(millis),
                2,
                millis > 99);
    }

    @Test
    void countsByUserAndFingerprint() {
        StatementStatistics statistics = statistics(10);
        run(statistics, "ann", "select a from t where id = 1", 10);
        run(statistics, "ann", "SELECT a FROM t WHERE id = 2", 100);
        run(statistics, "bob", "select a from t where id = 3", 20);
        List<StatementStatus> statements = statistics.statements();
        assertThat(statements).extracting(StatementStatus::user).containsExactly("ann", "bob");
        assertThat(statements.get(0).queryId()).isEqualTo(statements.get(1).queryId());
        StatementStatus ann = statements.getFirst();
        assertThat(ann.statement()).isEqualTo("select a from t where id = ?");
        assertThat(ann.calls()).isEqualTo(2);
        assertThat(ann.failures()).isEqualTo(1);
        assertThat(ann.rows()).isEqualTo(4);
        assertThat(ann.totalSeconds()).isCloseTo(0.11, within());
        assertThat(ann.minSeconds()).isCloseTo(0.01, within());
        assertThat(ann.maxSeconds()).isCloseTo(0.1, within());
        assertThat(ann.medianSeconds()).isBetween(0.01, 0.02001);
        assertThat(ann.p99Seconds()).isCloseTo(0.1, within()); // not the bound above it
    }

    private static org.assertj.core.data.Offset<Double> within() {
        return org.assertj.core.api.Assertions.within(1e-9);
    }

    @Test
    void whatIsNotCountedIsStillLoggedWhenItIsSlow() {
        List<String> lines = new ArrayList<>();
        StatementStatistics none =
                new StatementStatistics(
                        0,
                        new SlowStatementLog(
                                TimeUnit.MILLISECONDS.toNanos(50),
                                () -> 0,
                                Object::toString,
                                lines::add));
        run(none, "ann", "select a from t where id = 1", 10);
        run(none, "ann", "select a from t where id = 2", 60);
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).contains("select a from t where id = ?");
        assertThat(none.statements()).isEmpty();
    }

    @Test
    void remembersALimitedNumber() {
        StatementStatistics statistics = statistics(10);
        for (int i = 0; i < 1_000; i++) {
            run(statistics, "ann", "select a" + "b".repeat(i) + " from t", 1);
        }
        assertThat(statistics.statements()).hasSizeLessThanOrEqualTo(10);
        StatementStatistics none = statistics(0);
        run(none, "ann", "select 1", 1);
        assertThat(none.statements()).isEmpty();
    }

    @Test
    void exportsThoseThatTookMostTime() {
        StatementStatistics statistics = statistics(1_000);
        for (int i = 0; i < 150; i++) {
            run(statistics, "ann", "select a" + "b".repeat(i) + " from t", 1 + i);
        }
        List<String> users = new ArrayList<>();
        List<Long> counts = new ArrayList<>();
        statistics.forEach(
                (labels, histogram) -> {
                    users.add(labels.get("user"));
                    counts.add(histogram.getCount());
                    assertThat(histogram.getSum()).isGreaterThan(0.05);
                });
        assertThat(users).hasSize(100).containsOnly("ann");
        assertThat(counts).containsOnly(1L);
    }
}
