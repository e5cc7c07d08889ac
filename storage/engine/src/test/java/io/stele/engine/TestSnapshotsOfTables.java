package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.Retention;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A snapshot of some tables retains the history of these, and can be read there only. */
final class TestSnapshotsOfTables {
    private final SimulatedNode node =
            SimulatedNode.start(StorageOptions.DEFAULT.withRetention(Duration.ofMillis(1)), 1);
    private final TestTable held = table("held");
    private final TestTable other = table("other");

    TestSnapshotsOfTables() throws IOException {}

    private TestTable table(String name) throws IOException {
        return TestTable.create(node.engine(), name, Orientation.COLUMN, true, 1);
    }

    private LeasedSnapshot open(Optional<Lsn> at) {
        return node.await(
                node.engine()
                        .openSnapshot(
                                at, Optional.empty(), Duration.ofHours(1), Set.of(held.id())));
    }

    private void write(String name) {
        node.await(held.upsert(node.engine(), 1, name, 1));
        node.await(other.upsert(node.engine(), 1, name, 1));
    }

    private void age() {
        node.tick(1_000);
        node.await(node.engine().flush(held.id()));
        node.await(node.engine().flush(other.id()));
        node.await(node.engine().compact(held.id()));
        node.await(node.engine().compact(other.id()));
    }

    @Test
    void onlyTheirHistoryIsRetained() throws IOException {
        write("first");
        LeasedSnapshot snapshot = open(Optional.empty());
        write("second");
        age();
        assertThat(node.engine().horizon(held.id())).isLessThanOrEqualTo(snapshot.lsn());
        assertThat(node.engine().horizon(other.id())).isGreaterThan(snapshot.lsn());
        assertThat(held.snapshot(node.engine(), snapshot)).isEqualTo(Map.of(1L, "first:1"));
        assertRefused(other, snapshot, ErrorCode.INVALID_ARGUMENT);

        // Another one of an LSN that is held, of the table alone
        LeasedSnapshot again = open(Optional.of(snapshot.lsn()));
        node.engine().closeSnapshot(snapshot.id());
        age();
        assertThat(held.snapshot(node.engine(), again)).isEqualTo(Map.of(1L, "first:1"));
        node.engine().closeSnapshot(again.id());
        age();
        assertThat(node.engine().horizon(held.id())).isGreaterThan(again.lsn());
        assertThatThrownBy(() -> open(Optional.of(again.lsn())))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_EXPIRED));
    }

    /**
     * With a retention of a millisecond, the thread that opens a snapshot may lose the processor.
     */
    @Test
    void thePresentIsRetainedHoweverLongItsOpeningTakes() {
        AtomicLong millis = new AtomicLong(1_000_000);
        SnapshotRegistry snapshots =
                new SnapshotRegistry(millis::get, millis::get, new Retention(1), "1-");
        LeasedSnapshot snapshot =
                snapshots.open(
                        passed -> {
                            Lsn present = Lsn.of(millis.get(), 0);
                            assertThat(present).isGreaterThanOrEqualTo(passed);
                            millis.addAndGet(50);
                            return present;
                        },
                        node.engine().catalog().current(),
                        1_000,
                        Set.of(held.id()));
        millis.addAndGet(50);
        assertThat(snapshots.horizon(held.schema())).isLessThanOrEqualTo(snapshot.lsn());
    }

    /**
     * A reader of changes that takes nothing, but lives, would keep history until a disk is full.
     */
    @Test
    void oneThatKeepsTooMuchHistoryEnds() {
        AtomicLong millis = new AtomicLong(1_000_000);
        SnapshotRegistry snapshots =
                new SnapshotRegistry(millis::get, millis::get, new Retention(10, 1_000, 0), "1-");
        LeasedSnapshot old = open(snapshots, millis, Set.of(held.id()));
        LeasedSnapshot ofAll = open(snapshots, millis, Set.of());
        millis.addAndGet(1_000);
        LeasedSnapshot young = open(snapshots, millis, Set.of(held.id()));
        millis.addAndGet(10);
        expire(snapshots, old, ofAll, young);
        assertThat(snapshots.horizon(held.schema())).isEqualTo(old.lsn());

        millis.addAndGet(1);
        expire(snapshots, young);
        assertThatThrownBy(() -> snapshots.renew(old.id(), 1_000))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_EXPIRED))
                .hasMessageContaining("stele.snapshot.max-held-history")
                .hasMessageContaining("PT1.01S")
                .hasMessageContaining(old.lsn().withTime());
        assertThatThrownBy(() -> snapshots.find(ofAll.id()))
                .hasMessageContaining("stele.snapshot.max-held-history");
        assertThat(snapshots.horizon(held.schema())).isEqualTo(young.lsn());
        assertThat(snapshots.openCount()).isEqualTo(1);
    }

    /** However long a replay takes: nobody can renew a lease before the node serves. */
    @Test
    void theGraceBeginsWhenTheNodeServes() {
        AtomicLong millis = new AtomicLong(1_000_000);
        SnapshotRegistry snapshots =
                new SnapshotRegistry(millis::get, millis::get, new Retention(10, 1_000, 500), "1-");
        millis.addAndGet(10_000);
        assertThat(snapshots.horizon(held.schema()).value()).isZero();
        snapshots.serve();
        millis.addAndGet(499);
        assertThat(snapshots.horizon(held.schema()).value()).isZero();
        snapshots.forgetBefore(held.id(), Lsn.of(millis.get() - 20, 0));
        assertThat(snapshots.passedLsn(held.id())).isZero();
        millis.addAndGet(1);
        assertThat(snapshots.horizon(held.schema())).isEqualTo(Lsn.of(millis.get() - 10, 0));
    }

    /** All history is old after a long time away, also what a reader has just come back to. */
    @Test
    void aLeaseThatWasJustOpenedIsNotEndedForItsAge() {
        AtomicLong millis = new AtomicLong(1_000_000);
        AtomicLong expiry = new AtomicLong(1_000_000);
        SnapshotRegistry snapshots =
                new SnapshotRegistry(millis::get, expiry::get, new Retention(10, 1_000, 0), "1-");
        millis.addAndGet(100_000); // away; expiry is held at the last write
        LeasedSnapshot back =
                snapshots.open(
                        _ -> Lsn.of(1_000_000, 0),
                        node.engine().catalog().current(),
                        60_000,
                        Set.of(held.id()));
        expiry.set(millis.addAndGet(900));
        snapshots.expire(node.engine().catalog().current());
        snapshots.renew(back.id(), 60_000);
        expiry.set(millis.addAndGet(200));
        snapshots.expire(node.engine().catalog().current());
        assertThatThrownBy(() -> snapshots.renew(back.id(), 60_000))
                .hasMessageContaining("stele.snapshot.max-held-history");
    }

    private LeasedSnapshot open(
            SnapshotRegistry snapshots, AtomicLong millis, Set<TableId> tables) {
        return snapshots.open(
                _ -> Lsn.of(millis.get(), 0), node.engine().catalog().current(), 60_000, tables);
    }

    /** What lives renews its lease, as its holder does. */
    private void expire(SnapshotRegistry snapshots, LeasedSnapshot... alive) {
        snapshots.expire(node.engine().catalog().current());
        for (LeasedSnapshot snapshot : alive) {
            snapshots.renew(snapshot.id(), 60_000);
        }
    }

    /** Leases are in memory: those who had them before a restart lease their snapshots again. */
    @Test
    void aRestartKeepsHistoryUntilLeasesAreRenewed() throws IOException {
        SimulatedNode restarted =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withRetention(Duration.ofMillis(1))
                                .withLeases(Duration.ofHours(1), Duration.ofMinutes(1)),
                        2);
        restarted.tick(60_000);
        TestTable table = TestTable.create(restarted.engine(), "t", Orientation.COLUMN, true, 1);
        restarted.await(table.upsert(restarted.engine(), 1, "first", 1));
        LeasedSnapshot before = restarted.openSnapshot();
        restarted.await(table.upsert(restarted.engine(), 1, "second", 1));
        for (boolean isRenewed : new boolean[] {true, false}) {
            restarted.restart();
            restarted.tick(58_000);
            restarted.await(restarted.engine().flush(table.id()));
            restarted.await(restarted.engine().compact(table.id()));
            assertThat(restarted.engine().horizon(table.id())).isLessThanOrEqualTo(before.lsn());
            if (isRenewed) {
                LeasedSnapshot again =
                        restarted.await(
                                restarted
                                        .engine()
                                        .openSnapshot(
                                                Optional.of(before.lsn()),
                                                Optional.empty(),
                                                Duration.ofMinutes(5),
                                                Set.of(table.id())));
                restarted.tick(10_000);
                restarted.await(restarted.engine().compact(table.id()));
                assertThat(table.snapshot(restarted.engine(), again))
                        .isEqualTo(Map.of(1L, "first:1"));
            }
        }
        restarted.tick(10_000);
        assertThat(restarted.engine().horizon(table.id())).isGreaterThan(before.lsn());
    }

    @Test
    void oneOfAllTablesRetainsAll() throws IOException {
        write("first");
        LeasedSnapshot ofAll = node.openSnapshot();
        LeasedSnapshot ofOne = open(Optional.empty());
        node.engine().closeSnapshot(ofOne.id());
        write("second");
        age();
        assertThat(held.snapshot(node.engine(), ofAll)).isEqualTo(Map.of(1L, "first:1"));
        assertThat(other.snapshot(node.engine(), ofAll)).isEqualTo(Map.of(1L, "first:1"));
    }

    private void assertRefused(TestTable table, LeasedSnapshot snapshot, ErrorCode code) {
        assertThatThrownBy(() -> table.snapshot(node.engine(), snapshot))
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(
                        "Expected a snapshot that was opened for table id " + table.id().value());
    }
}
