package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of files that flushes and compactions write for a table with a clustering key. */
class TestClusteredFiles {
    private static final int ROWS = 200;
    private static final Comparator<List<Object>> BY_AMOUNT_AND_NAME =
            Comparator.<List<Object>, Long>comparing(row -> (Long) row.get(2))
                    .thenComparing(row -> (String) row.get(1));

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void filesAreSortedByClusteringKey(boolean keyed) throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "t",
                        Orientation.COLUMN,
                        keyed,
                        1,
                        List.of(3, 2),
                        List.of(),
                        TableState.PUBLIC);
        Map<Long, String> expected = new TreeMap<>();
        SplittableRandom random = new SplittableRandom(1);

        write(node, table, 0, random, expected);
        LeasedSnapshot early = node.openSnapshot();
        Map<Long, String> expectedEarly = new TreeMap<>(expected);
        if (keyed) {
            write(node, table, ROWS / 2, random, expected);
        }
        node.await(node.engine().flush(table.id()));
        assertThat(files(node, table))
                .singleElement()
                .satisfies(file -> assertSorted(node, table, file, keyed ? 2 * ROWS : ROWS));
        assertThat(table.snapshot(node.engine(), early)).isEqualTo(expectedEarly);
        check(node, table, expected, keyed);

        write(node, table, ROWS, random, expected);
        node.await(node.engine().flush(table.id()));
        assertThat(files(node, table)).hasSize(2);
        node.await(node.engine().compact(table.id()));
        assertThat(files(node, table))
                .singleElement()
                .satisfies(file -> assertSorted(node, table, file, keyed ? 3 * ROWS : 2 * ROWS));
        assertThat(table.snapshot(node.engine(), early)).isEqualTo(expectedEarly);
        check(node, table, expected, keyed);
        assertThat(node.uncaught()).isEmpty();
    }

    private static void write(
            SimulatedNode node,
            TestTable table,
            long firstId,
            SplittableRandom random,
            Map<Long, String> expected) {
        WriteBatchBuilder batch = table.batch();
        for (long id = firstId; id < firstId + ROWS; id++) {
            String name = "n" + random.nextInt(100);
            long amount = random.nextLong(-10, 10);
            if (table.schema().hasPrimaryKey()) {
                batch.upsert(table.key(id), table.row(id, name, amount));
            } else {
                batch.append(table.row(id, name, amount));
            }
            expected.put(id, name + ":" + amount);
        }
        node.await(table.write(node.engine(), table.schema().shard(0), batch));
    }

    private static void check(
            SimulatedNode node, TestTable table, Map<Long, String> expected, boolean keyed)
            throws IOException {
        LeasedSnapshot now = node.openSnapshot();
        assertThat(table.snapshot(node.engine(), now)).isEqualTo(expected);
        assertThat(table.planned(node, now)).isEqualTo(expected);
        if (keyed) {
            for (long id = 0; id <= 3 * ROWS; id++) {
                assertThat(table.get(node.engine(), Optional.of(now.lsn()), id))
                        .isEqualTo(Optional.ofNullable(expected.get(id)));
            }
        }
        node.engine().closeSnapshot(now.id());
    }

    private static List<FileScan> files(SimulatedNode node, TestTable table) throws IOException {
        LeasedSnapshot now = node.openSnapshot();
        List<FileScan> files = new ArrayList<>();
        for (ShardScan scan : node.engine().plan(now, table.id(), ScanPredicate.ALL).shards()) {
            files.addAll(scan.files());
        }
        node.engine().closeSnapshot(now.id());
        return files;
    }

    private static void assertSorted(
            SimulatedNode node, TestTable table, FileScan file, int rowCount) throws IOException {
        List<List<Object>> rows = table.rowsInFileOrder(node, file);
        assertThat(rows).hasSize(rowCount).isSortedAccordingTo(BY_AMOUNT_AND_NAME);
    }
}
