package io.stele.sidecar.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.datafile.FileIds;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/** COPY by PostgreSQL's own JDBC driver, also of more rows than a transaction may stage. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class CopyIT {
    private static final Map<String, String> PROPERTIES =
            Map.of(
                    "stele.postgresql.port", "0",
                    "stele.transaction.max-size", "3MB",
                    "stele.load.buffer-size", "512kB");
    private static final int MANY = 60_000; // 5 MB

    @TempDir static Path directory;
    private static TestingSidecar sidecar;

    @BeforeAll
    static void start() {
        sidecar = TestingSidecar.start(directory, PROPERTIES);
        sidecar.createTable(
                TableSchema.builder("shop", "items")
                        .id(new TableId(1))
                        .columns(
                                List.of(
                                        column(1, "region", "varchar").notNull(),
                                        column(2, "id", "integer").notNull(),
                                        column(3, "price", "decimal(10,2)"),
                                        column(4, "note", "varchar(8)")))
                        .primaryKey(List.of(1, 2))
                        .orientation(Orientation.ROW)
                        .shardCount(2)
                        .build());
        for (String table : List.of("orders", "refused", "cancelled")) {
            sidecar.createTable(SampleTables.orders(Orientation.COLUMN).withName("shop", table));
        }
        for (String table : List.of("rows", "refused_rows", "cancelled_rows")) {
            sidecar.createTable(SampleTables.orders(Orientation.ROW).withName("shop", table));
        }
        sidecar.createTable(SampleTables.orders(Orientation.ROW_COLUMN).withName("shop", "mixed"));
        sidecar.createTable(SampleTables.events());
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    private static ColumnSchema column(int id, String name, String type) {
        return new ColumnSchema(id, name, DataType.parse(type));
    }

    private static Connection connect() throws SQLException {
        Properties all = new Properties();
        all.setProperty("user", "alice");
        all.setProperty("password", TestingSidecar.SECRET);
        all.setProperty("currentSchema", "shop");
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele"
                        .formatted(sidecar.server().postgresqlPort().orElseThrow()),
                all);
    }

    private static int run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return statement.executeUpdate();
        }
    }

    private static CopyManager copies(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getCopyAPI();
    }

    private static String stateOf(Throwable failure) {
        return ((SQLException) failure).getSQLState();
    }

    /** Lines of orders with these ids, in any order. */
    private static String orders(int from, int to) {
        List<Integer> ids = new ArrayList<>(IntStream.range(from, to).boxed().toList());
        Collections.shuffle(ids, new Random(5));
        StringBuilder lines = new StringBuilder();
        for (int id : ids) {
            lines.append(id)
                    .append("\tstatus of order ")
                    .append(id)
                    .append('\t')
                    .append(id / 2.0)
                    .append("\t2026-01-02 03:04:05\n");
        }
        return lines.toString();
    }

    private static List<List<Object>> count(Connection connection, String table)
            throws SQLException {
        return JdbcRows.of(
                connection,
                "SELECT count(*), min(id), max(id) FROM %s WHERE id >= 0".formatted(table));
    }

    private static int dataFiles(String table) {
        TableSchema present = sidecar.engine().engine().catalog().current().table("shop", table);
        int count = 0;
        for (ShardId shard : present.shards()) {
            File folder =
                    directory
                            .resolve("warehouse")
                            .resolve(FileIds.folder(present.id(), shard))
                            .toFile();
            String[] names =
                    folder.list((_, name) -> name.endsWith(".orc") || name.endsWith(".row"));
            count += names == null ? 0 : names.length;
        }
        return count;
    }

    @Test
    void moreRowsThanATransactionStagesAreLoadedAtOnce() throws Exception {
        try (Connection connection = connect()) {
            for (String table : List.of("rows", "orders", "events")) {
                assertThat(
                                copies(connection)
                                        .copyIn(
                                                "COPY " + table + " FROM STDIN",
                                                new StringReader(orders(0, MANY))))
                        .isEqualTo(MANY);
                StringWriter ids = new StringWriter();
                assertThat(copies(connection).copyOut("COPY " + table + " (id) TO STDOUT", ids))
                        .isEqualTo(MANY);
                assertThat(ids.toString().lines().distinct()).hasSize(MANY);
                // Sorted files are merged
                assertThat(dataFiles(table)).isGreaterThan(table.equals("rows") ? 0 : 4);
            }
            for (String table : List.of("rows", "orders")) {
                assertThat(
                                JdbcRows.of(
                                        connection,
                                        "SELECT status, amount FROM %s WHERE id = 12345"
                                                .formatted(table)))
                        .containsExactly(List.of("status of order 12345", 6172.5));
                run(connection, "UPDATE %s SET status = 'paid' WHERE id = 12345".formatted(table));
            }
        }
        sidecar.close();
        sidecar = TestingSidecar.start(directory, PROPERTIES);
        try (Connection connection = connect()) {
            for (String table : List.of("rows", "orders")) {
                assertThat(count(connection, table))
                        .containsExactly(List.of((long) MANY, 0L, MANY - 1L));
                assertThat(
                                JdbcRows.of(
                                        connection,
                                        "SELECT status FROM %s WHERE id = 12345".formatted(table)))
                        .containsExactly(List.of("paid"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"refused", "refused_rows"})
    void aDuplicateKeyRefusesAllOfManyRows(String table) throws Exception {
        try (Connection connection = connect()) {
            String first = orders(0, MANY);
            assertThatThrownBy(
                            () ->
                                    copies(connection)
                                            .copyIn(
                                                    "COPY %s FROM STDIN".formatted(table),
                                                    new StringReader(first + orders(77, 78))))
                    .hasMessageContaining("(id = 77)")
                    .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("23505"));
            assertThat(JdbcRows.of(connection, "SELECT id FROM %s WHERE id = 1".formatted(table)))
                    .isEmpty();
            run(connection, "INSERT INTO %s (id) VALUES (4711)".formatted(table));
            assertThatThrownBy(
                            () ->
                                    copies(connection)
                                            .copyIn(
                                                    "COPY %s FROM STDIN".formatted(table),
                                                    new StringReader(first)))
                    .hasMessageContaining("(id = 4711)")
                    .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("23505"));
            assertThat(count(connection, table)).containsExactly(List.of(1L, 4711L, 4711L));
            run(connection, "DELETE FROM %s WHERE id = 4711".formatted(table));
            assertThat(
                            copies(connection)
                                    .copyIn(
                                            "COPY %s FROM STDIN".formatted(table),
                                            new StringReader(first)))
                    .isEqualTo(MANY);
        }
    }

    @Test
    void rowsOfATableOfBothOrientationsHaveALimit() throws Exception {
        try (Connection connection = connect()) {
            assertThatThrownBy(
                            () ->
                                    copies(connection)
                                            .copyIn(
                                                    "COPY mixed FROM STDIN",
                                                    new StringReader(orders(0, MANY))))
                    .hasMessageContaining("Expected at most 3145728 bytes")
                    .hasMessageContaining("orientation 'row,column'")
                    .hasMessageContaining("several statements")
                    .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("54000"));
            assertThat(JdbcRows.of(connection, "SELECT id FROM mixed WHERE id = 1")).isEmpty();
        }
    }

    /** By the client that sends the rows, and by a request of another connection. */
    @ParameterizedTest
    @ValueSource(strings = {"cancelled", "cancelled_rows"})
    void aLoadThatIsCancelledLeavesNothing(String table) throws Exception {
        byte[] rows = orders(0, MANY).getBytes(StandardCharsets.UTF_8);
        for (boolean byRequest : List.of(false, true)) {
            try (Connection connection = connect()) {
                CopyIn copy = copies(connection).copyIn("COPY %s FROM STDIN".formatted(table));
                for (int at = 0; at < rows.length; at += 1 << 16) {
                    copy.writeToCopy(rows, at, Math.min(1 << 16, rows.length - at));
                }
                copy.flushCopy();
                awaitDataFiles(table, true);
                if (byRequest) {
                    connection.unwrap(PGConnection.class).cancelQuery();
                    byte[] more = orders(MANY, MANY + 1).getBytes(StandardCharsets.UTF_8);
                    copy.writeToCopy(more, 0, more.length);
                    assertThatThrownBy(copy::endCopy)
                            .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("57014"));
                } else {
                    copy.cancelCopy();
                }
                assertThat(count(connection, table).getFirst().getFirst()).isEqualTo(0L);
                awaitDataFiles(table, false);
                awaitNoPendingWrites();
            }
        }
    }

    /** The client sends on until it hears of the failure. */
    @Test
    void aLoadThatFailsFreesItsMemoryBeforeTheClientEnds() throws Exception {
        byte[] rows = orders(0, MANY).getBytes(StandardCharsets.UTF_8);
        try (Connection connection = connect()) {
            CopyIn copy = copies(connection).copyIn("COPY cancelled FROM STDIN");
            copy.writeToCopy(rows, 0, rows.length);
            copy.flushCopy();
            awaitDataFiles("cancelled", true);
            byte[] wrong = "no number\tx\n".repeat(2_000).getBytes(StandardCharsets.UTF_8);
            copy.writeToCopy(wrong, 0, wrong.length);
            copy.flushCopy();
            awaitDataFiles("cancelled", false);
            awaitNoPendingWrites();
            copy.writeToCopy(rows, 0, rows.length);
            assertThatThrownBy(copy::endCopy).hasMessageContaining("row 60001 of COPY");
            assertThat(count(connection, "cancelled").getFirst().getFirst()).isEqualTo(0L);
        }
    }

    /** The last rows of a client may still be on their way; files are deleted after the answer. */
    private static void awaitDataFiles(String table, boolean some) {
        while (dataFiles(table) > 0 != some) {
            Thread.onSpinWait();
        }
    }

    @Test
    void copyIsAllOrNothing() throws Exception {
        try (Connection connection = connect()) {
            CopyManager copies = copies(connection);
            assertThat(
                            copies.copyIn(
                                    "COPY items (region, id, note) FROM STDIN",
                                    new StringReader("copy\t1\ta\\tb\ncopy\t2\t\\N\n")))
                    .isEqualTo(2);
            assertThat(
                            copies.copyIn(
                                    "COPY items FROM STDIN WITH (FORMAT csv, HEADER)",
                                    new StringReader(
                                            "region,id,price,note\r\n"
                                                    + "copy,3,1.25,\"a \"\"b\"\"\"\r\n"
                                                    + "copy,4,,\n")))
                    .isEqualTo(2);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id, price, note FROM items WHERE region = 'copy' AND id"
                                            + " < 4 ORDER BY id"))
                    .isEqualTo(
                            List.of(
                                    Arrays.asList(1, null, "a\tb"),
                                    Arrays.asList(2, null, null),
                                    List.of(3, new BigDecimal("1.25"), "a \"b\"")));
            assertThatThrownBy(
                            () ->
                                    copies.copyIn(
                                            "COPY items FROM STDIN (FORMAT csv)",
                                            new StringReader("bad,1,1,x\nbad,x,1,x\n")))
                    .hasMessageContaining("row 2 of COPY")
                    .hasMessageContaining("found 'x'");
            assertThat(JdbcRows.of(connection, "SELECT id FROM items WHERE region = 'bad'"))
                    .isEmpty();
            StringBuilder many = new StringBuilder();
            for (int i = 0; i < 5_000; i++) {
                many.append("many,").append(i).append(",").append(i).append(",n\n");
            }
            for (String region : List.of("many", "more", "most")) {
                assertThat(
                                copies.copyIn(
                                        "COPY items FROM STDIN CSV",
                                        new StringReader(many.toString().replace("many", region))))
                        .isEqualTo(5_000);
            }
            assertThatThrownBy(
                            () ->
                                    copies.copyIn(
                                            "COPY items FROM STDIN CSV",
                                            new StringReader("new,1,,\nmany,17,,\n")))
                    .isInstanceOf(SQLException.class)
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("23505");
            assertThat(JdbcRows.of(connection, "SELECT id FROM items WHERE region = 'new'"))
                    .isEmpty();
            connection.setAutoCommit(false);
            assertThat(copies.copyIn("COPY items FROM STDIN CSV", new StringReader("new,1,,\n")))
                    .isEqualTo(1);
            assertThat(JdbcRows.of(connection, "SELECT id FROM items WHERE region = 'new'"))
                    .containsExactly(List.of(1));
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(JdbcRows.of(connection, "SELECT id FROM items WHERE region = 'new'"))
                    .isEmpty();
            assertThatThrownBy(
                            () -> JdbcRows.of(connection, "SELECT * FROM items WHERE note = 'n1'"))
                    .as("the table is no longer small")
                    .satisfies(failure -> assertThat(stateOf(failure)).isEqualTo("0A000"));
            assertThat(JdbcRows.of(connection, "SELECT count(*) FROM items WHERE region = 'many'"))
                    .containsExactly(List.of(5_000L));
        }
    }

    @Test
    void copyGoesBothWays() throws Exception {
        try (Connection connection = connect()) {
            CopyManager copies = copies(connection);
            run(
                    connection,
                    "INSERT INTO items VALUES ('out', 1, 1.25, 'a, \"b\"'), ('out', 2, NULL, NULL),"
                            + " ('out', 3, 0.00, ''), ('out', 4, 9.99, 'x\ty\nz\\'), ('out', 5, -1,"
                            + " '\\N'), ('out', 6, 1, '\\.'), ('out', 7, 1, 'ünï|''!')");
            List<List<Object>> expected = rowsOf(connection, "out");
            for (String options :
                    List.of(
                            "",
                            "(DELIMITER '|', NULL 'none')",
                            "(FORMAT csv)",
                            "(FORMAT csv, HEADER, DELIMITER ';', QUOTE '''', ESCAPE '!', NULL 'x')",
                            "(FORMAT binary)")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                assertThat(
                                copies.copyOut(
                                        "COPY (SELECT * FROM items WHERE region = 'out' ORDER BY id)"
                                                + " TO STDOUT "
                                                + options,
                                        out))
                        .as(options)
                        .isEqualTo(7);
                run(connection, "DELETE FROM items WHERE region = 'out'");
                assertThat(
                                copies.copyIn(
                                        "COPY items FROM STDIN " + options,
                                        new ByteArrayInputStream(out.toByteArray())))
                        .as(options)
                        .isEqualTo(7);
                assertThat(rowsOf(connection, "out")).as(options).isEqualTo(expected);
            }
        }
    }

    private static List<List<Object>> rowsOf(Connection connection, String region)
            throws SQLException {
        return JdbcRows.of(
                connection,
                "SELECT id, price, note FROM items WHERE region = '%s' ORDER BY id"
                        .formatted(region));
    }

    @Test
    void copyOfATableOfAnySizeAndOfTooLittle() throws Exception {
        try (Connection connection = connect()) {
            CopyManager copies = copies(connection);
            StringBuilder many = new StringBuilder();
            for (int i = 0; i < 20_000; i++) {
                many.append("whole,").append(i).append(",1,n\n");
            }
            assertThat(
                            copies.copyIn(
                                    "COPY items FROM STDIN CSV", new StringReader(many.toString())))
                    .isEqualTo(20_000);
            StringWriter out = new StringWriter();
            long count = copies.copyOut("COPY items (region, id) TO STDOUT", out);
            List<String> lines = out.toString().lines().toList();
            assertThat(lines).hasSize((int) count);
            assertThat(lines.stream().filter(line -> line.startsWith("whole\t")).distinct())
                    .hasSize(20_000);

            connection.setAutoCommit(false);
            run(connection, "INSERT INTO items (region, id) VALUES ('own', 1)");
            assertThat(
                            copies.copyOut(
                                    "COPY (SELECT id FROM items WHERE region = 'own') TO STDOUT",
                                    new StringWriter()))
                    .as("a block sees its own rows")
                    .isEqualTo(1);
            connection.rollback();
            connection.setAutoCommit(true);

            StringWriter constant = new StringWriter();
            assertThat(copies.copyOut("COPY (SELECT 1 AS one) TO STDOUT CSV HEADER", constant))
                    .isEqualTo(1);
            assertThat(constant).hasToString("one\n1\n");
            for (String wrong :
                    List.of(
                            "COPY (DELETE FROM items WHERE region = 'whole' AND id = 1) TO STDOUT",
                            "COPY items TO '/tmp/file'",
                            "COPY items TO PROGRAM 'cat'",
                            "COPY (SELECT region, count(*) FROM items GROUP BY region) TO STDOUT")) {
                assertThatThrownBy(() -> copies.copyOut(wrong, new StringWriter()))
                        .as(wrong)
                        .isInstanceOf(SQLException.class)
                        .extracting(thrown -> ((SQLException) thrown).getSQLState())
                        .isEqualTo("0A000");
            }
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM items WHERE region = 'whole' AND id = 1"))
                    .hasSize(1);
            run(connection, "DELETE FROM items WHERE region = 'whole'");
        }
    }

    /** Memory is given back a moment after the files are gone. */
    private static void awaitNoPendingWrites() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (sidecar.engine().engine().pendingWriteBytes() > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(sidecar.engine().engine().pendingWriteBytes()).isZero();
    }
}
