package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whether a plan that somebody keeps is the plan of a later snapshot. */
final class TestTablePlans {
    private final SimulatedNode node;
    private final TestTable table;

    TestTablePlans() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        table = TestTable.create(node.engine(), "planned", Orientation.COLUMN, true, 2);
        upsert(0, 100);
        node.await(node.engine().flush(table.id()));
    }

    private void upsert(long from, long to) {
        for (long id = from; id < to; id++) {
            node.await(table.upsert(node.engine(), id, "a", id));
        }
    }

    private TablePlan tell(Optional<String> token, int maxCells) {
        return tell(node.openSnapshot(), token, maxCells);
    }

    private TablePlan tell(LeasedSnapshot snapshot, Optional<String> token, int maxCells) {
        return node.engine()
                .tablePlan(
                        snapshot,
                        new CachedPlan(
                                table.id(), table.schema().schemaVersion(), token, maxCells));
    }

    private TablePlan tell(Optional<String> token) {
        return tell(token, TablePlan.MAX_CELLS);
    }

    @Test
    void tellsThePlanOnce() {
        TablePlan first = tell(Optional.empty());
        assertThat(first.shards().orElseThrow())
                .usingRecursiveComparison()
                .isEqualTo(
                        node.engine()
                                .plan(node.openSnapshot(), table.id(), ScanPredicate.ALL)
                                .shards());
        assertThat(first.fileCount()).isEqualTo(2);
        TablePlan second = tell(first.token());
        assertThat(second.token()).isEqualTo(first.token());
        assertThat(second.shards()).isEmpty();
        assertThat(tell(Optional.of("another")).shards()).isPresent();
    }

    @Test
    void rowsThatAreOnlyInMemoryDoNotChangeIt() {
        Optional<String> empty = tell(Optional.empty()).token();
        upsert(1_000, 1_020);
        TablePlan live = tell(empty);
        assertThat(live.token()).isNotEqualTo(empty);
        assertThat(live.shards().orElseThrow()).allMatch(ShardScan::live);
        upsert(2_000, 2_020);
        assertThat(tell(live.token()).shards()).isEmpty();
    }

    @Test
    void deletedRowsFlushesAndMergesChangeIt() {
        Optional<String> before = tell(Optional.empty()).token();
        node.await(table.delete(node.engine(), 7));
        Optional<String> deleted = tell(before).token();
        assertThat(deleted).isNotEqualTo(before);
        node.await(node.engine().flush(table.id()));
        Optional<String> flushed = tell(deleted).token();
        assertThat(flushed).isNotEqualTo(deleted);
        upsert(100, 200);
        node.await(node.engine().flush(table.id()));
        Optional<String> unmerged = tell(flushed).token();
        node.await(node.engine().compact(table.id()));
        assertThat(tell(unmerged).token()).isNotEqualTo(unmerged);
    }

    @Test
    void aDeletedRowOfAFileChangesItAlsoWhereRowsAreInMemory() {
        upsert(1_000, 1_020);
        Optional<String> received = tell(Optional.empty()).token();
        Optional<String> named = tell(Optional.empty(), 0).token();
        node.await(table.delete(node.engine(), 7));
        TablePlan now = tell(received);
        assertThat(now.token()).isNotEqualTo(received);
        assertThat(now.shards().orElseThrow().stream().flatMap(shard -> shard.files().stream()))
                .anyMatch(file -> file.deletedCount() == 1);
        assertThat(tell(named, 0).token()).isPresent().isNotEqualTo(named);
    }

    @Test
    void itIsTheSameAfterARestart() throws IOException {
        Optional<String> before = tell(Optional.empty()).token();
        node.restart();
        assertThat(tell(before).shards()).isEmpty();
        assertThat(tell(before).token()).isEqualTo(before);
    }

    @Test
    void aLongPlanIsNamedButNotTold() {
        TablePlan first = tell(Optional.empty(), 5);
        assertThat(first.token()).isPresent();
        assertThat(first.shards()).isEmpty();
        assertThat(first.fileCount()).isEqualTo(2);
        assertThat(tell(Optional.empty(), 5).token()).isEqualTo(first.token());

        LeasedSnapshot before = node.openSnapshot();
        node.await(table.delete(node.engine(), 7));
        TablePlan changed = tell(first.token(), 5);
        assertThat(changed.token()).isPresent().isNotEqualTo(first.token());
        // Below the last change nobody can say that nothing happened
        assertThat(tell(before, first.token(), 5).token()).isEmpty();
        // A short one is looked at
        assertThat(tell(before, Optional.empty(), TablePlan.MAX_CELLS).token()).isPresent();
    }

    @Test
    void aTableThatIsGoneIsRefused() {
        node.engine().catalog().dropTable(table.id());
        assertRefused(ErrorCode.STALE_TABLE, () -> tell(Optional.empty()));
    }
}
