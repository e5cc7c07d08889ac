package io.stele.sidecar.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestStatementFingerprint {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT 1 | select ?",
                "SELECT a FROM t WHERE id = 7 | select a from t where id = ?",
                "select a from t where id = $1 | select a from t where id = ?",
                "select a from t where s = 'it''s' | select a from t where s = ?",
                "select 1.5, .5, 2e3 | select ?, ...",
                "select a from t where x = -1 | select a from t where x = - ?",
                "select a from t where id in (1) | select a from t where id in (?)",
                "select a from t where id IN(1,2 , 3) | select a from t where id in (?, ...)",
                "select a from t where id in ($1, $2) | select a from t where id in (?, ...)",
                "insert into t (a, b) values (1, 'x') | insert into t(a, b) values (?, ...)",
                "insert into t(a,b) values (1,NULL),(2,'y'),(3,'z') | insert into t(a, b) values (?, ...), ...",
                "insert into t values (now(), 1), (now(), 2) | insert into t values (now(), ?), ...",
                "select a from t where b is null | select a from t where b is null",
                "select a from t where b is not null | select a from t where b is not null",
                "select count(*), t.* from t | select count(*), t.* from t",
                "select \"A b\".x from \"A b\" | select \"A b\".x from \"A b\"",
                "select a::int from t where b = any($1) | select a::int from t where b = any (?)",
                "update t set a = 1, b = 2 where id = 3 | update t set a = ?, b = ? where id = ?",
                "select a from t where (x, y) in ((1, 2), (3, 4)) | select a from t where (x, y) in ((?, ...), ...)",
                "select ((1) | select ((?)",
                "select 'open | select ?",
            })
    void constantsAreLeftOut(String sql, String normalized) {
        assertThat(StatementFingerprint.of(sql).text()).isEqualTo(normalized);
    }

    @Test
    void commentsAndEscapesAreLeftOut() {
        assertThat(StatementFingerprint.of("select  a\tfrom t -- 'x\n where id/**/=7").text())
                .isEqualTo("select a from t where id = ?");
        assertThat(StatementFingerprint.of("select E'a\\'b' from t").text())
                .isEqualTo("select ? from t");
        assertThat(StatementFingerprint.of("select $q$x;'y$q$ from t").text())
                .isEqualTo("select ? from t");
    }

    @Test
    void statementsThatDifferInMoreHaveOtherIds() {
        long one = StatementFingerprint.of("select a from t where id = 1").id();
        assertThat(StatementFingerprint.of("SELECT a FROM t WHERE id=20").id()).isEqualTo(one);
        assertThat(StatementFingerprint.of("select b from t where id = 1").id()).isNotEqualTo(one);
        assertThat(StatementFingerprint.of("select a from t where id > 1").id()).isNotEqualTo(one);
        assertThat(StatementFingerprint.of("select a from \"T\" where id = 1").id())
                .isNotEqualTo(one);
    }

    @Test
    void passwordsAreLeftOut() {
        assertThat(StatementFingerprint.of("CREATE USER ann PASSWORD 'secret'").text())
                .isEqualTo("create user ann password ?");
    }

    @Test
    void longTextsAreShortenedAndStayDifferent() {
        String columns = "column_of_a_wide_table, ".repeat(100);
        StatementFingerprint one = StatementFingerprint.of("select " + columns + "a from t");
        StatementFingerprint other = StatementFingerprint.of("select " + columns + "b from t");
        assertThat(one.text()).hasSize(StatementFingerprint.MAX_LENGTH).endsWith("...");
        assertThat(one.id()).isNotEqualTo(other.id());
    }

    @Test
    @Timeout(300)
    void hostileTextsTakeTimeInProportion() {
        int size = 2_000_000;
        for (String sql :
                new String[] {
                    "(".repeat(size),
                    "(".repeat(size / 2) + ")".repeat(size / 2),
                    "(1),".repeat(size / 4),
                    "1,".repeat(size / 2),
                    "'".repeat(size),
                    "/*".repeat(size / 2),
                    "((((((((((((((((1,".repeat(size / 18),
                    "$1.".repeat(size / 3)
                }) {
            long start = System.nanoTime();
            assertThat(StatementFingerprint.of(sql).text().length()).isLessThanOrEqualTo(1_024);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(20));
        }
    }
}
