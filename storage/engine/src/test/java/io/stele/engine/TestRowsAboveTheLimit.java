package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows of more bytes than a new one may have. Workers of older versions wrote them into files, and
 * a column that is widened makes them.
 */
final class TestRowsAboveTheLimit {
    private static final int LENGTH = RowLayout.MAX_ROW_BYTES + 1_000_000;

    private final SimulatedNode node;

    TestRowsAboveTheLimit() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areReadAndMerged(boolean keyed) throws IOException {
        TestTable table = ingested(keyed);
        Map<Long, Integer> lengths = Map.of(1L, LENGTH, 2L, 5, 3L, LENGTH, 4L, 5);
        assertThat(lengths(table)).isEqualTo(lengths);
        node.await(node.engine().compact(table.id()));
        assertThat(lengths(table)).isEqualTo(lengths);
        node.restart();
        assertThat(lengths(table)).isEqualTo(lengths);
        if (keyed) {
            assertThat(table.get(node.engine(), Optional.empty(), 3).orElseThrow())
                    .hasSize(LENGTH + ":3".length());
        }
        assertThat(node.uncaught()).isEmpty();
    }

    @Test
    void areReplacedAndDeleted() throws IOException {
        TestTable table = ingested(true);
        WriteBatchBuilder larger = table.batch();
        table.update(larger, OperationKind.UPDATE, 1, Optional.empty(), 7);
        assertRefused(
                ErrorCode.ROW_TOO_LARGE,
                () -> node.await(table.write(node.engine(), table.shard(1), larger)));
        WriteBatchBuilder smaller = table.batch();
        table.update(smaller, OperationKind.UPDATE, 1, Optional.of("short"), 7);
        Lsn updated = node.await(table.write(node.engine(), table.shard(1), smaller));
        assertThat(updated).isGreaterThan(Lsn.MIN);
        node.await(table.delete(node.engine(), 3));
        Map<Long, Integer> lengths = Map.of(1L, 5, 2L, 5, 4L, 5);
        assertThat(lengths(table)).isEqualTo(lengths);
        node.restart();
        assertThat(lengths(table)).isEqualTo(lengths);
        node.await(node.engine().compact(table.id()));
        assertThat(lengths(table)).isEqualTo(lengths);
        assertThat(node.uncaught()).isEmpty();
    }

    /** Two files, each with a row above the limit. */
    private TestTable ingested(boolean keyed) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, keyed, 1);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        List<WrittenFile> files = new ArrayList<>();
        for (long id = 1; id <= 3; id += 2) {
            files.add(
                    WorkerFiles.write(
                            node.objects(),
                            table,
                            table.schema().shard(0),
                            "worker" + id,
                            List.of(
                                    new Row(id, "x".repeat(LENGTH), id),
                                    new Row(id + 1, "small", id + 1))));
        }
        node.await(node.engine().commit(transaction, files, Optional.empty()));
        return table;
    }

    private Map<Long, Integer> lengths(TestTable table) throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, Integer> planned = lengths(table.planned(node, snapshot));
        assertThat(lengths(table.snapshot(node.engine(), snapshot))).isEqualTo(planned);
        node.engine().closeSnapshot(snapshot.id());
        return planned;
    }

    private static Map<Long, Integer> lengths(Map<Long, String> rows) {
        Map<Long, Integer> lengths = new HashMap<>();
        rows.forEach((id, row) -> lengths.put(id, row.lastIndexOf(':')));
        return lengths;
    }
}
