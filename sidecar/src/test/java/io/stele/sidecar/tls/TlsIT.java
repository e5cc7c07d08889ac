package io.stele.sidecar.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.auth.ClientTls;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.SidecarServer;
import io.stele.sidecar.TestingSidecar;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** With one key store, every port speaks TLS and nothing else. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TlsIT {
    private static final String PASSWORD = "of the key store";

    private SidecarServer server;
    private ClientTls tls;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Path keystore = directory.resolve("keys.p12");
        Path certificate = directory.resolve("certificate.pem");
        keytool(
                "-genkeypair",
                "-alias",
                "stele",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-validity",
                "2",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                keystore.toString(),
                "-storepass",
                PASSWORD);
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "stele",
                "-keystore",
                keystore.toString(),
                "-storepass",
                PASSWORD,
                "-file",
                certificate.toString());
        Map<String, String> properties = TestingSidecar.properties(directory);
        properties.remove("http-server.http.port");
        properties.put("http-server.https.port", "0");
        properties.put("stele.postgresql.port", "0");
        properties.put("stele.tls.enabled", "true");
        properties.put("stele.tls.keystore.path", keystore.toString());
        properties.put("stele.tls.keystore.password", PASSWORD);
        properties.put("stele.login-timeout", "10s"); // the first handshake is slow
        server = SidecarServer.start(properties);
        tls = new ClientTls(Optional.of(certificate));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void postgresClientsNeedTls() throws SQLException {
        int port = server.postgresqlPort().orElseThrow();
        String url = "jdbc:postgresql://localhost:%s/stele?user=ann&sslmode=".formatted(port);
        Properties secret = new Properties();
        secret.setProperty("password", TestingSidecar.SECRET);
        try (Connection connection = DriverManager.getConnection(url + "require", secret);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            assertThat(result.next()).isTrue();
        }
        assertThatThrownBy(() -> DriverManager.getConnection(url + "disable", secret))
                .hasMessageContaining("Expected a connection with TLS");
    }

    @Test
    void everyServerSpeaksTls() throws Exception {
        try (FlightClient flight =
                        new FlightClient(
                                "127.0.0.1",
                                server.flightPort(),
                                Optional.of(tls),
                                TestingSidecar.tokens(TestingSidecar.SECRET));
                SteleClient client =
                        SteleClient.builder()
                                .endpoint("127.0.0.1", server.clientPort())
                                .secret(TestingSidecar.SECRET)
                                .tls(tls)
                                .build()) {
            flight.action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest("shop", false));
            flight.action(
                    CatalogActions.CREATE_TABLE,
                    new CreateTableRequest(SampleTables.orders(Orientation.ROW), "", false, false));
            try (TableWriter writer = client.writer("shop", "orders")) {
                for (long id = 0; id < 5_000; id++) {
                    writer.write(id, "x".repeat(100), 1.0, null);
                }
                writer.flush();
            }
            assertThat(client.table("shop", "orders").get(4_999L)).isPresent();
        }
        try (HttpClient http = HttpClient.newBuilder().sslContext(tls.sslContext()).build()) {
            URI uri = server.httpUri();
            assertThat(uri.getScheme()).isEqualTo("https");
            assertThat(
                            http.send(
                                            HttpRequest.newBuilder(uri.resolve("/v1/info")).build(),
                                            BodyHandlers.ofString())
                                    .body())
                    .contains("\"ready\":true");
        }
    }

    /** Without one's own time-out: Jetty's starts again with each byte. */
    @Test
    void strangersOnTheHttpPortHaveADeadline() throws Exception {
        try (Socket socket =
                tls.sslContext()
                        .getSocketFactory()
                        .createSocket("127.0.0.1", server.httpUri().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /v1/info HTTP/1.1\r\nX-Header: ".getBytes(US_ASCII));
            Thread trickle =
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    while (true) {
                                        socket.getOutputStream().write('x');
                                        LockSupport.parkNanos(100_000_000);
                                    }
                                } catch (IOException closed) {
                                    // The sidecar has ended it
                                }
                            });
            boolean ended;
            try {
                ended = socket.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                ended = false;
            } catch (IOException e) {
                ended = true;
            }
            assertThat(ended).isTrue();
            socket.close();
            trickle.join();
        }
    }

    @Test
    void clientsWithoutTlsAreNotServed() {
        // The client takes a connection that breaks for a sidecar that restarts, so it asks again
        // for this long.
        ClientSettings impatient =
                ClientSettings.DEFAULT.withUnavailableTimeout(Duration.ofMillis(500));
        try (SteleClient plain =
                SteleClient.builder()
                        .endpoint("127.0.0.1", server.clientPort())
                        .secret(TestingSidecar.SECRET)
                        .settings(impatient)
                        .build()) {
            assertThatThrownBy(() -> plain.table("shop", "orders"))
                    .isInstanceOf(SteleException.class);
        }
        try (FlightClient plain =
                new FlightClient(
                        "127.0.0.1",
                        server.flightPort(),
                        Optional.empty(),
                        TestingSidecar.tokens(TestingSidecar.SECRET))) {
            assertThatThrownBy(() -> plain.action(CatalogActions.LIST_SCHEMAS, Done.DONE))
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output =
                new String(
                        process.getInputStream().readAllBytes(),
                        java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }
}
