package io.stele.sidecar.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightStream;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.status.QueryStatus;
import io.stele.protocol.api.status.SchedulingGroupStatus;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.StartupFailure;
import io.stele.sidecar.TestingSidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reads in groups, against a real sidecar: who runs where, and what is said beyond the limits. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SchedulingIT {
    private static final int ROWS = 40_000;
    private static final QueryIdentity NARROW = new QueryIdentity("narrow", "", "");

    private Path directory;
    private TestingSidecar sidecar;
    private TableSchema orders;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        directory = folder;
        Path groups = folder.resolve("scheduling-groups.json");
        Files.writeString(
                groups,
                """
                {"groups": [
                    {"name": "etl", "shares": 250},
                    {"name": "small", "maxMemory": "16MB"},
                    {"name": "narrow", "maxRunning": 1, "maxQueued": 1, "maxLookups": 1}],
                 "selectors": [
                    {"user": "narrow", "group": "narrow"},
                    {"user": "small", "group": "small"},
                    {"source": "nightly.*", "group": "etl"}]}
                """);
        sidecar =
                TestingSidecar.start(
                        folder,
                        Map.of(
                                "stele.scheduler.groups-file",
                                groups.toString(),
                                "stele.flight.read-batch-size",
                                "32kB"));
        orders = sidecar.createTable(SampleTables.orders(Orientation.ROW)).schema();
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "orders")) {
            String text = "x".repeat(400); // 4 MB a shard: more than any buffer on the way
            for (long id = 0; id < ROWS; id++) {
                writer.write(id, text + id % 7, id / 2.0, LocalDateTime.of(2026, 11, 22, 7, 0));
            }
            writer.flush();
        }
    }

    @AfterAll
    void stop() {
        sidecar.close();
    }

    @Test
    void theTagChoosesTheGroupOfScansAndLookups() {
        long defaultBefore = group("default").switches();
        long etlBefore = group("etl").switches();
        assertThat(rows(scan(0, new QueryIdentity("ann", "nightly job", "")))).isPositive();
        assertThat(group("etl").switches()).isGreaterThan(etlBefore);
        assertThat(group("default").switches()).isEqualTo(defaultBefore);
        assertThat(group("etl").shares()).isEqualTo(250);
        assertThat(rows(scan(0, QueryIdentity.NONE))).isPositive();
        assertThat(group("default").switches()).isGreaterThan(defaultBefore);

        try (SteleClient client = client(new QueryIdentity("ann", "nightly job", ""))) {
            SteleTable table = client.table("shop", "orders");
            assertThat(table.multiGet(keys(1_000), Optional.empty())).hasSize(1_000);
        }
        // So many keys are more than the connection's thread looks up by itself. A switch is
        // counted
        // a moment after the answer.
        while (group("etl.lookups").switches() == 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(group("default.lookups").switches()).isZero();
    }

    @Test
    void filesAreReadBesideTheContexts() {
        flush("orders");
        long before = group("query-reads").switches();
        long rows = 0;
        for (int shard = 0; shard < orders.shardCount(); shard++) {
            rows += rows(scan(shard, QueryIdentity.NONE));
        }
        assertThat(rows).isEqualTo(ROWS);
        assertThat(group("query-reads").switches()).isGreaterThan(before);
    }

    @Test
    void oneScanTooManyIsBusyAndSaysHowLongToWait() {
        // With one that runs and one that waits, of many at once some are refused.
        SteleException refused = null;
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            while (refused == null) {
                List<CompletableFuture<Long>> scans = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    int shard = i % orders.shardCount();
                    scans.add(
                            CompletableFuture.supplyAsync(
                                    () -> rows(scan(shard, NARROW)), executor));
                }
                for (CompletableFuture<Long> scan : scans) {
                    refused = failure(scan).orElse(refused);
                }
            }
        }
        assertThat(refused.code()).isEqualTo(ErrorCode.BUSY);
        assertThat(refused).hasMessageContaining("Scans of scheduling group narrow");
        assertThat(refused.retryAfterMillis().orElseThrow()).isBetween(1L, 10_000L);
        assertThat(group("narrow").rejected()).isPositive();
        // Nothing is left over.
        assertThat(rows(scan(0, NARROW))).isPositive();
        assertThat(group("narrow").queued()).isZero();
    }

    @Test
    void theClientAsksAgainWhatWasTooManyLookups() {
        try (SteleClient client = client(NARROW);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            SteleTable table = client.table("shop", "orders");
            while (group("narrow.lookups").rejected() == 0) {
                List<CompletableFuture<Integer>> gets = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    gets.add(
                            CompletableFuture.supplyAsync(
                                    () -> table.multiGet(keys(2_000), Optional.empty()).size(),
                                    executor));
                }
                assertThat(gets).allSatisfy(get -> assertThat(get.join()).isEqualTo(2_000));
            }
        }
        assertThat(group("narrow.lookups").running()).isZero();
    }

    @Test
    void aStalledScanHoldsUpNoOther() {
        // This client takes the schema only, of more rows than lie between it and the sidecar.
        try (FlightStream stalled = scan(0, NARROW)) {
            assertThat(stalled.next()).isPresent();
            for (int i = 0; i < 3; i++) {
                assertThat(rowsPatiently(1)).isPositive();
            }
        }
    }

    /**
     * 24 scans of one query beside six of another, which without a claim for each query would get a
     * fifth of the time.
     */
    @Test
    void aQueryOfManyScansGetsWhatOneOfFewGets() throws InterruptedException {
        List<Double> shares = new ArrayList<>();
        try (EndlessScans many = new EndlessScans("many", 24);
                EndlessScans few = new EndlessScans("few", 6)) {
            // Longer and longer, until the noise of the machine no longer matters. Scans whose
            // client is slow do not always have something to do, and then get less than half.
            double share = Double.NaN;
            double scans = 0;
            for (double millis = 500;
                    millis < 60_000 && !(scans >= 100 && share >= 0.27 && share <= 0.73);
                    millis *= 1.618) {
                long manyBefore = many.finished();
                long fewBefore = few.finished();
                many.runFor(Math.round(millis));
                double manyDone = many.finished() - manyBefore;
                double fewDone = few.finished() - fewBefore;
                scans = fewDone + manyDone;
                share = fewDone / scans;
                shares.add(share);
            }
        }
        assertThat(shares.getLast()).as("the query of few scans: %s", shares).isBetween(0.27, 0.73);
    }

    @Test
    void aQueryIsSeenWhileItScans() {
        QueryIdentity identity = new QueryIdentity("ann", "nightly job", "global.etl", "q1");
        try (FlightStream one = scan(0, identity);
                FlightStream other = scan(1, identity)) {
            assertThat(one.next()).isPresent();
            assertThat(other.next()).isPresent();
            QueryStatus query = query("q1").orElseThrow();
            while (query.cpuNanos() == 0) { // is counted at the end of a turn
                query = query("q1").orElseThrow();
            }
            assertThat(query.group()).isEqualTo("etl");
            assertThat(query.user()).isEqualTo("ann");
            assertThat(query.source()).isEqualTo("nightly job");
            assertThat(query.resourceGroup()).isEqualTo("global.etl");
            assertThat(query.running() + query.paused()).isEqualTo(2);
            assertThat(query.queued()).isZero();
            assertThat(query.contexts()).isEqualTo(2);
            assertThat(query.shares()).isEqualTo(1_000);
            assertThat(query.elapsedNanos()).isPositive();
        }
        // The sidecar notices soon that the client has gone.
        while (query("q1").isPresent()) {
            Thread.onSpinWait();
        }
        assertThat(group("etl").reservedBytes()).isZero();
    }

    private void flush(String table) {
        sidecar.flight()
                .action(
                        MaintenanceActions.FLUSH,
                        new TableRequest(new TableName("shop", table), Optional.empty()));
    }

    @Test
    void scansBeyondTheMemoryOfTheirGroupWait() {
        // Each reserves 5 batches of 32 kB, and an aggregation the whole memory of the group.
        assertThat(group("small").maxReservedBytes()).hasValue(16L << 20);
        assertThat(group("default").maxReservedBytes()).isEmpty();
        QueryIdentity small = new QueryIdentity("small", "", "");
        try (FlightStream scan = scan(0, small)) {
            assertThat(scan.next()).isPresent();
            AggregateCall count = new AggregateCall(AggregateFunction.COUNT, Optional.empty());
            assertThat(aggregate(small, orders, List.of(count))).isEqualTo(ROWS);
        }
    }

    @Test
    void aBadFileStopsTheStart() throws IOException {
        Path groups = directory.resolve("bad.json");
        Files.writeString(groups, "{\"groups\": [{\"name\": \"a\", \"shares\": 20000}]}");
        Map<String, String> properties = TestingSidecar.properties(directory.resolve("other"));
        properties.put("stele.scheduler.groups-file", groups.toString());
        assertThatThrownBy(() -> io.stele.sidecar.SidecarServer.start(properties))
                .isInstanceOf(StartupFailure.class)
                .hasMessageContaining("Expected a number from 1 to 10000 at $.groups[0].shares")
                .hasMessageContaining("bad.json, found 20000");
    }

    private static Optional<SteleException> failure(CompletableFuture<Long> scan) {
        try {
            assertThat(scan.join()).isPositive();
            return Optional.empty();
        } catch (CompletionException e) {
            return Optional.of((SteleException) e.getCause());
        }
    }

    private long rowsPatiently(int shard) {
        while (true) {
            try {
                return rows(scan(shard, NARROW));
            } catch (SteleException busy) {
                assertThat(busy.code()).isEqualTo(ErrorCode.BUSY); // of another test
            }
        }
    }

    private SchedulingGroupStatus group(String name) {
        return sidecar.flight().action(StatusActions.SCHEDULING_GROUPS, Done.DONE).groups().stream()
                .filter(group -> group.group().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Optional<QueryStatus> query(String id) {
        return sidecar
                .flight()
                .action(StatusActions.SCHEDULING_GROUPS, Done.DONE)
                .queries()
                .stream()
                .filter(query -> query.queryId().equals(id))
                .findFirst();
    }

    /** Scans of one query, without end, which compute and send almost nothing. */
    private final class EndlessScans implements AutoCloseable {
        private final QueryIdentity identity;
        private final AtomicLong finished = new AtomicLong();
        private final CountDownLatch failed = new CountDownLatch(1);
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean stopped;

        EndlessScans(String queryId, int count) {
            identity = new QueryIdentity("ann", "", "", queryId);
            for (int i = 0; i < count; i++) {
                int first = i;
                threads.add(Thread.startVirtualThread(() -> scan(first)));
            }
        }

        private void scan(int first) {
            try {
                for (int shard = first; !stopped; shard++) {
                    ScanTicket ticket =
                            ScanTicket.of(orders.id(), ScanMode.SNAPSHOT, List.of(1))
                                    .in(orders.shard(shard % orders.shardCount()))
                                    .where(new ScanPredicate(Map.of(2, ColumnDomain.onlyNull())))
                                    .build();
                    rows(sidecar.flight().get(new Ticket(ticket.encode()), identity));
                    finished.incrementAndGet();
                }
            } finally {
                failed.countDown();
            }
        }

        long finished() {
            return finished.get();
        }

        /** Returns after a time, or at once if a scan fails. */
        void runFor(long millis) throws InterruptedException {
            assertThat(failed.await(millis, TimeUnit.MILLISECONDS)).as("a scan failed").isFalse();
        }

        @Override
        public void close() throws InterruptedException {
            stopped = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    /** The result of the first of some functions over all rows of a table. */
    private long aggregate(QueryIdentity identity, TableSchema table, List<AggregateCall> calls) {
        ScanTicket ticket =
                ScanTicket.of(table.id(), ScanMode.AGGREGATE, List.of())
                        .aggregate(Optional.of(new Aggregation(List.of(), calls, 1)))
                        .build();
        try (FlightStream stream = sidecar.flight().get(new Ticket(ticket.encode()), identity)) {
            ArrowBatchDecoder decoder =
                    ArrowBatchDecoder.forSchema(stream.next().orElseThrow().dataHeader());
            FlightData data = stream.next().orElseThrow();
            return decoder.decode(data.dataHeader(), data.bodyBuffer()).column(0).longAt(0);
        }
    }

    private SteleClient client(QueryIdentity identity) {
        return SteleClient.builder()
                .endpoint("127.0.0.1", sidecar.server().clientPort())
                .secret(TestingSidecar.SECRET)
                .identity(identity)
                .build();
    }

    private static List<@Nullable Object[]> keys(int count) {
        List<@Nullable Object[]> keys = new ArrayList<>();
        for (long id = 0; id < count; id++) {
            keys.add(new Object[] {id});
        }
        return keys;
    }

    private FlightStream scan(int shard, QueryIdentity identity) {
        ScanTicket ticket =
                ScanTicket.of(orders.id(), ScanMode.SNAPSHOT, List.of(1, 2, 3, 4))
                        .in(orders.shard(shard))
                        .build();
        return sidecar.flight().get(new Ticket(ticket.encode()), identity);
    }

    private static long rows(FlightStream stream) {
        try (stream) {
            Optional<FlightData> schema = stream.next();
            ArrowBatchDecoder decoder =
                    ArrowBatchDecoder.forSchema(schema.orElseThrow().dataHeader());
            long rows = 0;
            for (Optional<FlightData> data = stream.next();
                    data.isPresent();
                    data = stream.next()) {
                rows += decoder.decode(data.get().dataHeader(), data.get().bodyBuffer()).rowCount();
            }
            return rows;
        }
    }
}
