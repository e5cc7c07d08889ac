package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.postgresql.TestingClient.Reply;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that do not keep to PostgreSQL's protocol, and what others notice of them. */
final class PostgresWireIT {
    private static final int SSL_REQUEST = 1234 << 16 | 5679;

    @TempDir static Path directory;
    private static TestingSidecar sidecar;
    private static int port;

    @BeforeAll
    static void start() {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.postgresql.port", "0",
                                "stele.postgresql.max-message-size", "2MB"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        port = sidecar.server().postgresqlPort().orElseThrow();
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    private static void checkServes() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            client.query("SELECT id FROM orders WHERE id = 1");
            assertThat(client.readUntil('Z').type()).isEqualTo('Z');
        }
    }

    @Test
    void whatIsNoStartIsRefused() throws IOException {
        try (TestingClient client = new TestingClient(port)) {
            client.raw("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
            assertThat(client.readUntil('E').field('C')).isEqualTo("08P01");
        }
        try (TestingClient client = new TestingClient(port)) {
            client.startup(2 << 16, new byte[1]);
            assertThat(client.readUntil('E').field('M')).contains("version 3");
        }
        try (TestingClient client = new TestingClient(port)) {
            client.startup(3 << 16, "user\0\0\0".getBytes(UTF_8));
            assertThat(client.readUntil('E').field('M')).contains("user name");
        }
        try (TestingClient client = new TestingClient(port)) {
            client.startup(SSL_REQUEST, new byte[0]);
            assertThat(client.readByte()).isEqualTo('N');
            assertThat(client.login("ann", TestingSidecar.SECRET).type()).isEqualTo('Z');
        }
        try (TestingClient client = new TestingClient(port)) {
            client.startup(3 << 16, "user\0ann\0\0".getBytes(UTF_8));
            assertThat(client.read().type()).isEqualTo('R');
            client.query("SELECT 1");
            assertThat(client.readUntil('E').field('C')).isEqualTo("08P01");
        }
        checkServes();
    }

    @Test
    void messagesThatAreTooLongAreNotRead() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            DataOutputStream data = new DataOutputStream(head);
            data.writeByte('Q');
            data.writeInt(1 << 30);
            client.raw(head.toByteArray());
            assertThat(client.readUntil('E').field('M')).contains("2097156");
            assertThat(client.read().type()).isEqualTo((char) 0);
        }
        checkServes();
    }

    @Test
    void errorsSkipToSync() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            client.send('P', "\0SELECT nothing FROM orders WHERE id = 1\0\0\0".getBytes(UTF_8));
            client.send('B', new byte[8]);
            client.send('E', new byte[5]);
            client.send('S', new byte[0]);
            Reply error = client.read();
            assertThat(error.field('C')).isEqualTo("42703");
            assertThat(client.read().type()).isEqualTo('Z');
            client.send('y', new byte[3]);
            assertThat(client.read().field('C')).isEqualTo("08P01");
            client.send('S', new byte[0]);
            assertThat(client.read().type()).isEqualTo('Z');
        }
    }

    /** One message of several statements is one transaction, whatever is between them. */
    @Test
    void statementsOfOneMessageAreOneTransaction() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            client.query(
                    "INSERT INTO orders (id) VALUES (70); SET application_name = 'x';"
                            + " INSERT INTO orders (id) VALUES (71)");
            assertThat(client.readUntil('Z').payload()).containsExactly('I');
            client.query("SELECT id FROM orders WHERE id IN (70, 71)");
            assertThat(client.readUntil('C').payload()).isEqualTo("SELECT 2\0".getBytes(UTF_8));
            client.readUntil('Z');

            client.query(
                    "INSERT INTO orders (id) VALUES (72); SET application_name = 'y';"
                            + " SELECT nothing FROM orders WHERE id = 1");
            assertThat(client.readUntil('E').field('C')).isEqualTo("42703");
            assertThat(client.readUntil('Z').payload()).containsExactly('I');
            client.query("SELECT id FROM orders WHERE id = 72");
            assertThat(client.readUntil('C').payload()).isEqualTo("SELECT 0\0".getBytes(UTF_8));
        }
    }

    @Test
    void bytesOfStatementsAndPortalsAreLimited() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            String text = "x".repeat(1 << 20);
            for (int i = 0; i < 17; i++) {
                String sql = "SELECT id FROM orders WHERE id = 1 AND status = '%s'".formatted(text);
                client.send('P', "s%s\0%s\0\0\0".formatted(i, sql).getBytes(UTF_8));
                client.send('S', new byte[0]);
                Reply reply = client.read();
                if (i < 15) {
                    assertThat(reply.type()).as(() -> reply.field('M')).isEqualTo('1');
                } else if (i == 16) {
                    assertThat(reply.field('C')).isEqualTo("54000");
                }
                client.readUntil('Z');
            }
            client.query("DEALLOCATE ALL");
            client.readUntil('Z');
            client.send(
                    'P',
                    "p\0SELECT id FROM orders WHERE status = $1 AND id = 1\0\0\0".getBytes(UTF_8));
            client.send('H', new byte[0]);
            assertThat(client.read().type()).isEqualTo('1');
            ByteArrayOutputStream bind = new ByteArrayOutputStream();
            for (int i = 0; i < 66; i++) {
                bind.reset();
                DataOutputStream out = new DataOutputStream(bind);
                out.write("q%s\0p\0\0\0\0\1".formatted(i).getBytes(UTF_8));
                out.writeInt(text.length());
                out.writeBytes(text);
                out.writeShort(0);
                client.send('B', bind.toByteArray());
                client.send('H', new byte[0]);
                Reply reply = client.read();
                if (i < 64) {
                    assertThat(reply.type()).isEqualTo('2');
                } else {
                    assertThat(reply.field('C')).isEqualTo("54000");
                    break;
                }
            }
            client.send('S', new byte[0]);
            client.readUntil('Z');
        }
        checkServes();
    }

    @Test
    void preparedStatementsFollowTheSearchPath() throws IOException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            client.send('P', "one\0SELECT id FROM orders WHERE id = 1\0\0\0".getBytes(UTF_8));
            client.send('S', new byte[0]);
            assertThat(client.read().type()).isEqualTo('1');
            client.readUntil('Z');
            client.query("SET search_path TO nowhere");
            client.readUntil('Z');
            client.send('B', "\0one\0\0\0\0\0\0\0".getBytes(UTF_8));
            client.send('E', new byte[5]);
            client.send('S', new byte[0]);
            assertThat(client.readUntil('E').field('C')).isEqualTo("42P01");
        }
    }

    @Test
    void statementsAreCancelledByTheirKeyOnly() throws IOException, InterruptedException {
        try (TestingClient client = TestingClient.loggedIn(port)) {
            client.query("COPY orders FROM STDIN");
            assertThat(client.readUntil('G').type()).isEqualTo('G');
            cancel(client.processId(), client.secretKey() + 1);
            client.send('d', "5\tx\t1\t\\N\n".getBytes(UTF_8));
            cancel(client.processId(), client.secretKey());
            client.send('d', "6\tx\t1\t\\N\n".getBytes(UTF_8));
            client.send('c', new byte[0]);
            Reply reply = client.readUntil('E');
            assertThat(reply.field('C')).isEqualTo("57014");
            assertThat(client.readUntil('Z').type()).isEqualTo('Z');
            client.query("SELECT id FROM orders WHERE id IN (5, 6)");
            assertThat(client.readUntil('C').payload()).isEqualTo("SELECT 0\0".getBytes(UTF_8));
        }
    }

    /** The request has been handled when the server has closed its connection. */
    private static void cancel(int processId, int secret) throws IOException {
        try (TestingClient client = new TestingClient(port)) {
            client.requestCancel(processId, secret);
            assertThat(client.readByte()).isEqualTo(-1);
        }
    }

    @Test
    void usersOfAFileHaveTheirOwnPasswords(@TempDir Path other) throws IOException {
        Path users = other.resolve("users");
        // The verifier of "pencil", as PostgreSQL makes it
        Files.writeString(
                users,
                "# user:verifier\n"
                        + "bob:SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=\n");
        try (TestingSidecar own =
                TestingSidecar.start(
                        other.resolve("sidecar"),
                        Map.of(
                                "stele.postgresql.port",
                                "0",
                                "stele.postgresql.users-file",
                                users.toString()))) {
            int ownPort = own.server().postgresqlPort().orElseThrow();
            try (TestingClient client = new TestingClient(ownPort)) {
                assertThat(client.login("bob", "pencil").type()).isEqualTo('Z');
            }
            for (String[] wrong :
                    new String[][] {
                        {"bob", "pen"}, {"ann", "pencil"}, {"ann", TestingSidecar.SECRET}
                    }) {
                try (TestingClient client = new TestingClient(ownPort)) {
                    assertThat(client.login(wrong[0], wrong[1]).field('C')).isEqualTo("28P01");
                }
            }
        }
    }
}
