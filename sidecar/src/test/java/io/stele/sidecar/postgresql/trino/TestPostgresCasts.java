package io.stele.sidecar.postgresql.trino;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TestPostgresCasts {
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
            })
    void castsAreTranslated(String sql, String expected) {
        assertThat(PostgresCasts.translate(sql)).isEqualTo(expected);
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
        assertThat(PostgresCasts.translate(sql)).isEqualTo(sql);
    }
}
