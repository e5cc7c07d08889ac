package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which files are not needed to tell the changes of some rows: they are taken away. */
final class TestChangesOfSomeRows {
    private static final int IDS = 1;
    private static final int AMOUNTS = 3;

    private final SimulatedNode node;
    private final TestTable table;
    private final LeasedSnapshot start;

    TestChangesOfSomeRows() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        table = TestTable.create(node.engine(), "changed", Orientation.COLUMN, true, 1);
        start = node.openSnapshot();
        upsert(0, 10);
        upsert(100, 110);
    }

    /** A file of rows whose amount is their id. */
    private void upsert(long from, long to) {
        for (long id = from; id < to; id++) {
            node.await(table.upsert(node.engine(), id, "a", id));
        }
        node.await(node.engine().flush(table.id()));
    }

    private void removeFile(long firstId) throws IOException {
        List<FileScan> files =
                node.engine()
                        .plan(
                                node.openSnapshot(),
                                table.id(),
                                new ScanPredicate(Map.of(IDS, TestTable.between(firstId, firstId))))
                        .shards()
                        .getFirst()
                        .files();
        assertThat(files).hasSize(1);
        node.objects().delete(files.getFirst().path());
    }

    private List<String> changes(int column, long min, long max) throws IOException {
        LeasedSnapshot now = node.openSnapshot();
        ScanPredicate predicate = new ScanPredicate(Map.of(column, TestTable.between(min, max)));
        return table.changes(node.engine(), start.lsn(), now, now.lsn(), predicate, false);
    }

    private void assertFileNeeded(int column, long min, long max) {
        assertThatThrownBy(() -> changes(column, min, max)).isInstanceOf(IOException.class);
    }

    @Test
    void filesWithoutSuchKeysAreNotRead() throws IOException {
        node.await(table.delete(node.engine(), 105));
        removeFile(100);
        assertThat(changes(IDS, 0, 50)).hasSize(10);
        assertFileNeeded(IDS, 0, 100);
    }

    @Test
    void filesWithoutSuchValuesAreNotReadWhereNothingEnded() throws IOException {
        removeFile(100);
        assertThat(changes(AMOUNTS, 0, 50)).hasSize(10);
        assertFileNeeded(AMOUNTS, 0, 100);
    }

    @Test
    void whatEndedMayHaveBeenReplacedByAnyFile() throws IOException {
        node.await(table.delete(node.engine(), 5));
        removeFile(100);
        assertFileNeeded(AMOUNTS, 0, 50);
        assertThat(changes(IDS, 0, 50)).hasSize(11);
    }
}
