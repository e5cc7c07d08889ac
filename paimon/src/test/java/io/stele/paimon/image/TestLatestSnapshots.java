package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestLatestSnapshots {
    private static final Duration SECOND = Duration.ofSeconds(1);
    // Without compactions, which are snapshots of their own.
    private static final Map<String, String> OPTIONS = Map.of("bucket", "1", "write-only", "true");

    @TempDir Path folder;

    private final AtomicLong nanos = new AtomicLong(5);
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final LatestSnapshots snapshots =
            new LatestSnapshots(
                    new LeaseOptions(Duration.ofMillis(200), Duration.ofSeconds(60), 3, 100),
                    scheduler,
                    tasks::add,
                    nanos::get);
    private LakeTable lake;
    private FileStoreTable table;

    @BeforeEach
    void create() throws Exception {
        lake = LakeTable.create(folder, "t", true, OPTIONS);
        table = lake.open();
    }

    @AfterEach
    void close() {
        snapshots.close();
        scheduler.shutdownNow();
    }

    @Test
    void hasNoSnapshotBeforeTheFirstCommit() throws Exception {
        assertThat(snapshots.latest(table, SECOND)).isEmpty();

        commit(1);
        assertThat(snapshots.latest(table, SECOND)).isEmpty();
        assertThat(snapshots.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(1L);
    }

    @Test
    void sendsNoRequestWithinTheBound() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        lake.files().clear();
        commit(2);
        lake.files().clear();
        pass(SECOND);

        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
        assertThat(lake.files().requests()).isEmpty();

        pass(Duration.ofNanos(1));
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
    }

    @Test
    void checksByTwoRequests() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        lake.files().clear();

        snapshots.latest(table, Duration.ZERO);

        assertThat(lake.files().requests()).containsExactly("snapshot-1", "snapshot-2");
    }

    @Test
    void checksInTheBackground() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        for (int i = 2; i < 20; i++) {
            commit(i);
            pass(Duration.ofMillis(200));
            snapshots.tick();
            runTasks();
            lake.files().clear();

            assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue((long) i);
            assertThat(lake.files().requests()).isEmpty();
        }
    }

    @Test
    void findsTheLatestOfMany() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        for (int i = 0; i < 15; i++) {
            commit(i);
        }

        assertThat(snapshots.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(16L);
        lake.expire();
        assertThat(snapshots.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(16L);
    }

    @Test
    void survivesTheExpiryOfItsSnapshot() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        commit(2);
        commit(3);
        lake.expire();

        assertThat(snapshots.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(3L);
    }

    @Test
    void noticesARollback() throws Exception {
        commit(1);
        commit(2);
        Snapshot second = snapshots.snapshot(table, 2);
        assertThat(snapshots.latest(table, SECOND)).hasValue(second);
        lake.open().rollbackTo(1);
        assertThat(snapshots.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(1L);
        commit(3);

        Snapshot again = snapshots.latest(table, Duration.ZERO).orElseThrow();
        assertThat(again.id()).isEqualTo(2);
        assertThat(again).isNotEqualTo(second);
        assertThat(snapshots.snapshot(table, 2)).isEqualTo(again);
    }

    @Test
    void noticesADroppedTableAndANewOne() throws Exception {
        commit(1);
        Snapshot old = snapshots.latest(table, SECOND).orElseThrow();
        lake.drop();

        assertThat(snapshots.latest(table, SECOND)).hasValue(old);
        pass(Duration.ofMillis(200));
        snapshots.tick();
        runTasks();
        assertThatThrownBy(() -> snapshots.latest(table, SECOND))
                .isInstanceOf(TableDroppedException.class)
                .hasMessageContaining("was dropped");

        lake.create(true, OPTIONS);
        table = lake.open();
        commit(1);
        Snapshot latest = snapshots.latest(table, SECOND).orElseThrow();
        assertThat(latest.id()).isEqualTo(1);
        assertThat(SnapshotIdentity.of(latest)).isNotEqualTo(SnapshotIdentity.of(old));
    }

    @Test
    void noticesANewTableWithTheSameSnapshotId() throws Exception {
        commit(1);
        Snapshot old = snapshots.latest(table, SECOND).orElseThrow();
        lake.drop();
        lake.create(true, OPTIONS);
        table = lake.open();
        commit(1);

        Snapshot latest = snapshots.latest(table, Duration.ZERO).orElseThrow();

        assertThat(latest.id()).isEqualTo(old.id());
        assertThat(SnapshotIdentity.of(latest)).isNotEqualTo(SnapshotIdentity.of(old));
    }

    @Test
    void failedChecksProlongNothing() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        lake.files().fail("snapshot-");
        for (int i = 0; i < 5; i++) {
            pass(Duration.ofMillis(200));
            snapshots.tick();
            runTasks();
        }
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
        pass(Duration.ofMillis(1));

        assertThatThrownBy(() -> snapshots.latest(table, SECOND))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("no answer");
        assertThat(snapshots.failureCount()).isEqualTo(6);

        lake.files().fail(null);
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
    }

    @Test
    void showsACommitThatItWasToldOf() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        commit(2);
        snapshots.advancedTo(table, 2);

        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        lake.files().clear();
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        assertThat(lake.files().requests()).isEmpty();

        // One that is rolled back before it is seen: the truth is found, once.
        snapshots.advancedTo(table, 9);
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        lake.files().clear();
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        assertThat(lake.files().requests()).isEmpty();
    }

    @Test
    void checksNoTableThatIsIdle() throws Exception {
        commit(1);
        snapshots.latest(table, SECOND);
        pass(Duration.ofSeconds(61));
        snapshots.tick();

        assertThat(tasks).isEmpty();
    }

    @Test
    void checksABoundedNumberOfTables() throws Exception {
        for (int i = 0; i < 5; i++) {
            pass(SECOND);
            FileStoreTable other =
                    LakeTable.create(folder, "t" + i, true, Map.of("bucket", "1")).open();
            snapshots.latest(other, SECOND);
        }
        snapshots.tick();

        assertThat(tasks).hasSize(3);
    }

    @Test
    void cachesSnapshotsById() throws Exception {
        commit(1);
        commit(2);
        Snapshot first = snapshots.snapshot(table, 1);
        lake.files().clear();

        assertThat(snapshots.snapshot(table, 1)).isSameAs(first);
        assertThat(lake.files().requests()).isEmpty();
        assertThatThrownBy(() -> snapshots.snapshot(table, 7))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessageContaining("Snapshot 7");
    }

    private void commit(int key) throws Exception {
        lake.write(LakeTable.row("d1", key, key));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void aTableThatThisNodeRollsBackIsReadAnew() throws Exception {
        commit(1);
        commit(2);
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        table.rollbackTo(1);
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        snapshots.forget(table);
        assertThat(snapshots.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
        assertThatThrownBy(() -> snapshots.snapshot(table, 2))
                .isInstanceOf(FileNotFoundException.class);
    }
}
