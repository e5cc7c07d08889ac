package io.stele.sidecar.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.TestingSidecar;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers of the HTTP port without the secret, byte by byte. */
final class HttpLoginsIT {
    private static final String BASIC =
            "Basic "
                    + Base64.getEncoder()
                            .encodeToString(
                                    ("any:" + TestingSidecar.SECRET)
                                            .getBytes(StandardCharsets.UTF_8));

    @Test
    void byteAtATimeDoesNotMoveTheDeadline(@TempDir Path directory) throws Exception {
        try (TestingSidecar sidecar =
                        TestingSidecar.start(directory, Map.of("stele.login-timeout", "10s"));
                Peer first = new Peer(sidecar)) {
            assertThat(first.get("/v1/info", BASIC)).as("what is slow once").isNotEmpty();
            try (Peer known = new Peer(sidecar)) {
                assertThat(known.get("/v1/status", BASIC)).startsWith("HTTP/1.1 200");
                try (Peer stranger = new Peer(sidecar)) {
                    stranger.send("GET /v1/status HTTP/1.1\r\nHost: sidecar\r\nX-Header: ");
                    Thread trickle = Thread.startVirtualThread(stranger::trickle);
                    assertThat(stranger.isEnded()).isTrue();
                    stranger.close();
                    trickle.join();
                }
                // It came first, and so has outlived the deadline
                assertThat(known.get("/v1/status", BASIC)).startsWith("HTTP/1.1 200");
            }
        }
    }

    @Test
    void silentConnectionsLeaveOthersTheirPlaces(@TempDir Path directory) throws Exception {
        try (TestingSidecar sidecar =
                TestingSidecar.start(directory, Map.of("stele.login-timeout", "5m"))) {
            List<Peer> silent = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                silent.add(new Peer(sidecar));
            }
            try (Peer known = new Peer(sidecar)) {
                // The oldest gave way to the others, and one perhaps to this
                awaitMetric(known, "stele_access_logins_given_up_total 7[23]");
                awaitMetric(known, "stele_access_pending_logins 12[78]");
                for (Peer peer : silent) {
                    peer.close();
                }
                awaitMetric(known, "stele_access_pending_logins 0");
            }
        }
    }

    @Test
    void withoutTheSecretAConnectionIsForOneRequest(@TempDir Path directory) throws Exception {
        try (TestingSidecar sidecar = TestingSidecar.start(directory)) {
            for (String path : List.of("/v1/info", "/v1/status")) {
                try (Peer stranger = new Peer(sidecar)) {
                    assertThat(stranger.get(path, "none")).contains("Connection: close");
                    assertThat(stranger.isEnded()).isTrue();
                }
            }
        }
    }

    /** Connections end, and answers come, in threads of their own. */
    private static void awaitMetric(Peer known, String line) throws IOException {
        Pattern pattern = Pattern.compile("^" + line + "$", Pattern.MULTILINE);
        String metrics = known.get("/metrics", BASIC);
        for (int i = 0; i < 2_000 && !pattern.matcher(metrics).find(); i++) {
            LockSupport.parkNanos(50_000_000);
            metrics = known.get("/metrics", BASIC);
        }
        assertThat(metrics).containsPattern(pattern);
    }

    private static final class Peer implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader reader;

        private Peer(TestingSidecar sidecar) throws IOException {
            socket = new Socket("127.0.0.1", sidecar.server().httpPort());
            socket.setSoTimeout(60_000);
            reader =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.ISO_8859_1));
        }

        private void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        private void trickle() {
            try {
                while (true) {
                    send("x");
                    LockSupport.parkNanos(100_000_000);
                }
            } catch (IOException closed) {
                // The sidecar has ended it
            }
        }

        /** The answer, with its head. */
        private String get(String path, String authorization) throws IOException {
            send(
                    "GET %s HTTP/1.1\r\nHost: sidecar\r\nAuthorization: %s\r\n\r\n"
                            .formatted(path, authorization));
            StringBuilder answer = new StringBuilder();
            boolean isChunked = false;
            int length = 0;
            String line = reader.readLine();
            while (line != null && !line.isEmpty()) {
                answer.append(line).append('\n');
                if (line.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(line.substring("Content-Length: ".length()));
                }
                isChunked |= line.equals("Transfer-Encoding: chunked");
                line = reader.readLine();
            }
            do {
                if (isChunked) {
                    length = Integer.parseInt(reader.readLine(), 16);
                }
                for (int i = 0; i < length; i++) {
                    answer.append((char) reader.read());
                }
                if (isChunked) {
                    reader.readLine();
                }
            } while (isChunked && length > 0);
            return answer.toString();
        }

        /** Whether the sidecar ends it before the socket's own timeout. */
        private boolean isEnded() throws IOException {
            try {
                int read = reader.read();
                while (read >= 0) {
                    read = reader.read();
                }
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (SocketException e) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
