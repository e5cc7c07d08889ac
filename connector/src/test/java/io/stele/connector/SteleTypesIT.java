package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every storable type through SQL: from memory, from files, after a restart. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleTypesIT {
    /** Type, then values as SQL literals. */
    private static final List<List<String>> TYPES =
            List.of(
                    List.of("boolean", "true", "false"),
                    List.of("tinyint", "TINYINT '-128'", "TINYINT '127'"),
                    List.of("smallint", "SMALLINT '-32768'", "SMALLINT '32767'"),
                    List.of("integer", "-2147483648", "2147483647"),
                    List.of("bigint", "BIGINT '-9223372036854775808'", "9223372036854775807"),
                    List.of(
                            "real",
                            "REAL '-3.4028235E38'",
                            "REAL '1.4E-45'",
                            "infinity()",
                            "nan()"),
                    List.of(
                            "double",
                            "DOUBLE '-1.7976931348623157E308'",
                            "DOUBLE '4.9E-324'",
                            "nan()"),
                    List.of("decimal(18,3)", "DECIMAL '-999999999999999.999'", "DECIMAL '0.001'"),
                    List.of(
                            "decimal(38,0)",
                            "DECIMAL '-99999999999999999999999999999999999999'",
                            "DECIMAL '1'"),
                    List.of("varchar", "''", "'grün'", "rpad('', 5000, 'x')"),
                    List.of("varchar(3)", "''", "'äöü'"),
                    List.of("char(4)", "'ab'", "'abcd'", "''"),
                    List.of("varbinary", "X''", "X'00FF7F'"),
                    List.of("date", "DATE '0001-01-01'", "DATE '1582-10-10'", "DATE '9999-12-31'"),
                    List.of("time(0)", "TIME '00:00:00'", "TIME '23:59:59'"),
                    List.of("time(9)", "TIME '00:00:00.000000001'", "TIME '23:59:59.999999999'"),
                    List.of(
                            "timestamp(0)",
                            "TIMESTAMP '0001-01-01 00:00:00'",
                            "TIMESTAMP '1969-12-31 23:59:59'"),
                    List.of(
                            "timestamp(3)",
                            "TIMESTAMP '1969-12-31 23:59:59.999'",
                            "TIMESTAMP '9999-12-31 23:59:59.999'"),
                    List.of(
                            "timestamp(6)",
                            "TIMESTAMP '1969-12-31 23:59:59.999999'",
                            "TIMESTAMP '1969-12-31 23:59:58.000001'"),
                    List.of("time(10)", "TIME '00:00:00.0000000001'"),
                    List.of(
                            "time(12)",
                            "TIME '00:00:00.000000000001'",
                            "TIME '23:59:59.999999999999'"),
                    List.of(
                            "timestamp(7)",
                            "TIMESTAMP '0001-01-01 00:00:00.0000001'",
                            "TIMESTAMP '1969-12-31 23:59:59.9999999'"),
                    List.of(
                            "timestamp(9)",
                            "TIMESTAMP '0001-01-01 00:00:00.000000001'",
                            "TIMESTAMP '1677-09-22 00:00:00.000000001'",
                            "TIMESTAMP '2262-04-11 23:47:16.854775808'",
                            "TIMESTAMP '9999-12-31 23:59:59.999999999'"),
                    List.of(
                            "timestamp(12)",
                            "TIMESTAMP '-290307-12-31 00:00:00.000000000001'",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999999'",
                            "TIMESTAMP '1970-01-01 00:00:00.000000000000'",
                            "TIMESTAMP '294246-12-31 23:59:59.999999999999'"),
                    List.of(
                            "timestamp(3) with time zone",
                            "TIMESTAMP '1969-12-31 23:59:59.999 UTC'",
                            "TIMESTAMP '2024-02-29 01:02:03.004 UTC'"),
                    List.of(
                            "timestamp(6) with time zone",
                            "TIMESTAMP '1969-12-31 23:59:58.000001 UTC'",
                            "TIMESTAMP '2024-02-29 01:02:03.000004 UTC'"),
                    List.of(
                            "timestamp(9) with time zone",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999 UTC'",
                            "TIMESTAMP '2024-02-29 01:02:03.000000004 UTC'",
                            "TIMESTAMP '9999-12-31 23:59:59.999999999 UTC'"),
                    List.of(
                            "timestamp(12) with time zone",
                            "TIMESTAMP '-69387-12-31 00:00:00.000000000001 UTC'",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999999 UTC'",
                            "TIMESTAMP '73326-09-11 20:14:45.247999999999 UTC'"),
                    List.of(
                            "uuid",
                            "UUID '00000000-0000-0000-0000-000000000000'",
                            "UUID 'ffffffff-0000-1000-8000-0123456789ab'"),
                    List.of("json", "JSON 'null'", "JSON '{\"a\":[1,2.5,\"x\"]}'"),
                    List.of("array(integer)", "ARRAY[]", "ARRAY[1, NULL, 3]"),
                    List.of(
                            "array(array(timestamp(9)))",
                            "ARRAY[ARRAY[TIMESTAMP '1969-12-31 23:59:59.999999999'], NULL, ARRAY[]]"),
                    List.of(
                            "row(m map(timestamp(12), time(11)), w timestamp(8) with time zone)",
                            "ROW(MAP(ARRAY[TIMESTAMP '1969-12-31 23:59:59.999999999999'], ARRAY[TIME '23:59:59.99999999999']), TIMESTAMP '0001-01-01 00:00:00.00000001 UTC')"),
                    List.of(
                            "map(varchar, decimal(20,2))",
                            "MAP()",
                            "MAP(ARRAY['k', 'l'], ARRAY[DECIMAL '1.25', NULL])"),
                    List.of(
                            "map(uuid, array(json))",
                            "MAP(ARRAY[UUID 'ffffffff-0000-1000-8000-0123456789ab'], ARRAY[ARRAY[JSON '[1]']])"),
                    List.of("row(a bigint, b varchar)", "ROW(1, 'x')", "ROW(NULL, NULL)"),
                    List.of(
                            "row(r row(u uuid, t time(6)), l array(date))",
                            "ROW(ROW(UUID 'ffffffff-0000-1000-8000-0123456789ab', TIME '01:02:03.000004'), ARRAY[DATE '2024-02-29'])"));

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleTypesIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void everyTypeComesBackAsItWasWritten() {
        String table = SteleQueries.newTable("types");
        StringBuilder columns = new StringBuilder("id bigint");
        StringBuilder select = new StringBuilder("SELECT CAST(i AS bigint) AS id");
        for (int index = 0; index < TYPES.size(); index++) {
            List<String> type = TYPES.get(index);
            columns.append(", c").append(index).append(' ').append(type.getFirst());
            select.append(", CASE i");
            for (int value = 1; value < type.size(); value++) {
                select.append(
                        " WHEN %s THEN CAST(%s AS %s)"
                                .formatted(value, type.get(value), type.getFirst()));
            }
            select.append(" ELSE CAST(NULL AS %s) END AS c%s".formatted(type.getFirst(), index));
        }
        select.append(" FROM UNNEST(sequence(0, 5)) AS t(i)");
        queries.run("CREATE TABLE %s (%s)".formatted(table, columns));
        assertThat(queries.update("INSERT INTO " + table + " " + select)).isEqualTo(6);

        String expected = select.toString();
        String actual = "SELECT * FROM " + table;
        queries.assertSame(actual, expected);
        cluster.sidecar().flush("s", table);
        queries.assertSame(actual, expected);
    }

    @Test
    void equalityAndRangesFindValuesOfEveryComparableType() {
        for (int index = 0; index < TYPES.size(); index++) {
            List<String> type = TYPES.get(index);
            boolean isScalar = !type.getFirst().matches("(array|map|row|json).*");
            if (!isScalar || type.contains("nan()")) {
                continue;
            }
            String table = SteleQueries.newTable("find");
            List<String> values =
                    type.subList(1, type.size()).stream()
                            .map(value -> "CAST(%s AS %s)".formatted(value, type.getFirst()))
                            .toList();
            queries.run("CREATE TABLE %s (v %s)".formatted(table, type.getFirst()));
            queries.update("INSERT INTO %s VALUES %s".formatted(table, String.join(", ", values)));
            List<String> equal = values.stream().map(value -> "v = " + value).toList();
            List<String> some = values.stream().map(value -> "v >= " + value).toList();
            for (String place : List.of("memory", "files")) {
                assertThat(queries.counts(table, equal))
                        .as("%s in %s", equal, place)
                        .hasSize(values.size())
                        .containsOnly(1L);
                assertThat(queries.counts(table, some))
                        .as("%s in %s", some, place)
                        .hasSize(values.size())
                        .allMatch(count -> count > 0);
                assertThat(queries.counts(table, List.of("v IS NULL"))).containsOnly(0L);
                cluster.sidecar().flush("s", table);
            }
            queries.run("DROP TABLE " + table);
        }
    }

    @Test
    void instantsAreKeptInUtc() {
        String table = SteleQueries.newTable("zones");
        queries.run("CREATE TABLE %s (t timestamp(3) with time zone)".formatted(table));
        queries.update(
                "INSERT INTO %s VALUES TIMESTAMP '2024-07-01 12:00:00.000 Europe/Berlin'"
                        .formatted(table));

        assertThat(queries.value("SELECT CAST(t AS varchar) FROM " + table))
                .isEqualTo("2024-07-01 10:00:00.000 UTC");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "time(3) with time zone",
                "HyperLogLog",
                "ipaddress",
                "interval day to second",
                "array(ipaddress)",
                "row(\"a\" ipaddress)"
            })
    void otherTypesAreRefusedByName(String type) {
        assertThat(queries.failure("CREATE TABLE refused (good bigint, bad %s)".formatted(type)))
                .hasMessageContaining("Stele cannot store type " + type)
                .hasMessageContaining("'bad'");
    }

    @ParameterizedTest
    @CsvSource({"_lsn", "_row_id", "$x"})
    void reservedColumnNamesAreRefused(String name) {
        assertThat(queries.failure("CREATE TABLE refused (\"%s\" bigint)".formatted(name)))
                .hasMessageContaining("column name other than _lsn, _row_id");
    }
}
