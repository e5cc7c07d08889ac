package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.postgresql.TestingClient.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** As many clients as the server takes, and clients that do not receive what they asked for. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PostgresConnectionsIT {
    private static final int IDLE = 1_000;
    private static final int MAX_CONNECTIONS = IDLE + 1;

    /** Logins at a time: far fewer than may be pending. */
    private static final int LOGINS = 16;

    /**
     * The client's half included, since it is in this process. The buffers for input and output
     * have 20 KiB of it; the rest are a virtual thread, a session and its statements.
     */
    private static final long MAX_CONNECTION_BYTES = 64 << 10;

    private static final int WIDE_ROWS = 256;
    private static final int WIDE_BYTES = 64 << 10; // 16 MiB in all: no socket holds so much

    @TempDir static Path directory;
    private static TestingSidecar sidecar;
    private static int port;

    @BeforeAll
    static void start() {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.postgresql.port",
                                "0",
                                "stele.postgresql.max-connections",
                                Integer.toString(MAX_CONNECTIONS)));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.orders(Orientation.ROW).withName("shop", "wide"));
        port = sidecar.server().postgresqlPort().orElseThrow();
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    @Test
    void aThousandIdleClientsLeaveTheServerToOthers() throws Exception {
        List<TestingClient> idle = new ArrayList<>();
        try (TestingClient busy = TestingClient.loggedIn(port)) {
            lookUp(busy);
            long before = heapBytes();
            try {
                idle.addAll(open(IDLE));
                assertThat(HeldResources.of(sidecar).connections()).isEqualTo(MAX_CONNECTIONS);
                assertThat((heapBytes() - before) / IDLE)
                        .as("bytes of an idle connection")
                        .isLessThan(MAX_CONNECTION_BYTES);
                lookUp(busy);
                assertIsRefused();
                lookUp(busy);
            } finally {
                end(idle);
            }
        }
        HeldResources.awaitNothing(sidecar);
        end(open(LOGINS));
    }

    private static void assertIsRefused() throws IOException {
        try (TestingClient more = new TestingClient(port)) {
            Reply refused = more.login("ann", TestingSidecar.SECRET);
            assertThat(refused.type()).isEqualTo('E');
            assertThat(refused.field('S')).isEqualTo("FATAL");
            assertThat(refused.field('C')).isEqualTo("53300");
            assertThat(refused.field('M')).contains("at most " + MAX_CONNECTIONS);
            assertThat(more.read().type()).as("the end").isEqualTo((char) 0);
        }
    }

    /** Clients that have prepared and run a statement. */
    private static List<TestingClient> open(int count) throws Exception {
        List<Future<TestingClient>> opened = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(LOGINS)) {
            for (int i = 0; i < count; i++) {
                opened.add(threads.submit(PostgresConnectionsIT::withStatement));
            }
        }
        List<TestingClient> clients = new ArrayList<>();
        for (Future<TestingClient> client : opened) {
            clients.add(client.get());
        }
        return clients;
    }

    private static TestingClient withStatement() throws IOException {
        TestingClient client = TestingClient.loggedIn(port);
        client.send('P', "one\0SELECT * FROM orders WHERE id = $1\0\0\0".getBytes(UTF_8));
        client.send('B', "\0one\0\0\0\0\1\0\0\0\0011\0\0".getBytes(UTF_8));
        client.send('E', new byte[5]);
        client.send('S', new byte[0]);
        assertThat(client.readUntil('C').payload()).isEqualTo("SELECT 0\0".getBytes(UTF_8));
        assertThat(client.read().type()).isEqualTo('Z');
        return client;
    }

    /** Half of them say that they leave. */
    private static void end(List<TestingClient> clients) throws IOException {
        for (int i = 0; i < clients.size(); i++) {
            if (i % 2 == 0) {
                clients.get(i).send('X', new byte[0]);
            }
            clients.get(i).close();
        }
    }

    private static void lookUp(TestingClient client) throws IOException {
        client.query("SELECT id FROM orders WHERE id = 1");
        assertThat(client.readUntil('C').payload()).isEqualTo("SELECT 0\0".getBytes(UTF_8));
        assertThat(client.read().type()).isEqualTo('Z');
    }

    private static long heapBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** What they do not receive is not made: it would be in the budget of replies. */
    @Test
    void slowReadersHoldUpNobodyElse() throws Exception {
        load();
        List<TestingClient> slow = new ArrayList<>();
        try (TestingClient busy = TestingClient.loggedIn(port)) {
            for (int i = 0; i < 8; i++) {
                TestingClient client = TestingClient.loggedIn(port);
                slow.add(client);
                client.query(i % 2 == 0 ? "COPY wide TO STDOUT" : "SELECT * FROM wide");
                assertThat(client.read().type()).isEqualTo(i % 2 == 0 ? 'H' : 'T');
            }
            lookUp(busy);
            assertThat(HeldResources.of(sidecar).replyBytes()).isLessThan(8L * WIDE_ROWS << 10);
            assertThat(rowsOf(slow.get(0), 'd')).isEqualTo(WIDE_ROWS);
            assertThat(rowsOf(slow.get(1), 'D')).isEqualTo(WIDE_ROWS);
            for (TestingClient client : slow.subList(2, 4)) {
                cancel(client);
                assertThat(client.readUntil('E').field('C')).isEqualTo("57014");
                assertThat(client.read().type()).isEqualTo('Z');
                lookUp(client);
            }
        } finally {
            end(slow);
        }
        HeldResources.awaitNothing(sidecar);
    }

    private static void load() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            client.query("COPY wide (id, status) FROM STDIN");
            assertThat(client.readUntil('G').type()).isEqualTo('G');
            String text = "x".repeat(WIDE_BYTES);
            for (int id = 0; id < WIDE_ROWS; id++) {
                client.send('d', "%s\t%s\n".formatted(id, text).getBytes(UTF_8));
            }
            client.send('c', new byte[0]);
            assertThat(client.readUntil('Z').type()).isEqualTo('Z');
        }
    }

    private static int rowsOf(TestingClient client, char type) throws IOException {
        int rows = 0;
        Reply reply = client.read();
        while (reply.type() != 'Z') {
            assertThat(reply.type()).isNotIn('E', (char) 0);
            if (reply.type() == type) {
                rows++;
            }
            reply = client.read();
        }
        return rows;
    }

    /** The request has been handled when the server has closed its connection. */
    private static void cancel(TestingClient running) throws IOException {
        try (TestingClient client = new TestingClient(port)) {
            client.requestCancel(running.processId(), running.secretKey());
            assertThat(client.readByte()).isEqualTo(-1);
        }
    }
}
