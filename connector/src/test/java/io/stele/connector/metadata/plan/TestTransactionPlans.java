package io.stele.connector.metadata.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.config.MetadataCacheConfig;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.ColumnSize;
import io.stele.protocol.api.catalog.NodeAddress;
import io.stele.protocol.api.catalog.ShardRouting;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What scans read without asking, and what is asked for. */
final class TestTransactionPlans {
    private static final SchemaTableName NAME = new SchemaTableName("s", "t");
    private static final TableId TABLE = new TableId(7);
    private static final ValueCodec BIGINT = ValueCodec.of(DataType.parse("bigint"));
    private static final long ASK_NANOS = 3_000_000;
    private static final int LONG = 1_000_000; // files

    private final AtomicLong nanos = new AtomicLong();
    private final ScanPlanCache kept = new ScanPlanCache(new MetadataCacheConfig(), nanos::get);
    private final List<ScanPredicate> asked = new ArrayList<>();
    private int queries;

    private static FileScan file(String path, long min, long max, long maxLsn) {
        return new FileScan(
                path,
                100,
                10,
                1,
                1,
                maxLsn,
                OptionalLong.empty(),
                OptionalLong.empty(),
                new byte[0],
                0,
                Map.of(1, stats(min, max)),
                List.of(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                false);
    }

    private static ColumnStats stats(long min, long max) {
        return new ColumnStats(
                Optional.of(BIGINT.encodeLong(min)), Optional.of(BIGINT.encodeLong(max)), 0, false);
    }

    private static List<ShardScan> scans() {
        return List.of(
                new ShardScan(
                        new ShardId(0, 0),
                        List.of(file("old", 0, 9, 5), file("a", 0, 9, 50), file("b", 10, 19, 60)),
                        true,
                        ScanMode.LIVE,
                        3));
    }

    private static ScanPredicate from(long min, long max) {
        return new ScanPredicate(
                Map.of(
                        1,
                        new ColumnDomain(
                                false,
                                List.of(
                                        new ValueRange(
                                                Optional.of(BIGINT.encodeLong(min)),
                                                true,
                                                Optional.of(BIGINT.encodeLong(max)),
                                                true)))));
    }

    private static TableSchema schema() {
        return TableSchema.builder("s", "t")
                .id(TABLE)
                .columns(List.of(new ColumnSchema(1, "v", DataType.parse("bigint"))))
                .build();
    }

    private static TablePlan received(String token, int fileCount, boolean isTold) {
        return new TablePlan(
                TABLE,
                1,
                Optional.of(token),
                10,
                fileCount,
                isTold ? Optional.of(scans()) : Optional.empty());
    }

    /** A query: what it named to the sidecar, and what it read. */
    private Query query(Optional<TablePlan> plan, ScanPredicate predicate) {
        TransactionPlans plans = new TransactionPlans(Optional.of(kept));
        ScanPlanCache.Expected expected = plans.expect(NAME).orElseThrow();
        String snapshotId = "snapshot " + queries++;
        plans.began(expected, snapshotId, plan.stream().toList());
        ScanPlan read =
                plans.plan(
                        new SteleTableHandle(schema(), snapshotId, 100),
                        () -> predicate,
                        predicate,
                        wanted -> {
                            asked.add(wanted);
                            nanos.addAndGet(ASK_NANOS);
                            return new ScanPlan(100, 10, scans());
                        });
        plans.close();
        return new Query(
                expected.known(),
                read.shards().getFirst().files().stream().map(FileScan::path).toList(),
                plans);
    }

    private record Query(List<CachedPlan> named, List<String> files, TransactionPlans plans) {}

    @Test
    void theSecondQueryNamesWhatTheFirstScanned() {
        Query first = query(Optional.empty(), from(12, 13));
        assertThat(first.named).isEmpty();
        assertThat(asked).containsExactly(from(12, 13));

        Query second = query(Optional.of(received("x", 3, true)), from(12, 13));
        assertThat(second.named)
                .containsExactly(new CachedPlan(TABLE, 1, Optional.empty(), TablePlan.MAX_CELLS));
        assertThat(second.files).containsExactly("b");

        Query third = query(Optional.of(received("x", 3, false)), from(0, 13));
        assertThat(third.named)
                .containsExactly(new CachedPlan(TABLE, 1, Optional.of("x"), TablePlan.MAX_CELLS));
        assertThat(third.files).containsExactly("a", "b"); // the old one has expired
        assertThat(asked).hasSize(1);
        assertThat(kept.foundCount()).isEqualTo(2);
        assertThat(kept.askedCount()).isEqualTo(1);
        assertThat(kept.savedMillis()).isEqualTo(2 * 3);
        assertThat(kept.foundBytes()).isPositive();
    }

    @Test
    void whatIsNotConfirmedIsNotUsed() {
        query(Optional.of(received("x", 3, true)), ScanPredicate.ALL);
        asked.clear();
        query(Optional.empty(), ScanPredicate.ALL); // the sidecar said nothing of the table
        assertThat(asked).hasSize(1);
        query(Optional.of(received("y", 3, false)), ScanPredicate.ALL); // another plan, not told
        assertThat(asked).hasSize(2);
    }

    @Test
    void anotherSnapshotAsks() {
        TransactionPlans plans = new TransactionPlans(Optional.of(kept));
        plans.began(plans.expect(NAME).orElseThrow(), "mine", List.of(received("x", 3, true)));
        plans.plan(
                new SteleTableHandle(schema(), "of the past", 50),
                () -> ScanPredicate.ALL,
                ScanPredicate.ALL,
                wanted -> {
                    asked.add(wanted);
                    return new ScanPlan(50, 10, scans());
                });
        assertThat(asked).hasSize(1);
    }

    @Test
    void longPlansAreKeptByPredicateWhileTheTableStays() {
        query(Optional.of(received("x", LONG, false)), from(12, 13));
        query(Optional.of(received("x", LONG, false)), from(12, 13));
        assertThat(asked).containsExactly(from(12, 13));
        query(Optional.of(received("x", LONG, false)), from(1, 2));
        query(Optional.of(received("y", LONG, false)), from(12, 13));
        assertThat(asked).containsExactly(from(12, 13), from(1, 2), from(12, 13));
    }

    @Test
    void middlingPlansAreKeptWholeOnceTheTableStays() {
        query(Optional.of(received("x", 10_000, false)), from(12, 13));
        assertThat(asked).containsExactly(from(12, 13));
        assertThat(query(Optional.of(received("x", 10_000, false)), from(1, 2)).files)
                .containsExactly("a");
        assertThat(query(Optional.of(received("x", 10_000, false)), from(11, 12)).files)
                .containsExactly("b");
        assertThat(asked).containsExactly(from(12, 13), ScanPredicate.ALL);
    }

    @Test
    void aTableThatNobodyWantsAnyMoreIsNamedNoMore() {
        query(Optional.empty(), ScanPredicate.ALL);
        for (int query = 0; query <= ScanPredictor.PATIENCE; query++) {
            ScanPlanCache.Expected expected = kept.expect(NAME);
            assertThat(expected.known()).hasSize(1);
            TransactionPlans plans = new TransactionPlans(Optional.of(kept));
            plans.began(expected, "r", List.of());
            plans.close();
        }
        assertThat(kept.expect(NAME).known()).isEmpty();
    }

    @Test
    void statisticsOfAPartAreThoseOfItsFiles() {
        TransactionPlans plans = new TransactionPlans(Optional.of(kept));
        plans.began(plans.expect(NAME).orElseThrow(), "mine", List.of(received("x", 3, true)));
        TableDescription table =
                new TableDescription(
                        schema(),
                        new TableStatistics(
                                32,
                                400,
                                Map.of(1, stats(0, 30)),
                                Map.of(1, new ColumnSize(25, -1))),
                        ShardRouting.single(new NodeAddress("n", "h", 1, 2), 1));
        TableStatistics found = plans.statistics(table, from(12, 13)).orElseThrow();
        assertThat(found.rowCount()).isEqualTo(12); // of one file, and two that are in memory
        assertThat(found.sizeBytes()).isEqualTo(200);
        assertThat(found.columns().get(1)).isEqualTo(stats(0, 30)); // those in memory are anywhere
        assertThat(found.sizes().get(1).distinctCount()).isEqualTo(12);
        plans.close(); // nothing was scanned, but the files were asked for
        assertThat(kept.expect(NAME).known()).hasSize(1);
    }
}
