package io.stele.sidecar.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.FreePorts;
import io.stele.testing.LongRun;
import io.stele.testing.SidecarProcess;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/**
 * SIGKILL while clients of PostgreSQL's protocol write: every acknowledged statement is there once
 * afterwards, and one without an answer is there as a whole or not at all.
 *
 * <p>Each client has keys of its own. Each write is of rows in several shards. Small memtables make
 * flushes, manifests and log trimming happen between the kills.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class PostgresKillIT {
    // Two: the second one kills what has recovered from the first
    private static final int KILLS = LongRun.count(2, 6);
    private static final int WRITES_BETWEEN_KILLS = 200;
    private static final int CLIENTS = 2; // of each kind

    private static final int ROWS = 3; // of a write: few are in one shard
    private static final int COUNTERS = 10;
    private static final long KEYS = 1_000_000; // of a client

    private final Map<Long, NumberedWrites> inserts = new HashMap<>();
    private final Map<Long, NumberedWrites> upserts = new HashMap<>();
    private final Map<Long, NumberedWrites> transactions = new HashMap<>();
    private SidecarProcess process;
    private int hosts;

    @AfterEach
    void end() {
        if (process != null) {
            process.kill();
        }
    }

    @Test
    void acknowledgedStatementsAreThereOnce(@TempDir Path directory) throws Exception {
        Map<String, String> properties = TestingSidecar.propertiesOfFixedPorts(directory);
        int port = FreePorts.find();
        properties.put("stele.postgresql.port", Integer.toString(port));
        properties.put("stele.memtable.size", "128kB");
        properties.put("stele.wal.segment-size", "256kB");
        process = launch(directory, properties);
        createTables(process.awaitReady());
        startClients(port);
        for (int kill = 0; kill < KILLS; kill++) {
            awaitWrites();
            process.kill();
            process = launch(directory, properties);
            process.awaitReady();
        }
        awaitWrites();
        all().forEach(NumberedWrites::stop);
        try (Connection connection = NumberedWrites.connect(port)) {
            verify(connection);
        }
        assertThat(process.terminate()).isIn(0, 143);
    }

    /** As on another host: nothing is left of the process but its stores. */
    private SidecarProcess launch(Path directory, Map<String, String> properties)
            throws IOException {
        return SidecarProcess.launch(
                Files.createDirectories(directory.resolve("host-" + hosts++)), properties);
    }

    private static void createTables(SidecarProcess.Ports ports) {
        TestingSidecar.createTables(
                ports.flight(), SampleTables.orders(Orientation.ROW), SampleTables.events());
    }

    private void startClients(int port) {
        long base = 0;
        for (int i = 0; i < CLIENTS; i++) {
            long ofInserts = base;
            long ofUpserts = base + KEYS;
            long ofTransactions = base + 2 * KEYS;
            inserts.put(
                    ofInserts,
                    new NumberedWrites(port, (to, number) -> insert(to, ofInserts, number)));
            upserts.put(
                    ofUpserts,
                    new NumberedWrites(port, (to, number) -> upsert(to, ofUpserts, number)));
            transactions.put(
                    ofTransactions,
                    new NumberedWrites(port, (to, number) -> transact(to, ofTransactions, number)));
            base += 3 * KEYS;
        }
    }

    private List<NumberedWrites> all() {
        List<NumberedWrites> all = new ArrayList<>(inserts.values());
        all.addAll(upserts.values());
        all.addAll(transactions.values());
        return all;
    }

    private void awaitWrites() {
        Map<NumberedWrites, Long> before = new HashMap<>();
        all().forEach(client -> before.put(client, client.acknowledgedCount()));
        before.forEach((client, count) -> client.awaitAcknowledged(count + WRITES_BETWEEN_KILLS));
    }

    private static int run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static List<Long> keys(long first) {
        return IntStream.range(0, ROWS).mapToObj(i -> first + i).toList();
    }

    /** Into a table without a key, where a row that was written twice would be there twice. */
    private static void insert(Connection connection, long base, long number) throws SQLException {
        String sql =
                "INSERT INTO events (id, status) VALUES (%s, 'a'), (%s, 'b'), (%s, 'c')"
                        .formatted(keys(base + number * ROWS).toArray());
        assertThat(run(connection, sql)).isEqualTo(ROWS);
    }

    /** Adds 1 to some counters; one that was added twice would be too high. */
    private static void upsert(Connection connection, long base, long number) throws SQLException {
        String sql =
                ("INSERT INTO orders (id, amount) VALUES (%s, 1), (%s, 1), (%s, 1)"
                                + " ON CONFLICT (id) DO UPDATE SET amount = orders.amount + 1")
                        .formatted(keys(base + number % COUNTERS * ROWS).toArray());
        assertThat(run(connection, sql)).isEqualTo(ROWS);
    }

    /** Rows in both tables, and a counter of them. */
    private static void transact(Connection connection, long base, long number)
            throws SQLException {
        long key = base + 1 + number;
        connection.setAutoCommit(false);
        run(connection, "INSERT INTO orders (id, amount) VALUES (%s, 1)".formatted(key));
        run(connection, "INSERT INTO events (id) VALUES (%s)".formatted(key));
        run(
                connection,
                ("INSERT INTO orders (id, amount) VALUES (%s, 1) ON CONFLICT (id) DO UPDATE SET"
                                + " amount = orders.amount + 1")
                        .formatted(base));
        connection.commit();
    }

    private void verify(Connection connection) throws Exception {
        Map<Long, Integer> events = new HashMap<>();
        for (String[] row : rows(connection, "events (id)")) {
            events.merge(Long.parseLong(row[0]), 1, Integer::sum);
        }
        Map<Long, Double> orders = new HashMap<>();
        for (String[] row : rows(connection, "orders (id, amount)")) {
            assertThat(orders.put(Long.parseLong(row[0]), Double.parseDouble(row[1])))
                    .as("rows of one key")
                    .isNull();
        }
        inserts.forEach((base, client) -> verifyInserts(events, base, client));
        upserts.forEach((base, client) -> verifyUpserts(orders, base, client));
        transactions.forEach((base, client) -> verifyTransactions(events, orders, base, client));
    }

    private static List<String[]> rows(Connection connection, String table) throws Exception {
        StringWriter text = new StringWriter();
        long count =
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyOut("COPY %s TO STDOUT".formatted(table), text);
        List<String[]> rows = text.toString().lines().map(line -> line.split("\t")).toList();
        assertThat(rows).hasSize((int) count);
        return rows;
    }

    private static void verifyInserts(Map<Long, Integer> events, long base, NumberedWrites client) {
        for (long number = 0; number < client.count(); number++) {
            List<Integer> counts =
                    keys(base + number * ROWS).stream()
                            .map(key -> events.getOrDefault(key, 0))
                            .toList();
            if (!counts.equals(List.of(1, 1, 1))) {
                assertThat(counts).as("rows of INSERT %s", number).containsOnly(0);
                assertThat(client.isOpen(number)).as("INSERT %s has no answer", number).isTrue();
            }
        }
    }

    private static void verifyUpserts(Map<Long, Double> orders, long base, NumberedWrites client) {
        for (int counter = 0; counter < COUNTERS; counter++) {
            double max = 0;
            double open = 0;
            for (long number = counter; number < client.count(); number += COUNTERS) {
                max++;
                open += client.isOpen(number) ? 1 : 0;
            }
            List<Double> amounts =
                    keys(base + (long) counter * ROWS).stream().map(orders::get).toList();
            assertThat(amounts).as("counters %s", counter).containsOnly(amounts.getFirst());
            assertThat(amounts.getFirst()).as("counters %s", counter).isBetween(max - open, max);
        }
    }

    private static void verifyTransactions(
            Map<Long, Integer> events, Map<Long, Double> orders, long base, NumberedWrites client) {
        double present = 0;
        for (long number = 0; number < client.count(); number++) {
            long key = base + 1 + number;
            int count = events.getOrDefault(key, 0);
            assertThat(count).as("events of transaction %s", number).isBetween(0, 1);
            assertThat(orders.containsKey(key))
                    .as("orders of transaction %s", number)
                    .isEqualTo(count == 1);
            if (count == 0) {
                assertThat(client.isOpen(number))
                        .as("transaction %s has no answer", number)
                        .isTrue();
            }
            present += count;
        }
        assertThat(orders.get(base)).as("the counter of transactions").isEqualTo(present);
    }
}
