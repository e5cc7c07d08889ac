package io.stele.sidecar.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.Resources;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

final class TestSqlParser {
    @Test
    void statementsAreSplitOutsideQuotesAndComments() {
        assertThat(
                        StatementSplitter.split(
                                "SELECT ';' ; -- a; comment\n"
                                        + "/* b; /* c; */ */ SELECT \";\", E'\\';', $x$;$x$, $1;;"))
                .containsExactly("SELECT ';'", "SELECT \";\", E'\\';', $x$;$x$, $1");
        assertThat(StatementSplitter.split("  ;; -- nothing")).isEmpty();
        assertThat(StatementSplitter.split("SELECT 'open; ")).containsExactly("SELECT 'open;");
    }

    @Test
    void partsThatNoFixedPlanHasAreNotPassedOver() {
        for (String sql :
                List.of(
                        "SELECT * FROM a JOIN b ON true",
                        "SELECT * FROM a, b",
                        "SELECT DISTINCT x FROM a",
                        "SELECT x FROM a GROUP BY x",
                        "SELECT x FROM a UNION SELECT y FROM b",
                        "WITH w AS (SELECT 1) SELECT * FROM w",
                        "SELECT x FROM a FOR UPDATE",
                        "SELECT x, row_number() OVER () FROM a",
                        "SELECT count(DISTINCT x) FROM a",
                        "SELECT count(*) FILTER (WHERE x > 1) FROM a",
                        "SELECT x FROM a TABLESAMPLE BERNOULLI (10)",
                        "SELECT x FROM a ORDER BY x NULLS FIRST",
                        "SELECT x FROM (SELECT 1) a",
                        "SELECT x FROM a WHERE x = (SELECT 1)",
                        "SELECT x FROM a WHERE EXISTS (SELECT 1)",
                        "INSERT INTO a SELECT 1",
                        "UPDATE a SET x = 1 FROM b WHERE a.y = b.y",
                        "DELETE FROM a USING b WHERE a.y = b.y",
                        "DELETE FROM WHERE x = 1",
                        "TRUNCATE a")) {
            assertThatThrownBy(() -> SqlParser.parse(sql))
                    .as(sql)
                    .isInstanceOf(NoFixedPlanException.class);
        }
    }

    /** The library throws what it got from the number. */
    @Test
    void aParameterOfTooLargeANumberIsASyntaxError() {
        assertThatThrownBy(
                        () -> SqlParser.parse("SELECT * FROM t WHERE id = $59223372036854775808"))
                .isInstanceOfSatisfying(
                        PostgresException.class,
                        e -> assertThat(e.state()).isEqualTo(SqlState.SYNTAX_ERROR));
    }

    /** A query of Grafana's with a number too much, on which JSqlParser spends 20 s by itself. */
    @Test
    @Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
    void aMistakeInsideManyParenthesesIsFoundInTime() throws IOException {
        String queries =
                Resources.toString(
                        Resources.getResource("io/stele/sidecar/postgresql/catalog/grafana.sql"),
                        StandardCharsets.UTF_8);
        String sql =
                Arrays.stream(queries.split("\n;;\n"))
                        .filter(query -> query.contains("information_schema.tables"))
                        .findFirst()
                        .orElseThrow()
                        .replaceFirst("generate_series\\(", "generate_series(0 ");
        assertThatThrownBy(() -> SqlParser.parse(sql))
                .isInstanceOfSatisfying(
                        PostgresException.class,
                        failure -> assertThat(failure.state()).isEqualTo(SqlState.SYNTAX_ERROR))
                .hasMessageContaining("unexpected token");
    }

    @Test
    @Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
    void longLookaheadHasALimit() {
        String open = "UPDATE a SET x = a.x" + "(".repeat(8) + "1, y *";
        assertThatThrownBy(() -> SqlParser.parse(open))
                .isInstanceOfSatisfying(
                        PostgresException.class,
                        failure -> assertThat(failure.state()).isEqualTo(SqlState.SYNTAX_ERROR));
    }

    /** JSqlParser takes what follows IN for its right side. */
    @Test
    void conditionsBehindInHaveTheirPrecedence() {
        assertThat(
                        where(
                                "a = 1 AND x IN (1, 2) OR NOT y IN (3) AND z = 4 AND v NOT IN (5)"
                                        + " OR w = 6"))
                .isEqualTo(
                        where(
                                "((a = 1) AND (x IN (1, 2))) OR ((NOT (y IN (3))) AND (z = 4) AND"
                                        + " (v NOT IN (5))) OR (w = 6)"));
        assertThat(where("x IN (1) AND (y IN (2) OR z IN (3) AND a = 1) AND b = 2"))
                .isEqualTo(
                        where(
                                "(x IN (1)) AND ((y IN (2)) OR ((z IN (3)) AND (a = 1))) AND (b ="
                                        + " 2)"));
    }

    private static Expression where(String condition) {
        return ((Statement.Select) SqlParser.parse("SELECT a FROM t WHERE " + condition))
                .where()
                .orElseThrow();
    }

    @Test
    void limitsHold() {
        String deep = "(".repeat(60) + "1" + ")".repeat(60);
        assertThatThrownBy(() -> SqlParser.parse("SELECT x FROM a WHERE x = " + deep))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("50 parentheses");
        String wide = "x = 1" + " OR x = 1".repeat(20_000);
        assertThatThrownBy(() -> SqlParser.parse("SELECT x FROM a WHERE " + wide))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("fewer operators");
        String list = "1" + ", 1".repeat(20_000);
        assertThat(SqlParser.parse("SELECT x FROM a WHERE x IN (" + list + ")"))
                .isInstanceOf(Statement.Select.class);
        assertThatThrownBy(() -> SqlParser.parse("SELECT FROM WHERE"))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("Expected a statement of SQL");
    }
}
