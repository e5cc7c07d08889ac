package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TestReadYourWrites {
    private static final Duration TTL = Duration.ofMinutes(1);

    @Test
    void whoCarriesTheLsnOfAWriteSeesIt() throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        Lsn last = Lsn.MIN;
        for (long id = 0; id < 20; id++) {
            last = node.await(table.upsert(node.engine(), id, "a", id));
            LeasedSnapshot snapshot =
                    node.await(
                            node.engine().openSnapshot(Optional.empty(), Optional.of(last), TTL));
            assertThat(table.snapshot(node.engine(), snapshot)).hasSize((int) id + 1);
            node.engine().closeSnapshot(snapshot.id());
        }
        node.restart();
        LeasedSnapshot snapshot =
                node.await(node.engine().openSnapshot(Optional.empty(), Optional.of(last), TTL));
        assertThat(table.snapshot(node.engine(), snapshot)).hasSize(20);
    }

    @Test
    void anLsnThatIsNotHereIsRefused() throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        Lsn first = node.await(table.upsert(node.engine(), 1, "a", 1));
        Lsn second = node.await(table.upsert(node.engine(), 1, "b", 2));
        assertTokenRefused(node, Optional.empty(), new Lsn(second.value() + (1L << 30)));
        assertTokenRefused(node, Optional.of(first), second);
        LeasedSnapshot snapshot =
                node.await(
                        node.engine().openSnapshot(Optional.of(second), Optional.of(first), TTL));
        assertThat(snapshot.lsn()).isEqualTo(second);
    }

    private static void assertTokenRefused(SimulatedNode node, Optional<Lsn> at, Lsn atLeast) {
        assertRefused(
                        ErrorCode.INVALID_ARGUMENT,
                        () -> node.await(node.engine().openSnapshot(at, Optional.of(atLeast), TTL)))
                .hasMessageContaining("sees LSN " + atLeast);
        assertThat(node.engine().status().openSnapshots()).isZero();
    }
}
