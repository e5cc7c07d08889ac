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
