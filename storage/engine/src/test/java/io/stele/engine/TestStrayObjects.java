package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.EpochAllocator;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects with names that no engine gives do not keep one from starting, and stay. */
final class TestStrayObjects {
    private static final String TOO_HIGH = "99999999999999999999"; // 20 digits, no long

    private final SimulatedNode node = start();
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(StorageOptions.DEFAULT, 7);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "epoch/x",
                "epoch/zz/00000000000000000001",
                "epoch/" + TOO_HIGH,
                "epoch/09223372036854775807",
                "kept/x",
                "kept/1-0/x",
                "kept/1-0/" + TOO_HIGH,
                "kept/1-/00000000000000000001",
                "kept/-0/00000000000000000001",
                "kept/1-0-00000000000000000001",
                "kept/99999999999-0/00000000000000000001",
                "kept/01-0/00000000000000000001",
                "catalog/x",
                "catalog/" + TOO_HIGH,
                "named-log/" + TOO_HIGH,
                "manifest/x",
                "manifest/1-0/x",
                "manifest/1-0/" + TOO_HIGH,
                "manifest/1-0/base/" + TOO_HIGH + "-1-1",
                "manifest/1-0/writers/" + TOO_HIGH + "-1-1",
                "manifest/99999999999-0/00000000000000000001",
                "txn/x",
                "dropped/x",
                "dropped/catalog/" + TOO_HIGH,
                "data/x",
                "y"
            })
    void aStrayObjectDoesNotKeepANodeFromStarting(String stray) throws IOException {
        put(1);
        node.store().put(stray, new byte[] {1});
        for (long id = 2; id < 5; id++) {
            node.restart();
            put(id);
            node.await(node.engine().flush(table.id()));
            node.tick(1_000);
        }
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(node.uncaught()).isEmpty();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(4);
        assertThat(node.store().list(stray)).hasSize(1);
    }

    @Test
    void manyStraysInThePlaceOfEpochsTakeNoneAway() throws IOException {
        for (int stray = 0; stray < 200; stray++) {
            node.store().put("epoch/stray-" + stray, new byte[0]);
        }
        List<ObjectEntry> before = node.store().list(EpochAllocator.FOLDER);
        node.restart();
        assertThat(node.store().list(EpochAllocator.FOLDER)).containsAll(before);
    }

    private void put(long id) {
        node.await(table.upsert(node.engine(), id, "row", id));
    }
}
