package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.BenefitCacheOptions;
import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.aggregate.AggregatePart;
import io.stele.engine.aggregate.AggregatePass;
import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.aggregate.GroupRange;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.RoundsStore;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Aggregations of files in a remote store: the requests and rounds that they make, and what they
 * are estimated to cost before.
 */
final class TestAggregationRequests {
    private static final int FILES = 3;
    private static final int ROWS_A_FILE = 20_000;
    private static final int ROWS_A_BATCH = 1_000;
    private static final DataType BIGINT = DataType.parse("bigint");

    /** Sums of a column by another one. */
    private static final Aggregation SUMS =
            new Aggregation(
                    List.of(2),
                    List.of(
                            new AggregateCall(
                                    AggregateFunction.SUM,
                                    Optional.of(ScalarExpression.column(3, BIGINT)))),
                    1_000);

    private static final Aggregation COUNT =
            new Aggregation(
                    List.of(),
                    List.of(new AggregateCall(AggregateFunction.COUNT, Optional.empty())),
                    1_000);

    private final AtomicReference<RoundsStore> made = new AtomicReference<>();
    private final AggregateCache results =
            new AggregateCache(
                    new BenefitCacheOptions(1 << 20, 1 << 20, 0), System::nanoTime, _ -> {});
    private SimulatedNode node;
    private TableSchema table;
    private long sequence;

    @BeforeEach
    void start() throws IOException {
        CacheOptions caches = CacheOptions.DEFAULT;
        node = RequestCost.start(caches, made);
        node.engine().catalog().createSchema("test");
        table = node.engine().catalog().createTable(definition(), "", TableState.PUBLIC);
        for (int file = 0; file < FILES; file++) {
            for (int i = 0; i < ROWS_A_FILE; i += ROWS_A_BATCH) {
                write(file * ROWS_A_FILE + i, ROWS_A_BATCH);
            }
            node.await(node.engine().flush(table.id()));
        }
        node.restart();
        node.tick(0); // opens the files
    }

    private void write(long firstId, int rows) {
        RowLayout layout = RowLayout.of(table.columns());
        KeyEncoder keys = KeyEncoder.forPrimaryKey(table);
        WriteBatchBuilder batch = new WriteBatchBuilder(table.id(), table.schemaVersion());
        for (long id = firstId; id < firstId + rows; id++) {
            byte[] row = Rows.toBytes(layout, id, id % 7, id * 1_000_003, id);
            batch.upsert(keys.encodeObjects(List.of(id)), row);
        }
        byte[] bytes = batch.toByteArray();
        node.await(
                node.engine()
                        .write(table.shard(0), new UUID(1, 2), ++sequence, bytes, 0, bytes.length));
    }

    private static TableSchema definition() {
        return TableSchema.builder("test", "t")
                .columns(
                        List.of(
                                new ColumnSchema(1, "id", BIGINT).notNull(),
                                new ColumnSchema(2, "kind", BIGINT),
                                new ColumnSchema(3, "amount", BIGINT),
                                new ColumnSchema(4, "other", BIGINT)))
                .primaryKey(List.of(1))
                .build();
    }

    /** A worker of the sidecar that takes part after part. */
    private int aggregate(Aggregation aggregation, ScanPredicate predicate) throws IOException {
        AggregatePass pass = scan(aggregation, predicate).pass(GroupRange.ALL, 1);
        for (Optional<AggregatePart> next = pass.nextPart();
                next.isPresent();
                next = pass.nextPart()) {
            try (AggregatePart part = next.get()) {
                if (part.waitsFor().isEmpty()) {
                    while (part.load()) {
                        part.add();
                    }
                }
                pass.merge(part);
            }
        }
        return pass.resultCount();
    }

    private AggregateScan scan(Aggregation aggregation, ScanPredicate predicate) {
        LeasedSnapshot snapshot = node.openSnapshot();
        return node.engine()
                .aggregate(
                        snapshot,
                        table.id(),
                        table.schemaVersion(),
                        predicate,
                        aggregation,
                        Optional.of(results).filter(_ -> aggregation.usesCache()),
                        1 << 20);
    }

    private AggregationEstimate estimate(Aggregation aggregation, ScanPredicate predicate) {
        return scan(aggregation, predicate).estimate(2);
    }

    @Test
    void aColdFileIsOneRoundWhereItsMetadataAreInMemory() throws IOException {
        RequestCost limit = new RequestCost(2 * FILES, FILES);
        RequestCost cost = RequestCost.UNKNOWN;
        for (int i = 0; i < RequestCost.ATTEMPTS && !cost.isWithin(limit); i++) {
            node.restart();
            node.tick(0);
            Aggregation computed = new Aggregation(SUMS.groupColumns(), SUMS.calls(), 1_000, false);
            cost = RequestCost.of(made.get().record(() -> aggregate(computed, ScanPredicate.ALL)));
        }
        assertThat(cost.isWithin(limit)).as("%s of %s", cost, limit).isTrue();
    }

    @Test
    void anEstimateReadsNothingAndKnowsWhatIsInMemory() throws IOException {
        long rows = FILES * ROWS_A_FILE;
        AggregationEstimate cold =
                made.get().record(() -> estimate(SUMS, ScanPredicate.ALL)).result();
        assertThat(cold.files()).isEqualTo(FILES);
        assertThat(cold.scannedRows()).isEqualTo(rows);
        assertThat(cold.columns()).isEqualTo(2);
        assertThat(cold.computedRows()).isEqualTo(rows);
        assertThat(cold.missingFiles()).isEqualTo(FILES);
        assertThat(cold.missingValues()).isEqualTo(2 * rows);
        assertThat(cold.missingBytes()).isPositive().isLessThan(cold.fileBytes());
        assertThat(made.get().record(() -> estimate(SUMS, ScanPredicate.ALL)).requests()).isEmpty();

        Aggregation uncached = new Aggregation(SUMS.groupColumns(), SUMS.calls(), 1_000, false);
        assertThat(aggregate(uncached, ScanPredicate.ALL)).isEqualTo(7);
        AggregationEstimate decoded = estimate(SUMS, ScanPredicate.ALL);
        assertThat(decoded.missingValues()).isZero();
        assertThat(decoded.missingFiles()).isZero();
        assertThat(decoded.computedRows()).isEqualTo(rows);

        assertThat(aggregate(SUMS, ScanPredicate.ALL)).isEqualTo(7);
        assertThat(estimate(SUMS, ScanPredicate.ALL).computedRows()).isZero();
        assertThat(estimate(uncached, ScanPredicate.ALL).computedRows()).isEqualTo(rows);
    }

    @Test
    void whatStatisticsAnswerIsNotComputed() {
        AggregationEstimate count = estimate(COUNT, ScanPredicate.ALL);
        assertThat(count.files()).isEqualTo(FILES);
        assertThat(count.computedRows()).isZero();
        assertThat(count.missingFiles()).isZero();
    }

    /** Row groups of files that are sorted by a column of the condition are skipped. */
    @Test
    void ofSortedFilesAPartIsRead() {
        AggregationEstimate half =
                estimate(SUMS, where(1, ValueRange.atLeast(value(ROWS_A_FILE / 2))));
        assertThat(half.scannedRows())
                .isBetween((long) (2.4 * ROWS_A_FILE), (long) (2.6 * ROWS_A_FILE));
        assertThat(half.computedRows()).isEqualTo(half.scannedRows());
        // The condition is tested in one of three files
        assertThat(half.missingValues())
                .isBetween(
                        (long) ((2 + 2 + 0.4 * 3) * ROWS_A_FILE),
                        (long) ((2 + 2 + 0.6 * 3) * ROWS_A_FILE));
        AggregationEstimate other = estimate(SUMS, where(4, ValueRange.atLeast(value(10))));
        assertThat(other.scannedRows()).isEqualTo(3 * ROWS_A_FILE);
    }

    private static byte[] value(long value) {
        return ValueCodec.of(BIGINT).encodeLong(value);
    }

    private static ScanPredicate where(int column, ValueRange range) {
        return new ScanPredicate(Map.of(column, ColumnDomain.of(range)));
    }

    @Test
    void rowsInMemoryAreCounted() {
        write(FILES * ROWS_A_FILE, 5);
        assertThat(estimate(SUMS, ScanPredicate.ALL).liveRows()).isEqualTo(5);
    }
}
