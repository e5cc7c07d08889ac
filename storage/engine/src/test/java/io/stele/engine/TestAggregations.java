package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.BenefitCacheOptions;
import io.stele.cache.BenefitStatistics;
import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.aggregate.AggregatePart;
import io.stele.engine.aggregate.AggregatePass;
import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.aggregate.GroupRange;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Aggregations of random rows against the same rows aggregated one by one: with flushes,
 * compactions, deletions, changes of columns and restarts in between, at earlier snapshots, with
 * conditions at the edges of what files know.
 */
final class TestAggregations {
    private static final int SEEDS = LongRun.count(3, 10);
    private static final int ROUNDS = 10;
    private static final int KEYS = 400;
    private static final long MAX_BYTES = 64 << 20;
    private static final int ALL_PARTS = 1_000;

    /** So many that files of two shards have several chunks when half of them are left. */
    private static final int MANY_ROWS = 32_000;

    private static final List<String> NAMES =
            List.of(
                    "",
                    "a",
                    "A",
                    "b",
                    "\u00e9\u4e2d",
                    "zz",
                    "long ".repeat(30),
                    "long ".repeat(31));

    private final Map<ShardId, Long> sequences = new HashMap<>();
    private final List<String> mismatches = new ArrayList<>();

    /** Small enough for results to make room; every third hit is computed again. */
    private final AggregateCache cache =
            new AggregateCache(
                    new BenefitCacheOptions(20_000, 4_000, 3),
                    new AtomicLong()::incrementAndGet,
                    mismatches::add);

    private long maxBytes = MAX_BYTES;
    private int givenUp; // passes that had too many groups
    private int keys = KEYS;
    private int choices = 12; // values of a type
    private SimulatedNode node;
    private Random random;
    private TableSchema table;

    static List<Arguments> seeds() {
        return LongStream.range(0, SEEDS)
                .boxed()
                .flatMap(
                        seed ->
                                Arrays.stream(Orientation.values())
                                        .map(orientation -> Arguments.of(orientation, seed)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void resultsAreThoseOfTheRows(Orientation orientation, long seed) throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, seed);
        random = new Random(seed);
        table = create(orientation);
        List<LeasedSnapshot> snapshots = new ArrayList<>();
        snapshots.add(node.openSnapshot());
        for (int round = 0; round < ROUNDS; round++) {
            change(round, snapshots);
            snapshots.add(node.openSnapshot());
            if (snapshots.size() > 3) {
                node.engine().closeSnapshot(snapshots.remove(0).id());
            }
            for (LeasedSnapshot snapshot : snapshots) {
                for (int query = 0; query < 4; query++) {
                    check(snapshot);
                }
            }
        }
        assertThat(mismatches).isEmpty();
        BenefitStatistics statistics = cache.statistics();
        assertThat(statistics.sizeBytes()).isLessThanOrEqualTo(cache.maxBytes());
        if (orientation.hasColumns()) {
            assertThat(statistics.hits()).isPositive();
            assertThat(statistics.verified()).isPositive();
        }
    }

    /** Chunks of files with and without dictionaries, of which nothing, some or all stays. */
    @ParameterizedTest
    @CsvSource({"12, 200000", "200, 1000000000", "300, 0", "100000, 200000"})
    void resultsOfManyRows(int newChoices, long memoryBytes) throws IOException {
        choices = newChoices;
        keys = MANY_ROWS;
        random = new Random(choices);
        CacheOptions caches = new CacheOptions(1 << 20, 1 << 20, 1 << 20, 1 << 20, memoryBytes, 0);
        node = SimulatedNode.start(StorageOptions.DEFAULT.withCaches(caches), choices);
        table = create(Orientation.COLUMN);
        write(MANY_ROWS);
        node.await(node.engine().flush(table.id()));
        LeasedSnapshot before = node.openSnapshot();
        write(MANY_ROWS / 4);
        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        // One that sees the compacted files, with rows that came later
        LeasedSnapshot past =
                node.await(
                        node.engine()
                                .openSnapshot(Optional.of(before.lsn()), Duration.ofMinutes(1)));
        // As many groups as rows take many passes, ten seconds for a query
        boolean isShort = newChoices > MANY_ROWS && !LongRun.isOn();
        List<LeasedSnapshot> snapshots =
                isShort ? List.of(past) : List.of(before, past, node.openSnapshot());
        for (LeasedSnapshot snapshot : snapshots) {
            for (int query = 0; query < (isShort ? 1 : 6); query++) {
                check(snapshot);
            }
        }
        assertThat(mismatches).isEmpty();
    }

    private void change(int round, List<LeasedSnapshot> snapshots) throws IOException {
        write(random.nextInt(120));
        switch (random.nextInt(6)) {
            case 0, 1 -> node.await(node.engine().flush(table.id()));
            case 2 -> node.await(node.engine().compact(table.id()));
            case 3 -> {
                node.restart();
                snapshots.clear();
            }
            default -> {}
        }
        if (round == ROUNDS / 2) {
            snapshots.clear(); // readers of an earlier version are refused
            alter(ColumnChange.setType(List.of("small"), DataType.parse("bigint")));
            alter(ColumnChange.setType(List.of("price"), DataType.parse("decimal(25,2)")));
            alter(ColumnChange.setType(List.of("weight"), DataType.parse("double")));
            alter(ColumnChange.addColumn("added", DataType.parse("bigint"), Optional.empty()));
            given("text", "varchar", "given");
            given("real", "real", -1.5f);
            given("cents", "decimal(20,2)", new BigDecimal("-0.07"));
            alter(ColumnChange.setType(List.of("real"), DataType.parse("double")));
        }
    }

    /** Adds a column that earlier rows have a value in. */
    private void given(String name, String type, Object value) {
        DataType parsed = DataType.parse(type);
        alter(
                ColumnChange.addColumn(name, parsed, Optional.empty())
                        .withInitialValue(InitialRow.value(parsed, value)));
    }

    private TableSchema create(Orientation orientation) {
        node.engine().catalog().createSchema("test");
        String[] types = {
            "boolean",
            "integer",
            "bigint",
            "decimal(12,2)",
            "decimal(30,4)",
            "double",
            "real",
            "varchar",
            "date",
            "timestamp(6)",
            "wide_timestamp(9)"
        };
        String[] names = {
            "flag", "small", "big", "price", "wide", "ratio", "weight", "name", "day", "moment",
            "nanos"
        };
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "id", DataType.parse("bigint")).notNull());
        for (int i = 0; i < types.length; i++) {
            columns.add(new ColumnSchema(i + 2, names[i], DataType.parse(types[i])));
        }
        return node.engine()
                .catalog()
                .createTable(
                        TableSchema.builder("test", "t")
                                .columns(columns)
                                .primaryKey(List.of(1))
                                .orientation(orientation)
                                .shardCount(2)
                                .build(),
                        "",
                        TableState.PUBLIC);
    }

    private void alter(ColumnChange change) {
        table = node.await(node.engine().alterTable(table.id(), table.schemaVersion(), change));
    }

    // ---- rows

    private void write(int rows) {
        RowLayout layout = RowLayout.of(table.columns());
        Map<ShardId, WriteBatchBuilder> batches = new HashMap<>();
        for (int i = 0; i < rows; i++) {
            List<@Nullable Object> values = new ArrayList<>();
            values.add((long) random.nextInt(keys));
            for (ColumnSchema column : table.columns().subList(1, table.columns().size())) {
                values.add(value(column.type()));
            }
            RowEncoder encoder = new RowEncoder(layout);
            Rows.encode(encoder, values);
            byte[] row = encoder.finishToArray();
            byte[] key =
                    KeyEncoder.forPrimaryKey(table)
                            .encode(new BinaryRow(layout).wrap(row, 0, row.length));
            ShardId shard = table.shard(RowRouter.of(table).shardOfKey(key));
            WriteBatchBuilder batch =
                    batches.computeIfAbsent(
                            shard, id -> new WriteBatchBuilder(table.id(), table.schemaVersion()));
            if (random.nextInt(4) == 0) {
                batch.delete(key);
            } else {
                batch.upsert(key, row);
            }
        }
        batches.forEach(
                (shard, batch) -> {
                    byte[] bytes = batch.toByteArray();
                    long sequence = sequences.merge(shard, 1L, Long::sum);
                    node.await(
                            node.engine()
                                    .write(
                                            shard,
                                            new UUID(1, 2),
                                            sequence,
                                            bytes,
                                            0,
                                            bytes.length));
                });
    }

    private @Nullable Object value(DataType type) {
        return random.nextInt(5) == 0 ? null : present(type);
    }

    /** From few values, edges among them; sums of floating point are exact in any order. */
    private Object present(DataType type) {
        int choice = random.nextInt(choices);
        return switch (type.kind()) {
            case BOOLEAN -> choice < 6;
            case INTEGER ->
                    choice == 0 ? Integer.MIN_VALUE : choice == 1 ? Integer.MAX_VALUE : choice - 6;
            case BIGINT -> choice == 0 ? -(1L << 40) : choice == 1 ? 1L << 40 : (long) choice - 6;
            case DECIMAL -> decimal((io.stele.protocol.schema.DecimalType) type, choice);
            case DOUBLE -> floating(choice);
            case REAL -> (float) floating(choice);
            case VARCHAR -> choice < NAMES.size() ? NAMES.get(choice) : "name " + choice;
            case DATE -> LocalDate.ofEpochDay(choice - 3L);
            case TIMESTAMP -> {
                LocalDateTime time =
                        LocalDateTime.of(1969, 12, 31, 23, 59, 58).plusNanos(choice * 500_000_000L);
                // Some further away than 64 bits reach
                yield type.scale() == 0 ? time : time.plusYears((choice % 3 - 1) * 500L);
            }
            default -> throw new IllegalArgumentException("no values of " + type);
        };
    }

    private static BigDecimal decimal(io.stele.protocol.schema.DecimalType type, int choice) {
        BigInteger unscaled =
                choice < 2
                        ? BigInteger.TEN
                                .pow(Math.min(type.precision(), 12))
                                .subtract(BigInteger.ONE)
                                .multiply(BigInteger.TEN.pow(Math.max(0, type.precision() - 16)))
                        : BigInteger.valueOf(choice * 25L);
        return new BigDecimal(choice % 2 == 0 ? unscaled : unscaled.negate(), type.scale());
    }

    private static double floating(int choice) {
        return switch (choice) {
            case 0 -> Double.NaN;
            case 1 -> -0.0;
            case 2 -> 0.0;
            case 3 -> Double.NEGATIVE_INFINITY;
            default -> (choice - 8) * 0.25;
        };
    }

    // ---- queries

    private record Condition(int column, ColumnDomain domain, Predicate<@Nullable Object> test) {}

    private Condition condition(int column) {
        DataType type = table.columns().get(column).type();
        boolean nulls = random.nextInt(3) == 0;
        Object low = bound(type);
        Object high = bound(type);
        if (compare(low, high) > 0) {
            Object swapped = low;
            low = high;
            high = swapped;
        }
        boolean hasLow = random.nextInt(3) > 0;
        boolean hasHigh = random.nextInt(3) > 0;
        boolean single = compare(low, high) == 0;
        boolean lowIn = single || random.nextBoolean();
        boolean highIn = single || random.nextBoolean();
        ValueCodec codec = ValueCodec.of(type);
        ValueRange range =
                new ValueRange(
                        hasLow ? Optional.of(codec.encodeObject(low)) : Optional.empty(),
                        lowIn,
                        hasHigh ? Optional.of(codec.encodeObject(high)) : Optional.empty(),
                        highIn);
        Object from = low;
        Object to = high;
        Predicate<@Nullable Object> test =
                value -> {
                    if (value == null) {
                        return nulls;
                    }
                    if (!hasLow && !hasHigh) {
                        return true;
                    }
                    return !AggregateOracle.isNaN(value)
                            && (!hasLow || compare(value, from) > (lowIn ? -1 : 0))
                            && (!hasHigh || compare(value, to) < (highIn ? 1 : 0));
                };
        return new Condition(column, new ColumnDomain(nulls, List.of(range)), test);
    }

    private Object bound(DataType type) {
        while (true) {
            Object value = present(type);
            if (!AggregateOracle.isNaN(value)) {
                return value;
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // of one column
    private static int compare(Object a, Object b) {
        if (a instanceof Number left && b instanceof Number right && !(a instanceof BigDecimal)) {
            return left.doubleValue() == right.doubleValue() // as SQL: zeros are equal
                    ? 0
                    : Double.compare(left.doubleValue(), right.doubleValue());
        }
        if (a instanceof String left && b instanceof String right) {
            return Arrays.compareUnsigned(
                    left.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                    right.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return ((Comparable) a).compareTo(b);
    }

    private void check(LeasedSnapshot snapshot) throws IOException {
        Map<Integer, Condition> conditions = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            int column = random.nextInt(table.columns().size());
            conditions.put(table.columns().get(column).id(), condition(column));
        }
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        conditions.forEach((id, condition) -> domains.put(id, condition.domain));
        List<Integer> groups = new ArrayList<>();
        for (int i = Math.max(0, random.nextInt(5) - 2); i > 0; i--) {
            ColumnSchema column =
                    table.columns().get(1 + random.nextInt(table.columns().size() - 1));
            if (AggregateCall.isGroupable(column.type()) && !groups.contains(column.id())) {
                groups.add(column.id());
            }
        }
        List<AggregateCall> calls = new ArrayList<>();
        for (int i = random.nextInt(5) + (groups.isEmpty() ? 1 : 0); i > 0; i--) {
            calls.add(call());
        }
        int maxGroups = random.nextInt(5) > 0 ? 100_000 : 5 + random.nextInt(30);
        Aggregation aggregation = new Aggregation(groups, calls, maxGroups);
        Map<List<@Nullable Object>, List<@Nullable Object>> expected =
                expected(snapshot, conditions, aggregation);
        // The second time the cache has what it could keep
        for (Optional<AggregateCache> results :
                List.of(Optional.<AggregateCache>empty(), Optional.of(cache), Optional.of(cache))) {
            assertThat(found(snapshot, new ScanPredicate(domains), aggregation, results))
                    .describedAs("%s where %s, %s", aggregation, domains.keySet(), results)
                    .isEqualTo(expected);
        }
    }

    private AggregateCall call() {
        AggregateFunction[] functions = AggregateFunction.values();
        while (true) {
            AggregateFunction function = functions[random.nextInt(functions.length)];
            ColumnSchema column = table.columns().get(random.nextInt(table.columns().size()));
            if (function == AggregateFunction.COUNT && random.nextBoolean()) {
                return new AggregateCall(function, Optional.empty());
            }
            if (AggregateCall.isSupported(function, column.type())) {
                return new AggregateCall(
                        function, Optional.of(ScalarExpression.column(column.id(), column.type())));
            }
        }
    }

    private Map<List<@Nullable Object>, List<@Nullable Object>> expected(
            LeasedSnapshot snapshot, Map<Integer, Condition> conditions, Aggregation aggregation)
            throws IOException {
        Map<List<@Nullable Object>, List<List<@Nullable Object>>> rows = new HashMap<>();
        if (aggregation.groupColumns().isEmpty()) {
            rows.put(List.of(), new ArrayList<>());
        }
        for (List<@Nullable Object> row : rows(snapshot)) {
            boolean matches =
                    conditions.values().stream()
                            .allMatch(condition -> condition.test.test(row.get(condition.column)));
            if (matches) {
                List<@Nullable Object> key = new ArrayList<>();
                aggregation.groupColumns().forEach(id -> key.add(row.get(index(id))));
                rows.computeIfAbsent(key, group -> new ArrayList<>()).add(row);
            }
        }
        Map<List<@Nullable Object>, List<@Nullable Object>> results = new HashMap<>();
        rows.forEach(
                (key, group) -> {
                    List<@Nullable Object> values = new ArrayList<>();
                    for (AggregateCall call : aggregation.calls()) {
                        int index =
                                call.argument()
                                        .map(argument -> index(argument.columnId().getAsInt()))
                                        .orElse(0);
                        List<@Nullable Object> arguments = new ArrayList<>();
                        group.forEach(row -> arguments.add(row.get(index)));
                        values.add(AggregateOracle.result(call, arguments));
                    }
                    results.put(key, values);
                });
        return results;
    }

    private int index(int columnId) {
        return table.indexOf(columnId);
    }

    private List<List<@Nullable Object>> rows(LeasedSnapshot snapshot) throws IOException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ShardId shard : table.shards()) {
            try (RowCursor cursor = node.scan(snapshot, table.id(), shard)) {
                while (cursor.next()) {
                    rows.add(Rows.toObjects(cursor.row()));
                }
            }
        }
        return rows;
    }

    private Map<List<@Nullable Object>, List<@Nullable Object>> found(
            LeasedSnapshot snapshot,
            ScanPredicate predicate,
            Aggregation aggregation,
            Optional<AggregateCache> results)
            throws IOException {
        AggregateScan scan =
                node.engine()
                        .aggregate(
                                snapshot,
                                table.id(),
                                table.schemaVersion(),
                                predicate,
                                aggregation,
                                results,
                                maxBytes);
        Map<List<@Nullable Object>, List<@Nullable Object>> rows = new HashMap<>();
        Deque<GroupRange> left = new ArrayDeque<>(List.of(GroupRange.ALL));
        while (!left.isEmpty()) {
            GroupRange groups = left.pop();
            AggregatePass pass = scan.pass(groups, ALL_PARTS);
            compute(pass);
            if (pass.isTooLarge()) {
                givenUp++;
                groups.split().forEach(left::push);
            } else {
                int before = rows.size();
                addResults(scan, pass, aggregation, rows);
                assertThat(rows).hasSize(before + pass.resultCount());
            }
        }
        return rows;
    }

    private void compute(AggregatePass pass) throws IOException {
        List<AggregatePart> parts = new ArrayList<>();
        for (Optional<AggregatePart> next = pass.nextPart();
                next.isPresent();
                next = pass.nextPart()) {
            AggregatePart part = next.get();
            assertThat(part.waitsFor()).isEmpty();
            while (!pass.isTooLarge() && part.load()) {
                part.add();
            }
            parts.add(part);
        }
        Collections.shuffle(parts, random);
        for (AggregatePart part : parts) {
            if (!pass.isTooLarge()) {
                pass.merge(part);
            }
            part.close();
        }
    }

    private static void addResults(
            AggregateScan scan,
            AggregatePass pass,
            Aggregation aggregation,
            Map<List<@Nullable Object>, List<@Nullable Object>> rows) {
        RowLayout layout = RowLayout.of(scan.resultColumns());
        RowEncoder encoder = new RowEncoder(layout);
        int groups = aggregation.groupColumns().size();
        for (int i = 0; i < pass.resultCount(); i++) {
            pass.result(i, encoder);
            byte[] row = encoder.finishToArray();
            List<@Nullable Object> values =
                    Rows.toObjects(new BinaryRow(layout).wrap(row, 0, row.length));
            rows.put(
                    new ArrayList<>(values.subList(0, groups)),
                    new ArrayList<>(values.subList(groups, values.size())));
        }
    }

    /** More groups than there may be at once are computed in several passes. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void groupsBeyondTheLimitsComeInSeveralPasses(Orientation orientation) throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        random = new Random(1);
        table = create(orientation);
        write(300);
        node.await(node.engine().flush(table.id()));
        write(100);
        LeasedSnapshot snapshot = node.openSnapshot();
        AggregateCall count = new AggregateCall(AggregateFunction.COUNT, Optional.empty());
        Aggregation few = new Aggregation(List.of(1), List.of(count), 10);
        Aggregation many = new Aggregation(List.of(1), List.of(count), 100_000);
        Map<List<@Nullable Object>, List<@Nullable Object>> expected =
                expected(snapshot, Map.of(), many);
        assertThat(expected.size()).isGreaterThan(150);
        for (Optional<AggregateCache> results :
                List.of(Optional.<AggregateCache>empty(), Optional.of(cache))) {
            givenUp = 0;
            assertThat(found(snapshot, ScanPredicate.ALL, few, results)).isEqualTo(expected);
            assertThat(givenUp).isGreaterThan(8);
            givenUp = 0;
            maxBytes = 4_000;
            assertThat(found(snapshot, ScanPredicate.ALL, many, results)).isEqualTo(expected);
            assertThat(givenUp).isPositive();
            maxBytes = MAX_BYTES;
        }
    }

    /** However many parts are computed at once, their groups have the memory of so many. */
    @Test
    void partsThatAreComputedAtOnceShareTheirMemory() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        random = new Random(1);
        table = create(Orientation.COLUMN);
        for (int flush = 0; flush < 3; flush++) {
            write(300);
            node.await(node.engine().flush(table.id()));
        }
        Aggregation many =
                new Aggregation(
                        List.of(1),
                        List.of(new AggregateCall(AggregateFunction.COUNT, Optional.empty())),
                        100_000);
        maxBytes = 1_000;
        AggregatePass tooSmall = computed(many, 1, false);
        assertThat(tooSmall.isTooLarge()).isTrue();
        assertThat(tooSmall.isCrowded()).as("fewer at once would not help").isFalse();
        while (computed(many, ALL_PARTS, true).isTooLarge()) {
            maxBytes *= 2; // until there is room for a part, and not for two
        }
        AggregatePass crowded = computed(many, 1, true);
        assertThat(crowded.isCrowded()).as("all open, room for one").isTrue();
        assertThat(crowded.isTooLarge()).isTrue();
        assertThat(computed(many, 1, false).isTooLarge()).as("one after the other").isFalse();
        maxBytes = MAX_BYTES;
    }

    private AggregatePass computed(Aggregation aggregation, int computing, boolean keepOpen)
            throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        AggregatePass pass =
                node.engine()
                        .aggregate(
                                snapshot,
                                table.id(),
                                table.schemaVersion(),
                                ScanPredicate.ALL,
                                aggregation,
                                Optional.empty(),
                                maxBytes)
                        .pass(GroupRange.ALL, computing);
        assertThat(pass.partCount()).isGreaterThan(2);
        List<AggregatePart> open = new ArrayList<>();
        for (Optional<AggregatePart> next = pass.nextPart();
                next.isPresent();
                next = pass.nextPart()) {
            AggregatePart part = next.get();
            while (!pass.isTooLarge() && part.load()) {
                part.add();
            }
            if (keepOpen) {
                open.add(part);
            } else {
                part.close();
            }
        }
        for (AggregatePart part : open) {
            part.close();
        }
        return pass;
    }

    /** One group cannot be divided. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void oneGroupBeyondTheLimitIsAnError(Orientation orientation) throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        random = new Random(1);
        table = create(orientation);
        write(300);
        maxBytes = 100;
        assertThatThrownBy(
                        () ->
                                found(
                                        node.openSnapshot(),
                                        ScanPredicate.ALL,
                                        new Aggregation(List.of(), List.of(call()), 10),
                                        Optional.empty()))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("at most 100 bytes for a group")
                .hasMessageContaining("stele.aggregation.max-size")
                .hasMessageContaining("aggregation_pushdown_enabled");
    }
}
