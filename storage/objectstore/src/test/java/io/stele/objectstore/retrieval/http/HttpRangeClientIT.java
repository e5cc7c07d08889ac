package io.stele.objectstore.retrieval.http;

import static io.stele.objectstore.retrieval.http.ScriptedServer.say;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.ObjectVersion;
import io.stele.objectstore.retrieval.RangeRequest;
import io.stele.objectstore.retrieval.RangeSource;
import io.stele.objectstore.retrieval.TransientReadException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections beside a server that does everything that servers and networks do. */
@Timeout(300)
class HttpRangeClientIT {
    private static final byte[] CONTENT = new byte[3_000_000];
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    static {
        new Random(4).nextBytes(CONTENT);
    }

    private final List<Throwable> uncaught = new ArrayList<>();
    private HttpRangeClient client;

    @BeforeEach
    void start() throws Exception {
        client = start(SSLContext.getDefault(), Duration.ofSeconds(20));
    }

    @AfterEach
    void stop() {
        client.close();
        assertThat(uncaught).isEmpty();
    }

    private HttpRangeClient start(SSLContext tls, Duration silence) throws IOException {
        return HttpRangeClient.start(
                HttpOptions.of(2, 10, Duration.ofSeconds(5), silence),
                tls,
                new EndpointResolver(
                        InetAddress::getAllByName,
                        System::nanoTime,
                        TimeUnit.SECONDS.toNanos(10),
                        TimeUnit.SECONDS.toNanos(10)),
                Thread.ofPlatform().daemon().factory(),
                System::nanoTime,
                uncaught::add);
    }

    @Test
    void rangesComeOverConnectionsThatAreUsedAgain() throws Exception {
        try (ScriptedServer server = new ScriptedServer((request, _, out) -> range(request, out))) {
            Random random = new Random(1);
            for (int i = 0; i < 200; i++) {
                int offset = random.nextInt(CONTENT.length);
                int length = 1 + random.nextInt(CONTENT.length - offset);
                boolean direct = random.nextBoolean();
                assertThat(get(server, offset, length, direct).bytes())
                        .isEqualTo(Arrays.copyOfRange(CONTENT, offset, offset + length));
            }
            assertThat(server.connections()).isEqualTo(2); // one a thread
        }
    }

    @Test
    void manyRequestsAtOnceGetTheirOwnBytes() throws Exception {
        try (ScriptedServer server = new ScriptedServer((request, _, out) -> range(request, out))) {
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                answers.add(send(server, 40_000 * i, 300_000, i % 2 == 0, ""));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).await().bytes())
                        .isEqualTo(Arrays.copyOfRange(CONTENT, 40_000 * i, 40_000 * i + 300_000));
            }
        }
    }

    @Test
    void theVersionIsThatOfTheAnswer() throws Exception {
        try (ScriptedServer server = new ScriptedServer((request, _, out) -> range(request, out))) {
            assertThat(get(server, 5, 10, false).version)
                    .isEqualTo(new ObjectVersion(CONTENT.length, "\"tag\""));
        }
    }

    @Test
    void errorsAreExplained() throws Exception {
        String body = "<Error><Code>SlowDown</Code></Error>";
        assertThat(
                        failure(
                                (_, _, out) -> {
                                    say(out, head(503, body.length()) + body);
                                    return true;
                                }))
                .hasMessage("503 " + body);
        assertThat(
                        failure(
                                (_, _, out) -> {
                                    say(
                                            out,
                                            "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n");
                                    say(out, "5\r\n<Erro\r\n");
                                    say(out, "3\r\nr/>\r\n0\r\n\r\n");
                                    return true;
                                }))
                .hasMessage("404 <Error/>");
        assertThat(
                        failure(
                                (_, _, out) -> {
                                    say(out, "HTTP/1.1 500 No\r\n\r\n<Error/>");
                                    return false; // its end is that of the connection
                                }))
                .hasMessage("500 <Error/>");
        assertThat(
                        failure(
                                (_, _, out) -> {
                                    say(out, head(416, 0));
                                    return true;
                                }))
                .hasMessage("416 ");
        // One that never ends is cut
        assertThat(
                        failure(
                                (_, _, out) -> {
                                    say(out, head(500, 1 << 30) + "x".repeat(1 << 20));
                                    return true;
                                }))
                .hasMessageStartingWith("500 xxx");
    }

    /** A body is compared with the checksum that its answer says; its connection stays good. */
    @Test
    void aDamagedBodyIsWorthAnotherRequest() throws Exception {
        CRC32C crc = new CRC32C();
        crc.update(CONTENT);
        BodyChecksums checksums = (_, _) -> OptionalInt.of((int) crc.getValue());
        try (ScriptedServer server =
                new ScriptedServer(
                        (_, number, out) -> {
                            byte[] body = CONTENT.clone();
                            if (number <= 2) {
                                body[number == 1 ? 0 : body.length - 1] ^= 1;
                            }
                            say(out, partial(0, body.length, body.length, body.length));
                            out.write(body);
                            out.flush();
                            return true;
                        })) {
            for (boolean direct : new boolean[] {true, false}) {
                assertThat(cause(send(server, direct, checksums)))
                        .isInstanceOf(TransientReadException.class)
                        .hasMessageContaining("Expected checksum %08x".formatted(crc.getValue()));
            }
            for (boolean direct : new boolean[] {true, false}) {
                assertThat(send(server, direct, checksums).await().bytes()).isEqualTo(CONTENT);
            }
            assertThat(server.connections()).isEqualTo(2); // one a thread
        }
    }

    private Answer send(ScriptedServer server, boolean direct, BodyChecksums checksums) {
        return send(client, server, false, 0, CONTENT.length, direct, "", checksums);
    }

    @Test
    void aConnectionIsGoodAfterAnError() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(
                        (request, number, out) -> {
                            if (number % 2 == 1) {
                                say(out, head(503, 2) + "no");
                                return true;
                            }
                            return range(request, out);
                        })) {
            for (int i = 0; i < 10; i++) {
                assertThat(cause(send(server, 0, 10, false, ""))).hasMessage("503 no");
                assertThat(get(server, 0, 10, false).bytes()).hasSize(10);
            }
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void whatEndsEarlyIsWorthAnotherRequest() throws Exception {
        assertTransient((_, _, _) -> false); // without a word, on a new connection
        assertTransient(
                (_, _, out) -> {
                    say(out, "HTTP/1.1 206 OK\r\nContent-Le");
                    return false;
                });
        assertTransient(
                (_, _, out) -> {
                    say(out, partial(0, 10, 100, 10) + "12345");
                    return false;
                });
        // Another range, or less than asked for although there is more
        assertTransient(
                (_, _, out) -> {
                    say(out, partial(1, 10, 100, 10) + "1234567890");
                    return true;
                });
        assertTransient(
                (_, _, out) -> {
                    say(out, partial(0, 5, 100, 5) + "12345");
                    return true;
                });
        assertTransient(
                (_, _, out) -> {
                    say(out, partial(0, 10, 100, 7) + "1234567");
                    return true;
                });
    }

    @Test
    void answersThatMakeNoSenseAreErrors() throws Exception {
        assertThat(failure((_, _, out) -> ended(out, "SSH-2.0\r\n\r\n")))
                .hasMessageContaining("Expected an answer of HTTP/1.1");
        assertThat(
                        failure(
                                (_, _, out) ->
                                        ended(out, "HTTP/1.1 200 OK\r\nA: " + "x".repeat(40_000))))
                .hasMessageContaining("Expected a head of at most");
        assertThat(failure((_, _, out) -> ended(out, head(206, 10) + "1234567890")))
                .hasMessageContaining("Expected a content range, found none");
        assertThat(failure((_, _, out) -> ended(out, partial(0, 11, 100, 11) + "12345678901")))
                .hasMessageContaining("Expected at most 10 bytes, found 11");
        assertThat(
                        failure(
                                (_, _, out) ->
                                        ended(
                                                out,
                                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")))
                .hasMessageContaining("Expected an answer with a length");
        assertThat(failure((_, _, out) -> ended(out, partial(0, 5, 5, 5) + "12345")))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("found the end of o at 5");
    }

    @Test
    void anIdleConnectionThatHasEndedIsReplaced() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(
                        (request, number, out) -> number % 3 != 0 && range(request, out))) {
            // Each third request finds its connection closed; it goes over a new one
            for (int i = 0; i < 20; i++) {
                assertThat(get(server, i, 10, false).bytes())
                        .isEqualTo(Arrays.copyOfRange(CONTENT, i, i + 10));
            }
            assertThat(server.connections()).isGreaterThan(2);
        }
    }

    @Test
    void silenceHasALimit() throws Exception {
        try (HttpRangeClient impatient = start(SSLContext.getDefault(), Duration.ofMillis(100));
                ScriptedServer server =
                        new ScriptedServer(
                                (_, _, out) -> {
                                    say(out, partial(0, 10, 100, 10) + "12345");
                                    NEVER.await();
                                    return true;
                                })) {
            assertThat(cause(send(impatient, server, false, 0, 10, false, "")))
                    .isInstanceOf(TransientReadException.class)
                    .hasMessageContaining("Nothing came from");
        }
    }

    @Test
    void anAnswerThatDripsIsTaken() throws Exception {
        Semaphore seen = new Semaphore(0);
        try (ScriptedServer server =
                new ScriptedServer(
                        (_, _, out) -> {
                            for (char next :
                                    (partial(0, 10, 100, 10) + "1234567890").toCharArray()) {
                                say(out, String.valueOf(next));
                            }
                            seen.release();
                            return true;
                        })) {
            assertThat(get(server, 0, 10, true).bytes())
                    .isEqualTo("1234567890".getBytes(ISO_8859_1));
            seen.acquire();
        }
    }

    @Test
    void aCancelledRequestFailsAndLeavesItsBufferAlone() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        Semaphore sent = new Semaphore(0);
        try (ScriptedServer server =
                new ScriptedServer(
                        (_, _, out) -> {
                            say(out, partial(0, 10, 100, 10) + "12345");
                            cancelled.await();
                            say(out, "67890");
                            sent.release();
                            return true;
                        })) {
            Answer answer = send(server, 0, 10, false, "");
            answer.begun.get();
            while (answer.attempt.receivedBytes() < 5) {
                Thread.onSpinWait();
            }
            answer.attempt.cancel();
            answer.attempt.cancel();
            assertThat(cause(answer)).hasMessageContaining("Cancelled");
            byte[] then = answer.bytes();
            cancelled.countDown();
            sent.tryAcquire(1, TimeUnit.SECONDS); // it may find its connection closed
            assertThat(answer.bytes()).isEqualTo(then);
        }
    }

    @Test
    void closingEndsWhatIsUnderWay() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(
                        (_, _, _) -> {
                            NEVER.await();
                            return true;
                        })) {
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                answers.add(send(server, 0, 10, false, ""));
            }
            client.close();
            for (Answer answer : answers) {
                assertThat(cause(answer)).isInstanceOf(IOException.class);
            }
            assertThat(cause(send(server, 0, 10, false, ""))).hasMessageContaining("closed");
            CompletableFuture<String> late = new CompletableFuture<>();
            client.timers().schedule(TimeUnit.HOURS.toNanos(1), () -> late.complete("at once"));
            assertThat(late.get()).isEqualTo("at once");
        }
    }

    @Test
    void nobodyListens() throws Exception {
        ScriptedServer server = new ScriptedServer((_, _, _) -> true);
        server.close();
        assertThat(cause(send(server, 0, 10, false, "")))
                .isInstanceOf(TransientReadException.class);
    }

    @Test
    void connectionsAreEncryptedAndTheirNamesChecked(@TempDir Path directory) throws Exception {
        SSLContext good = context(directory, "localhost");
        try (HttpRangeClient secure = start(good, Duration.ofSeconds(20));
                ScriptedServer server =
                        new ScriptedServer(
                                good.getServerSocketFactory(),
                                (request, _, out) -> range(request, out))) {
            Random random = new Random(1);
            for (int i = 0; i < 50; i++) {
                int offset = random.nextInt(CONTENT.length);
                int length = 1 + random.nextInt(CONTENT.length - offset);
                Answer answer =
                        send(secure, server, true, offset, length, random.nextBoolean(), "")
                                .await();
                assertThat(answer.bytes())
                        .isEqualTo(Arrays.copyOfRange(CONTENT, offset, offset + length));
            }
            assertThat(server.connections()).isEqualTo(2);
            // Not trusted by this one
            assertThat(cause(send(client, server, true, 0, 10, false, "")))
                    .isInstanceOf(IOException.class);
        }
        SSLContext other = context(directory, "elsewhere");
        try (HttpRangeClient secure = start(other, Duration.ofSeconds(20));
                ScriptedServer server =
                        new ScriptedServer(
                                other.getServerSocketFactory(),
                                (request, _, out) -> range(request, out))) {
            assertThat(cause(send(secure, server, true, 0, 10, false, "")))
                    .hasStackTraceContaining("localhost");
        }
    }

    private static SSLContext context(Path directory, String name) throws Exception {
        Path file = directory.resolve(name + ".p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "server",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "SAN=dns:" + name,
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                "changeit",
                                "-storetype",
                                "PKCS12")
                        .redirectErrorStream(true)
                        .start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, "changeit".toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static boolean range(String request, java.io.OutputStream out) throws IOException {
        int at = request.indexOf("bytes=") + 6;
        int dash = request.indexOf('-', at);
        int first = Integer.parseInt(request.substring(at, dash));
        int last = Integer.parseInt(request.substring(dash + 1, request.indexOf('\r', dash)));
        say(out, partial(first, last - first + 1, CONTENT.length, last - first + 1));
        out.write(CONTENT, first, last - first + 1);
        out.flush();
        return true;
    }

    private static boolean ended(java.io.OutputStream out, String text) throws IOException {
        say(out, text);
        return false;
    }

    private static String head(int status, int length) {
        return "HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n".formatted(status, length);
    }

    private static String partial(int first, int count, int size, int length) {
        return "HTTP/1.1 206 X\r\nContent-Length: %d\r\nETag: \"tag\"\r\nContent-Range: bytes %d-%d/%d\r\n\r\n"
                .formatted(length, first, first + count - 1, size);
    }

    private IOException failure(ScriptedServer.Script script) throws Exception {
        try (ScriptedServer server = new ScriptedServer(script)) {
            return cause(send(server, 0, 10, false, ""));
        }
    }

    private void assertTransient(ScriptedServer.Script script) throws Exception {
        assertThat(failure(script)).isInstanceOf(TransientReadException.class);
    }

    private static IOException cause(Answer answer) throws InterruptedException {
        try {
            answer.ended.get();
        } catch (ExecutionException e) {
            return (IOException) e.getCause();
        }
        throw new AssertionError("Expected a failure");
    }

    private Answer get(ScriptedServer server, int offset, int length, boolean direct)
            throws Exception {
        return send(server, offset, length, direct, "").await();
    }

    private Answer send(
            ScriptedServer server, int offset, int length, boolean direct, String headers) {
        return send(client, server, false, offset, length, direct, headers);
    }

    private static Answer send(
            HttpRangeClient client,
            ScriptedServer server,
            boolean secure,
            int offset,
            int length,
            boolean direct,
            String headers) {
        return send(client, server, secure, offset, length, direct, headers, BodyChecksums.NONE);
    }

    private static Answer send(
            HttpRangeClient client,
            ScriptedServer server,
            boolean secure,
            int offset,
            int length,
            boolean direct,
            String headers,
            BodyChecksums checksums) {
        String head =
                "GET /o HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-%d\r\n%s\r\n"
                        .formatted(offset, offset + length - 1, headers);
        Answer answer = new Answer(length, direct);
        answer.attempt =
                client.send(
                        new GetRequest(
                                new Endpoint(secure, "localhost", server.port()),
                                head.getBytes(ISO_8859_1),
                                new RangeRequest("o", new ByteRange(offset, length), false)),
                        answer,
                        (refused, body) ->
                                new IOException(
                                        refused.status() + " " + new String(body, ISO_8859_1)),
                        checksums);
        return answer;
    }

    private static final class Answer implements RangeSource.Listener {
        private final ByteBuffer buffer;
        private final CompletableFuture<Void> begun = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile ObjectVersion version;
        private RangeSource.Attempt attempt;

        Answer(int length, boolean direct) {
            buffer = direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
        }

        @Override
        public ByteBuffer begins(ObjectVersion answered, int length) {
            version = answered;
            begun.complete(null);
            return buffer.duplicate();
        }

        @Override
        public void completed() {
            assertThat(ended.complete(null)).isTrue();
        }

        @Override
        public void failed(IOException failure) {
            assertThat(ended.completeExceptionally(failure)).isTrue();
        }

        Answer await() throws Exception {
            ended.get();
            return this;
        }

        byte[] bytes() {
            byte[] bytes = new byte[buffer.capacity()];
            buffer.duplicate().clear().get(bytes);
            return bytes;
        }
    }
}
