package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.client.BulkWriter;
import io.stele.protocol.client.ClientSettings;
import io.stele.protocol.client.SteleClient;
import io.stele.protocol.client.SteleTable;
import io.stele.protocol.client.TableWriter;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our writers while a sidecar refuses batches as BUSY, because its store takes nothing. */
@Timeout(120)
final class BusyWritesIT {
    private static final int KEYS = 500;
    private static final int ROUNDS = 60; // 30 MB: more than the memory takes without flushes
    private static final String TEXT = "x".repeat(1_000);
    private static final String PROBE = "p".repeat(100_000);

    private TestingSidecar sidecar;
    private Path temporary;
    private Path aside;

    @BeforeEach
    void start(@TempDir Path directory) {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.memtable.size", "1MB",
                                "stele.write.max-wait", "200ms"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        temporary = directory.resolve("warehouse").resolve(".tmp");
        aside = directory.resolve("aside");
    }

    @AfterEach
    void stop() {
        sidecar.close();
    }

    @Test
    void aWriterKeepsItsOrderAndLosesNothing() throws Exception {
        try (SteleClient client = sidecar.client()) {
            runThroughAnOutage(
                    () -> {
                        try (TableWriter writer = client.writer("shop", "orders")) {
                            for (int round = 0; round < ROUNDS; round++) {
                                for (long id = 0; id < KEYS; id++) {
                                    writer.write(id, TEXT, (double) round, null);
                                }
                            }
                        }
                    });
            checkLast(client);
        }
    }

    @Test
    void aBulkWriterKeepsItsOrderAndLosesNothing() throws Exception {
        try (SteleClient client = sidecar.client()) {
            runThroughAnOutage(
                    () -> {
                        try (BulkWriter writer = client.bulkWriter("shop", "orders")) {
                            for (int round = 0; round < ROUNDS; round++) {
                                for (long id = 0; id < KEYS; id++) {
                                    writer.write(id, TEXT, (double) round, null);
                                }
                            }
                        }
                    });
            checkLast(client);
        }
    }

    private void runThroughAnOutage(Runnable load) throws Exception {
        Files.move(temporary, aside); // so that the store can write nothing
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Void> loading = CompletableFuture.runAsync(load, threads);
            awaitBusy();
            assertThat(loading).isNotDone();
            Files.move(aside, temporary);
            loading.get();
        }
    }

    /** Until a client that gives up at once is refused, in every shard. */
    private void awaitBusy() {
        ClientSettings impatient = ClientSettings.DEFAULT.withBusyTimeout(Duration.ofMillis(1));
        try (SteleClient client =
                SteleClient.builder()
                        .endpoint("127.0.0.1", sidecar.server().clientPort())
                        .secret(TestingSidecar.SECRET)
                        .settings(impatient)
                        .build()) {
            TableWriter writer = client.writer("shop", "orders");
            for (long id = KEYS; id < KEYS + 8; id++) {
                long key = id;
                assertThatThrownBy(
                                () -> {
                                    while (true) {
                                        writer.write(key, PROBE, 0.0, null);
                                        writer.flush();
                                    }
                                })
                        .isInstanceOfSatisfying(
                                SteleException.class,
                                refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY))
                        .hasMessageContaining("flushes are behind");
            }
        }
    }

    private static void checkLast(SteleClient client) {
        SteleTable orders = client.table("shop", "orders");
        List<@Nullable Object[]> keys = new ArrayList<>();
        for (long id = 0; id < KEYS; id++) {
            keys.add(new Object[] {id});
        }
        assertThat(orders.multiGet(keys))
                .allSatisfy(
                        row ->
                                assertThat(row.map(values -> values.get(2)))
                                        .isEqualTo(Optional.of(ROUNDS - 1.0)));
    }
}
