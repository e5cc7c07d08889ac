package io.stele.sidecar.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.SidecarProcess;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sidecar whose log fails for good ends by itself, with a code that says why, and what it had
 * acknowledged is there after another start.
 *
 * <p>The disk is full by a limit on the size of files, which is smaller than a segment of the log.
 */
@Timeout(240)
final class FailedLogIT {
    private static final int LOG_FAILED = 4;
    private static final int TAKEN_OVER = 5;

    // Above the libraries that a JVM unpacks, below the 64 MB of a segment
    private static final int MAX_FILE_KIB = 16 << 10;
    private static final int TEXT_BYTES = 1 << 20;
    private static final int ROWS = 2 * MAX_FILE_KIB / (TEXT_BYTES >> 10);

    private final List<SidecarProcess> processes = new ArrayList<>();

    @TempDir private Path directory;

    @AfterEach
    void end() {
        processes.forEach(SidecarProcess::kill);
    }

    @Test
    void endsWhenItsLogFails() throws Exception {
        Map<String, String> properties = TestingSidecar.propertiesOfFixedPorts(directory);
        SidecarProcess full = started(limited(properties));
        SidecarProcess.Ports ports = full.awaitReady();
        TestingSidecar.createTables(ports.flight(), SampleTables.orders(Orientation.ROW));
        try (SteleClient client = client(ports)) {
            List<CompletableFuture<Lsn>> writes = writes(client);
            assertThat(full.awaitEnd()).as(full::output).isEqualTo(LOG_FAILED);
            assertThat(
                            full.output()
                                    .lines()
                                    .filter(line -> line.startsWith("Stele sidecar ends"))
                                    .toList())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .startsWith("Stele sidecar ends with exit code 4, and is to be started again: ")
                    .contains("The write-ahead log failed for good while writing group ")
                    .contains("File too large");
            assertThat(directory.resolve("ports.json")).doesNotExist();
            long acknowledged =
                    writes.stream()
                            .filter(write -> write.isDone() && !write.isCompletedExceptionally())
                            .count();
            assertThat(acknowledged).isBetween(1L, (long) ROWS - 1);

            // The client goes on by itself where it finds the sidecar as before
            started(SidecarProcess.launch(directory, properties)).awaitReady();
            for (CompletableFuture<Lsn> write : writes) {
                write.get(300, TimeUnit.SECONDS);
            }
            List<Object[]> keys = new ArrayList<>();
            for (long id = 0; id < ROWS; id++) {
                keys.add(new Object[] {id});
            }
            assertThat(client.table("shop", "orders").multiGet(keys))
                    .hasSize(ROWS)
                    .allMatch(Optional::isPresent);
        }
    }

    @Test
    void staysWhereItIsToldSo() throws Exception {
        Map<String, String> properties = TestingSidecar.properties(directory);
        properties.put("stele.wal.exit-on-failure", "false");
        SidecarProcess full = started(limited(properties));
        SidecarProcess.Ports ports = full.awaitReady();
        TestingSidecar.createTables(ports.flight(), SampleTables.orders(Orientation.ROW));
        try (SteleClient client = client(ports)) {
            List<CompletableFuture<Lsn>> writes = writes(client);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
            while (!hasLogFailed(ports)) {
                assertThat(System.nanoTime()).as(full::output).isLessThan(deadline);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            assertThat(hasLogFailed(ports)).as("it still says so").isTrue();
            assertThat(writes.getLast()).isNotDone();
        }
        assertThat(full.terminate()).isIn(0, 143);
        assertThat(full.output()).doesNotContain("ends with exit code");
    }

    /** It does not end as a failed log does: it is not to be started again. */
    @Test
    void whoWasTakenOverEndsWithAnotherCode() throws Exception {
        try (VersityGateway gateway = VersityGateway.start(directory.resolve("objects"))) {
            Map<String, String> properties = TestingSidecar.properties(directory);
            properties.putAll(gateway.properties());
            String bucket = "s3://" + VersityGateway.BUCKET;
            properties.put("stele.warehouse.path", bucket + "/fenced/tables");
            properties.put("stele.wal.path", bucket + "/fenced/wal");
            takeOver(properties);
        } catch (VersityGateway.MissingException e) {
            abort("Needs an S3 server: " + e.getMessage());
        }
    }

    private void takeOver(Map<String, String> properties) throws Exception {
        SidecarProcess first =
                started(
                        SidecarProcess.launch(
                                Files.createDirectories(directory.resolve("1")), properties));
        SidecarProcess.Ports ports = first.awaitReady();
        TestingSidecar.createTables(ports.flight(), SampleTables.orders(Orientation.ROW));
        try (SteleClient late = client(ports)) {
            TableWriter writerOfFirst = late.writer("shop", "orders"); // a close would wait for it
            SidecarProcess second =
                    started(
                            SidecarProcess.launch(
                                    Files.createDirectories(directory.resolve("2")), properties));
            SidecarProcess.Ports newPorts = second.awaitReady();
            // It ends at this write, or at a manifest before
            CompletableFuture<Lsn> write = writerOfFirst.upsert(1L, "too late", null, null);
            assertThat(first.awaitEnd()).as(first::output).isEqualTo(TAKEN_OVER);
            assertThat(first.output().strip().lines().toList().getLast())
                    .startsWith("Stele sidecar ends with exit code 5, and is not to be started")
                    .contains("another engine");
            assertThat(write).isNotCompleted();
            try (SteleClient client = client(newPorts)) {
                try (TableWriter writer = client.writer("shop", "orders")) {
                    writer.upsert(2L, "in time", null, null).get(300, TimeUnit.SECONDS);
                }
                assertThat(client.table("shop", "orders").get(1L)).isEmpty();
                assertThat(client.table("shop", "orders").get(2L)).isPresent();
            }
            assertThat(second.terminate()).isIn(0, 143);
        }
    }

    private SidecarProcess limited(Map<String, String> properties) throws IOException {
        return SidecarProcess.launchWithSmallFiles(directory, properties, MAX_FILE_KIB);
    }

    private SidecarProcess started(SidecarProcess process) {
        processes.add(process);
        return process;
    }

    /** More than fits into the log. The first is acknowledged: all of them might be one group. */
    private static List<CompletableFuture<Lsn>> writes(SteleClient client) throws Exception {
        TableWriter writer = client.writer("shop", "orders");
        List<CompletableFuture<Lsn>> writes = new ArrayList<>();
        for (long id = 0; id < ROWS; id++) {
            writes.add(
                    writer.upsert(
                            id,
                            Character.toString('a' + (int) (id % 26)).repeat(TEXT_BYTES),
                            null,
                            null));
            if (id == 0) {
                writes.getFirst().get(300, TimeUnit.SECONDS);
            }
        }
        return writes;
    }

    private static SteleClient client(SidecarProcess.Ports ports) {
        return SteleClient.builder()
                .endpoint("127.0.0.1", ports.client())
                .secret(TestingSidecar.SECRET)
                .settings(ClientSettings.DEFAULT.withUnavailableTimeout(Duration.ofMinutes(5)))
                .build();
    }

    private static boolean hasLogFailed(SidecarProcess.Ports ports) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + ports.http() + "/v1/status"))
                            .header(
                                    "Authorization",
                                    TestingSidecar.tokens(TestingSidecar.SECRET).bearer())
                            .build();
            JsonNode status =
                    new ObjectMapper().readTree(http.send(request, BodyHandlers.ofString()).body());
            return status.get("engine").get("log").get("failed").asBoolean();
        }
    }
}
