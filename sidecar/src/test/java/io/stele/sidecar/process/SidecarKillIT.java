package io.stele.sidecar.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightStream;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.LongRun;
import io.stele.testing.MiniHdfs;
import io.stele.testing.SidecarProcess;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGKILL in mid-stream, twice or more: every acknowledged row is there exactly once afterwards,
 * and the clients go on by themselves.
 *
 * <p>Each time it starts in another empty folder, as on another host. One writer streams into a
 * table with a key, one into a table without, where a row applied twice would show as two rows.
 * Small memtables make flushes, manifests and log trimming happen between the kills.
 */
final class SidecarKillIT {
    // Two: the second one kills what has recovered from the first. Others are of the same kind.
    private static final int KILLS = LongRun.count(2, 6);
    // Acknowledged rows between two kills: enough for several flushes of the small memtables.
    private static final int ROWS_BETWEEN_KILLS = 10_000;

    // 20,000 rows a second: a real stream.
    private static final int ROWS_A_MILLISECOND = 20;

    // Fewer than come between two kills, so that new rows come too. Without a limit most rows would
    // be those sent while nothing serves, and reading them back would take longer than all else.
    private static final int MAX_UNACKNOWLEDGED = LongRun.count(8_000, Integer.MAX_VALUE);

    private final AtomicBoolean stopped = new AtomicBoolean();
    private SidecarProcess process;
    private int hosts;

    @AfterEach
    void end() {
        stopped.set(true);
        if (process != null) {
            process.kill();
        }
    }

    @Test
    void nothingAcknowledgedIsLostOrDoubled(@TempDir Path directory) throws Exception {
        killInMidStream(directory, Map.of());
    }

    @Test
    @Tag("long") // its parts are those of the tests before and after
    void nothingAcknowledgedIsLostOrDoubledOnS3(@TempDir Path directory) throws Exception {
        try (VersityGateway gateway = VersityGateway.start(directory.resolve("objects"))) {
            Map<String, String> onS3 = new HashMap<>(gateway.properties());
            onS3.put("stele.warehouse.path", "s3://" + VersityGateway.BUCKET + "/killed");
            onS3.put("stele.cache.directories", directory.resolve("pages").toString());
            onS3.put("stele.cache.max-sizes", "32MB");
            killInMidStream(directory, onS3);
        } catch (VersityGateway.MissingException e) {
            abort("Needs an S3 server: " + e.getMessage());
        }
    }

    /** Nothing is left of the process but what is on S3. */
    @Test
    void nothingAcknowledgedIsLostOrDoubledWithTheLogOnS3(@TempDir Path directory)
            throws Exception {
        try (VersityGateway gateway = VersityGateway.start(directory.resolve("objects"))) {
            Map<String, String> onS3 = new HashMap<>(gateway.properties());
            onS3.put("stele.warehouse.path", "s3://" + VersityGateway.BUCKET + "/killed/tables");
            onS3.put("stele.wal.path", "s3://" + VersityGateway.BUCKET + "/killed/wal");
            killInMidStream(directory, onS3);
        } catch (VersityGateway.MissingException e) {
            abort("Needs an S3 server: " + e.getMessage());
        }
        assertThat(directory.resolve("wal")).doesNotExist();
    }

    /** The same on HDFS, whose log HadoopLogFilesIT tries by default. */
    @Test
    @Tag("long")
    void nothingAcknowledgedIsLostOrDoubledWithTheLogOnHdfs(@TempDir Path directory)
            throws Exception {
        killInMidStream(
                directory,
                Map.of(
                        "stele.warehouse.path",
                        MiniHdfs.shared().location("logged/tables"),
                        "stele.wal.path",
                        MiniHdfs.shared().location("logged/wal")));
        assertThat(directory.resolve("wal")).doesNotExist();
    }

    private SidecarProcess launch(Path directory, Map<String, String> properties)
            throws IOException {
        return SidecarProcess.launch(
                Files.createDirectories(directory.resolve("host-" + hosts++)), properties);
    }

    private void killInMidStream(Path directory, Map<String, String> more) throws Exception {
        // Clients find the sidecar where it was
        Map<String, String> properties = TestingSidecar.propertiesOfFixedPorts(directory);
        properties.putAll(more);
        properties.put("stele.memtable.size", "128kB");
        properties.put("stele.wal.segment-size", "256kB");
        process = launch(directory, properties);
        SidecarProcess.Ports ports = process.awaitReady();
        createTables(ports);
        if (!SidecarProcess.startsFast()) {
            // Once: what ends in order leaves the archive, and the starts after it take half as
            // long
            assertThat(process.terminate()).isIn(0, 143);
            process = launch(directory, properties);
            process.awaitReady();
        }

        try (SteleClient client =
                SteleClient.builder()
                        .endpoint("127.0.0.1", ports.client())
                        .secret(TestingSidecar.SECRET)
                        .settings(
                                ClientSettings.DEFAULT.withUnavailableTimeout(
                                        Duration.ofMinutes(5)))
                        .build()) {
            Stream orders = new Stream(client, "orders");
            Stream events = new Stream(client, "events");
            for (int kill = 0; kill < KILLS; kill++) {
                orders.awaitAcknowledged(orders.acknowledgedCount() + ROWS_BETWEEN_KILLS);
                events.awaitAcknowledged(events.acknowledgedCount() + 1);
                process.kill();
                process = launch(directory, properties);
                process.awaitReady();
            }
            orders.awaitAcknowledged(orders.acknowledgedCount() + ROWS_BETWEEN_KILLS);
            events.awaitAcknowledged(events.acknowledgedCount() + ROWS_BETWEEN_KILLS);
            stopped.set(true);
            long ordersSent = orders.finish();
            long eventsSent = events.finish();
            verifyOrders(client.table("shop", "orders"), ordersSent);
            assertThat(scan(ports, "orders"))
                    .hasSize((int) ordersSent)
                    .allSatisfy((id, count) -> assertThat(count.get()).isEqualTo(1));
            assertThat(scan(ports, "events"))
                    .hasSize((int) eventsSent)
                    .allSatisfy((id, count) -> assertThat(count.get()).isEqualTo(1));
        }
        assertThat(process.terminate()).isIn(0, 143);
    }

    private static void createTables(SidecarProcess.Ports ports) {
        TestingSidecar.createTables(
                ports.flight(), SampleTables.orders(Orientation.ROW), SampleTables.events());
    }

    private static void verifyOrders(SteleTable table, long sent) {
        List<Object[]> keys = new ArrayList<>();
        for (long id = 0; id < sent; id++) {
            keys.add(new Object[] {id});
        }
        List<Optional<List<Object>>> rows = table.multiGet(keys);
        for (int id = 0; id < sent; id++) {
            List<Object> row =
                    rows.get(id)
                            .orElseThrow(() -> new AssertionError("An acknowledged row is lost"));
            List<Object> expected = Arrays.asList((long) id, "row " + id, id / 2.0, null);
            if (!row.equals(expected)) { // AssertJ would take longer than the reads
                assertThat(row).isEqualTo(expected);
            }
        }
    }

    private static Map<Long, AtomicLong> scan(SidecarProcess.Ports ports, String tableName) {
        Map<Long, AtomicLong> counts = new ConcurrentHashMap<>();
        try (FlightClient flight =
                new FlightClient(
                        "127.0.0.1",
                        ports.flight(),
                        Optional.empty(),
                        TestingSidecar.tokens(TestingSidecar.SECRET))) {
            TableSchema schema =
                    flight.action(
                                    CatalogActions.GET_TABLE,
                                    io.stele.protocol.api.catalog.TableRequest.of(
                                            "shop", tableName))
                            .schema();
            for (int shard = 0; shard < schema.shardCount(); shard++) {
                ScanTicket ticket =
                        ScanTicket.of(schema.id(), ScanMode.SNAPSHOT, List.of(1))
                                .in(schema.shard(shard))
                                .build();
                try (FlightStream stream = flight.get(new Ticket(ticket.encode()))) {
                    collect(stream, counts);
                }
            }
        }
        return counts;
    }

    private static void collect(FlightStream stream, Map<Long, AtomicLong> counts) {
        ArrowBatchDecoder decoder =
                ArrowBatchDecoder.forSchema(stream.next().orElseThrow().dataHeader());
        for (Optional<FlightData> data = stream.next(); data.isPresent(); data = stream.next()) {
            ArrowBatch batch = decoder.decode(data.get().dataHeader(), data.get().bodyBuffer());
            for (int row = 0; row < batch.rowCount(); row++) {
                counts.computeIfAbsent(batch.column(0).longAt(row), id -> new AtomicLong())
                        .incrementAndGet();
            }
        }
    }

    /** Rows with rising ids into one table, from a thread of its own, until told to stop. */
    private final class Stream {
        private final AtomicLong acknowledged = new AtomicLong();
        private final Semaphore unacknowledged = new Semaphore(MAX_UNACKNOWLEDGED);
        private final CompletableFuture<Long> sent = new CompletableFuture<>();
        private final List<Throwable> failures =
                java.util.Collections.synchronizedList(new ArrayList<>());

        Stream(SteleClient client, String tableName) {
            Thread.ofPlatform().name("stream-" + tableName).start(() -> run(client, tableName));
        }

        private void run(SteleClient client, String tableName) {
            try (TableWriter writer = client.writer("shop", tableName)) {
                long id = 0;
                while (!stopped.get()) {
                    unacknowledged.acquireUninterruptibly();
                    CompletableFuture<Lsn> acknowledgement =
                            tableName.equals("orders")
                                    ? writer.upsert(id, "row " + id, id / 2.0, null)
                                    : writer.append(id, "row " + id, id / 2.0, null);
                    acknowledgement.whenComplete(
                            (lsn, failure) -> {
                                if (failure == null) {
                                    acknowledged.incrementAndGet();
                                } else {
                                    failures.add(failure);
                                }
                                unacknowledged.release();
                            });
                    id++;
                    if (id % ROWS_A_MILLISECOND == 0) {
                        LockSupport.parkNanos(1_000_000);
                    }
                }
                writer.flush();
                sent.complete(id);
            } catch (RuntimeException e) {
                sent.completeExceptionally(e);
            }
        }

        long acknowledgedCount() {
            return acknowledged.get();
        }

        void awaitAcknowledged(long count) {
            long deadline = System.nanoTime() + 120_000_000_000L;
            while (acknowledged.get() < count) {
                assertThat(failures).isEmpty();
                if (sent.isCompletedExceptionally()) {
                    throw new AssertionError("The stream ended", sent.exceptionNow());
                }
                assertThat(System.nanoTime()).as("The stream goes on").isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
        }

        /** Waits until everything sent is acknowledged; returns how many rows that were. */
        long finish() throws Exception {
            long count = sent.get();
            // The last callback may still be on its way when flush has returned.
            awaitAcknowledged(count);
            assertThat(failures).isEmpty();
            assertThat(acknowledged.get()).isEqualTo(count);
            return count;
        }
    }
}
