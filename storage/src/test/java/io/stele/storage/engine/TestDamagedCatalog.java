package io.stele.storage.engine;

import static io.stele.storage.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.Orientation;
import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.shard.Damage;
import io.stele.storage.wal.LogOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node whose newest catalog version cannot be read: it starts, serves nothing and keeps all. */
final class TestDamagedCatalog {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withCollectionGrace(Duration.ofSeconds(1))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private final SimulatedNode node = SimulatedNode.start(OPTIONS, 11);
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);

    TestDamagedCatalog() throws IOException {}

    @Test
    void theNodeStartsRefusesEverythingAndChangesNothing() throws IOException {
        put(table, 1, "in a file");
        node.await(node.engine().flush(table.id()));
        put(table, 2, "in the log");
        String newest = newest();
        byte[] good = node.store().readFully(newest);
        damage(newest);
        Map<String, Long> before = stored();
        node.restart();

        assertThat(node.engine().status().damages())
                .singleElement()
                .satisfies(
                        damage -> {
                            assertThat(damage.object()).isEqualTo(newest);
                            assertThat(damage.shard()).isEmpty();
                        });
        refused(newest, () -> rows(table));
        refused(newest, () -> put(table, 3, "refused"));
        refused(newest, () -> node.engine().catalog().current());
        refused(newest, () -> node.engine().knownCatalog().createSchema("other"));
        refused(
                newest,
                () -> node.engine().beginTransaction(table.id(), Optional.empty()));
        for (int tick = 0; tick < 10; tick++) {
            node.tick(10 * 3_600_000);
        }
        assertThat(stored()).containsAllEntriesOf(before);
        assertThat(node.uncaught()).isEmpty();

        node.store().put(newest, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(table)).hasSize(2);
        put(table, 3, "serves");
    }

    @Test
    void theVersionBeforeIsUsedWhenTheNewestIsGivenUp() throws IOException {
        put(table, 1, "in a file");
        node.await(node.engine().flush(table.id()));
        TestTable late = TestTable.create(node.engine(), "late", Orientation.COLUMN, true, 1);
        put(late, 1, "in a file");
        node.await(node.engine().flush(late.id()));
        put(late, 2, "in the log");
        put(table, 2, "in the log");
        String newest = newest();
        damage(newest);
        node.restart();
        node.await(node.engine().dropDamaged(newest));
        node.restart();

        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(table)).hasSize(2);
        assertThat(node.engine().catalog().current().findTable("test", "late")).isEmpty();
        TestTable again = TestTable.create(node.engine(), "late", Orientation.COLUMN, true, 1);
        assertThat(again.id()).as("of another, whose rows are in the log").isNotEqualTo(late.id());
        put(again, 3, "new");
        node.restart();
        assertThat(rows(again)).containsOnlyKeys(3L);
        node.await(node.engine().flush(again.id()));
        node.restart();
        assertThat(rows(again)).containsOnlyKeys(3L);
        assertThat(rows(table)).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void columnsOfAVersionThatIsGivenUpAreNotMistakenForOthers(Orientation orientation)
            throws IOException {
        TestTable changed = TestTable.create(node.engine(), "changed", orientation, true, 1);
        put(changed, 1, "before");
        node.await(node.engine().flush(changed.id()));
        int version = changed.schema().schemaVersion();
        ColumnChange lost = ColumnChange.rename(List.of("amount"), "lost");
        TestTable with =
                TestTable.of(node.await(node.engine().alterTable(changed.id(), version, lost)));
        put(with, 2, "in a file");
        node.await(node.engine().flush(changed.id()));
        String newest = newest();
        damage(newest);
        node.restart();
        node.await(node.engine().dropDamaged(newest));
        node.restart();

        assertThat(node.engine().status().damages())
                .singleElement()
                .satisfies(damage -> assertThat(damage.table()).contains(changed.id()));
        assertRefused(ErrorCode.CORRUPT_DATA, () -> rows(changed));
        assertRefused(
                ErrorCode.CORRUPT_DATA,
                () ->
                        node.await(
                                node.engine()
                                        .alterTable(
                                                changed.id(),
                                                version,
                                                ColumnChange.drop(List.of("amount")))));
        put(table, 1, "serves");
        assertThat(rows(table)).hasSize(1);
        node.engine().catalog().dropTable(changed.id());
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
    }

    @Test
    void theOnlyVersionIsNotGivenUp() throws IOException {
        String newest = newest();
        for (ObjectEntry version : node.store().list("catalog/")) {
            if (!version.path().equals(newest)) {
                node.store().delete(version.path());
            }
        }
        damage(newest);
        node.restart();
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(newest);
        assertRefused(
                ErrorCode.INVALID_ARGUMENT, () -> node.await(node.engine().dropDamaged(newest)));
        assertThat(node.store().list("catalog/")).hasSize(1);
    }

    private static void refused(
            String object, ThrowingCallable call) {
        assertRefused(ErrorCode.CORRUPT_DATA, call).hasMessageContaining(object);
    }

    private void damage(String object) throws IOException {
        byte[] bytes = node.store().readFully(object);
        bytes[bytes.length / 2] ^= 1;
        node.store().put(object, bytes);
    }

    private String newest() throws IOException {
        List<ObjectEntry> versions = node.store().list("catalog/");
        return versions.stream().map(ObjectEntry::path).max(String::compareTo).orElseThrow();
    }

    private Map<String, Long> stored() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        for (ObjectEntry entry : node.store().contents().list("")) {
            sizes.put(entry.path(), entry.sizeBytes());
        }
        sizes.keySet().removeIf(path -> path.startsWith("epoch"));
        return sizes;
    }

    private void put(TestTable to, long id, String name) {
        node.await(to.upsert(node.engine(), id, name, id));
    }

    private Map<Long, String> rows(TestTable of) throws IOException {
        return of.snapshot(node.engine(), node.readPoint());
    }
}
