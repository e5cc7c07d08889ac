package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.RowScan;
import io.stele.client.ScanOptions;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.TestingSidecar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scans by key over the framed protocol, from a real sidecar, beside a sorted map. */
final class KeyScanIT {
    private static final long SEED = Long.getLong("simulation.seed", 28);
    private static final Comparator<Key> ORDER =
            Comparator.comparing(Key::owner).thenComparing(Key::number);

    private record Key(String owner, int number) {}

    @Test
    void rowsComeInTheOrderOfTheirKeysAndAsTheModelHasThem(@TempDir Path directory)
            throws Exception {
        Random random = new Random(SEED);
        try (TestingSidecar sidecar = TestingSidecar.start(directory);
                SteleClient client = sidecar.client()) {
            for (Orientation orientation : List.of(Orientation.ROW, Orientation.ROW_COLUMN)) {
                String name = orientation == Orientation.ROW ? "rows" : "both";
                create(sidecar, name, orientation, List.of());
                checkAgainstModel(sidecar, client, name, random);
            }
        }
    }

    private static void checkAgainstModel(
            TestingSidecar sidecar, SteleClient client, String name, Random random)
            throws Exception {
        TreeMap<Key, List<@Nullable Object>> model = new TreeMap<>(ORDER);
        SteleTable table = client.table("scan", name);
        TableRequest request = TableRequest.of("scan", name);
        Optional<SnapshotReply> snapshot = Optional.empty();
        TreeMap<Key, List<@Nullable Object>> then = new TreeMap<>(ORDER);
        try (TableWriter writer = table.writer()) {
            for (int round = 0; round < 12; round++) {
                change(writer, model, random);
                switch (random.nextInt(4)) {
                    case 0 -> sidecar.flight().action(MaintenanceActions.FLUSH, request);
                    case 1 -> sidecar.flight().action(MaintenanceActions.COMPACT, request);
                    default -> {}
                }
                if (round == 4) {
                    snapshot = Optional.of(open(sidecar));
                    then.putAll(model);
                }
                checkBothWays(table, model, ScanOptions.DEFAULT, random);
                if (snapshot.isPresent()) {
                    checkBothWays(
                            table, then, ScanOptions.DEFAULT.at(snapshot.get().lsn()), random);
                }
            }
        }
        sidecar.flight()
                .action(
                        SnapshotActions.CLOSE_SNAPSHOT,
                        new CloseSnapshotRequest(snapshot.orElseThrow().snapshotId()));
    }

    private static void change(
            TableWriter writer, TreeMap<Key, List<@Nullable Object>> model, Random random) {
        for (int i = 0; i < 400; i++) {
            Key key = new Key(owner(random), random.nextInt(100) - 50);
            if (random.nextInt(4) == 0) {
                writer.delete(key.owner(), key.number());
                model.remove(key);
            } else {
                String note = "x".repeat(random.nextInt(random.nextInt(20) == 0 ? 3000 : 40));
                writer.write(key.owner(), key.number(), note);
                model.put(key, List.of(key.owner(), key.number(), note));
            }
        }
        writer.flush();
    }

    // A zero, which keys escape, and a beginning of another one
    private static String owner(Random random) {
        return List.of("", "a", "a\0", "a\0b", "ab", "b", "\u00f1").get(random.nextInt(7));
    }

    private static void checkBothWays(
            SteleTable table,
            TreeMap<Key, List<@Nullable Object>> model,
            ScanOptions options,
            Random random) {
        check(table, model, options, random);
        check(table, model.descendingMap(), options.descending(), random);
    }

    /**
     * @param model in the order in which its rows are to come
     */
    private static void check(
            SteleTable table,
            NavigableMap<Key, List<@Nullable Object>> model,
            ScanOptions options,
            Random random) {
        ScanOptions pages = options.withPages(1 + random.nextInt(200), 1 + random.nextInt(5000));
        assertThat(rows(table, List.of(), pages))
                .as("seed %s", SEED)
                .containsExactlyElementsOf(model.values());
        int limit = random.nextInt(30);
        assertThat(rows(table, List.of(), pages.withLimit(limit)))
                .containsExactlyElementsOf(model.values().stream().limit(limit).toList());
        String owner = owner(random);
        assertThat(rows(table, List.of(owner), pages))
                .as("seed %s, owner '%s'", SEED, owner)
                .containsExactlyElementsOf(
                        rowsOf(model, row -> row.owner().equals(owner)).toList());
        Key key = new Key(owner, random.nextInt(100) - 50);
        assertThat(rows(table, List.of(owner, key.number()), pages))
                .containsExactlyElementsOf(Optional.ofNullable(model.get(key)).stream().toList());
        Key other = new Key(owner(random), random.nextInt(100) - 50);
        assertThat(between(table, key, Optional.of(other), pages))
                .as("seed %s, from %s before %s", SEED, key, other)
                .containsExactlyElementsOf(
                        rowsOf(
                                        model,
                                        row ->
                                                ORDER.compare(row, key) >= 0
                                                        && ORDER.compare(row, other) < 0)
                                .toList());
        assertThat(between(table, key, Optional.empty(), pages.withLimit(limit)))
                .as("seed %s, from %s", SEED, key)
                .containsExactlyElementsOf(
                        rowsOf(model, row -> ORDER.compare(row, key) >= 0).limit(limit).toList());
    }

    private static Stream<List<@Nullable Object>> rowsOf(
            NavigableMap<Key, List<@Nullable Object>> model, Predicate<Key> isWanted) {
        return model.entrySet().stream()
                .filter(row -> isWanted.test(row.getKey()))
                .map(Map.Entry::getValue);
    }

    private static List<List<@Nullable Object>> between(
            SteleTable table, Key from, Optional<Key> before, ScanOptions options) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (RowScan scan =
                table.scanBetween(
                        List.of(from.owner(), from.number()),
                        before.map(key -> List.<Object>of(key.owner(), key.number()))
                                .orElse(List.of()),
                        options)) {
            scan.forEachRemaining(rows::add);
        }
        return rows;
    }

    private static List<List<@Nullable Object>> rows(
            SteleTable table, List<Object> prefix, ScanOptions options) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (RowScan scan = table.scan(prefix, options)) {
            scan.forEachRemaining(rows::add);
        }
        return rows;
    }

    @Test
    void largeRowsHavePagesOfTheirOwn(@TempDir Path directory) {
        try (TestingSidecar sidecar =
                        TestingSidecar.start(
                                directory, Map.of("stele.client.max-pending-bytes", "65MB"));
                SteleClient client = sidecar.client()) {
            create(sidecar, "rows", Orientation.ROW, List.of());
            String wide = "w".repeat(6 << 20);
            try (TableWriter writer = client.writer("scan", "rows")) {
                for (int number = 0; number < 8; number++) {
                    writer.write("o", number, wide);
                }
                writer.flush();
            }
            int number = 0;
            try (RowScan scan = client.table("scan", "rows").scan()) {
                while (scan.hasNext()) {
                    List<@Nullable Object> row = scan.next();
                    assertThat(row.get(1)).isEqualTo(number++);
                    assertThat(row.get(2)).isEqualTo(wide);
                }
            }
            assertThat(number).isEqualTo(8);
        }
    }

    @Test
    void aPrefixOfTheDistributionKeyIsReadFromItsShard(@TempDir Path directory) {
        try (TestingSidecar sidecar = TestingSidecar.start(directory);
                SteleClient client = sidecar.client()) {
            create(sidecar, "spread", Orientation.ROW, List.of(1));
            try (TableWriter writer = client.writer("scan", "spread")) {
                for (int number = 0; number < 1000; number++) {
                    writer.write("o" + number % 10, number, "n");
                }
                writer.flush();
            }
            SteleTable table = client.table("scan", "spread");
            for (int owner = 0; owner < 10; owner++) {
                assertThat(rows(table, List.of("o" + owner), ScanOptions.DEFAULT)).hasSize(100);
            }
            assertThat(rows(table, List.of(), ScanOptions.DEFAULT)).hasSize(1000);
        }
    }

    @Test
    void whatCannotBeScannedIsRefused(@TempDir Path directory) {
        try (TestingSidecar sidecar = TestingSidecar.start(directory);
                SteleClient client = sidecar.client()) {
            create(sidecar, "rows", Orientation.ROW, List.of());
            create(sidecar, "columns", Orientation.COLUMN, List.of());
            assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    "orientation 'row' or 'row,column' to scan by key, found scan.columns",
                    () -> client.table("scan", "columns").scan());
            SteleTable table = client.table("scan", "rows");
            assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    "at most 2 key values",
                    () -> table.scan("a", 1, "b"));
            assertRefused(ErrorCode.TYPE_MISMATCH, "'owner'", () -> table.scan(1));
            assertThat(rows(table, List.of(), ScanOptions.DEFAULT)).isEmpty();
            assertThat(rows(table, List.of(), ScanOptions.DEFAULT.withLimit(0))).isEmpty();
        }
    }

    private static void assertRefused(ErrorCode code, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private static SnapshotReply open(TestingSidecar sidecar) {
        return sidecar.flight()
                .action(
                        SnapshotActions.OPEN_SNAPSHOT,
                        new OpenSnapshotRequest(List.of(), Optional.empty(), 600_000));
    }

    private static void create(
            TestingSidecar sidecar,
            String name,
            Orientation orientation,
            List<Integer> distributionKey) {
        sidecar.createTable(
                TableSchema.builder("scan", name)
                        .columns(
                                List.of(
                                        column(1, "owner", "varchar").notNull(),
                                        column(2, "number", "integer").notNull(),
                                        column(3, "note", "varchar")))
                        .primaryKey(List.of(1, 2))
                        .distributionKey(distributionKey)
                        .orientation(orientation)
                        .shardCount(3)
                        .build());
    }

    private static ColumnSchema column(int id, String name, String type) {
        return new ColumnSchema(id, name, DataType.parse(type));
    }
}
