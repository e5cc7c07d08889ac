package io.stele.sidecar.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.postgresql.PostgresPrograms.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PostgreSQL's psql and pgbench against a real sidecar. */
final class PsqlIT {
    private static final String[] UNALIGNED = {"--no-align", "--tuples-only"};
    private static final int CLIENTS = 4; // of pgbench
    private static final int TRANSACTIONS = 100; // of a client

    /** The state, and a statement that has it. */
    private static final String[][] FAILING = {
        {"22003", "INSERT INTO types (id, t) VALUES (99, 128)"},
        {"22003", "INSERT INTO types (id, s) VALUES (99, 32768)"},
        {"22003", "INSERT INTO types (id) VALUES (2147483648)"},
        {"22003", "INSERT INTO types (id, l) VALUES (99, 9223372036854775808)"},
        {"22003", "INSERT INTO types (id, n) VALUES (99, 10000000000000000000000000000)"},
        {"22003", "INSERT INTO types (id, f) VALUES (99, '1e39')"},
        {"22003", "INSERT INTO types (id, d) VALUES (99, '1e309')"},
        {"22001", "INSERT INTO types (id, c) VALUES (99, 'abcdef')"},
        {"22P02", "INSERT INTO types (id, b) VALUES (99, 'maybe')"},
        {"22P02", "INSERT INTO types (id, x) VALUES (99, '\\x0')"},
        {"22P02", "INSERT INTO types (id, u) VALUES (99, '0')"},
        {"22P02", "INSERT INTO types (id, j) VALUES (99, '{')"},
        {"22P02", "INSERT INTO types (id, day) VALUES (99, 'someday')"},
        {"22008", "INSERT INTO types (id, day) VALUES (99, '2023-02-29')"},
        {"22008", "INSERT INTO types (id, day) VALUES (99, '999999999-01-01')"},
        {"22008", "INSERT INTO types (id, tm) VALUES (99, '25:00:00')"},
        {"22008", "INSERT INTO types (id, ts) VALUES (99, '999999999-01-01 00:00:00')"},
        {"22012", "SELECT 1 / 0"},
        {"23502", "INSERT INTO types (id) VALUES (NULL)"},
        {"23505", "INSERT INTO types (id) VALUES (99), (99)"},
        {"42601", "SELEC 1"},
        {"42703", "SELECT nothing FROM types WHERE id = 1"},
        {"42P01", "SELECT * FROM nothing"},
        {"0A000", "DROP TABLE types"}
    };

    @TempDir static Path directory;
    private static TestingSidecar sidecar;
    private static PostgresPrograms programs;

    @BeforeAll
    static void start() {
        sidecar = TestingSidecar.start(directory, Map.of("stele.postgresql.port", "0"));
        programs = new PostgresPrograms(sidecar.server().postgresqlPort().orElseThrow(), directory);
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.orders(Orientation.ROW).withName("shop", "counters"));
        sidecar.createTable(SampleTables.events());
        sidecar.createTable(SampleTables.items());
        sidecar.createTable(SampleTables.types());
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    @Test
    void tablesAreDescribed() throws Exception {
        assertThat(programs.script("\\d items"))
                .isEqualTo(
                        """
                                               Table "shop.items"
                         Column |         Type         | Collation | Nullable | Default\s
                        --------+----------------------+-----------+----------+---------
                         region | text                 |           | not null |\s
                         id     | integer              |           | not null |\s
                         price  | numeric(10,2)        |           |          |\s
                         note   | character varying(8) |           |          |\s
                        Indexes:
                            "items_pkey" PRIMARY KEY, btree (region, id)

                        """);
        assertThat(programs.script("\\d events")).doesNotContain("Indexes");
        assertThat(programs.psql("\\set QUIET off\n\\d nothing").errors())
                .contains("Did not find any relation named \"nothing\".");
    }

    @Test
    void relationsSchemasAndDatabasesAreListed() throws Exception {
        for (String command : List.of("\\d", "\\dt")) {
            assertThat(programs.script(command, UNALIGNED).lines())
                    .as(command)
                    .containsExactly(
                            "shop|counters|table|stele",
                            "shop|events|table|stele",
                            "shop|items|table|stele",
                            "shop|orders|table|stele",
                            "shop|types|table|stele");
        }
        assertThat(programs.script("\\dt shop.it*", UNALIGNED))
                .isEqualTo("shop|items|table|stele\n");
        assertThat(programs.script("\\dn", UNALIGNED).lines()).contains("shop|stele");
        assertThat(programs.script("\\l", UNALIGNED)).startsWith("stele|");
        assertThat(programs.script("\\conninfo")).contains("database \"stele\" as user \"ann\"");
    }

    /** What PostgreSQL 15 prints as well. */
    @Test
    void valuesAtTheEdgesOfTheirTypesAreShown() throws Exception {
        String script =
                """
                INSERT INTO types (id, b, t, s, l, n) VALUES
                    (1, false, -128, -32768, -9223372036854775808,
                        -9999999999999999999999999999.9999999999),
                    (2, true, 127, 32767, 9223372036854775807, 0.0000000001);
                SELECT id, b, t, s, l, n FROM types WHERE id IN (1, 2);
                INSERT INTO types (id, f, d) VALUES
                    (3, 'NaN', '-Infinity'), (4, 3.5, 1234567.25), (5, '-0', 0.1), (13, 1e6, 1e15),
                    (14, 3.4028235e+38, 1.7976931348623157e308), (15, 16777216, 123456789012345.6);
                SELECT id, f, d FROM types WHERE id IN (3, 4, 5, 13, 14, 15);
                INSERT INTO types (id, v, c, x) VALUES
                    (6, '', '', ''), (7, E'a|b\\\\c''d\u00e9\ud83d\ude00', 'abcde', '\\x00ff5c');
                SELECT id, v, length(v), c, x FROM types WHERE id IN (6, 7);
                INSERT INTO types (id, day, tm, ts, tz) VALUES
                    (8, '0001-01-01', '00:00:00', '0001-01-01 00:00:00', '0001-01-01 00:00:00+00'),
                    (9, '9999-12-31', '23:59:59.999999', '9999-12-31 23:59:59.999999',
                        '9999-12-31 23:59:59.999999-00'),
                    (10, '2024-02-29', '12:00', '1969-12-31 23:59:59.5', '2000-01-01 00:00:00+14');
                SELECT id, day, tm, ts, tz FROM types WHERE id IN (8, 9, 10);
                INSERT INTO types (id, u, j, a) VALUES
                    (11, '00000000-0000-0000-0000-000000000000', 'null', '[]'),
                    (12, 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', '{"a": [1, "\\u00e9"]}', '[null]');
                SELECT id, u, j, a FROM types WHERE id IN (11, 12);
                """;
        assertThat(programs.script(script, UNALIGNED))
                .isEqualTo(
                        """
                        1|f|-128|-32768|-9223372036854775808|-9999999999999999999999999999.9999999999
                        2|t|127|32767|9223372036854775807|0.0000000001
                        3|NaN|-Infinity
                        4|3.5|1234567.25
                        5|-0|0.1
                        13|1e+06|1e+15
                        14|3.4028235e+38|1.7976931348623157e+308
                        15|1.6777216e+07|123456789012345.6
                        6||0||\\x
                        7|a|b\\c'd\u00e9\ud83d\ude00|9|abcde|\\x00ff5c
                        8|0001-01-01|00:00:00|0001-01-01 00:00:00|0001-01-01 00:00:00+00
                        9|9999-12-31|23:59:59.999999|9999-12-31 23:59:59.999999|9999-12-31 23:59:59.999999+00
                        10|2024-02-29|12:00:00|1969-12-31 23:59:59.5|1999-12-31 10:00:00+00
                        11|00000000-0000-0000-0000-000000000000|null|[]
                        12|ffffffff-ffff-ffff-ffff-ffffffffffff|{"a": [1, "\\u00e9"]}|[null]
                        """);
    }

    @Test
    void errorsHaveTheirStates() throws Exception {
        StringBuilder script = new StringBuilder();
        for (String[] failing : FAILING) {
            script.append(failing[1]).append(";\n\\echo :SQLSTATE\n");
        }
        script.append("SELECT id FROM types WHERE id = 99");
        Output output = programs.psql(script.toString(), UNALIGNED);
        assertThat(output.text().lines())
                .as(output.errors())
                .containsExactlyElementsOf(Arrays.stream(FAILING).map(pair -> pair[0]).toList());
        assertThat(output.errors().lines().filter(line -> line.contains("ERROR:  ")))
                .hasSize(FAILING.length);
    }

    @Test
    void aScriptEndsAtItsFirstError() throws Exception {
        Output output =
                programs.psql(
                        """
                        BEGIN;
                        INSERT INTO orders (id) VALUES (900);
                        INSERT INTO orders (id) VALUES (900);
                        COMMIT;
                        """,
                        "--set=ON_ERROR_STOP=1");
        assertThat(output.status()).isEqualTo(3);
        assertThat(programs.script("SELECT id FROM orders WHERE id = 900", "--tuples-only"))
                .isBlank();
    }

    @Test
    void copyGoesBothWays() throws Exception {
        String rows =
                """
                1,new,0.5,2026-01-02 03:04:05
                2,"a ""b"", c",-1,
                3,,1e-05,
                """;
        Files.writeString(directory.resolve("in.csv"), rows);
        assertThat(
                        programs.script(
                                """
                                DELETE FROM orders WHERE id IN (1, 2, 3);
                                \\copy orders from 'in.csv' csv
                                \\copy (SELECT * FROM orders WHERE id < 4 ORDER BY id) to 'out.csv' csv
                                COPY orders (id, status) FROM STDIN;
                                800\ta\\tb
                                801\t\\N
                                \\.
                                SELECT id, status IS NULL FROM orders WHERE id IN (800, 801);
                                """,
                                UNALIGNED))
                .isEqualTo("800|f\n801|t\n");
        assertThat(directory.resolve("out.csv")).hasContent(rows);
    }

    @Test
    void copyWithABadRowLeavesNothing() throws Exception {
        Files.writeString(directory.resolve("bad.csv"), "700,a,1,\n701,b,one,\n702,c,2,\n");
        Output output =
                programs.psql(
                        """
                        \\set VERBOSITY verbose
                        \\copy orders from 'bad.csv' csv
                        COPY orders FROM STDIN CSV;
                        703,a,1,
                        704,b,one,
                        \\.
                        SELECT id FROM orders WHERE id BETWEEN 700 AND 704;
                        """,
                        UNALIGNED);
        assertThat(output.text()).isEmpty();
        assertThat(output.errors().lines().filter(line -> line.contains("ERROR:  ")))
                .hasSize(2)
                .allSatisfy(
                        line -> assertThat(line).contains("22P02", "found 'one'", "row 2 of COPY"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "prepared"})
    void pgbenchReads(String protocol) throws Exception {
        bench(
                """
                \\set id random(1, 1000)
                SELECT id, status, amount FROM orders WHERE id = :id;
                """,
                protocol);
    }

    /** Every increment of every client is there. */
    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "prepared"})
    void pgbenchUpserts(String protocol) throws Exception {
        bench(
                """
                \\set id random(1, 20)
                INSERT INTO counters (id, amount) VALUES (:id, 1)
                    ON CONFLICT (id) DO UPDATE SET amount = counters.amount + EXCLUDED.amount;
                """,
                protocol);
        assertThat(
                        programs.script(
                                        "DELETE FROM counters WHERE id <= 20 RETURNING amount",
                                        UNALIGNED)
                                .lines()
                                .mapToInt(Integer::parseInt)
                                .sum())
                .isEqualTo(CLIENTS * TRANSACTIONS);
    }

    /** Transactions over two tables, of which some conflict and are tried again. */
    @Test
    void pgbenchRunsTransactions() throws Exception {
        bench(
                """
                \\set id random(1, 20)
                BEGIN;
                INSERT INTO counters (id, amount) VALUES (100 + :id, 1)
                    ON CONFLICT (id) DO UPDATE SET amount = counters.amount + 1;
                INSERT INTO events (id, amount) VALUES (:id, :client_id);
                END;
                """,
                "prepared",
                "--max-tries=1000");
        assertThat(programs.script("SELECT count(*) FROM events", UNALIGNED))
                .isEqualTo(CLIENTS * TRANSACTIONS + "\n");
    }

    private static void bench(String script, String protocol, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of(more));
        options.add("--protocol=" + protocol);
        options.add("--client=" + CLIENTS);
        options.add("--transactions=" + TRANSACTIONS);
        assertThat(programs.pgbench(script, options))
                .contains(
                        "number of transactions actually processed: %1$s/%1$s"
                                .formatted(CLIENTS * TRANSACTIONS))
                .contains("number of failed transactions: 0 ");
    }
}
