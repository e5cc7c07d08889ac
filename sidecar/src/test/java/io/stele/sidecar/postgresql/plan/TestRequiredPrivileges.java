package io.stele.sidecar.postgresql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.postgresql.sql.SqlParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestRequiredPrivileges {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT 1 + 1 FROM t ; SELECT",
                "SELECT count(*) FROM t ; SELECT",
                "INSERT INTO t VALUES (1, $1) ; INSERT",
                "INSERT INTO t (a) VALUES (1) RETURNING a ; SELECT INSERT",
                "INSERT INTO t (a) VALUES (1) RETURNING * ; SELECT INSERT",
                "INSERT INTO t (a) VALUES (1) RETURNING 1 ; INSERT",
                "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING ; INSERT",
                "INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b ; INSERT UPDATE",
                "INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = t.b + 1 ; SELECT INSERT UPDATE",
                "INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = 1 WHERE t.b IS NULL ; SELECT INSERT UPDATE",
                "UPDATE t SET b = 1 ; UPDATE",
                "UPDATE t SET b = coalesce(b, 1) ; SELECT UPDATE",
                "UPDATE t SET b = 1 WHERE a = 1 ; SELECT UPDATE",
                "UPDATE t SET b = CASE WHEN true THEN 1 ELSE a END ; SELECT UPDATE",
                "UPDATE t SET b = CASE WHEN true THEN 1 END ; UPDATE",
                "UPDATE t SET b = 1 WHERE true RETURNING b || 'x' ; SELECT UPDATE",
                "UPDATE t SET b = 1 WHERE 1 IN (2, a) ; SELECT UPDATE",
                "UPDATE t SET b = 1 WHERE NOT 'x' LIKE b ; SELECT UPDATE",
                "DELETE FROM t ; DELETE",
                "DELETE FROM t WHERE a = ANY ($1) ; SELECT DELETE",
                "DELETE FROM t WHERE (1, 2) IN ((a, b)) ; SELECT DELETE",
                "DELETE FROM t RETURNING CAST(-a AS bigint) ; SELECT DELETE",
            })
    void ofStatements(String sql, String privileges) {
        assertThat(RequiredPrivileges.of(SqlParser.parse(sql)))
                .extracting(Enum::name)
                .containsExactlyInAnyOrder(privileges.split(" "));
    }
}
