package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.lease.ManualChecks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.snapshot.SnapshotReader;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tables with random commits, on which images choose exactly the files that Paimon's own planning
 * chooses, for random predicates; and images advanced by deltas are those built from nothing.
 */
final class ImageFilterSimulation {
    private static final List<String> DAYS = List.of("d1", "d2", "d3");

    enum Kind {
        APPEND_UNAWARE(false, Map.of("bucket", "-1", "file.format", "orc")),
        APPEND_FIXED(false, Map.of("bucket", "2", "bucket-key", "k")),
        KEYED_FIXED(true, Map.of("bucket", "2")),
        KEYED_DYNAMIC(true, Map.of("bucket", "-1")),
        KEYED_POSTPONE(true, Map.of("bucket", "-2")),
        KEYED_DELETION_VECTORS(true, Map.of("bucket", "2", "deletion-vectors.enabled", "true")),
        KEYED_AGGREGATION(
                true,
                Map.of(
                        "bucket", "1",
                        "merge-engine", "aggregation",
                        "fields.v.aggregate-function", "sum",
                        "manifest.delete-file-drop-stats", "true"));

        private final boolean keyed;
        private final Map<String, String> options;

        Kind(boolean keyed, Map<String, String> options) {
            this.keyed = keyed;
            this.options = options;
        }
    }

    @TempDir Path folder;

    private final TableSchemas schemas = new TableSchemas(1 << 20);
    private final TableImages images = images();
    private boolean extraColumn;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void choosesTheFilesThatPaimonChooses(Kind kind) throws Exception {
        long seed = Long.getLong("simulation.seed", 20261128);
        Random random = new Random(seed);
        LakeTable lake = LakeTable.create(folder, "t", kind.keyed, kind.options);
        int chosen = 0;
        int all = 0;
        for (int step = 0; step < 14; step++) {
            change(lake, kind, step, random);
            Snapshot snapshot = lake.snapshot();
            FileStoreTable table = lake.open();
            TableImage image = images.image(table, snapshot);
            String context = "%s seed %s step %s".formatted(kind, seed, step);
            assertThat(image.find(ImageFilter.ALL))
                    .as(context)
                    .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles())
                    .isEqualTo(images().image(table, snapshot).find(ImageFilter.ALL));
            for (int i = 0; i < 12; i++) {
                Predicate predicate = predicate(table, random, step);
                // Paimon's other scans assert that no file waits for a compaction.
                boolean batch = random.nextBoolean() || kind == Kind.KEYED_POSTPONE;
                Set<String> found = found(table, image, predicate, batch);
                assertThat(found)
                        .as("%s where %s", context, predicate)
                        .isEqualTo(expected(table, snapshot, predicate, batch));
                chosen += found.size();
                all += image.total().fileCount();
            }
        }
        // The predicates do choose, and the images do advance.
        assertThat(chosen).isPositive().isLessThan(all * 9 / 10);
        assertThat(images.statistics().advanced()).isGreaterThan(10);
        assertThat(images.statistics().notApplicable()).isZero();
        assertThat(images.statistics().different()).isZero();
        assertThat(images.statistics().verified()).isPositive();
    }

    private static TableImages images() {
        return new TableImages(
                new ImageOptions(64 << 20, 4, 50, 3, 3, Duration.ofSeconds(30)),
                new ManualChecks(),
                Runnable::run,
                Optional.empty());
    }

    private void change(LakeTable lake, Kind kind, int step, Random random) throws Exception {
        if (step == 6) {
            lake.alter(SchemaChange.addColumn("extra", DataTypes.INT()));
            extraColumn = true;
        }
        if (step == 9 && kind.options.get("bucket").equals("2")) {
            // A rescale: the other partitions keep their number of buckets.
            lake.alter(SchemaChange.setOption("bucket", "3"));
            lake.overwrite(Map.of("dt", "d2"), rows(kind, "d2", step, random));
            return;
        }
        String day = DAYS.get(random.nextInt(DAYS.size()));
        if (step == 5) {
            lake.truncate(
                    lake.open()
                            .newSnapshotReader()
                            .partitions()
                            .getFirst()
                            .getString(0)
                            .toString());
        } else if (step == 8) {
            lake.overwrite(Map.of("dt", day), rows(kind, day, step, random));
        } else if (step == 11) {
            lake.compactManifests();
        } else if (step > 9 && kind.options.get("bucket").equals("2")) {
            lake.write(rows(kind, "d2", step, random), random.nextBoolean());
        } else if (kind == Kind.KEYED_POSTPONE) {
            FileStoreTable table = lake.open();
            if (random.nextBoolean()) { // as compaction writes what has waited
                Map<String, String> options = new HashMap<>(table.schema().options());
                options.put("bucket", "2");
                table = table.copy(table.schema().copy(options));
            }
            lake.write(table, Optional.empty(), rows(kind, day, step, random), false);
        } else {
            boolean compact = kind != Kind.APPEND_UNAWARE && random.nextInt(3) == 0;
            lake.write(rows(kind, day, step, random), compact);
        }
    }

    private List<GenericRow> rows(Kind kind, String day, int step, Random random) {
        List<GenericRow> rows = new ArrayList<>();
        int from = random.nextInt(80);
        for (int i = 0; i < 3 + random.nextInt(8); i++) {
            RowKind rowKind =
                    kind.keyed && kind != Kind.KEYED_AGGREGATION && random.nextInt(5) == 0
                            ? RowKind.DELETE
                            : RowKind.INSERT;
            GenericRow row =
                    LakeTable.row(
                            rowKind,
                            day,
                            from + random.nextInt(20),
                            step * 10L + random.nextInt(20));
            if (extraColumn) {
                GenericRow wider = new GenericRow(rowKind, 5);
                for (int column = 0; column < 4; column++) {
                    wider.setField(column, row.getField(column));
                }
                wider.setField(4, random.nextInt(4) == 0 ? null : random.nextInt(10));
                row = wider;
            }
            rows.add(row);
        }
        return rows;
    }

    private Predicate predicate(FileStoreTable table, Random random, int step) {
        PredicateBuilder builder = new PredicateBuilder(table.rowType());
        Predicate first = leaf(builder, random, step);
        return switch (random.nextInt(4)) {
            case 0 -> first;
            case 1 -> PredicateBuilder.or(first, leaf(builder, random, step));
            case 2 ->
                    PredicateBuilder.and(
                            first, builder.equal(0, day(random)), leaf(builder, random, step));
            default -> PredicateBuilder.and(first, leaf(builder, random, step));
        };
    }

    private Predicate leaf(PredicateBuilder builder, Random random, int step) {
        int key = random.nextInt(100);
        long value = random.nextInt(10 + step * 10);
        return switch (random.nextInt(extraColumn ? 10 : 8)) {
            case 0 -> builder.equal(0, day(random));
            case 1 -> builder.in(0, List.of(day(random), day(random)));
            case 2 -> builder.equal(1, key);
            case 3 -> builder.between(1, key, key + 10);
            case 4 -> builder.in(1, List.of(key, key + 1, key + 30));
            case 5 -> builder.greaterThan(2, value);
            case 6 -> builder.equal(2, value);
            case 7 -> builder.lessOrEqual(3, BinaryString.fromString("s" + value % 100));
            case 8 -> builder.isNull(4);
            default -> builder.greaterOrEqual(4, random.nextInt(12));
        };
    }

    private static BinaryString day(Random random) {
        return BinaryString.fromString(DAYS.get(random.nextInt(DAYS.size())));
    }

    private Set<String> found(
            FileStoreTable table, TableImage image, Predicate predicate, boolean batch)
            throws Exception {
        ImageFilter.Builder filter = ImageFilter.builder(table, schemas).where(predicate);
        if (batch) {
            filter.asBatchScan();
        }
        Set<String> names = new HashSet<>();
        for (ManifestEntry entry : image.find(filter.build())) {
            names.add(name(entry.partition().getString(0), entry.bucket(), entry.fileName()));
        }
        return names;
    }

    private static Set<String> expected(
            FileStoreTable table, Snapshot snapshot, Predicate predicate, boolean batch) {
        List<Split> splits;
        if (batch) {
            splits =
                    table.copy(Map.of("scan.snapshot-id", Long.toString(snapshot.id())))
                            .newReadBuilder()
                            .withFilter(predicate)
                            .newScan()
                            .plan()
                            .splits();
        } else {
            SnapshotReader reader = table.newSnapshotReader().withSnapshot(snapshot);
            splits = reader.withFilter(predicate).read().splits();
        }
        Set<String> names = new HashSet<>();
        for (Split split : splits) {
            DataSplit data = (DataSplit) split;
            data.dataFiles()
                    .forEach(
                            file ->
                                    names.add(
                                            name(
                                                    data.partition().getString(0),
                                                    data.bucket(),
                                                    file.fileName())));
        }
        return names;
    }

    private static String name(BinaryString day, int bucket, String file) {
        return "%s/%s/%s".formatted(day, bucket, file);
    }
}
