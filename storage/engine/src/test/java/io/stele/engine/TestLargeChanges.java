package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Changes that take many times the memory of a change scan, in many commits and in a single one,
 * and a few changes of many rows.
 */
final class TestLargeChanges {
    private static final int ROWS = 6_000;

    /** 32 KiB: of about a hundred changes. */
    private static final StorageOptions OPTIONS = StorageOptions.DEFAULT.withMaxChanges(32 << 10);

    private final SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
    private final TreeMap<Long, String> present = new TreeMap<>();
    private final List<String> expected = new ArrayList<>();

    TestLargeChanges() throws IOException {}

    private TestTable table(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "changed", orientation, true, 1);
        change(table, 0, ROWS, 1, id -> Optional.of("base"));
        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        return table;
    }

    /**
     * One commit.
     *
     * @param names of rows from one id to another; empty: deleted
     */
    private void change(
            TestTable table, long from, long to, long step, LongFunction<Optional<String>> names) {
        WriteBatchBuilder batch = table.batch();
        List<String> changes = new ArrayList<>();
        for (long id = from; id < to; id += step) {
            Optional<String> name = names.apply(id);
            String before = present.get(id);
            if (name.isEmpty()) {
                batch.delete(table.key(id));
                present.remove(id);
                if (before != null) {
                    changes.add("%s %s %s".formatted(ChangeKind.DELETE, id, before));
                }
                continue;
            }
            batch.upsert(table.key(id), table.row(id, name.get(), id));
            String after = name.get() + ":" + id;
            present.put(id, after);
            if (before == null) {
                changes.add("%s %s %s".formatted(ChangeKind.INSERT, id, after));
            } else {
                changes.add("%s %s %s".formatted(ChangeKind.UPDATE_BEFORE, id, before));
                changes.add("%s %s %s".formatted(ChangeKind.UPDATE, id, after));
            }
        }
        long lsn = node.await(table.write(node.engine(), table.schema().shard(0), batch)).value();
        changes.forEach(change -> expected.add(lsn + " " + change));
    }

    private void check(TestTable table, LeasedSnapshot from) throws IOException {
        LeasedSnapshot now = node.openSnapshot();
        assertThat(table.changes(node.engine(), from.lsn(), now))
                .isEqualTo(expected.stream().sorted().toList());
        node.engine().closeSnapshot(now.id());
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void changesOfOneCommitComeInParts(Orientation orientation) throws IOException {
        TestTable table = table(orientation);
        expected.clear();
        LeasedSnapshot from = node.openSnapshot();
        change(table, ROWS - 1_000, ROWS + 1_000, 1, id -> Optional.of("new"));
        check(table, from);
        change(table, 0, 1_500, 1, id -> id % 3 == 0 ? Optional.of("third") : Optional.empty());
        change(table, 10, 20, 1, id -> Optional.of("again"));
        check(table, from);
        node.await(node.engine().flush(table.id()));
        check(table, from);
        node.await(node.engine().compact(table.id()));
        check(table, from);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void changesOfManyCommitsComeInOrder(Orientation orientation) throws IOException {
        TestTable table = table(orientation);
        expected.clear();
        LeasedSnapshot from = node.openSnapshot();
        for (int commit = 0; commit < 60; commit++) {
            String name = "n" + commit;
            long first = commit * 7L;
            change(
                    table,
                    first,
                    first + 40,
                    1 + commit % 3,
                    id -> id % 11 == 5 ? Optional.empty() : Optional.of(name));
            if (commit % 20 == 7) {
                node.await(node.engine().flush(table.id()));
            }
        }
        check(table, from);
        node.await(node.engine().flush(table.id()));
        check(table, from);
        node.await(node.engine().compact(table.id()));
        check(table, from);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aFewRowsOfMany(Orientation orientation) throws IOException {
        TestTable table = table(orientation);
        expected.clear();
        LeasedSnapshot from = node.openSnapshot();
        change(table, 17, ROWS, ROWS / 4, id -> Optional.empty());
        change(table, 18, ROWS + 2 * ROWS, ROWS / 2, id -> Optional.of("later"));
        check(table, from);
        node.await(node.engine().flush(table.id()));
        check(table, from);
    }
}
