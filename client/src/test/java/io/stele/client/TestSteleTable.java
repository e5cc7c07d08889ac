package io.stele.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.auth.ClientTls;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class TestSteleTable extends BaseClientTest {
    private static final ClientSettings SETTINGS =
            ClientSettings.DEFAULT.withUnavailableTimeout(Duration.ofMillis(300));

    @Test
    void testKeysAreAnsweredInTheirOrderHoweverRepliesAreCut() {
        try (SteleClient client = client(SETTINGS)) {
            SteleTable table = client.table("s", "t");
            fill(table, 1_000);
            sidecar.maxReplyBytes(100);
            List<Object[]> keys = new ArrayList<>();
            for (long i = 1_100; i >= 0; i -= 3) {
                keys.add(new Object[] {i});
            }
            List<Optional<List<Object>>> rows = table.multiGet(keys);
            assertThat(rows).hasSize(keys.size());
            for (int i = 0; i < rows.size(); i++) {
                long key = (long) keys.get(i)[0];
                assertThat(rows.get(i))
                        .isEqualTo(
                                key < 1_000
                                        ? Optional.of(List.of(key, "v" + key))
                                        : Optional.empty());
            }
            assertThat(table.get(7L)).contains(List.of(7L, "v7"));
            assertThat(table.get(-7L)).isEmpty();
            assertThat(table.multiGet(List.of())).isEmpty();
        }
        assertThat(sidecar.violations()).isEmpty();
    }

    @Test
    void testLookupsOfManyThreadsTravelTogether() throws Exception {
        try (SteleClient client = client(SETTINGS)) {
            SteleTable table = client.table("s", "t");
            fill(table, 100);
            int threads = 16;
            int each = 300;
            AtomicInteger wrong = new AtomicInteger();
            CountDownLatch started = new CountDownLatch(threads);
            List<Thread> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Thread thread =
                        new Thread(
                                () -> {
                                    started.countDown();
                                    try {
                                        started.await();
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                    for (long i = 0; i < each; i++) {
                                        if (!table.get(i % 100)
                                                .equals(
                                                        Optional.of(
                                                                List.of(i % 100, "v" + i % 100)))) {
                                            wrong.incrementAndGet();
                                        }
                                    }
                                });
                thread.start();
                running.add(thread);
            }
            for (Thread thread : running) {
                thread.join();
            }
            assertThat(wrong.get()).isZero();
            assertThat(sidecar.multiGets()).isLessThan((long) threads * each);
        }
    }

    @Test
    void testAChangedTableIsFetchedAgain() {
        try (SteleClient client = client(SETTINGS)) {
            SteleTable table = client.table("s", "t");
            fill(table, 10);
            sidecar.table(TestingTables.keyed(2, 1));
            assertThat(table.get(7L)).isEmpty();
            assertThat(table.schema().id().value()).isEqualTo(2);
            sidecar.table(TestingTables.keyedWithNote(2, 2));
            try (TableWriter writer = table.writer()) {
                writer.write(7L, "seven");
            }
            assertThat(table.get(7L).orElseThrow()).containsExactly(7L, "seven", null);
        }
    }

    @Test
    void testLookupsThatDoNotBlock() throws Exception {
        try (SteleClient client = client(SETTINGS)) {
            SteleTable table = client.table("s", "t");
            fill(table, 10);
            List<CompletableFuture<List<Optional<List<Object>>>>> lookups = new ArrayList<>();
            for (long i = 0; i < 20; i++) {
                lookups.add(table.multiGetAsync(List.<Object[]>of(new Object[] {i})));
            }
            for (long i = 0; i < 20; i++) {
                assertThat(lookups.get((int) i).get())
                        .containsExactly(
                                i < 10 ? Optional.of(List.of(i, "v" + i)) : Optional.empty());
            }
            assertThat(table.multiGetAsync(List.of()).get()).isEmpty();
            sidecar.table(TestingTables.keyed(2, 1)); // fetched again
            assertThat(table.multiGetAsync(List.<Object[]>of(new Object[] {7L})).get())
                    .containsExactly(Optional.empty());
            assertThat(table.schema().id().value()).isEqualTo(2);
            assertCode(
                    ErrorCode.TYPE_MISMATCH,
                    "'id'",
                    () -> table.multiGetAsync(List.<Object[]>of(new Object[] {"x"})));
            assertCode(
                    ErrorCode.INVALID_ARGUMENT,
                    "at most 4096 keys, found 4097",
                    () -> table.multiGetAsync(Collections.nCopies(4097, new Object[] {1L})));
            sidecar.stop();
            assertThatThrownBy(
                            () -> table.multiGetAsync(List.<Object[]>of(new Object[] {1L})).get())
                    .cause()
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("unreachable for");
        }
    }

    @Test
    void testLookupsSurviveBrokenConnections() throws Exception {
        try (SteleClient client = client(SETTINGS)) {
            SteleTable table = client.table("s", "t");
            fill(table, 10);
            for (long i = 0; i < 10; i++) {
                sidecar.breakConnections();
                assertThat(table.get(i)).contains(List.of(i, "v" + i));
            }
        }
    }

    @Test
    void testErrorsAreClear() throws Exception {
        try (SteleClient client = client(SETTINGS)) {
            assertCode(ErrorCode.TABLE_NOT_FOUND, "missing", () -> client.table("s", "missing"));
            SteleTable table = client.table("s", "t");
            assertCode(ErrorCode.TYPE_MISMATCH, "'id'", () -> table.get("x"));
            assertCode(ErrorCode.INVALID_ARGUMENT, "1 values", () -> table.get(1L, 2L));
            sidecar.stop();
            assertCode(ErrorCode.UNAVAILABLE, "unreachable for", () -> table.get(1L));
        }
    }

    @Test
    void testAWrongSecretIsRefusedAtOnce() {
        try (SteleClient client =
                SteleClient.builder()
                        .endpoint("127.0.0.1", sidecar.port())
                        .secret("another secret, just as long")
                        .build()) {
            assertCode(
                    ErrorCode.UNAUTHENTICATED,
                    "refused the connection",
                    () -> client.table("s", "t"));
        }
        assertThat(sidecar.connections()).isZero();
    }

    @Test
    void testAnotherEndpointAnswersWhenOneIsAway() throws Exception {
        int away;
        try (ServerSocket unused = new ServerSocket(0)) {
            away = unused.getLocalPort();
        }
        try (SteleClient client =
                SteleClient.builder()
                        .endpoint("127.0.0.1", away)
                        .endpoint("127.0.0.1", sidecar.port())
                        .secret(TestingSidecar.SECRET)
                        .settings(SETTINGS)
                        .build()) {
            fill(client.table("s", "t"), 10);
        }
        assertThat(sidecar.rows()).hasSize(10);
    }

    @Test
    void testTls(@TempDir Path directory) throws Exception {
        Path keyStore = directory.resolve("key.p12");
        Path certificate = directory.resolve("certificate.pem");
        keytool(
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-storepass",
                "password",
                "-keystore",
                keyStore.toString());
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "a",
                "-storepass",
                "password",
                "-keystore",
                keyStore.toString(),
                "-file",
                certificate.toString());
        try (TestingSidecar secured =
                new TestingSidecar(TestingTables.keyed(1, 1), serverTls(keyStore))) {
            ClientTls tls = new ClientTls(Optional.of(certificate));
            try (SteleClient client = builder(secured.port(), SETTINGS).tls(tls).build()) {
                fill(client.table("s", "t"), 1_000);
                secured.breakConnections();
                assertThat(client.table("s", "t").get(3L)).contains(List.of(3L, "v3"));
            }
            try (SteleClient client =
                    builder(secured.port(), SETTINGS)
                            .tls(new ClientTls(Optional.empty()))
                            .build()) {
                assertCode(
                        ErrorCode.UNAVAILABLE, "certification path", () -> client.table("s", "t"));
            }
            try (SteleClient client = builder(secured.port(), SETTINGS).build()) {
                assertCode(ErrorCode.UNAVAILABLE, "unreachable", () -> client.table("s", "t"));
            }
        }
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");
        assertCode(
                ErrorCode.INVALID_ARGUMENT,
                "empty.pem",
                () -> builder(1, SETTINGS).tls(new ClientTls(Optional.of(empty))).build());
    }

    private static Function<ServerSocket, ServerSocket> serverTls(Path keyStore) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(keyStore)) {
            store.load(input, "password".toCharArray());
        }
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "password".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return plain -> {
            try {
                plain.close();
                return context.getServerSocketFactory().createServerSocket();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static void fill(SteleTable table, int rows) {
        try (TableWriter writer = table.writer()) {
            for (long i = 0; i < rows; i++) {
                writer.write(i, "v" + i);
            }
        }
    }
}
