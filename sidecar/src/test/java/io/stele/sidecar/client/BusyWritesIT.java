package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.BulkWriter;
import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our writers while a sidecar refuses batches as BUSY, because its store takes nothing. */
@Timeout(600)
final class BusyWritesIT {
    private static final int KEYS = 500;
    private static final int ROUNDS = 60; // 30 MB at least, and on until the outage is over
    private static final String TEXT = "x".repeat(1_000);
    private static final String PROBE = "p".repeat(100_000);

    private TestingSidecar sidecar;
    private Path temporary;
    private Path aside;
    private volatile boolean isOutage;
    private final AtomicInteger lastRound = new AtomicInteger();

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
                            writeRounds(writer::write);
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
                            writeRounds(writer::write);
                        }
                    });
            checkLast(client);
        }
    }

    /** Goes on as long as nothing can be flushed, however much of it finds room in memory. */
    private void writeRounds(Consumer<@Nullable Object[]> writer) {
        while (isOutage || lastRound.get() < ROUNDS) {
            double round = lastRound.incrementAndGet();
            for (long id = 0; id < KEYS; id++) {
                writer.accept(new Object[] {id, TEXT, round, null});
            }
        }
    }

    private void runThroughAnOutage(Runnable load) throws Exception {
        Files.move(temporary, aside); // so that the store can write nothing
        isOutage = true;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<Void> loading = CompletableFuture.runAsync(load, threads);
            try {
                awaitBusy();
                assertThat(loading).isNotDone();
                Files.move(aside, temporary);
            } finally {
                isOutage = false;
            }
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

    private void checkLast(SteleClient client) {
        SteleTable orders = client.table("shop", "orders");
        List<@Nullable Object[]> keys = new ArrayList<>();
        for (long id = 0; id < KEYS; id++) {
            keys.add(new Object[] {id});
        }
        assertThat(orders.multiGet(keys))
                .allSatisfy(
                        row ->
                                assertThat(row.map(values -> values.get(2)))
                                        .isEqualTo(Optional.of(lastRound.doubleValue())));
    }
}
