package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The public Java client against a real sidecar. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleClientIT {
    private static final LocalDateTime PLACED =
            LocalDateTime.of(2026, 11, 20, 12, 30, 15, 123_456_000);

    private TestingSidecar sidecar;
    private SteleClient client;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar = TestingSidecar.start(directory);
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.events());
        client = sidecar.client();
    }

    @AfterAll
    void stop() {
        client.close();
        sidecar.close();
    }

    @Test
    void rowsAreReadBackByKey() throws Exception {
        SteleTable orders = client.table("shop", "orders");
        try (TableWriter writer = orders.writer()) {
            Lsn lsn = writer.upsert(1L, "open", 12.5, PLACED).get();
            assertThat(orders.get(1L)).contains(List.of(1L, "open", 12.5, PLACED));
            assertThat(writer.upsert(1L, "paid", null, PLACED).get()).isGreaterThan(lsn);
            assertThat(orders.get(1L).orElseThrow()).containsExactly(1L, "paid", null, PLACED);
            // The older version is still there for who reads at its LSN.
            List<@Nullable Object[]> key = new ArrayList<>();
            key.add(new Object[] {1L});
            assertThat(orders.multiGet(key, Optional.of(lsn)).get(0))
                    .contains(List.of(1L, "open", 12.5, PLACED));
            writer.delete(1L).get();
            assertThat(orders.get(1L)).isEmpty();
        }
    }

    @Test
    void theFlightPortIsFoundByTheFirstSidecarThatAnswers() {
        int nobody = unusedPort();
        try (SteleClient seeking =
                        SteleClient.builder()
                                .endpoint("127.0.0.1", nobody)
                                .endpoint("127.0.0.1", sidecar.server().clientPort())
                                .secret(TestingSidecar.SECRET)
                                .build();
                SteleClient lost =
                        SteleClient.builder()
                                .endpoint("127.0.0.1", nobody)
                                .secret(TestingSidecar.SECRET)
                                .build()) {
            assertThat(seeking.flight().where())
                    .isEqualTo("127.0.0.1:" + sidecar.server().flightPort());
            assertThat(
                            seeking.flight()
                                    .action(CatalogActions.LIST_SCHEMAS, Done.DONE)
                                    .schemaNames())
                    .contains("shop");
            assertThat(seeking.table("shop", "orders").flight(0)).isSameAs(seeking.flight());
            assertThatThrownBy(lost::flight)
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("Cannot reach the sidecar at 127.0.0.1:" + nobody);
        }
    }

    private static int unusedPort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void insertsAndUpdatesDependOnWhatIsThere() throws Exception {
        SteleTable orders = client.table("shop", "orders");
        try (TableWriter writer = orders.writer()) {
            List<String> statusOf = List.of("status", "id");
            writer.insert(501L, "open", 1.0, PLACED).get();
            CompletableFuture<Lsn> again = writer.insert(501L, "again", 2.0, PLACED);
            CompletableFuture<Lsn> other = writer.insert(502L, "open", 2.0, PLACED);
            assertThat(again)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("duplicate key (id = 501)")
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            refused ->
                                    assertThat(refused.code()).isEqualTo(ErrorCode.DUPLICATE_KEY));
            other.get();
            writer.insertIfAbsent(502L, "never", 0.0, PLACED).get();
            writer.insertIfAbsent(503L, "new", 3.0, null).get();
            writer.update(statusOf, "paid", 501L).get();
            writer.update(statusOf, "nobody", 504L).get();
            writer.updateOrInsert(statusOf, "fresh", 505L).get();
            writer.flush(); // the refused insert was told by its future
            assertThat(writer.skippedRows()).isEqualTo(2);
            assertThatThrownBy(() -> writer.update(List.of("status"), "x"))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NULL_KEY));
            assertThatThrownBy(() -> writer.update(List.of("id", "nothing"), 1L, "x"))
                    .hasMessageContaining("'nothing'");
        }
        assertThat(orders.get(501L)).contains(List.of(501L, "paid", 1.0, PLACED));
        assertThat(orders.get(502L)).contains(List.of(502L, "open", 2.0, PLACED));
        assertThat(orders.get(503L).orElseThrow()).containsExactly(503L, "new", 3.0, null);
        assertThat(orders.get(504L)).isEmpty();
        assertThat(orders.get(505L).orElseThrow()).containsExactly(505L, "fresh", null, null);
        try (TableWriter events = client.writer("shop", "events")) {
            assertThatThrownBy(() -> events.insertIfAbsent(1L, "x", 1.0, PLACED))
                    .hasMessageContaining("Expected a table with a primary key");
        }
    }

    @Test
    void manyRowsAndMultiGets() {
        SteleTable orders = client.table("shop", "orders");
        try (TableWriter writer = orders.writer()) {
            for (long id = 10_000; id < 30_000; id++) {
                writer.write(id, "status " + id, id / 2.0, PLACED);
            }
            Lsn lsn = writer.flush();
            assertThat(lsn).isLessThanOrEqualTo(client.lastLsn());
        }
        List<@Nullable Object[]> keys = new ArrayList<>();
        for (long id = 9_990; id < 30_010; id++) {
            keys.add(new Object[] {id});
        }
        List<Optional<List<@Nullable Object>>> rows = orders.multiGet(keys);
        assertThat(rows).hasSize(20_020);
        for (int i = 0; i < rows.size(); i++) {
            long id = 9_990L + i;
            if (id < 10_000 || id >= 30_000) {
                assertThat(rows.get(i)).isEmpty();
            } else {
                assertThat(rows.get(i).orElseThrow())
                        .containsExactly(id, "status " + id, id / 2.0, PLACED);
            }
        }
    }

    @Test
    void appendsToATableWithoutAKey() throws Exception {
        try (TableWriter writer = client.writer("shop", "events")) {
            for (long id = 0; id < 1_000; id++) {
                writer.write(id % 10, "event", null, null);
            }
            assertThat(writer.flush()).isGreaterThan(Lsn.MIN);
        }
    }

    @Test
    void badRowsAreRefusedByName() {
        try (TableWriter writer = client.writer("shop", "orders")) {
            assertThatThrownBy(() -> writer.write("one", "open", 1.0, PLACED))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("id")
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.TYPE_MISMATCH);
            assertThatThrownBy(() -> writer.write(null, "open", 1.0, PLACED))
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.NULL_KEY);
            assertThatThrownBy(() -> writer.write(1L, "x".repeat(17 << 20), 1.0, PLACED))
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.ROW_TOO_LARGE);
        }
        assertThatThrownBy(() -> client.table("shop", "nothing"))
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void wrongSecretIsRefused() {
        try (SteleClient stranger =
                SteleClient.builder()
                        .endpoint("127.0.0.1", sidecar.server().clientPort())
                        .secret("another secret of tests")
                        .build()) {
            assertThatThrownBy(() -> stranger.table("shop", "orders"))
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.UNAUTHENTICATED);
        }
    }

    @Test
    void writesOfManyThreadsAreAllThere() throws Exception {
        int threads = 8;
        int rowsEach = 2_000;
        SteleTable orders = client.table("shop", "orders");
        List<Thread> writers = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int thread = 0; thread < threads; thread++) {
            long first = 1_000_000L + thread * (long) rowsEach;
            writers.add(
                    Thread.startVirtualThread(
                            () -> {
                                try (TableWriter writer = orders.writer()) {
                                    List<java.util.concurrent.CompletableFuture<Lsn>>
                                            acknowledgements = new ArrayList<>();
                                    for (long id = first; id < first + rowsEach; id++) {
                                        acknowledgements.add(writer.upsert(id, "t", 0.5, PLACED));
                                    }
                                    for (var acknowledgement : acknowledgements) {
                                        acknowledgement.get();
                                    }
                                } catch (ExecutionException
                                        | InterruptedException
                                        | RuntimeException e) {
                                    failures.add(e);
                                }
                            }));
        }
        for (Thread writer : writers) {
            writer.join();
        }
        assertThat(failures).isEmpty();
        List<@Nullable Object[]> keys = new ArrayList<>();
        for (long id = 1_000_000L; id < 1_000_000L + (long) threads * rowsEach; id++) {
            keys.add(new Object[] {id});
        }
        assertThat(orders.multiGet(keys)).allMatch(Optional::isPresent);
    }
}
