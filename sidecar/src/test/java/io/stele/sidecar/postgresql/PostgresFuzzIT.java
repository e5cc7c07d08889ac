package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.postgresql.ConversationMutator.Mutated;
import io.stele.sidecar.postgresql.TestingClient.Reply;
import io.stele.testing.LongRun;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Conversations of real clients with seeded mistakes: each ends with an answer or the end of the
 * connection, never with an internal error, and hurts nobody else. Long runs have new seeds, others
 * the same ones. {@code -Dpostgresql.fuzz-seed} begins with one seed, {@code
 * -Dpostgresql.fuzz-seconds} runs longer.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class PostgresFuzzIT {
    private static final int CONVERSATIONS = 300;
    private static final int SECONDS =
            Integer.getInteger("postgresql.fuzz-seconds", LongRun.count(0, 600));
    private static final int LOGINS = LongRun.count(100, 5_000);
    private static final long FIRST_SEED =
            Long.getLong("postgresql.fuzz-seed", LongRun.isOn() ? System.nanoTime() : 1);

    private static final int VERSION = 3 << 16;
    private static final byte[] STARTUP =
            "user\0ann\0database\0stele\0search_path\0shop\0options\0-c TimeZone=UTC\0\0"
                    .getBytes(UTF_8);

    /** SCRAM's first message: its mechanism, the length of what follows, a nonce. */
    private static final byte[] FIRST_PROOF =
            "SCRAM-SHA-256\0\0\0\0\20n,,n=,r=abcdefgh".getBytes(UTF_8);

    private static final byte[] LAST_PROOF = "c=biws,r=abcdefgh,p=AAAA".getBytes(UTF_8);

    /** As large as the budget for messages, so that it fits only if nothing has kept a part. */
    private static final int MAX_MESSAGE_BYTES = 1 << 20;

    /** Ends a COPY or an error, and shows that the session goes on. */
    private static final List<ClientMessage> LAST =
            List.of(
                    new ClientMessage('f', new byte[1]),
                    ClientMessage.sync(),
                    ClientMessage.query("SELECT 'the end'"));

    @TempDir static Path directory;
    private static TestingSidecar sidecar;
    private static int port;
    private static List<List<ClientMessage>> conversations;

    @BeforeAll
    static void start() throws Exception {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.postgresql.port", "0",
                                "stele.postgresql.max-message-size", "1MB",
                                "stele.postgresql.max-pending-size", "1MB"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.items());
        sidecar.createTable(SampleTables.types());
        sidecar.createTable(SampleTables.orders(Orientation.ROW).withName("shop", "untouched"));
        port = sidecar.server().postgresqlPort().orElseThrow();
        conversations = new RecordedConversations(port).all();
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    @AfterEach
    void nothingIsHeld() throws Exception {
        HeldResources.awaitNothing(sidecar);
        try (TestingClient client = TestingClient.loggedIn(port)) {
            String statement = "SELECT 1 --";
            client.query(statement + "x".repeat(MAX_MESSAGE_BYTES - statement.length() - 1));
            assertThat(client.readUntil('C').payload()).isEqualTo("SELECT 1\0".getBytes(UTF_8));
        }
    }

    @Test
    void mutatedConversationsAreAnswered() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        try (TestingClient other = TestingClient.loggedIn(port)) {
            long seed = FIRST_SEED;
            while (seed < FIRST_SEED + CONVERSATIONS || System.nanoTime() < end) {
                Random random = new Random(seed);
                Mutated mutated = new ConversationMutator(conversations, random).next(LAST);
                String name = "-Dpostgresql.fuzz-seed=%s: %s".formatted(seed, mutated);
                try (TestingClient client = TestingClient.loggedIn(port)) {
                    play(client, mutated, name);
                } catch (Exception e) {
                    throw new AssertionError(name, e);
                }
                assertIsServed(other, name);
                seed++;
            }
        }
    }

    private static void play(TestingClient client, Mutated mutated, String name)
            throws IOException {
        // From another thread, since the server does not read on while nobody receives its answers
        Thread sender = Thread.startVirtualThread(() -> send(client, mutated.bytes()));
        Reply last = readAll(client, name);
        if (mutated.isFramed() && last.type() != 0) {
            assertThat(last.type() == 'Z' || isFatal(last))
                    .as("%s ends with %s", name, last)
                    .isTrue();
        }
        try {
            sender.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isFatal(Reply reply) {
        return reply.type() == 'E' && reply.field('S').equals("FATAL");
    }

    private static void send(TestingClient client, byte[] bytes) {
        try {
            client.raw(bytes);
            client.endInput();
        } catch (IOException closed) {
            // by the server, which has read enough
        }
    }

    /** The last reply; type 0 if the server has closed the connection before it has read all. */
    private static Reply readAll(TestingClient client, String name) throws IOException {
        Reply last = new Reply((char) 0, new byte[0]);
        try {
            Reply reply = client.read();
            while (reply.type() != 0) {
                if (reply.type() == 'E') {
                    assertThat(reply.field('C'))
                            .as("%s: %s", name, reply.field('M'))
                            .doesNotStartWith("XX");
                }
                last = reply;
                reply = client.read();
            }
            return last;
        } catch (SocketException | EOFException closed) {
            return new Reply((char) 0, new byte[0]);
        }
    }

    private static void assertIsServed(TestingClient other, String name) throws IOException {
        other.query("SELECT id FROM untouched WHERE id = 1");
        assertThat(other.readUntil('C').payload())
                .as("%s", name)
                .isEqualTo("SELECT 0\0".getBytes(UTF_8));
        assertThat(other.read().type()).isEqualTo('Z');
    }

    @Test
    void mutatedLoginsAreAnswered() throws Exception {
        try (TestingClient other = TestingClient.loggedIn(port)) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + LOGINS; seed++) {
                String name = "-Dpostgresql.fuzz-seed=%s".formatted(seed);
                Random random = new Random(seed);
                ConversationMutator mutator = new ConversationMutator(conversations, random);
                try (TestingClient client = new TestingClient(port)) {
                    playLogin(client, mutator, random);
                    Reply unused = readAll(client, name);
                } catch (SocketTimeoutException e) {
                    throw new AssertionError(name, e);
                }
                assertIsServed(other, name);
            }
        }
    }

    private static void playLogin(
            TestingClient client, ConversationMutator mutator, Random random) {
        int code = VERSION;
        if (random.nextInt(8) == 0) {
            byte[] changed = mutator.bytes(new byte[] {0, 3, 0, 0});
            code = ByteBuffer.wrap(Arrays.copyOf(changed, Integer.BYTES)).getInt();
        }
        boolean isProof = random.nextBoolean();
        try {
            client.startup(code, isProof ? STARTUP : mutator.bytes(STARTUP));
            if (isProof) {
                client.send('p', mutator.bytes(FIRST_PROOF));
                client.send('p', mutator.bytes(LAST_PROOF));
            }
            client.endInput();
        } catch (IOException closed) {
            // by the server, which has read enough
        }
    }
}
