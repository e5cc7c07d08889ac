package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.manifest.PaimonManifests;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The phase of the Paimon benchmark that plans a query for one partition and one bucket key in a
 * table of many files, of which one is found. The files are named and never written. Confined to
 * one thread.
 */
final class PlanningPhase {
    static final String WARM_CPU = "planning warm: CPU ms";
    static final String WARM_REQUESTS = "planning warm: requests";
    static final String IMAGE_REQUESTS = "planning cold, from the image: requests";
    static final String IMAGE_MEGABYTES = "planning cold, from the image: MB";
    static final String COLD_RATIO = "planning cold, without the image: times Paimon's time";
    static final String HEAP = "planning: B of heap an entry";

    private static final String CATALOG = "lake";
    private static final String TABLE = "table";
    private static final String MANY = "many";
    private static final String FEW = "few";
    private static final int PARTITIONS = 100;
    private static final int BUCKETS = 20;
    private static final int COLUMNS = 10;

    // Two seconds: twenty checks, in the middle and at the end of which plans come
    private static final int SPREAD_PLANS = 400;
    private static final long SPREAD_MILLIS = 5;

    private final BenchmarkLake lake;
    private final DelayedFiles files = new DelayedFiles();
    private final int fileCount;
    private final int warmUpRounds;
    private final int rounds;
    private final Metrics metrics;
    private int queries;

    PlanningPhase(
            BenchmarkLake lake, int fileCount, int warmUpRounds, int rounds, Metrics metrics) {
        this.lake = requireNonNull(lake, "lake is null");
        this.fileCount = fileCount;
        this.warmUpRounds = warmUpRounds;
        this.rounds = rounds;
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    void run() throws Exception {
        write(MANY, fileCount);
        write(FEW, PARTITIONS * BUCKETS);
        cold();
        warm();
        heap();
    }

    private void write(String schema, int count) throws Exception {
        PaimonManifests.writeTo(
                lake.folder().resolve(schema + ".db"), count, PARTITIONS, BUCKETS, COLUMNS);
    }

    /** Conditions that one file satisfies, of another partition each time. */
    private Map<String, Object> wanted(boolean forTrino) {
        int query = queries++;
        int partition = query % PARTITIONS;
        return Map.of(
                "day",
                forTrino ? (Object) (long) partition : partition,
                "c0",
                ((long) query % (fileCount / PARTITIONS / BUCKETS)) << 20);
    }

    private void plan(LakeCatalog catalog, String schema) {
        check(catalog.plan(schema, TABLE, wanted(true)).splits().size());
    }

    private void plan(PaimonPeer peer, String schema) throws Exception {
        check(peer.plan(schema, TABLE, wanted(false)).splits().size());
    }

    private static void check(int splits) {
        if (splits != 1) {
            throw new IllegalStateException("Expected a plan of one split, found " + splits);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static double millis(Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        return (System.nanoTime() - start) / 1e6;
    }

    private void cold() throws Exception {
        Samples samples = new Samples();
        files.delay(BenchmarkLake.REQUEST_MILLIS);
        for (int round = -warmUpRounds; round < rounds; round++) {
            boolean counts = round >= 0;
            lake.forgetCaches();
            coldPlan("without the image", counts, true, samples);
            coldPlan("from the image", counts, false, samples);
            try (PaimonPeer peer = PaimonPeer.open(lake.folder(), files, Map.of())) {
                files.reset();
                long cpu = Machine.processCpuNanos();
                double millis = millis(() -> plan(peer, MANY));
                samples.add(counts, "Paimon: CPU ms", (Machine.processCpuNanos() - cpu) / 1e6);
                samples.add(counts, "Paimon: ms", millis);
                samples.add(counts, "Paimon: requests", (double) files.requests());
                samples.add(counts, "Paimon: MB", files.bytes() / 1e6);
            }
        }
        files.delay(0);
        samples.putMedians("planning cold, ", metrics);
        metrics.put(
                COLD_RATIO,
                metrics.value("planning cold, without the image: ms")
                        / metrics.value("planning cold, Paimon: ms"));
    }

    private void coldPlan(String name, boolean counts, boolean awaitsImage, Samples samples)
            throws Exception {
        try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.remote())) {
            BenchmarkLake.Counts found = lake.newRound(BenchmarkLake.REQUEST_MILLIS);
            long cpu = Machine.processCpuNanos();
            double millis = millis(() -> plan(catalog, MANY));
            samples.add(counts, name + ": CPU ms", (Machine.processCpuNanos() - cpu) / 1e6);
            samples.add(counts, name + ": requests", found.requests());
            samples.add(counts, name + ": MB", found.megabytes());
            samples.add(counts, name + ": ms", millis);
            if (awaitsImage) {
                lake.awaitImage();
            }
        }
        lake.newRound(0);
    }

    /** As many plans a round as take some 100 ms of CPU, since its clock is coarse. */
    private void warm() throws Exception {
        Samples samples = new Samples();
        try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.remote());
                PaimonPeer tuned = PaimonPeer.open(lake.folder(), files, PaimonPeer.ALL_MANIFESTS);
                PaimonPeer plain = PaimonPeer.open(lake.folder(), files, Map.of())) {
            for (int round = -2 * warmUpRounds; round < 2 * rounds; round++) {
                boolean counts = round >= 0;
                measure(counts, "stele", 400, () -> plan(catalog, MANY), samples);
                waits(counts, catalog, samples);
                files.reset();
                measure(counts, "Paimon tuned", 40, () -> plan(tuned, MANY), samples);
                samples.add(counts, "Paimon tuned: requests", files.requests() / 40.0);
                files.reset();
                measure(counts, "Paimon default", 2, () -> plan(plain, MANY), samples);
                samples.add(counts, "Paimon default: requests", files.requests() / 2.0);
                samples.add(counts, "Paimon default: MB", files.bytes() / 2e6);
            }
        }
        samples.putMedians("planning warm, ", metrics);
        metrics.put(WARM_CPU, metrics.value("planning warm, stele: CPU ms"));
        metrics.put(WARM_REQUESTS, metrics.value("planning warm, stele: waits for a request"));
    }

    /**
     * Plans at the defaults, spread over many checks in the background, of which each request takes
     * its time. Those that wait for a check would be the slowest.
     */
    private void waits(boolean counts, LakeCatalog catalog, Samples samples) throws Exception {
        BenchmarkLake.Counts found = lake.newRound(BenchmarkLake.REQUEST_MILLIS);
        long waitsBefore = metric("paimon_leases", "Waits");
        double slowest = 0;
        long start = System.nanoTime();
        for (int i = 0; i < SPREAD_PLANS; i++) {
            TimeUnit.MILLISECONDS.sleep(SPREAD_MILLIS);
            slowest = Math.max(slowest, millis(() -> plan(catalog, MANY)));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long waits = metric("paimon_leases", "Waits") - waitsBefore;
        samples.add(counts, "stele: waits for a request", (double) waits / SPREAD_PLANS);
        samples.add(counts, "stele: slowest ms", slowest);
        samples.add(
                counts, "stele: requests in the background a second", found.requests() / seconds);
        lake.newRound(0);
    }

    private static void measure(boolean counts, String name, int times, Step step, Samples samples)
            throws Exception {
        List<Double> millis = new ArrayList<>();
        long cpu = Machine.processCpuNanos();
        for (int i = 0; i < times; i++) {
            millis.add(millis(step));
        }
        samples.add(counts, name + ": CPU ms", (Machine.processCpuNanos() - cpu) / 1e6 / times);
        samples.add(counts, name + ": ms", Medians.median(millis));
    }

    /** What the metadata of a table adds to that of another. */
    private void heap() throws Exception {
        lake.forgetCaches();
        try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.remote())) {
            catalog.plan(FEW, TABLE, wantedOfFew(true));
            long before = settledHeapBytes();
            long heldBefore = heldBytes();
            plan(catalog, MANY);
            metrics.put(HEAP, (double) (settledHeapBytes() - before) / fileCount);
            metrics.put(HEAP + ", by its metrics", (double) (heldBytes() - heldBefore) / fileCount);
        }
        try (PaimonPeer peer = PaimonPeer.open(lake.folder(), files, PaimonPeer.ALL_MANIFESTS)) {
            peer.plan(FEW, TABLE, wantedOfFew(false));
            long before = settledHeapBytes();
            plan(peer, MANY);
            metrics.put(HEAP + ", Paimon", (double) (settledHeapBytes() - before) / fileCount);
        }
    }

    private static long heldBytes() throws JMException {
        return metric("paimon_images", "Bytes");
    }

    private static long metric(String type, String attribute) throws JMException {
        return (long)
                ManagementFactory.getPlatformMBeanServer()
                        .getAttribute(
                                new ObjectName("stele:type=%s,catalog=%s".formatted(type, CATALOG)),
                                attribute);
    }

    /** What others left may take some collections to go. */
    private static long settledHeapBytes() throws InterruptedException {
        long least = Machine.heapBytes();
        for (int i = 0; i < 5; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            least = Math.min(least, Machine.heapBytes());
        }
        return least;
    }

    private static Map<String, Object> wantedOfFew(boolean forTrino) {
        return Map.of("day", forTrino ? (Object) 0L : 0, "c0", 0L);
    }
}
