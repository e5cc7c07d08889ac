package io.stele.connector.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.SidecarFixture;
import io.stele.connector.SteleCluster;
import io.stele.testing.LongRun;
import io.trino.testing.MaterializedRow;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements with a fixed plan, made by chance, against Trino on the same tables. What PostgreSQL
 * does in another way than Trino is left out: overflows, quotients, the order of NULLs, lengths of
 * char, texts of numbers.
 */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FixedPlansIT {
    private static final long SEED = Long.getLong("simulation.seed", 28);
    private static final int STATEMENTS =
            Integer.getInteger("simulation.statements", LongRun.count(75, 150));
    private static final int ROWS = 400;
    private static final List<String> COLUMNS =
            List.of("a", "b", "c", "n", "s", "d", "p", "t", "f", "dt", "ts");

    private final SteleCluster cluster;
    private SidecarFixture sidecar;

    FixedPlansIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void start() throws SQLException {
        sidecar = cluster.newSidecarOverPostgres("fixed_plans");
        try (Connection connection = connect()) {
            Random random = new Random(SEED);
            for (String orientation : List.of("row", "column")) {
                execute(
                        connection,
                        """
                        CREATE TABLE %s_rows (a bigint, b varchar, c smallint, n integer, s smallint, d double,
                            p decimal(10, 2), t varchar(20), f boolean, dt date, ts timestamp(3))
                        WITH (primary_key = ARRAY['a', 'b', 'c'], distribution_key = ARRAY['b'], orientation = '%s')
                        """
                                .formatted(orientation, orientation));
                for (int row = 0; row < ROWS; row++) {
                    execute(
                            connection,
                            "INSERT INTO " + orientation + "_rows VALUES " + row(row, random));
                }
            }
            execute(
                    connection,
                    "CREATE TABLE changed (id bigint) WITH (primary_key = ARRAY['id'], orientation ="
                            + " 'row')");
        }
    }

    @AfterAll
    void stop() {
        cluster.runner().execute("DROP CATALOG fixed_plans");
        sidecar.close();
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "ann");
        properties.setProperty("password", SidecarFixture.SECRET);
        properties.setProperty("currentSchema", "s");
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele".formatted(sidecar.postgresqlPort()),
                properties);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String row(int row, Random random) {
        List<String> values = new ArrayList<>();
        values.add(Integer.toString(row / 20));
        values.add("'%s'".formatted(text(random.nextInt(4))));
        values.add(Integer.toString(row % 20 - 10));
        for (String column : COLUMNS.subList(3, COLUMNS.size())) {
            values.add(random.nextInt(6) == 0 ? "NULL" : literal(column, random));
        }
        return "(" + String.join(", ", values) + ")";
    }

    private static String text(int number) {
        return List.of("", "a", "ab", "B c", "äö", "abc%", "a_c", "z'' z").get(number);
    }

    /** A value of the type of a column, for PostgreSQL and for Trino. */
    private static String literal(String column, Random random) {
        return switch (column) {
            case "a" -> Integer.toString(random.nextInt(24) - 2);
            case "b" -> "'%s'".formatted(text(random.nextInt(5)));
            case "c" -> Integer.toString(random.nextInt(24) - 12);
            case "n" -> Integer.toString(random.nextInt(41) - 20);
            case "s" -> Integer.toString(random.nextInt(9) - 4);
            case "d" -> random.nextInt(17) - 8 + "." + random.nextInt(4) * 25 + "e0";
            case "p" -> "%s.%02d".formatted(random.nextInt(10), random.nextInt(5) * 20);
            case "t" -> "'%s'".formatted(text(random.nextInt(8)));
            case "f" -> random.nextBoolean() ? "true" : "false";
            case "dt" ->
                    any(List.of("CAST('2026-01-%02d' AS date)", "DATE '2026-01-%02d'"), random)
                            .formatted(1 + random.nextInt(28));
            default ->
                    any(
                                    List.of(
                                            "CAST('2026-01-02 03:04:%02d.%s00' AS timestamp)",
                                            "TIMESTAMP '2026-01-02 03:04:%02d.%s00'"),
                                    random)
                            .formatted(random.nextInt(60), random.nextInt(3));
        };
    }

    private static <T> T any(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    private static String comparison(String column, Random random) {
        String value = literal(column, random);
        return switch (random.nextInt(8)) {
            case 0, 1, 2 ->
                    "%s %s %s"
                            .formatted(
                                    column,
                                    any(List.of("=", "<>", "<", "<=", ">", ">="), random),
                                    value);
            case 3 ->
                    "%s %s %s"
                            .formatted(
                                    value, any(List.of("=", "<", "<=", ">", ">="), random), column);
            case 4 -> "%s BETWEEN %s AND %s".formatted(column, value, literal(column, random));
            case 5 ->
                    "%s IN (%s, %s, %s)"
                            .formatted(
                                    column,
                                    value,
                                    literal(column, random),
                                    random.nextInt(4) == 0 ? "NULL" : literal(column, random));
            case 6 -> column + (random.nextBoolean() ? " IS NULL" : " IS NOT NULL");
            default -> "%s %s (%s)".formatted(column, random.nextBoolean() ? "=" : ">", value);
        };
    }

    private static String condition(Random random, int depth) {
        if (depth > 0) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    return "(%s OR %s)"
                            .formatted(condition(random, depth - 1), condition(random, depth - 1));
                }
                case 1 -> {
                    return "(%s AND %s)"
                            .formatted(condition(random, depth - 1), condition(random, depth - 1));
                }
                case 2 -> {
                    return "NOT (" + condition(random, depth - 1) + ")";
                }
                default -> {}
            }
        }
        return switch (random.nextInt(10)) {
            case 0 ->
                    "t %sLIKE '%s'"
                            .formatted(
                                    random.nextBoolean() ? "" : "NOT ",
                                    any(List.of("a%", "%c", "_b%", "%", "", "a_c", "%z%"), random));
            case 1 -> "n + s > " + random.nextInt(10);
            case 2 -> "p * 2 <= " + literal("d", random).replace("e0", "");
            case 3 -> "coalesce(n, a, -1) = " + (random.nextInt(20) - 5);
            case 4 -> "n % 3 = " + (random.nextInt(5) - 2);
            case 5 -> "d < " + any(List.of("n", "p", "s + 1", "a"), random);
            case 6 -> "lower(t) || b >= " + literal("t", random);
            case 7 ->
                    any(
                            List.of(
                                    "f",
                                    "CASE WHEN n > 3 THEN s WHEN d < 0 THEN n ELSE 2 END = 2",
                                    "CASE b WHEN 'a' THEN f WHEN t THEN n > 2 END"),
                            random);
            default -> comparison(any(COLUMNS, random), random);
        };
    }

    /** Of the first columns of the key: equalities, then bounds. */
    private static String keyCondition(Random random) {
        List<String> parts = new ArrayList<>();
        int equal = random.nextInt(4);
        for (String column : List.of("a", "b", "c").subList(0, equal)) {
            parts.add(
                    random.nextInt(3) == 0
                            ? "%s IN (%s, %s)"
                                    .formatted(
                                            column,
                                            literal(column, random),
                                            literal(column, random))
                            : column + " = " + literal(column, random));
        }
        if (equal < 3) {
            String column = List.of("a", "b", "c").get(equal);
            for (int i = random.nextInt(3); i >= 0; i--) {
                String bound = literal(column, random);
                if (!column.equals("b") && random.nextInt(4) == 0) {
                    bound += any(List.of(".5", ".0"), random);
                }
                parts.add(
                        random.nextInt(4) == 0
                                ? "%s BETWEEN %s AND %s"
                                        .formatted(column, literal(column, random), bound)
                                : "%s %s %s"
                                        .formatted(
                                                column,
                                                any(List.of("<", "<=", ">", ">="), random),
                                                bound));
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            parts.add(random.nextInt(parts.size() + 1), condition(random, 2));
        }
        return String.join(" AND ", parts);
    }

    /**
     * A statement.
     *
     * @param cut LIMIT and OFFSET, which Trino has in another order
     * @param isOrdered whether the order of its rows is that of the key
     */
    private record Query(String sql, String cut, String cutOfTrino, boolean isOrdered) {}

    private static Query query(String table, Random random) {
        String where = random.nextInt(4) == 0 ? condition(random, 3) : keyCondition(random);
        List<String> outputs = new ArrayList<>();
        if (random.nextInt(4) == 0) {
            outputs.add("count(*)");
            for (int i = random.nextInt(4); i > 0; i--) {
                outputs.add(
                        "%s(%s)"
                                .formatted(
                                        any(List.of("count", "min", "max"), random),
                                        any(
                                                List.of("a", "b", "c", "n", "d", "p", "t", "ts"),
                                                random)));
            }
            return new Query(select(outputs, table, where), "", "", false);
        }
        if (random.nextInt(8) == 0) {
            return new Query(
                    select(
                            List.of("min(%s)".formatted(any(List.of("a", "b", "c"), random))),
                            table,
                            where),
                    "",
                    "",
                    false);
        }
        outputs.add(any(COLUMNS, random) + " AS x");
        for (int i = random.nextInt(4); i >= 0; i--) {
            outputs.add(
                    "%s AS x%s"
                            .formatted(
                                    any(
                                            List.of(
                                                    "a",
                                                    "b",
                                                    "n",
                                                    "d",
                                                    "p",
                                                    "t",
                                                    "f",
                                                    "dt",
                                                    "ts",
                                                    "n + 1",
                                                    "a * 2 - n",
                                                    "p + n",
                                                    "d * 2",
                                                    "coalesce(n, -1)",
                                                    "upper(t)",
                                                    "length(t)",
                                                    "t || b",
                                                    "n IS NULL",
                                                    "n > s",
                                                    "0 - s",
                                                    "CASE WHEN f THEN t ELSE b END",
                                                    "CASE n WHEN 1 THEN p END"),
                                            random),
                                    i));
        }
        String sql = select(outputs, table, where);
        if (random.nextInt(3) == 0) {
            return new Query(sql, "", "", false);
        }
        String direction = random.nextInt(3) == 0 ? " DESC" : "";
        sql +=
                " ORDER BY a%s, b%s, c%s"
                        .formatted(
                                direction, random.nextInt(9) == 0 ? " DESC" : direction, direction);
        int limit = random.nextInt(30);
        int offset = random.nextInt(5);
        return switch (random.nextInt(3)) {
            case 0 -> new Query(sql, "", "", true);
            case 1 -> new Query(sql, " LIMIT " + limit, " LIMIT " + limit, true);
            default ->
                    new Query(
                            sql,
                            " LIMIT %s OFFSET %s".formatted(limit, offset),
                            " OFFSET %s LIMIT %s".formatted(offset, limit),
                            true);
        };
    }

    private static String select(List<String> outputs, String table, String where) {
        return "SELECT %s FROM %s WHERE %s".formatted(String.join(", ", outputs), table, where);
    }

    @ParameterizedTest
    @ValueSource(strings = {"row", "column"})
    void rowsAreThoseOfTrino(String orientation) throws SQLException {
        Random random = new Random(SEED + orientation.length());
        String table = orientation + "_rows";
        try (Connection connection = connect();
                Connection block = connect()) {
            // A block that has changed something is refused what Trino runs
            block.setAutoCommit(false);
            execute(block, "INSERT INTO changed VALUES (1)");
            for (int i = 0; i < STATEMENTS; i++) {
                Query query = query(table, random);
                String as =
                        "seed %s, statement %s: %s%s".formatted(SEED, i, query.sql(), query.cut());
                List<String> expected = rowsOfTrino(table, query);
                List<String> found = rows(i % 4 == 0 ? connection : block, query, as);
                if (query.isOrdered()) {
                    assertThat(found).as(as).isEqualTo(expected);
                } else {
                    assertThat(found).as(as).containsExactlyInAnyOrderElementsOf(expected);
                }
            }
            block.rollback();
        }
    }

    private List<String> rowsOfTrino(String table, Query query) {
        String sql =
                query.sql().replace("FROM " + table, "FROM fixed_plans.s." + table)
                        + query.cutOfTrino();
        List<String> rows = new ArrayList<>();
        for (MaterializedRow row : cluster.runner().execute(sql).getMaterializedRows()) {
            List<String> values = new ArrayList<>();
            row.getFields().forEach(value -> values.add(text(value)));
            rows.add(String.join(" | ", values));
        }
        return rows;
    }

    private static List<String> rows(Connection connection, Query query, String as)
            throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery(query.sql() + query.cut())) {
            List<String> rows = new ArrayList<>();
            while (results.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= results.getMetaData().getColumnCount(); i++) {
                    values.add(text(results.getObject(i)));
                }
                rows.add(String.join(" | ", values));
            }
            return rows;
        } catch (SQLException failed) {
            throw new AssertionError(as, failed);
        }
    }

    /** The same text for the same value, whichever class its client gives it. */
    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "NULL";
            case BigDecimal number -> plain(number);
            case Double number -> plain(BigDecimal.valueOf(number));
            case Long number -> number.toString();
            case Number number -> Long.toString(number.longValue());
            case Date date -> date.toLocalDate().toString();
            case Timestamp time -> time.toLocalDateTime().toString();
            default -> value.toString();
        };
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
