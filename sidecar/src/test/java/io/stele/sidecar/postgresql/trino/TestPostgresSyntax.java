package io.stele.sidecar.postgresql.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TestPostgresSyntax {
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "SELECT ('10'::int8) ~ SELECT (CAST('10' AS bigint))",
                "SELECT 'it''s'::text, 1 ~ SELECT CAST('it''s' AS varchar), 1",
                "SELECT a.b.\"C d\"::int4 FROM t ~ SELECT CAST(a.b.\"C d\" AS integer) FROM t",
                "SELECT -1::int ~ SELECT -CAST(1 AS integer)",
                "SELECT 1.5::float8, .5 :: real ~ SELECT CAST(1.5 AS double), CAST(.5 AS real)",
                "SELECT $1::int8 + $2 ~ SELECT CAST($1 AS bigint) + $2",
                "SELECT (a + b)::text ~ SELECT CAST((a + b) AS varchar)",
                "SELECT sum(x * (y))::int8 s ~ SELECT CAST(sum(x * (y)) AS bigint) s",
                "SELECT s.f(x) OVER (PARTITION BY y)::int ~ SELECT CAST(s.f(x) OVER (PARTITION BY y) AS integer)",
                "SELECT count(*) FILTER (WHERE a::bool)::int ~ SELECT CAST(count(*) FILTER (WHERE CAST(a AS boolean)) AS integer)",
                "SELECT p(x) WITHIN GROUP (ORDER BY x)::int ~ SELECT CAST(p(x) WITHIN GROUP (ORDER BY x) AS integer)",
                "SELECT CASE WHEN a THEN 1 ELSE (2) END::int ~ SELECT CAST(CASE WHEN a THEN 1 ELSE (2) END AS integer)",
                "SELECT a[1]::int, ARRAY[1]::text[] ~ SELECT CAST(a[1] AS integer), CAST(ARRAY[1] AS array(varchar))",
                "SELECT '5'::text::int ~ SELECT CAST(CAST('5' AS varchar) AS integer)",
                "WHERE a IN ('x'::varchar(3), 'y') ~ WHERE a IN (CAST('x' AS varchar(3)), 'y')",
                "WHERE a BETWEEN '2026-01-01'::date AND '2026-02-01'::date ~ WHERE a BETWEEN CAST('2026-01-01' AS date) AND CAST('2026-02-01' AS date)",
                "SELECT DATE '2026-01-01'::timestamp ~ SELECT CAST(DATE '2026-01-01' AS timestamp(6))",
                "SELECT x::timestamp with time zone AT TIME ZONE 'UTC' ~ SELECT CAST(x AS timestamp(6) with time zone) AT TIME ZONE 'UTC'",
                "SELECT x::timestamp (3) without time zone ~ SELECT CAST(x AS timestamp(3))",
                "SELECT x::timestamptz(3), y::double  precision ~ SELECT CAST(x AS timestamp(3) with time zone), CAST(y AS double)",
                "SELECT x::pg_catalog.int2, y::character varying(5) ~ SELECT CAST(x AS smallint), CAST(y AS varchar(5))",
                "SELECT '1.50'::numeric, x::numeric, x::numeric(5,2) ~ SELECT DECIMAL '1.50', CAST(x AS decimal(38, 10)), CAST(x AS decimal(5,2))",
                "SELECT '{\"a\":1}'::jsonb, '\\xCAFE'::bytea ~ SELECT JSON '{\"a\":1}', X'CAFE'",
                "SELECT NULL::int ~ SELECT CAST(NULL AS integer)",
                "SELECT x::TIMESTAMP WITH TIME ZONE, x::timestamp\twith\ttime\tzone ~ SELECT CAST(x AS timestamp(6) with time zone), CAST(x AS timestamp(6) with time zone)",
                "SELECT x::TIMESTAMP(3) WITHOUT TIME ZONE ~ SELECT CAST(x AS timestamp(3))",
                "SELECT x::json, (a || b) :: JSONB ~ SELECT json_parse(CAST(x AS varchar)), json_parse(CAST((a || b) AS varchar))",
                "SELECT '1'::text::json ~ SELECT json_parse(CAST(CAST('1' AS varchar) AS varchar))",
                "SELECT '[1]'::json::jsonb, x::json::text ~ SELECT JSON '[1]', json_format(json_parse(CAST(x AS varchar)))",
                "SELECT 'it''s'::jsonb ~ SELECT JSON 'it''s'",
                "SELECT 'a\\\\b\\377''\\047'::bytea, x::bytea ~ SELECT X'615C62FF2727', CAST(x AS varbinary)",
                "SELECT 0.123456789012::numeric, 7::decimal ~ SELECT DECIMAL '0.123456789012', DECIMAL '7'",
                "SELECT -1.5e-3::numeric, '1e2'::numeric ~ SELECT -DECIMAL '0.0015', DECIMAL '100'",
                "SELECT 1e-5::float8, 2E+3::float4, 1.5e7::int ~ SELECT CAST(1e-5 AS double), CAST(2E+3 AS real), CAST(1.5e7 AS integer)",
                "SELECT 1-5::int, a1e-5::int ~ SELECT 1-CAST(5 AS integer), a1e-CAST(5 AS integer)",
                "SELECT '1 day'::interval, interval '2 hours' ~ SELECT INTERVAL '1' DAY, INTERVAL '2' HOUR",
                "SELECT INTERVAL '-3 weeks', '1 mon'::interval, '5 years'::INTERVAL ~ SELECT INTERVAL -'21' DAY, INTERVAL '1' MONTH, INTERVAL '5' YEAR",
                "SELECT '30 SEC'::interval, interval '10minutes' ~ SELECT INTERVAL '30' SECOND, INTERVAL '10' MINUTE",
                "SELECT interval '2 hours 30 minutes', interval '1' day ~ SELECT interval '2 hours 30 minutes', interval '1' day",
            })
    void castsAreTranslated(String sql, String expected) {
        assertThat(PostgresSyntax.translate(sql).sql()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 'a::int', \"b::int\" FROM t",
                "SELECT 'open::int",
                "SELECT ::int",
                "SELECT a::",
                "SELECT (1::",
                "))::",
                "::"
            })
    void whatIsNoCastStays(String sql) {
        assertThat(PostgresSyntax.translate(sql).sql()).isEqualTo(sql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "SELECT E'it\\'s', e'a''b' ~ SELECT 'it''s', 'a''b'",
                "SELECT E'\\\\d; -- \\x41\\102\\q' FROM \"E\" ~ SELECT '\\d; -- ABq' FROM \"E\"",
                "SELECT E'a\\nb\\\\''' ~ SELECT U&'a\\000ab\\\\'''",
                "SELECT E'\\xc3\\xa9\\u00e9\\U0001F600\\uD83D\\uDE00' ~ SELECT '\u00e9\u00e9\uD83D\uDE00\uD83D\uDE00'",
                "SELECT E'{\\\"a\\\":1}'::jsonb, E'\\\\xCAFE'::bytea ~ SELECT JSON '{\"a\":1}', X'CAFE'",
                "SELECT name'x', U&'\\0041''b'::text ~ SELECT name'x', CAST(U&'\\0041''b' AS varchar)",
            })
    void escapeStringsAreStandardLiterals(String sql, String expected) {
        assertThat(PostgresSyntax.translate(sql).sql()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT E'\\xff'",
                "SELECT E'\\000'",
                "SELECT E'\\u12'",
                "SELECT E'\\uD83D'",
                "SELECT E'\\uD83D\\u0041'",
                "SELECT E'\\U00110000'",
                "SELECT '\\9'::bytea",
                "SELECT '\\xABC'::bytea"
            })
    void invalidEscapesAreRefused(String sql) {
        assertThatThrownBy(() -> PostgresSyntax.translate(sql))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("Expected")
                .extracting(thrown -> ((PostgresException) thrown).state())
                .isEqualTo(SqlState.INVALID_TEXT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "WHERE a LIKE '5\\%' AND b ~ WHERE a LIKE '5\\%' ESCAPE '\\' AND b",
                "WHERE a NOT LIKE '5\\%' ~ WHERE a NOT LIKE '5\\%' ESCAPE '\\'",
                "WHERE (a like E'5\\\\_') ~ WHERE (a like '5\\_' ESCAPE '\\')",
                "WHERE a LIKE '5\\%'::text OR b ~ WHERE a LIKE CAST('5\\%' AS varchar) ESCAPE '\\' OR b",
                "WHERE a LIKE '5\\%' ESCAPE '!' ~ WHERE a LIKE '5\\%' ESCAPE '!'",
                "WHERE a LIKE '5\\%' || b ~ WHERE a LIKE '5\\%' || b",
                "WHERE a LIKE '5%' AND b = '\\' ~ WHERE a LIKE '5%' AND b = '\\'",
                "WHERE a ILIKE '5\\%' ~ WHERE a ILIKE '5\\%'",
            })
    void backslashIsTheEscapeOfPatterns(String sql, String expected) {
        assertThat(PostgresSyntax.translate(sql).sql()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "SELECT a FROM t ORDER BY a DESC, b, c desc LIMIT 1 ~ SELECT a FROM t ORDER BY a DESC NULLS FIRST, b, c desc NULLS FIRST LIMIT 1",
                "SELECT a FROM t ORDER BY a DESC NULLS LAST, f(b)::int DESC\tnulls first ~ SELECT a FROM t ORDER BY a DESC NULLS LAST, CAST(f(b) AS integer) DESC\tnulls first",
                "SELECT rank() OVER (PARTITION BY x ORDER BY y DESC) FROM t ORDER BY 1 DESC ~ SELECT rank() OVER (PARTITION BY x ORDER BY y DESC NULLS FIRST) FROM t ORDER BY 1 DESC NULLS FIRST",
                "SELECT a FROM t ORDER BY CASE WHEN a THEN (1) END DESC ~ SELECT a FROM t ORDER BY CASE WHEN a THEN (1) END DESC NULLS FIRST",
                "SELECT a FROM t ORDER BY desc DESC, t.desc, \"desc\" ~ SELECT a FROM t ORDER BY desc DESC NULLS FIRST, t.desc, \"desc\"",
                "DESC orders ~ DESC orders",
                "SELECT x desc, 'ORDER BY a DESC' FROM t ~ SELECT x desc, 'ORDER BY a DESC' FROM t",
                "CREATE TABLE t (a integer, desc varchar) ~ CREATE TABLE t (a integer, desc varchar)",
            })
    void nullsAreFirstInDescendingOrder(String sql, String expected) {
        assertThat(PostgresSyntax.translate(sql).sql()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "SELECT * FROM stele.changes('s', 't', 5) c ~ SELECT * FROM TABLE(system.table_changes('s', 't', 5)) c",
                "SELECT id FROM Stele . CHANGES ('s', 't', from_version => (5)::int8) ~ SELECT id FROM TABLE(system.table_changes('s', 't', from_version => CAST((5) AS bigint)))",
                "SELECT 1 FROM t join\t stele.changes('s', 't', 5) ON true ~ SELECT 1 FROM t join\t TABLE(system.table_changes('s', 't', 5)) ON true",
                "INSERT INTO stele.changes (id) SELECT 1 ~ INSERT INTO stele.changes (id) SELECT 1",
                "CREATE TABLE stele.changes (id bigint) ~ CREATE TABLE stele.changes (id bigint)",
                "SELECT stele.changes(a) FROM t ~ SELECT stele.changes(a) FROM t",
                "SELECT changes(a), x.changes(a), mystele.changes(a), stele.changes FROM t ~ SELECT changes(a), x.changes(a), mystele.changes(a), stele.changes FROM t",
            })
    void changesAreATableFunction(String sql, String expected) {
        assertThat(PostgresSyntax.translate(sql).sql()).isEqualTo(expected);
    }

    @Test
    void parametersHaveTheTypesOfTheirCasts() {
        TranslatedStatement statement =
                PostgresSyntax.translate(
                        "SELECT $1::int8, $2 :: timestamp(3) with time zone, $3, $4::int[],"
                                + " $5::character varying(3), ($6)::date");
        assertThat(statement.casts())
                .isEqualTo(
                        Map.of(
                                1, PostgresType.INT8,
                                2, PostgresType.TIMESTAMPTZ,
                                5, PostgresType.VARCHAR));
        assertThat(statement.castOf(1)).contains(PostgresType.INT8);
        assertThat(statement.castOf(3)).isEmpty();
        assertThat(statement.castOf(4)).isEmpty();
    }

    @Test
    void jsonAndBytesOfParametersAreLeftToTheirLiterals() {
        TranslatedStatement statement =
                PostgresSyntax.translate("SELECT $1::jsonb, $1::text, $2::bytea, $3::json");
        assertThat(statement.sql()).isEqualTo("SELECT $1, json_format($1), $2, $3");
        assertThat(statement.casts())
                .isEqualTo(
                        Map.of(
                                1, PostgresType.JSONB,
                                2, PostgresType.BYTEA,
                                3, PostgresType.JSON));
    }

    @Test
    void firstCastOfAParameterIsItsType() {
        TranslatedStatement statement =
                PostgresSyntax.translate("SELECT $1::text, $1::jsonb, $1::bytea");
        assertThat(statement.sql())
                .isEqualTo(
                        "SELECT CAST($1 AS varchar), json_parse(CAST($1 AS varchar)),"
                                + " CAST($1 AS varbinary)");
        assertThat(statement.castOf(1)).contains(PostgresType.TEXT);
    }
}
