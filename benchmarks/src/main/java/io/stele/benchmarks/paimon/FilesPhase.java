package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.paimon.handle.PaimonMergeSplit;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.io.DataOutputViewStreamWrapper;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;

/**
 * The phase of the Paimon benchmark that reads rows by key and scans all rows, beside Paimon's
 * library with its options for filters in ORC. Tables have ten columns, and files that are in the
 * order of keys or are not. Confined to one thread.
 */
final class FilesPhase {
    static final String COLD_LOOKUP = "lookup cold, stele: ms";
    static final String WARM_LOOKUP = "lookup warm, stele: ms";
    static final String FILTER_RATIO = "filter: times Paimon's CPU";
    static final String SCAN_RATIO = "scan: speed, times Paimon's row reader";

    private static final String CATALOG = "lake";
    private static final String SCHEMA = "files";
    private static final String SORTED = "sorted";
    private static final String UNSORTED = "unsorted";
    private static final String COLUMNAR = "columnar";
    private static final String KEY = "k";

    /** A prime above all numbers of rows, so that multiples of it are in another order. */
    private static final long STEP = 2_654_435_761L;

    private static final int WARM_KEYS = 20;

    private final BenchmarkLake lake;
    private final DelayedFiles files = new DelayedFiles();
    private final long rowCount;
    private final int warmUpRounds;
    private final int rounds;
    private final Metrics metrics;
    private final SplittableRandom random = new SplittableRandom(25);

    FilesPhase(BenchmarkLake lake, long rowCount, int warmUpRounds, int rounds, Metrics metrics) {
        this.lake = requireNonNull(lake, "lake is null");
        this.rowCount = rowCount;
        this.warmUpRounds = warmUpRounds;
        this.rounds = rounds;
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    void run() throws Exception {
        long start = System.nanoTime();
        try (LakeWriter writer = LakeWriter.open(lake.folder(), lake.spill())) {
            write(writer, SORTED, "orc", row -> row);
            write(writer, UNSORTED, "orc", row -> row * STEP % rowCount);
            write(writer, COLUMNAR, "parquet", row -> row);
        }
        metrics.put("files: load s", (System.nanoTime() - start) / 1e9);
        coldLookups();
        warmLookups();
        filter();
        scan();
    }

    private void write(LakeWriter writer, String table, String format, LongUnaryOperator key)
            throws Exception {
        writer.create(
                SCHEMA,
                table,
                Schema.newBuilder()
                        .column(KEY, DataTypes.BIGINT())
                        .column("v", DataTypes.BIGINT())
                        .column("quantity", DataTypes.INT())
                        .column("price", DataTypes.DOUBLE())
                        .column("discount", DataTypes.DOUBLE())
                        .column("state", DataTypes.STRING())
                        .column("customer", DataTypes.STRING())
                        .column("changed", DataTypes.TIMESTAMP(3))
                        .column("day", DataTypes.DATE())
                        .column("paid", DataTypes.BOOLEAN())
                        .option("bucket", "-1")
                        .option("file.format", format)
                        .build());
        SplittableRandom values = new SplittableRandom(7);
        writer.write(
                SCHEMA,
                table,
                () ->
                        LongStream.range(0, rowCount)
                                .<InternalRow>mapToObj(row -> row(key.applyAsLong(row), values))
                                .iterator());
    }

    private static GenericRow row(long key, SplittableRandom values) {
        return GenericRow.of(
                key,
                value(key),
                values.nextInt(50),
                values.nextInt(10_000_000) / 100.0,
                values.nextInt(11) / 100.0,
                BinaryString.fromString("state-" + values.nextInt(8)),
                BinaryString.fromString("customer-" + values.nextInt(100_000)),
                Timestamp.fromEpochMillis(1_760_000_000_000L + values.nextInt(1_000_000_000)),
                20_000 + values.nextInt(1_000),
                values.nextInt(2) == 0);
    }

    private static long value(long key) {
        return key * 31 + 7;
    }

    private static void check(long key, List<Long> found) {
        if (!found.equals(List.of(value(key)))) {
            throw new IllegalStateException(
                    "Expected %s for key %s, found %s".formatted(value(key), key, found));
        }
    }

    private static void find(LakeCatalog catalog, String table, long key) throws IOException {
        check(key, catalog.find(catalog.plan(SCHEMA, table, Map.of(KEY, key)), key));
    }

    private static void find(PaimonPeer peer, String table, long key) throws Exception {
        check(key, PaimonPeer.find(peer.plan(SCHEMA, table, Map.of(KEY, key)), key));
    }

    /** Metadata of the table is in memory, and nothing of its file. */
    private void coldLookups() throws Exception {
        Samples samples = new Samples();
        for (int round = -2 * warmUpRounds; round < rounds; round++) {
            boolean counts = round >= 0;
            long key = random.nextLong(rowCount);
            lake.forgetCaches();
            lake.newRound(0);
            try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.remote())) {
                catalog.plan(SCHEMA, SORTED, Map.of(KEY, -1L));
                BenchmarkLake.Counts found = lake.newRound(BenchmarkLake.REQUEST_MILLIS);
                long start = System.nanoTime();
                find(catalog, SORTED, key);
                samples.add(counts, "stele: ms", (System.nanoTime() - start) / 1e6);
                samples.add(counts, "stele: requests", found.requests());
                samples.add(counts, "stele: MB", found.megabytes());
            }
            try (PaimonPeer peer =
                    PaimonPeer.open(lake.folder(), files, PaimonPeer.ALL_MANIFESTS)) {
                peer.plan(SCHEMA, SORTED, Map.of(KEY, -1L));
                files.delay(BenchmarkLake.REQUEST_MILLIS);
                files.reset();
                long start = System.nanoTime();
                find(peer, SORTED, key);
                samples.add(counts, "Paimon: ms", (System.nanoTime() - start) / 1e6);
                samples.add(counts, "Paimon: requests", (double) files.requests());
                samples.add(counts, "Paimon: MB", files.bytes() / 1e6);
                files.delay(0);
            }
        }
        lake.newRound(0);
        samples.putMedians("lookup cold, ", metrics);
    }

    /** The same keys again and again; no request takes long. */
    private void warmLookups() throws Exception {
        Samples samples = new Samples();
        long[] keys = random.longs(WARM_KEYS, 0, rowCount).toArray();
        try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.remote());
                PaimonPeer peer = PaimonPeer.open(lake.folder(), files, PaimonPeer.ALL_MANIFESTS)) {
            for (int round = -4 * warmUpRounds; round < rounds; round++) {
                for (long key : keys) {
                    long start = System.nanoTime();
                    find(catalog, SORTED, key);
                    long middle = System.nanoTime();
                    find(peer, SORTED, key);
                    samples.add(round >= 0, "stele: ms", (middle - start) / 1e6);
                    samples.add(round >= 0, "Paimon: ms", (System.nanoTime() - middle) / 1e6);
                }
            }
        }
        samples.putMedians("lookup warm, ", metrics);
    }

    private void filter() throws Exception {
        Samples samples = new Samples();
        try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.local());
                PaimonPeer peer = PaimonPeer.open(lake.folder(), files, PaimonPeer.ALL_MANIFESTS)) {
            for (int round = -2 * warmUpRounds; round < rounds; round++) {
                long key = random.nextLong(rowCount);
                measure(round >= 0, "stele", () -> find(catalog, UNSORTED, key), samples);
                measure(round >= 0, "Paimon", () -> find(peer, UNSORTED, key), samples);
            }
        }
        samples.putMedians("filter, ", metrics);
        metrics.put(
                FILTER_RATIO,
                metrics.value("filter, stele: CPU ms") / metrics.value("filter, Paimon: CPU ms"));
    }

    /** By the same page source provider, which has Paimon's reader read what it calls a merge. */
    private void scan() throws Exception {
        Samples samples = new Samples();
        try (LakeCatalog catalog = LakeCatalog.open(CATALOG, lake.local());
                PaimonPeer peer = PaimonPeer.open(lake.folder(), files, Map.of())) {
            LakeCatalog.Scan own = catalog.plan(SCHEMA, COLUMNAR, Map.of());
            LakeCatalog.Scan rows =
                    own.with(mergeSplits(peer.plan(SCHEMA, COLUMNAR, Map.of()).splits()));
            for (int round = -warmUpRounds; round < rounds; round++) {
                measure(round >= 0, "stele", () -> checkRows(catalog.scan(own)), samples);
                measure(
                        round >= 0,
                        "Paimon's row reader",
                        () -> checkRows(catalog.scan(rows)),
                        samples);
            }
        }
        samples.putMedians("scan, ", metrics);
        metrics.put(
                SCAN_RATIO,
                metrics.value("scan, Paimon's row reader: ms") / metrics.value("scan, stele: ms"));
    }

    private void checkRows(long found) {
        if (found != rowCount) {
            throw new IllegalStateException(
                    "Expected %s rows, found %s".formatted(rowCount, found));
        }
    }

    private static List<ConnectorSplit> mergeSplits(List<Split> splits) throws IOException {
        List<ConnectorSplit> result = new ArrayList<>();
        for (Split split : splits) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            ((DataSplit) split).serialize(new DataOutputViewStreamWrapper(bytes));
            result.add(new PaimonMergeSplit(bytes.toByteArray(), COLUMNAR, SplitWeight.standard()));
        }
        return result;
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void measure(boolean counts, String name, Step step, Samples samples)
            throws Exception {
        long cpu = Machine.processCpuNanos();
        long start = System.nanoTime();
        step.run();
        samples.add(counts, name + ": ms", (System.nanoTime() - start) / 1e6);
        samples.add(counts, name + ": CPU ms", (Machine.processCpuNanos() - cpu) / 1e6);
    }
}
