package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.lease.ManualChecks;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
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

    private final ManualChecks checks = new ManualChecks();
    private final LatestSnapshots leases =
            new LatestSnapshots(
                    new LeaseOptions(SECOND, Duration.ofMillis(200), Duration.ofSeconds(60), 3),
                    100,
                    checks,
                    Runnable::run,
                    checks::nanos);
    private LakeTable lake;
    private FileStoreTable table;

    @BeforeEach
    void create() throws Exception {
        lake = LakeTable.create(folder, "t", true, OPTIONS);
        table = lake.open();
    }

    @AfterEach
    void close() {
        leases.close();
    }

    @Test
    void hasNoSnapshotBeforeTheFirstCommit() throws Exception {
        assertThat(leases.latest(table, SECOND)).isEmpty();

        commit(1);
        assertThat(leases.latest(table, SECOND)).isEmpty();
        assertThat(leases.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(1L);
    }

    @Test
    void sendsNoRequestWithinTheBound() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        lake.files().clear();
        commit(2);
        lake.files().clear();
        pass(SECOND);

        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
        assertThat(lake.files().requests()).isEmpty();

        pass(Duration.ofNanos(1));
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
    }

    @Test
    void checksByTwoRequests() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        lake.files().clear();

        leases.latest(table, Duration.ZERO);

        assertThat(lake.files().requests()).containsExactly("snapshot-1", "snapshot-2");
    }

    @Test
    void checksInTheBackground() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        for (int i = 2; i < 20; i++) {
            commit(i);
            checks.pass(Duration.ofMillis(200));
            lake.files().clear();

            assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue((long) i);
            assertThat(lake.files().requests()).isEmpty();
        }
    }

    @Test
    void findsTheLatestOfMany() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        for (int i = 0; i < 15; i++) {
            commit(i);
        }

        assertThat(leases.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(16L);
        lake.expire();
        assertThat(leases.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(16L);
    }

    @Test
    void survivesTheExpiryOfItsSnapshot() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        commit(2);
        commit(3);
        lake.expire();

        assertThat(leases.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(3L);
    }

    @Test
    void noticesARollback() throws Exception {
        commit(1);
        commit(2);
        Snapshot second = leases.snapshot(table, 2);
        assertThat(leases.latest(table, SECOND)).hasValue(second);
        lake.open().rollbackTo(1);
        assertThat(leases.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(1L);
        commit(3);

        Snapshot again = leases.latest(table, Duration.ZERO).orElseThrow();
        assertThat(again.id()).isEqualTo(2);
        assertThat(again).isNotEqualTo(second);
        assertThat(leases.snapshot(table, 2)).isEqualTo(again);
    }

    @Test
    void noticesADroppedTableAndANewOne() throws Exception {
        commit(1);
        Snapshot old = leases.latest(table, SECOND).orElseThrow();
        lake.drop();

        assertThat(leases.latest(table, SECOND)).hasValue(old);
        checks.pass(Duration.ofMillis(200));
        assertThatThrownBy(() -> leases.latest(table, SECOND))
                .isInstanceOf(TableDroppedException.class)
                .hasMessageContaining("was dropped");

        lake.create(true, OPTIONS);
        table = lake.open();
        commit(1);
        Snapshot latest = leases.latest(table, SECOND).orElseThrow();
        assertThat(latest.id()).isEqualTo(1);
        assertThat(SnapshotIdentity.of(latest)).isNotEqualTo(SnapshotIdentity.of(old));
    }

    @Test
    void noticesANewTableWithTheSameSnapshotId() throws Exception {
        commit(1);
        Snapshot old = leases.latest(table, SECOND).orElseThrow();
        lake.drop();
        lake.create(true, OPTIONS);
        table = lake.open();
        commit(1);

        Snapshot latest = leases.latest(table, Duration.ZERO).orElseThrow();

        assertThat(latest.id()).isEqualTo(old.id());
        assertThat(SnapshotIdentity.of(latest)).isNotEqualTo(SnapshotIdentity.of(old));
    }

    @Test
    void failedChecksProlongNothing() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        lake.files().fail("snapshot-");
        checks.pass(SECOND);
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
        pass(Duration.ofMillis(1));

        assertThatThrownBy(() -> leases.latest(table, SECOND))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("no answer");
        assertThat(leases.failureCount()).isEqualTo(6);

        lake.files().fail(null);
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
    }

    @Test
    void showsACommitThatItWasToldOf() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        commit(2);
        leases.committed(table);

        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        lake.files().clear();
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        assertThat(lake.files().requests()).isEmpty();
    }

    @Test
    void checksNoTableThatIsIdle() throws Exception {
        commit(1);
        leases.latest(table, SECOND);
        checks.pass(Duration.ofSeconds(61));

        assertThat(checks.hasTasks()).isFalse();
    }

    @Test
    void cachesSnapshotsById() throws Exception {
        commit(1);
        commit(2);
        Snapshot first = leases.snapshot(table, 1);
        lake.files().clear();

        assertThat(leases.snapshot(table, 1)).isSameAs(first);
        assertThat(lake.files().requests()).isEmpty();
        assertThatThrownBy(() -> leases.snapshot(table, 7))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessageContaining("Snapshot 7");
    }

    private void commit(int key) throws Exception {
        lake.write(LakeTable.row("d1", key, key));
    }

    private void pass(Duration time) {
        checks.passWithoutChecks(time);
    }

    /** Between plan and read, the id of a query's snapshot goes to another commit. */
    @Test
    void aPinnedSnapshotIsNeverAnotherCommitOfItsId() throws Exception {
        commit(1);
        commit(2);
        PaimonTableHandle handle =
                new PaimonTableHandle(
                        new SchemaTableName("d", "t"),
                        table.location().toString(),
                        "main",
                        table.schema().id(),
                        table.schema().timeMillis(),
                        leases.latest(table, SECOND).map(PinnedSnapshots::pin),
                        Optional.empty());
        PinnedSnapshots pinned = new PinnedSnapshots(leases);
        assertThat(pinned.snapshot(handle, table).id()).isEqualTo(2);
        lake.open().rollbackTo(1);
        commit(3);
        // Whether this node has seen the rollback or not
        assertThat(PinnedSnapshots.pin(pinned.snapshot(handle, table)))
                .isEqualTo(handle.snapshot().orElseThrow());
        // A query that has found the other commit by itself is not misled by the cache
        PaimonTableHandle later =
                new PaimonTableHandle(
                        handle.name(),
                        handle.location(),
                        handle.branch(),
                        handle.schemaId(),
                        handle.schemaMillis(),
                        Optional.of(PinnedSnapshots.pin(lake.snapshot())),
                        Optional.empty());
        assertThat(pinned.snapshot(later, table)).isEqualTo(lake.snapshot());
        assertThat(leases.latest(table, Duration.ZERO).map(Snapshot::id)).hasValue(2L);

        assertThatThrownBy(() -> pinned.snapshot(handle, table))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining("found another commit of this id");
    }

    @Test
    void aTableThatThisNodeRollsBackIsReadAnew() throws Exception {
        commit(1);
        commit(2);
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        table.rollbackTo(1);
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(2L);
        leases.forget(table);
        assertThat(leases.latest(table, SECOND).map(Snapshot::id)).hasValue(1L);
        assertThatThrownBy(() -> leases.snapshot(table, 2))
                .isInstanceOf(FileNotFoundException.class);
    }
}
