package io.stele.sidecar.postgresql.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values of expressions in catalog queries, with a clock that advances at each look. */
final class TestCatalogExpressions {
    private static final AuthenticatedUser ANN = AuthenticatedUser.withSecret("ann");
    private static final Instant START = Instant.parse("2026-03-01T23:30:00Z");

    @TempDir private Path folder;
    private Instant present = START;
    private CatalogQueries queries;

    private Instant next() {
        present = present.plusSeconds(1);
        return present;
    }

    @BeforeEach
    void open() throws IOException {
        queries =
                new CatalogQueries(
                        new SampleCatalog(folder)::current,
                        AccessControl.withoutRules(new AccessMetrics()),
                        "stele",
                        List::of,
                        this::next);
    }

    private List<Optional<String>> row(String sql) {
        return queries.run(
                        sql,
                        List.of(),
                        List.of(),
                        new CatalogSession(
                                ANN,
                                1,
                                Map.of(),
                                new CurrentTimes(
                                        START,
                                        START.plusMillis(500),
                                        this::next,
                                        ZoneId.of("Europe/Berlin"))))
                .rows()
                .getFirst();
    }

    private Optional<String> value(String expression) {
        return row("SELECT " + expression).getFirst();
    }

    @Test
    void currentTimesAreConstantButTheClocks() {
        assertThat(row("SELECT now(), current_timestamp, transaction_timestamp(), now()"))
                .containsOnly(Optional.of("2026-03-01 23:30:00+00"));
        assertThat(row("SELECT statement_timestamp(), statement_timestamp()"))
                .containsOnly(Optional.of("2026-03-01 23:30:00.5+00"));
        List<Optional<String>> clock = row("SELECT clock_timestamp(), clock_timestamp()");
        assertThat(clock.get(1)).isNotEqualTo(clock.get(0));
        assertThat(value("pg_postmaster_start_time()")).contains("2026-03-01 23:30:01+00");
    }

    @Test
    void datesAreInTheZoneOfTheSession() {
        assertThat(value("current_date")).contains("2026-03-02");
        assertThat(value("localtimestamp")).contains("2026-03-02 00:30:00");
    }

    @Test
    void likeIsThatOfTables() {
        assertThat(value("'a_c' LIKE 'a\\_c'")).contains("t");
        assertThat(value("'abc' LIKE 'a\\_c'")).contains("f");
        assertThat(value("'ABC' ILIKE 'a_c'")).contains("t");
        assertThat(value("'ABC' NOT ILIKE 'a_c'")).contains("f");
        assertThat(value("'a_c' LIKE 'a!_c' ESCAPE '!'")).contains("t");
        assertThat(value("'a\\c' LIKE 'a\\_' ESCAPE ''")).contains("t");
        assertThat(value("'a' LIKE 'a' ESCAPE NULL")).isEmpty();
        assertThat(value("NULL LIKE 'a'")).isEmpty();
        assertThatThrownBy(() -> value("'abc' LIKE 'a\\'"))
                .isInstanceOfSatisfying(
                        PostgresException.class,
                        refused ->
                                assertThat(refused.state())
                                        .isEqualTo(SqlState.INVALID_ESCAPE_SEQUENCE));
        assertThatThrownBy(() -> value("'abc' SIMILAR TO 'a'"))
                .hasMessageContaining("Expected LIKE or ILIKE");
    }

    @Test
    void aPatternOfManyWildcardsEnds() {
        String text = "repeat('a', 10000)";
        String pattern = "repeat('%a', 50) || 'b'";
        assertThat(value(text + " LIKE " + pattern)).contains("f");
    }
}
