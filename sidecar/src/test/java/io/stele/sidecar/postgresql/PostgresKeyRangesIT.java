package io.stele.sidecar.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.TestingSidecar;
import java.io.StringReader;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** Ranges of keys by PostgreSQL's JDBC driver: their rows, and how many are read to find them. */
final class PostgresKeyRangesIT {
    private static final int ROWS = 20_000;
    private static final int SHARDS = 4;
    private static final long SEED = Long.getLong("simulation.seed", 28);

    @TempDir static Path directory;
    private static TestingSidecar sidecar;

    @BeforeAll
    static void start() throws Exception {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.postgresql.port",
                                "0",
                                "stele.client.max-pending-bytes",
                                "65MB",
                                "stele.memtable.max-age",
                                "1h"));
        // Half of the rows are in files, half in memory
        sidecar.createTable(
                table(
                        "numbers",
                        List.of(1),
                        List.of(),
                        column(1, "id", "bigint").notNull(),
                        column(2, "note", "varchar")));
        sidecar.createTable(
                table(
                        "readings",
                        List.of(1, 2, 3),
                        List.of(1),
                        column(1, "device", "varchar").notNull(),
                        column(2, "kind", "smallint").notNull(),
                        column(3, "at", "decimal(10,2)").notNull(),
                        column(4, "value", "integer")));
        try (Connection connection = connect()) {
            copy(connection, "numbers", 0, ROWS, id -> id + ",n" + id);
            copy(connection, "readings", 0, ROWS, PostgresKeyRangesIT::reading);
            flush("numbers");
            flush("readings");
            copy(connection, "numbers", ROWS, 2 * ROWS, id -> id + ",n" + id);
            copy(connection, "readings", ROWS, 2 * ROWS, PostgresKeyRangesIT::reading);
        }
    }

    private interface Line {
        String of(int number);
    }

    /** Device by device, 100 readings of each of 4 kinds. */
    private static String reading(int number) {
        return "d%03d,%s,%s.25,%s"
                .formatted(number / 400, number / 100 % 4, number % 100, number % 7);
    }

    private static void copy(Connection connection, String table, int from, int to, Line line)
            throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = from; i < to; i++) {
            rows.append(line.of(i)).append('\n');
        }
        long count =
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn(
                                "COPY %s FROM STDIN (FORMAT csv)".formatted(table),
                                new StringReader(rows.toString()));
        assertThat(count).isEqualTo(to - from);
    }

    private static void flush(String table) throws Exception {
        TableId id =
                sidecar.engine()
                        .engine()
                        .catalog()
                        .current()
                        .findTable("shop", table)
                        .orElseThrow()
                        .id();
        sidecar.engine().engine().flush(id).get();
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    private static ColumnSchema column(int id, String name, String type) {
        return new ColumnSchema(id, name, DataType.parse(type));
    }

    private static TableSchema table(
            String name, List<Integer> key, List<Integer> distribution, ColumnSchema... columns) {
        return TableSchema.builder("shop", name)
                .columns(List.of(columns))
                .primaryKey(key)
                .distributionKey(distribution)
                .orientation(Orientation.ROW)
                .shardCount(SHARDS)
                .build();
    }

    private static Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "alice");
        properties.setProperty("password", TestingSidecar.SECRET);
        properties.setProperty("currentSchema", "shop");
        properties.setProperty("socketTimeout", "120"); // one that waits for ever is a failure
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele"
                        .formatted(sidecar.server().postgresqlPort().orElseThrow()),
                properties);
    }

    private static int run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    /** What scans by key have read so far. */
    private record Work(long pages, long versions) {
        static Work soFar() throws Exception {
            String metrics = metrics();
            return new Work(
                    metric(metrics, "stele_read_key_scan_pages_total"),
                    metric(metrics, "stele_read_key_scan_versions_total"));
        }

        Work since(Work before) {
            return new Work(pages - before.pages, versions - before.versions);
        }
    }

    private static String metrics() throws Exception {
        String user = "any:" + TestingSidecar.SECRET;
        String basic = Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(
                                            URI.create(sidecar.server().httpUri() + "/metrics"))
                                    .header("Authorization", "Basic " + basic)
                                    .GET()
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        }
    }

    private static long metric(String metrics, String name) {
        Matcher found = Pattern.compile("(?m)^" + name + " ([0-9]+)$").matcher(metrics);
        assertThat(found.find()).as(name).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static Work workOf(Connection connection, List<List<Object>> expected, String sql)
            throws Exception {
        Work before = Work.soFar();
        assertThat(JdbcRows.of(connection, sql)).isEqualTo(expected);
        return Work.soFar().since(before);
    }

    private static List<List<Object>> ids(long... ids) {
        List<List<Object>> rows = new ArrayList<>();
        for (long id : ids) {
            rows.add(List.of(id));
        }
        return rows;
    }

    @Test
    void aRangeReadsItsOwnRows() throws Exception {
        // Each shard has looked at the version behind the range, or at the first of the next file
        int most = 10 + 4 * SHARDS;
        try (Connection connection = connect()) {
            for (long first : List.of(5_000L, ROWS - 5L, 35_000L)) {
                String range = "id >= %s AND id < %s".formatted(first, first + 10);
                Work work =
                        workOf(
                                connection,
                                List.of(List.of(10L, first, first + 9)),
                                "SELECT count(*), min(id), max(id) FROM numbers WHERE " + range);
                assertThat(work.versions()).isBetween(10L, (long) most);
                assertThat(work.pages()).isEqualTo(SHARDS);
                work =
                        workOf(
                                connection,
                                ids(first + 9, first + 8),
                                "SELECT id FROM numbers WHERE %s ORDER BY id DESC LIMIT 2"
                                        .formatted(range));
                assertThat(work.versions()).isBetween(10L, (long) most);
                work =
                        workOf(
                                connection,
                                ids(first + 3, first + 4, first + 5),
                                ("SELECT id FROM numbers WHERE id BETWEEN %s AND %s + 5 AND note <>"
                                                + " 'x' ORDER BY id")
                                        .formatted(first + 3, first));
                assertThat(work.versions()).isBetween(3L, 3L + 4 * SHARDS);
            }
        }
    }

    @Test
    void aLimitEndsTheScan() throws Exception {
        try (Connection connection = connect()) {
            Work work =
                    workOf(
                            connection,
                            ids(100, 101, 102, 103, 104),
                            "SELECT id FROM numbers WHERE id >= 100 ORDER BY id LIMIT 5");
            assertThat(work.pages()).isBetween(1L, 2L * SHARDS);
            assertThat(work.versions()).isBetween(5L, 60L);
            work =
                    workOf(
                            connection,
                            ids(2, 3, 4),
                            "SELECT id FROM numbers ORDER BY numbers.id LIMIT 3 OFFSET 2");
            assertThat(work.versions()).as("without a condition").isBetween(5L, 60L);
            work = workOf(connection, ids(0), "SELECT min(id) FROM numbers");
            assertThat(work.versions()).isBetween(1L, 4L * SHARDS);
            work = workOf(connection, ids(301), "SELECT min(id) FROM numbers WHERE id > 300");
            assertThat(work.versions()).isBetween(1L, 4L * SHARDS);

            Work before = Work.soFar();
            assertThat(JdbcRows.of(connection, "SELECT id FROM numbers WHERE id > 7 LIMIT 5"))
                    .hasSize(5);
            assertThat(Work.soFar().since(before).versions())
                    .as("one shard alone, in any order")
                    .isBetween(5L, 10L);

            before = Work.soFar();
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM numbers WHERE id > ? AND note LIKE '%7' ORDER"
                                            + " BY id LIMIT 5",
                                    0L))
                    .isEqualTo(ids(7, 17, 27, 37, 47));
            assertThat(Work.soFar().since(before).versions())
                    .as("some more for a residual condition")
                    .isBetween(47L, 800L);
        }
    }

    /** Some versions of each shard, and a block of its file, whatever the length of the range. */
    @Test
    void aLimitEndsTheScanFromBehindAsWell() throws Exception {
        try (Connection connection = connect()) {
            long last = 2 * ROWS - 1;
            Work work =
                    workOf(
                            connection,
                            ids(last, last - 1, last - 2),
                            "SELECT id FROM numbers ORDER BY id DESC LIMIT 3");
            assertThat(work.versions()).as("in memory").isBetween(3L, 80L * SHARDS);
            work = workOf(connection, ids(last), "SELECT max(id) FROM numbers");
            assertThat(work.versions()).isBetween(1L, 80L * SHARDS);
            work =
                    workOf(
                            connection,
                            ids(ROWS - 1, ROWS - 2),
                            "SELECT id FROM numbers WHERE id < %s ORDER BY id DESC LIMIT 2"
                                    .formatted(ROWS));
            assertThat(work.versions()).as("in files").isBetween(2L, 1_200L * SHARDS);
            work =
                    workOf(
                            connection,
                            List.of(
                                    List.of(new BigDecimal("99.25")),
                                    List.of(new BigDecimal("98.25"))),
                            "SELECT at FROM readings WHERE device = 'd070' AND kind = 2 ORDER"
                                    + " BY at DESC LIMIT 2");
            assertThat(work.pages()).as("its shard alone").isEqualTo(1);
            assertThat(work.versions()).isBetween(2L, 110L);
            work =
                    workOf(
                            connection,
                            List.of(List.of(3), List.of(3)),
                            "SELECT kind FROM readings WHERE device = 'd070' ORDER BY device, kind"
                                    + " DESC, at DESC LIMIT 2");
            assertThat(work.versions()).isBetween(2L, 110L);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT kind, at FROM readings WHERE device = 'd070'"
                                            + " ORDER BY kind DESC, at LIMIT 1"))
                    .as("no direction of the key")
                    .isEqualTo(List.of(List.of(3, new BigDecimal("0.25"))));
        }
    }

    /** A counter below the newest rows, and then as the newest row. */
    @Test
    void aKeyOfManyVersionsIsPassedOver() throws Exception {
        sidecar.createTable(
                table(
                        "counters",
                        List.of(1, 2),
                        List.of(1),
                        column(1, "owner", "integer").notNull(),
                        column(2, "id", "integer").notNull(),
                        column(3, "n", "integer")));
        try (Connection connection = connect();
                PreparedStatement count =
                        connection.prepareStatement(
                                "INSERT INTO counters VALUES (1, 5, ?) ON CONFLICT (owner, id) DO"
                                        + " UPDATE SET n = EXCLUDED.n")) {
            for (int id = 0; id < 10; id++) {
                run(connection, "INSERT INTO counters VALUES (1, %s, 0)".formatted(id));
            }
            for (int n = 1; n <= 1_000; n++) {
                count.setInt(1, n);
                count.executeUpdate();
            }
            for (boolean isFlushed : new boolean[] {false, true}) {
                if (isFlushed) {
                    flush("counters");
                }
                Work work =
                        workOf(
                                connection,
                                List.of(List.of(9), List.of(8), List.of(7)),
                                "SELECT id FROM counters WHERE owner = 1 ORDER BY id DESC LIMIT 3");
                assertThat(work.versions()).isBetween(3L, isFlushed ? 1_100L : 80L);
                work =
                        workOf(
                                connection,
                                List.of(List.of(5, 1_000), List.of(4, 0)),
                                "SELECT id, n FROM counters WHERE owner = 1 AND id <= 5 ORDER BY id"
                                        + " DESC LIMIT 2");
                assertThat(work.versions()).isBetween(2L, 2_100L);
            }
        }
    }

    @Test
    void aPrefixReadsItsShardAlone() throws Exception {
        try (Connection connection = connect()) {
            Work work =
                    workOf(
                            connection,
                            List.of(List.of(400L)),
                            "SELECT count(*) FROM readings WHERE device = 'd007'");
            assertThat(work.pages()).isBetween(1L, 3L);
            assertThat(work.versions()).isBetween(400L, 410L);
            work =
                    workOf(
                            connection,
                            List.of(List.of(10L)),
                            "SELECT count(*) FROM readings WHERE kind = 2 AND at >= 7.3 AND"
                                    + " at < 17.5 AND device = 'd070'");
            assertThat(work.pages()).isEqualTo(1);
            assertThat(work.versions()).isBetween(10L, 14L);
            work =
                    workOf(
                            connection,
                            List.of(List.of(8L)),
                            "SELECT count(*) FROM readings WHERE device IN ('d001', 'd090', 'no')"
                                    + " AND kind = ANY ('{1,3}') AND at BETWEEN 95.251 AND 97.3 AND"
                                    + " value IS NOT NULL");
            assertThat(work.pages()).as("a range each").isBetween(4L, 6L);
            assertThat(work.versions()).isBetween(8L, 30L);
            work =
                    workOf(
                            connection,
                            List.of(List.of(0L)),
                            "SELECT count(*) FROM readings WHERE device = 'd007' AND kind = 2 AND"
                                    + " at < NULL");
            assertThat(work.pages()).isZero();
        }
    }

    @Test
    void largeRowsAreMergedInLittleRoom() throws Exception {
        sidecar.createTable(
                table(
                        "large",
                        List.of(1),
                        List.of(),
                        column(1, "id", "integer").notNull(),
                        column(2, "note", "varchar")));
        int[] sizes = {10, 70_000, 3, 15_000_000, 500_000};
        try (Connection first = connect();
                Connection second = connect();
                Connection third = connect();
                PreparedStatement insert =
                        first.prepareStatement("INSERT INTO large VALUES (?, ?)")) {
            for (int id = 0; id < 30; id++) {
                insert.setInt(1, id);
                insert.setString(2, "x".repeat(sizes[id % sizes.length]));
                insert.executeUpdate();
            }
            // Each needs about all the room that there is, and waits for the others in between
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            third.setAutoCommit(false);
            try (Statement ordered = first.createStatement();
                    Statement any = second.createStatement();
                    Statement listed = third.createStatement()) {
                ordered.setFetchSize(1);
                any.setFetchSize(3);
                listed.setFetchSize(2);
                String keys =
                        IntStream.range(0, 30)
                                .mapToObj(Integer::toString)
                                .collect(Collectors.joining(", "));
                String sql = "SELECT id, length(note) FROM large WHERE id >= 0";
                try (ResultSet inOrder = ordered.executeQuery(sql + " ORDER BY id");
                        ResultSet inAnyOrder = any.executeQuery(sql);
                        ResultSet byKey =
                                listed.executeQuery(
                                        "SELECT id, length(note) FROM large WHERE id IN (%s)"
                                                .formatted(keys))) {
                    Map<Integer, Integer> found = new HashMap<>();
                    for (int id = 0; id < 30; id++) {
                        assertThat(inOrder.next()).isTrue();
                        assertThat(inOrder.getInt(1)).isEqualTo(id);
                        assertThat(inOrder.getInt(2)).isEqualTo(sizes[id % sizes.length]);
                        assertThat(inAnyOrder.next()).isTrue();
                        found.put(inAnyOrder.getInt(1), inAnyOrder.getInt(2));
                        assertThat(byKey.next()).isTrue();
                        assertThat(byKey.getInt(1)).isEqualTo(id);
                        assertThat(byKey.getInt(2)).isEqualTo(sizes[id % sizes.length]);
                    }
                    assertThat(inOrder.next()).isFalse();
                    assertThat(inAnyOrder.next()).isFalse();
                    assertThat(byKey.next()).isFalse();
                    assertThat(found).hasSize(30);
                    found.forEach(
                            (id, length) -> assertThat(length).isEqualTo(sizes[id % sizes.length]));
                }
            }
        }
    }

    // A model: all rows in memory, and conditions in Java

    private record Place(String device, int kind, int cents) implements Comparable<Place> {
        private static final Comparator<Place> ORDER =
                Comparator.comparing(Place::device)
                        .thenComparing(Place::kind)
                        .thenComparing(Place::cents);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }

        String values(int value) {
            return "('%s', %s, %s.%02d, %s)"
                    .formatted(device, kind, cents / 100, cents % 100, value);
        }
    }

    private record Condition(String sql, Predicate<Map.Entry<Place, Integer>> test) {}

    private static Condition condition(Random random) {
        String device = "e" + random.nextInt(5);
        int kind = random.nextInt(6) - 1;
        int cents = random.nextInt(3000) - 500;
        int other = cents + random.nextInt(2000);
        int value = random.nextInt(8);
        String number = "%s.%02d".formatted(cents / 100, Math.abs(cents % 100));
        if (cents < 0 && cents > -100) {
            number = "-" + number;
        }
        String above = "%s.%02d5".formatted(Math.abs(other) / 100, Math.abs(other) % 100);
        int atMost = Math.abs(other);
        return switch (random.nextInt(13)) {
            case 0, 1, 2 ->
                    new Condition(
                            "device = '%s'".formatted(device),
                            row -> row.getKey().device().equals(device));
            case 3 ->
                    new Condition(
                            "device IN ('%s', 'e3', 'zz')".formatted(device),
                            row ->
                                    row.getKey().device().equals(device)
                                            || row.getKey().device().equals("e3"));
            case 4, 5 ->
                    new Condition("kind = %s".formatted(kind), row -> row.getKey().kind() == kind);
            case 6 ->
                    new Condition(
                            "kind > %s - 0.5".formatted(kind), row -> row.getKey().kind() >= kind);
            case 7 ->
                    new Condition(
                            "kind BETWEEN %s AND 40000".formatted(kind),
                            row -> row.getKey().kind() >= kind);
            case 8 ->
                    new Condition("at > %s".formatted(number), row -> row.getKey().cents() > cents);
            case 9 ->
                    new Condition(
                            "at <= %s".formatted(above), row -> row.getKey().cents() <= atMost);
            case 10 ->
                    new Condition("%s > at".formatted(number), row -> row.getKey().cents() < cents);
            case 11 ->
                    new Condition(
                            "device > '%s'".formatted(device),
                            row -> row.getKey().device().compareTo(device) > 0);
            default ->
                    new Condition(
                            "value %% 8 <> %s".formatted(value),
                            row -> row.getValue() % 8 != value);
        };
    }

    private static Place place(Random random) {
        return new Place("e" + random.nextInt(5), random.nextInt(4), 25 * random.nextInt(100));
    }

    /** Some changes by SQL, and in the model. */
    private static void change(Connection connection, TreeMap<Place, Integer> model, Random random)
            throws SQLException {
        for (int i = 0; i < 3; i++) {
            Place place = place(random);
            int value = random.nextInt(1000);
            if (random.nextInt(3) == 0) {
                String key =
                        "DELETE FROM readings WHERE (device, kind, at, value) = "
                                + place.values(model.getOrDefault(place, -1));
                assertThat(run(connection, key)).isEqualTo(model.remove(place) == null ? 0 : 1);
            } else {
                run(
                        connection,
                        "INSERT INTO readings VALUES %s ON CONFLICT (device, kind, at) DO UPDATE SET value = EXCLUDED.value"
                                .formatted(place.values(value)));
                model.put(place, value);
            }
        }
    }

    @Test
    void rangesHaveTheRowsOfAModel() throws Exception {
        Random random = new Random(SEED);
        TreeMap<Place, Integer> committed = new TreeMap<>();
        try (Connection connection = connect();
                Connection other = connect()) {
            for (int i = 0; i < 300; i++) {
                change(connection, committed, random);
                if (i == 200) {
                    flush("readings");
                }
            }
            for (int round = 0; round < 12; round++) {
                boolean isBlock = round % 3 != 0;
                TreeMap<Place, Integer> model = new TreeMap<>(committed);
                connection.setAutoCommit(!isBlock);
                if (isBlock) {
                    assertThat(
                                    JdbcRows.of(
                                            connection,
                                            "SELECT count(*) FROM readings WHERE device = ''"))
                            .isEqualTo(ids(0));
                    // Nobody in the block sees it; it is undone, so that there is no conflict
                    Place place = new Place("e2", 1, 100_000 + round);
                    run(other, "INSERT INTO readings VALUES " + place.values(1));
                    committed.put(place, 1);
                    change(connection, model, random);
                }
                for (int i = 0; i < 25; i++) {
                    check(connection, model, random, round);
                }
                if (isBlock) {
                    connection.rollback();
                }
            }
        }
    }

    private static void check(
            Connection connection, TreeMap<Place, Integer> model, Random random, int round)
            throws SQLException {
        List<Condition> conditions = new ArrayList<>();
        conditions.add(
                new Condition("device >= 'e'", row -> row.getKey().device().compareTo("e") >= 0));
        for (int i = random.nextInt(4); i >= 0; i--) {
            conditions.add(random.nextInt(conditions.size() + 1), condition(random));
        }
        boolean isOrdered = random.nextBoolean();
        boolean isDescending = random.nextInt(3) == 0;
        int limit = random.nextInt(3) == 0 ? 1 + random.nextInt(40) : Integer.MAX_VALUE;
        List<String> expected =
                model.entrySet().stream()
                        .filter(
                                row ->
                                        conditions.stream()
                                                .allMatch(condition -> condition.test().test(row)))
                        .map(row -> row.getKey().values(row.getValue()))
                        .collect(Collectors.toList());
        String sql =
                "SELECT device, kind, at, value FROM readings WHERE "
                        + conditions.stream()
                                .map(Condition::sql)
                                .collect(Collectors.joining(" AND "));
        if (isOrdered) {
            sql +=
                    isDescending
                            ? " ORDER BY device DESC, kind DESC, at DESC"
                            : " ORDER BY device, kind, at";
            expected = isDescending ? expected.reversed() : expected;
        }
        if (limit < Integer.MAX_VALUE) {
            sql += " LIMIT " + limit;
        }
        List<String> found = new ArrayList<>();
        for (List<Object> row : JdbcRows.of(connection, sql)) {
            found.add("('%s', %s, %s, %s)".formatted(row.toArray()));
        }
        String as = "seed %s, round %s: %s".formatted(SEED, round, sql);
        if (isOrdered) {
            assertThat(found)
                    .as(as)
                    .isEqualTo(expected.subList(0, Math.min(limit, expected.size())));
        } else if (limit < Integer.MAX_VALUE) {
            assertThat(found).as(as).hasSize(Math.min(limit, expected.size())).isSubsetOf(expected);
        } else {
            assertThat(found).as(as).containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
