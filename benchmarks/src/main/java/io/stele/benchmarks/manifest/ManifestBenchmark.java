package io.stele.benchmarks.manifest;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.FilePruningIndex;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.manifest.ManifestFilter;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.paimon.table.FileStoreTable;

/**
 * A benchmark of the cost to find the files of one partition in a shard's manifest of many files,
 * and to write the change of a flush. Files are found in the store by partition and by the bounds
 * of a column. Other cases are manifests without a base, bases with stripes of other sizes, and as
 * many files in a table of Apache Paimon.
 *
 * <p>One thread, a store in memory (of Paimon: its threads, a folder), in this process; requests
 * and bytes are counted, time is processor time. It compares formats: the sidecar has all entries
 * of a manifest in memory and plans from there, so no number of this meets a target of a user.
 */
public final class ManifestBenchmark implements Benchmark {
    private static final TableId TABLE = new TableId(7);
    private static final ShardId SHARD = new ShardId(1, 0);
    private static final UUID OWNER = new UUID(1, 2);
    private static final int PARTITIONS = 100;
    private static final int SHARDS = 20;
    private static final int COLUMNS = 8;
    private static final List<ColumnSketch> SKETCHES = sketches(64);
    private static final int NO_BASE = Integer.MAX_VALUE;
    private static final int LOOKS = 1_000;
    private static final int LISTS = 20;
    private static final int LOOKS_OF_PAIMON = 100; // of milliseconds

    /** A column whose values belong to a partition, as the time of an event to its day. */
    private static final int CLUSTERED_COLUMN = 2;

    /**
     * The extent of the measurements.
     *
     * @param sizes files of tables; targets are of the first
     * @param stripeRows of bases of the first size
     * @param largeStripeRows of those of the others
     * @param roundsWithoutBase each of which reads hundreds of megabytes of JSON
     * @param paimonFiles a million would take longer to commit than all else here
     */
    private record Extent(
            List<Integer> sizes,
            List<Integer> stripeRows,
            List<Integer> largeStripeRows,
            int rounds,
            int roundsWithoutBase,
            int paimonFiles) {
        private static final Extent FULL =
                new Extent(
                        List.of(100_000, 1_000_000),
                        List.of(100, 250, 500, 1_000, 5_000),
                        List.of(250, 1_000),
                        30,
                        5,
                        100_000);

        private static final Extent QUICK =
                new Extent(List.of(100_000), List.of(250), List.of(), 10, 1, 10_000);
    }

    @Override
    public String name() {
        return "manifest";
    }

    @Override
    public String description() {
        return "files of one partition and shard, of 100,000 and 1,000,000 in 100 partitions and 20"
                + " shards: requests, bytes and time to find them";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Extent extent = options.quick() ? Extent.QUICK : Extent.FULL;
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        for (int size : extent.sizes()) {
            Manifest manifest = manifest(size / SHARDS);
            // First, since the other takes the sketches out of memory
            measure("%,d, no base".formatted(size), manifest, NO_BASE, extent, metrics);
            measure("%,d".formatted(size), manifest, ManifestStore.MIN_CHANGES, extent, metrics);
            for (int rows :
                    size == extent.sizes().getFirst()
                            ? extent.stripeRows()
                            : extent.largeStripeRows()) {
                measureStripes(
                        "%,d, stripes of %,d".formatted(size, rows),
                        manifest,
                        rows,
                        extent,
                        metrics);
            }
        }
        measurePaimon(extent, metrics);
        // No targets: no query takes this way, and no sidecar has 20 shards by default
        return new BenchmarkReport(name(), machine, metrics.asMap(), List.of());
    }

    private static void measure(
            String name, Manifest manifest, int minChanges, Extent extent, Metrics metrics)
            throws IOException {
        ReadCountingStore store = new ReadCountingStore(new InMemoryObjectStore());
        ManifestStore writer = open(store, minChanges);
        check(writer.create(manifest), "the first version");
        Manifest next = manifest.edit().addFile(file(new SplittableRandom(3), -1)).build();
        check(writer.create(next), "the second version");
        metrics.put(
                name + ": KB written by a flush",
                store.size("manifest/1-0/00000000000000000002") / 1e3);

        ManifestFilter filter = ManifestFilter.ofPartition(TABLE, partition(PARTITIONS / 2));
        long expected = manifest.files().stream().filter(filter::matches).count();
        find(
                name + ": %s to find a partition",
                store,
                () -> open(store, minChanges),
                filter,
                expected,
                minChanges == NO_BASE ? extent.roundsWithoutBase() : extent.rounds(),
                metrics);
        if (minChanges != NO_BASE) {
            find(
                    name + ": %s to find values of a column",
                    store,
                    () -> open(store, minChanges),
                    byColumn(),
                    expected,
                    extent.rounds(),
                    metrics);
        }

        if (minChanges != NO_BASE) {
            metrics.put(
                    name + ": ms to walk a list in memory",
                    median(
                            LOOKS,
                            () ->
                                    manifest.files().stream().filter(filter::matches).count()
                                            == expected));
            measureFileList(name, manifest.files(), filter, expected, extent.rounds(), metrics);
            long before = Machine.heapBytes();
            ManifestStore owner = open(store, minChanges);
            Manifest loaded = owner.loadLatest().orElseThrow();
            // As a start does; sketches that the base has leave memory with a version that names it
            check(owner.create(loaded.edit().build()), "a version after the last");
            metrics.put(
                    name + ": B heap an entry",
                    (double) (Machine.heapBytes() - before) / loaded.files().size());
            check(
                    owner.sketches().read(loaded.files().getFirst().sketches()).size() == COLUMNS,
                    "sketches");
            check(loaded.files().size() == next.files().size(), "all files");
        }
    }

    /**
     * As many files in Paimon: all shards' in one table, of which one partition and bucket is
     * planned. It reads with several threads, so the processor time is that of the process.
     */
    private static void measurePaimon(Extent extent, Metrics metrics) throws Exception {
        int size = extent.paimonFiles();
        String name = "Paimon 1.4.2, %,d".formatted(size);
        long expected = size / SHARDS / PARTITIONS;
        int partition = PARTITIONS / 2;
        try (PaimonManifests paimon = PaimonManifests.write(size, PARTITIONS, SHARDS, COLUMNS)) {
            for (boolean keeps : new boolean[] {true, false}) {
                String cold = keeps ? "to find a partition" : "to find a partition, nothing kept";
                double[] millis = new double[extent.roundsWithoutBase()];
                for (int round = 0; round < millis.length; round++) {
                    FileStoreTable table = paimon.open(keeps);
                    paimon.reset();
                    long start = processCpuNanos();
                    check(
                            PaimonManifests.plan(table, partition, 0) == expected,
                            expected + " files of Paimon");
                    millis[round] = (processCpuNanos() - start) / 1e6;
                }
                Arrays.sort(millis);
                metrics.put(name + ": ms CPU " + cold, millis[millis.length / 2]);
                metrics.put(name + ": requests " + cold, (double) paimon.requests());
                metrics.put(name + ": MB read " + cold, paimon.bytes() / 1e6);
                if (keeps) {
                    measureKept(name, paimon, partition, expected, size, metrics);
                }
            }
        }
    }

    /** With all manifests of the table in its cache. */
    private static void measureKept(
            String name,
            PaimonManifests paimon,
            int partition,
            long expected,
            int size,
            Metrics metrics)
            throws IOException {
        FileStoreTable table = paimon.open(true);
        check(PaimonManifests.plan(table, partition, 0) == expected, "the same from its cache");
        metrics.put(
                name + ": ms to find a partition in memory",
                median(
                        LOOKS_OF_PAIMON,
                        () -> PaimonManifests.plan(table, partition, 0) == expected));
        paimon.reset();
        check(PaimonManifests.plan(table, partition, 0) == expected, "the same again");
        metrics.put(name + ": requests to find a partition in memory", (double) paimon.requests());
        long before = Machine.heapBytes();
        FileStoreTable another = paimon.open(true);
        check(PaimonManifests.plan(another, partition, 0) == expected, "the same elsewhere");
        metrics.put(name + ": B heap an entry", (double) (Machine.heapBytes() - before) / size);
        check(PaimonManifests.plan(another, partition, 0) == expected, "the same still");
    }

    private static long processCpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** As planners find the files of a partition, and those of values of a column. */
    private static void measureFileList(
            String name,
            List<FileEntry> files,
            ManifestFilter filter,
            long expected,
            int rounds,
            Metrics metrics)
            throws IOException {
        metrics.put(
                name + ": ms to make a list",
                median(rounds, () -> FilePruningIndex.of(files, Function.identity()).isOf(files)));
        FilePruningIndex<FileEntry> list = FilePruningIndex.of(files, Function.identity());
        byte[] wanted = filter.partition().orElseThrow();
        Predicate<byte[]> partition = values -> Arrays.equals(values, wanted);
        metrics.put(
                name + ": ms to find a partition in memory",
                median(
                        LOOKS,
                        () -> list.select(partition, ScanPredicate.ALL, 1).size() == expected));
        ScanPredicate values = byColumn().predicate();
        metrics.put(
                name + ": ms to find values of a column in memory",
                median(LOOKS, () -> list.select(_ -> true, values, 1).size() == expected));
        List<FileEntry> more = new ArrayList<>(files);
        more.add(file(new SplittableRandom(4), -2));
        List<FileEntry> next = List.copyOf(more);
        metrics.put(
                name + ": ms to make a list of that before",
                median(rounds, () -> list.advanced(next).isOf(next)));
        heapOfLists(files); // what others left to be freed goes meanwhile
        metrics.put(name + ": B heap an entry of a list", heapOfLists(files));
    }

    /** Each with the bounds of all columns, as if each had been requested. */
    private static double heapOfLists(List<FileEntry> files) {
        List<FilePruningIndex<FileEntry>> lists = new ArrayList<>();
        long before = Machine.heapBytes();
        for (int i = 0; i < LISTS; i++) {
            FilePruningIndex<FileEntry> list = FilePruningIndex.of(files, Function.identity());
            for (int column = 1; column <= COLUMNS; column++) {
                ScanPredicate any =
                        new ScanPredicate(
                                Map.of(
                                        column,
                                        ColumnDomain.of(ValueRange.atLeast(new byte[] {0}))));
                list.select(_ -> false, any, 1);
            }
            lists.add(list);
        }
        double bytes = (double) Machine.heapBytes() - before;
        return bytes / lists.size() / files.size();
    }

    /** The median time of the lookups, in milliseconds; checks each result. */
    private static double median(int looks, BooleanSupplier look) throws IOException {
        double[] millis = new double[looks];
        for (int round = 0; round < looks; round++) {
            long start = System.nanoTime();
            check(look.getAsBoolean(), "what a walk finds");
            millis[round] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(millis);
        return millis[looks / 2];
    }

    /**
     * @param name of a metric, to which its unit is appended
     * @param opening opens a reader with empty caches
     */
    private static void find(
            String name,
            ReadCountingStore store,
            Supplier<ManifestStore> opening,
            ManifestFilter filter,
            long expected,
            int rounds,
            Metrics metrics)
            throws IOException {
        double[] millis = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            ManifestStore reader = opening.get();
            store.reset();
            long start = cpuNanos();
            List<FileEntry> found = reader.find(filter);
            millis[round] = (cpuNanos() - start) / 1e6;
            check(found.size() == expected, expected + " files, found " + found.size());
        }
        Arrays.sort(millis);
        metrics.put(name.formatted("ms CPU"), millis[rounds / 2]);
        metrics.put(name.formatted("requests"), (double) store.requests());
        metrics.put(name.formatted("MB read"), store.bytes() / 1e6);
    }

    private static void measureStripes(
            String name, Manifest manifest, int rows, Extent extent, Metrics metrics)
            throws IOException {
        ReadCountingStore store = new ReadCountingStore(new InMemoryObjectStore());
        OrcManifestBaseFormat bases = OrcManifestBaseFormat.ofStripes(rows);
        check(new ManifestStore(store, SHARD, OWNER, bases).create(manifest), "the first version");
        long base =
                store.list("manifest/1-0/base/").stream()
                        .filter(object -> !object.path().contains("sketches"))
                        .mapToLong(ObjectEntry::sizeBytes)
                        .sum();
        metrics.put(name + ": MB of the base", base / 1e6);
        ManifestFilter filter = ManifestFilter.ofPartition(TABLE, partition(PARTITIONS / 2));
        find(
                name + ": %s to find a partition",
                store,
                () -> new ManifestStore(store, SHARD, OWNER, bases),
                filter,
                manifest.files().stream().filter(filter::matches).count(),
                extent.rounds(),
                metrics);
    }

    /** The files with values that only one partition has. */
    private static ManifestFilter byColumn() {
        return new ManifestFilter(
                        Optional.of(TABLE),
                        Optional.empty(),
                        OptionalInt.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false)
                .where(
                        new ScanPredicate(
                                Map.of(
                                        CLUSTERED_COLUMN,
                                        ColumnDomain.of(
                                                new ValueRange(
                                                        Optional.of(clustered(PARTITIONS / 2, 0)),
                                                        true,
                                                        Optional.of(
                                                                clustered(PARTITIONS / 2 + 1, 0)),
                                                        false)))),
                        1);
    }

    private static byte[] clustered(int partition, int within) {
        return ByteBuffer.allocate(8).putLong(partition * (1L << 20) + within).array();
    }

    private static ManifestStore open(ReadCountingStore store, int minChanges) {
        return new ManifestStore(store, SHARD, OWNER, OrcManifestBaseFormat.INSTANCE, minChanges);
    }

    private static Manifest manifest(int files) {
        SplittableRandom random = new SplittableRandom(7);
        ManifestEdit edit = Manifest.empty(SHARD).edit().epoch(1);
        for (int i = 0; i < files; i++) {
            edit.addFile(file(random, i));
        }
        return edit.build();
    }

    private static FileEntry file(SplittableRandom random, int number) {
        byte[] min = ByteBuffer.allocate(8).putLong(random.nextLong() >>> 1).array();
        byte[] max = min.clone();
        max[0] |= (byte) 0x80;
        Map<Integer, ColumnStats> stats = new HashMap<>();
        Map<Integer, ColumnSketch> sketches = new HashMap<>();
        int partition = Math.floorMod(number, PARTITIONS);
        for (int column = 1; column <= COLUMNS; column++) {
            int low = random.nextInt(1 << 19);
            stats.put(
                    column,
                    column == CLUSTERED_COLUMN
                            ? bounds(
                                    clustered(partition, low),
                                    clustered(partition, low + random.nextInt(1 << 19)))
                            : bounds(
                                    ByteBuffer.allocate(8).putLong(random.nextLong() >>> 2).array(),
                                    ByteBuffer.allocate(8)
                                            .putLong(random.nextLong() >>> 1 | 1L << 62)
                                            .array()));
            sketches.put(column, SKETCHES.get(random.nextInt(SKETCHES.size())));
        }
        String id = "%016x".formatted(random.nextLong());
        String path = "data/%s/%s/%s".formatted(TABLE, SHARD, id);
        return new FileEntry(
                        id,
                        TABLE,
                        FileKind.COLUMN,
                        1,
                        path + ".orc",
                        64_000_000L + random.nextInt(1_000_000),
                        1_000_000L,
                        new Lsn(1L << 40),
                        new Lsn((1L << 40) + random.nextInt(1_000_000)),
                        Optional.empty(),
                        OptionalLong.empty(),
                        1,
                        Optional.of(min),
                        Optional.of(max),
                        Optional.of(partition(partition)),
                        stats,
                        Optional.of(new KeyIndexFile(path + ".idx", 1_000_000)),
                        Optional.empty())
                .withSketches(sketches);
    }

    private static List<ColumnSketch> sketches(int count) {
        SplittableRandom random = new SplittableRandom(11);
        List<ColumnSketch> sketches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SketchBuilder sketch = new SketchBuilder();
            for (int value = 0; value < 10_000; value++) {
                sketch.addLong(random.nextLong());
            }
            sketches.add(sketch.build());
        }
        return sketches;
    }

    private static ColumnStats bounds(byte[] min, byte[] max) {
        return new ColumnStats(Optional.of(min), Optional.of(max), 0, false);
    }

    private static byte[] partition(int number) {
        return ByteBuffer.allocate(5).put((byte) 1).putInt(number).array();
    }

    private static void check(boolean condition, String expected) throws IOException {
        if (!condition) {
            throw new IOException("Expected " + expected);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
