package io.stele.benchmarks.manifest;

import static io.stele.benchmarks.manifest.PaimonPlans.PARTITIONS;
import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.S3Servers;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.flight.FlightClient;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.PlanScanRequest;
import io.stele.protocol.api.scan.ScanActions;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.TableSchema;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.Jcmd;
import io.stele.testing.RequestSpan;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sidecar's part of the benchmark, for one number of files: a table is created and gets a row
 * in each shard. The sidecar stops, its manifests get entries of more files, and it starts again.
 * Confined to one thread.
 */
final class ServedManifests {
    private static final int PLANS = 2_000;
    private static final int EXPLAINS = 30;
    private static final long SNAPSHOT_TTL_MILLIS = 600_000;
    private static final long IDLE_SECONDS = 10;
    private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

    private final Run run;
    private final SteleServers servers;
    private final DelayingS3Proxy proxy;
    private final TrinoSession trino;
    private final Metrics metrics;
    private final int size;

    private ServedManifests(
            Run run,
            SteleServers servers,
            DelayingS3Proxy proxy,
            TrinoSession trino,
            Metrics metrics,
            int size) {
        this.run = requireNonNull(run, "run is null");
        this.servers = requireNonNull(servers, "servers is null");
        this.proxy = requireNonNull(proxy, "proxy is null");
        this.trino = requireNonNull(trino, "trino is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.size = size;
    }

    static void measure(Run run, int size, Metrics metrics) throws Exception {
        Path state = run.path("state");
        try (VersityGateway gateway = VersityGateway.start(state.resolve("s3-" + size));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            // A log belongs to its warehouse
            catalogs.configureSidecar(
                    Map.of("stele.wal.path", state.resolve("wal-" + size).toString()));
            catalogs.write("stele", catalogs.stele());
            servers.emptySidecarCache();
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri());
                    ObjectStore store =
                            S3Servers.store(gateway.port(), "stele", new RetrievalConfig())) {
                new ServedManifests(run, servers, proxy, trino, metrics, size).run(store);
            }
        }
    }

    static List<Target> targets(int size, Metrics metrics) {
        String name = "%,d: ".formatted(size);
        return List.of(
                Target.atMost(name + "start, ms", 5_000, metrics.value(name + "start, ms")),
                Target.atMost(
                        name + "start and first plan, requests",
                        4,
                        metrics.value(name + "start, requests")
                                + metrics.value(name + "first plan, requests")),
                Target.atMost(
                        name + "start and first plan, MB read",
                        1,
                        metrics.value(name + "start, MB read")
                                + metrics.value(name + "first plan, MB read")),
                Target.atMost(
                        name + "plan, ms CPU of the sidecar",
                        1,
                        metrics.value(name + "plan, ms CPU of the sidecar")),
                Target.atMost(name + "plan, requests", 0, metrics.value(name + "plan, requests")),
                Target.atMost(
                        name + "B heap an entry", 150, metrics.value(name + "B heap an entry")));
    }

    private void run(ObjectStore store) throws Exception {
        trino.update("CREATE SCHEMA stele.manifests");
        trino.update(
                "CREATE TABLE stele.manifests.t (p bigint, k bigint, c3 bigint, c4 bigint, c5 bigint,"
                        + " c6 bigint, c7 bigint, c8 bigint) WITH (primary_key = ARRAY['p', 'k'],"
                        + " partitioned_by = ARRAY['p'], orientation = 'column')");
        insert(0);
        servers.restartSidecar(); // after an end in order, starts are those of an installation
        long before = heapBytes();
        TableSchema schema;
        try (FlightClient client = Clients.flight(run)) {
            schema =
                    client.action(CatalogActions.GET_TABLE, TableRequest.of("manifests", "t"))
                            .schema();
        }
        servers.killSidecar();
        for (ShardId shard : schema.shards()) {
            addFiles(
                    new ManifestStore(
                            store, shard, UUID.randomUUID(), OrcManifestBaseFormat.INSTANCE),
                    schema);
        }

        servers.emptySidecarCache();
        proxy.newRound(InjectedDelays.S3);
        long start = System.nanoTime();
        servers.startSidecar();
        put("start, ms", millisSince(start));
        putRequests("start");
        try (FlightClient client = Clients.flight(run)) {
            plans(client, schema);
        }
        long heap = heapBytes();
        put("B heap an entry", (double) (heap - before) / size);
        put("MB heap", heap / 1e6);
        long cpu = ProcessCpu.nanos(servers.sidecarPid());
        TimeUnit.SECONDS.sleep(IDLE_SECONDS);
        put(
                "idle, ms CPU a second",
                (ProcessCpu.nanos(servers.sidecarPid()) - cpu) / 1e6 / IDLE_SECONDS);
        explain();
        start = System.nanoTime();
        insert(1);
        put("insert and flush of 1,000 rows, ms", millisSince(start));
    }

    /** Some rows of each shard, in files. */
    private void insert(int round) throws SQLException {
        trino.update(
                "INSERT INTO stele.manifests.t SELECT 1000000, k + %d, k, k, k, k, k, k FROM UNNEST(sequence(1, 1000)) t(k)"
                        .formatted(round * 1_000));
        trino.update("CALL stele.system.flush('manifests', 't')");
    }

    /**
     * Adds entries of files, which follow each other by key in each partition, so that no
     * compaction picks them.
     */
    private void addFiles(ManifestStore manifests, TableSchema schema) throws IOException {
        Manifest present = manifests.loadLatest().orElseThrow();
        FileEntry one =
                present.files().stream()
                        .filter(file -> file.tableId().equals(schema.id()))
                        .findFirst()
                        .orElseThrow();
        SyntheticFiles files = new SyntheticFiles(schema, one, present.shard());
        ManifestEdit edit = present.edit();
        int count = size / schema.shards().size();
        for (int i = 0; i < count; i++) {
            edit.addFile(files.file(i % PARTITIONS, i / PARTITIONS));
        }
        if (!manifests.create(edit.build())) {
            throw new IOException(
                    "Expected to create a manifest version of shard " + present.shard());
        }
    }

    private void plans(FlightClient client, TableSchema schema) throws IOException {
        String snapshot =
                client.action(
                                SnapshotActions.OPEN_SNAPSHOT,
                                new OpenSnapshotRequest(
                                        List.of(),
                                        Optional.empty(),
                                        SNAPSHOT_TTL_MILLIS,
                                        Optional.empty()))
                        .snapshotId();
        SplittableRandom random = new SplittableRandom(7);
        proxy.takeSpans();
        long start = System.nanoTime();
        plan(client, snapshot, schema, random);
        put("first plan, ms", millisSince(start));
        putRequests("first plan");
        for (int i = 0; i < PLANS; i++) {
            plan(client, snapshot, schema, random); // compiles the code
        }
        proxy.takeSpans();
        Latencies plans = new Latencies();
        Latencies floor = new Latencies();
        long cpu = ProcessCpu.nanos(servers.sidecarPid());
        for (int i = 0; i < PLANS; i++) {
            start = System.nanoTime();
            plan(client, snapshot, schema, random);
            plans.record(System.nanoTime() - start);
        }
        put(
                "plan, ms CPU of the sidecar",
                (ProcessCpu.nanos(servers.sidecarPid()) - cpu) / 1e6 / PLANS);
        put("plan, p50 ms of the client", plans.millis(50));
        put("plan, p99 ms of the client", plans.millis(99));
        putRequests("plan");
        for (int i = 0; i < PLANS; i++) {
            start = System.nanoTime();
            client.action(
                    SnapshotActions.RENEW_SNAPSHOT,
                    new RenewSnapshotRequest(snapshot, SNAPSHOT_TTL_MILLIS));
            floor.record(System.nanoTime() - start);
        }
        put("an action without work, p50 ms of the client", floor.millis(50));
    }

    /** Plans the scan of a random partition and key, which one file of each shard may have. */
    private void plan(
            FlightClient client, String snapshot, TableSchema schema, SplittableRandom random)
            throws IOException {
        int filesOfPartition = size / schema.shards().size() / PARTITIONS;
        ScanPredicate predicate =
                new ScanPredicate(
                        Map.of(
                                1,
                                is(random.nextInt(PARTITIONS)),
                                2,
                                is(SyntheticFiles.key(random.nextInt(filesOfPartition), 7))));
        ScanPlan plan =
                client.action(
                        ScanActions.PLAN_SCAN,
                        new PlanScanRequest(snapshot, schema.id(), predicate, List.of(), false));
        long files = plan.shards().stream().mapToLong(shard -> shard.files().size()).sum();
        if (files < 1 || files > schema.shards().size()) {
            throw new IOException(
                    "Expected a file of each shard at most, found %d files".formatted(files));
        }
    }

    private static ColumnDomain is(long value) {
        byte[] encoded = ValueCodec.of(SyntheticFiles.TYPE).encodeLong(value);
        return ColumnDomain.of(ValueRange.equal(encoded));
    }

    private void explain() throws SQLException {
        Latencies explains = new Latencies();
        for (int i = 0; i < EXPLAINS; i++) {
            trino.timed(
                    "EXPLAIN SELECT sum(c3) FROM stele.manifests.t WHERE p = %d AND k = %d"
                            .formatted(i, SyntheticFiles.key(i, 7)),
                    explains);
        }
        put("EXPLAIN through Trino, p50 ms", explains.millis(50));
    }

    private void put(String what, double value) {
        metrics.put("%,d: %s".formatted(size, what), value);
    }

    /** The reads of the store since the last call. */
    private void putRequests(String what) {
        List<RequestSpan> reads = proxy.takeSpans().stream().filter(RequestSpan::isRead).toList();
        put(what + ", requests", reads.size());
        put(what + ", rounds", RequestSpan.rounds(reads));
        put(what + ", MB read", proxy.sentBytes() / 1e6);
        proxy.newRound(InjectedDelays.S3);
    }

    private static double millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e6;
    }

    /** The bytes of all objects of the sidecar that are in use, after a collection. */
    private long heapBytes() throws IOException {
        Matcher total = TOTAL.matcher(Jcmd.ask(servers.sidecarPid(), "GC.class_histogram"));
        if (!total.find()) {
            throw new IOException("Expected a histogram of the sidecar's heap, found none");
        }
        return Long.parseLong(total.group(1));
    }
}
