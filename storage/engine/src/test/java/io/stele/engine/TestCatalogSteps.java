package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogListener;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What shards have of a catalog version in the moment before it is current, and after it. */
final class TestCatalogSteps {
    private SimulatedNode node;

    @BeforeEach
    void start() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
    }

    private CatalogService catalog() {
        return node.engine().catalog();
    }

    /** Looks at a version of which the shards were notified, and which nobody else has yet. */
    @FunctionalInterface
    private interface Look {
        void at(Catalog coming) throws IOException;
    }

    /** Runs the look at the next version; the engine's own listeners come before this one. */
    private AtomicInteger beforeTheNextVersion(Look look) {
        AtomicInteger looks = new AtomicInteger();
        catalog()
                .addListener(
                        new CatalogListener() {
                            @Override
                            public void catalogChanging(Catalog before, Catalog after) {
                                assertThat(catalog().current()).isSameAs(before);
                                if (looks.getAndIncrement() > 0) {
                                    return;
                                }
                                try {
                                    look.at(after);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            }

                            @Override
                            public void catalogChanged(Catalog before, Catalog after) {
                                assertThat(catalog().current()).isSameAs(after);
                            }
                        });
        return looks;
    }

    @Test
    void newTablesAreInTheirShardsBefore() throws IOException {
        catalog().createSchema("test");
        List<CompletableFuture<Lsn>> writes = new ArrayList<>();
        AtomicInteger looks =
                beforeTheNextVersion(
                        coming -> {
                            TestTable table = TestTable.of(coming.table("test", "t"));
                            for (int id = 0; id < 10; id++) {
                                writes.add(table.upsert(node.engine(), id, "early", id));
                            }
                        });
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 3);
        assertThat(looks).hasValue(1);
        writes.forEach(node::await);
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(10);
    }

    @Test
    void truncatedTablesAreReadBeforeButNotWritten() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        node.await(table.upsert(node.engine(), 1, "old", 1));
        List<CompletableFuture<Lsn>> writes = new ArrayList<>();
        AtomicInteger looks =
                beforeTheNextVersion(
                        coming -> {
                            assertThat(table.get(node.engine(), Optional.empty(), 1))
                                    .contains("old:1");
                            assertRefused(
                                    ErrorCode.STALE_TABLE,
                                    () -> node.await(table.upsert(node.engine(), 2, "lost", 2)));
                            TestTable emptied = TestTable.of(coming.table("test", "t"));
                            writes.add(emptied.upsert(node.engine(), 3, "new", 3));
                        });
        TestTable emptied = TestTable.of(catalog().truncateTable(table.id()));
        assertThat(looks).hasValue(1);
        writes.forEach(node::await);
        assertThat(emptied.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(3L, "new:3"));
    }

    @Test
    void droppedTablesAreInTheirShardsUntilThen() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        node.await(table.upsert(node.engine(), 1, "row", 1));
        LeasedSnapshot snapshot = node.openSnapshot();
        AtomicInteger looks =
                beforeTheNextVersion(
                        coming -> {
                            assertThat(coming.findTable(table.id())).isEmpty();
                            assertThat(table.snapshot(node.engine(), snapshot))
                                    .isEqualTo(Map.of(1L, "row:1"));
                            assertThat(table.get(node.engine(), Optional.empty(), 1))
                                    .contains("row:1");
                        });
        catalog().dropTable(table.id());
        assertThat(looks).hasValue(1);
        assertRefused(
                ErrorCode.STALE_TABLE,
                () -> node.await(table.upsert(node.engine(), 2, "of no table", 2)));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void changedColumnsCanBeReadAndWrittenBefore(Orientation orientation) throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", orientation, true, 1);
        TableSchema first = table.current();
        node.await(write(table, first, 1));
        LeasedSnapshot snapshot = node.openSnapshot();
        List<CompletableFuture<Lsn>> writes = new ArrayList<>();
        AtomicInteger looks =
                beforeTheNextVersion(
                        coming -> {
                            TableSchema changed = coming.table(table.id());
                            assertThat(changed.schemaVersion()).isEqualTo(2);
                            assertThat(table.snapshot(snapshot, first))
                                    .isEqualTo(Map.of(1L, "[1, null, 1, null]"));
                            assertThat(table.snapshot(node.openSnapshot(), changed))
                                    .isEqualTo(Map.of(1L, "[1, null, 1]"));
                            writes.add(write(table, first, 2));
                            writes.add(write(table, changed, 3));
                        });
        node.await(node.engine().alterTable(table.id(), 1, ColumnChange.drop(List.of("nested"))));
        assertThat(looks).hasValue(1);
        writes.forEach(node::await);
        assertRefused(ErrorCode.STALE_TABLE, () -> node.await(write(table, first, 4)));
        Map<Long, String> expected =
                Map.of(1L, "[1, null, 1]", 2L, "[2, null, 2]", 3L, "[3, null, 3]");
        assertThat(table.snapshot(node.openSnapshot(), table.current())).isEqualTo(expected);
        node.restart();
        assertThat(table.snapshot(node.openSnapshot(), table.current())).isEqualTo(expected);
    }

    @Test
    void filesOfChangedColumnsCanBeCommittedBefore() throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", Orientation.COLUMN, true, 1);
        List<CompletableFuture<Lsn>> commits = new ArrayList<>();
        AtomicInteger looks =
                beforeTheNextVersion(
                        coming -> {
                            String id =
                                    node.engine().beginTransaction(table.id(), Optional.empty());
                            commits.add(
                                    node.commit(
                                            id,
                                            List.of(
                                                    WorkerFiles.write(
                                                            node.objects(),
                                                            coming.table(table.id()),
                                                            table::key,
                                                            table.shard(3),
                                                            "w",
                                                            List.of(
                                                                    new WorkerFiles.Row(
                                                                            3, "name", 30))))));
                        });
        ColumnChange rename = ColumnChange.rename(List.of("amount"), "renamed");
        node.await(node.engine().alterTable(table.id(), 1, rename));
        assertThat(looks).hasValue(1);
        commits.forEach(node::await);
        assertThat(table.snapshot(node.openSnapshot(), table.current()))
                .isEqualTo(Map.of(3L, "[3, 'name', 30, null]"));
    }

    private CompletableFuture<Lsn> write(EvolvingTable table, TableSchema version, long id) {
        List<Object> values = new ArrayList<>();
        version.columns().forEach(column -> values.add(null));
        values.set(0, id);
        values.set(2, id);
        WriteBatchBuilder batch = new WriteBatchBuilder(table.id(), version.schemaVersion());
        batch.upsert(
                table.key(id), Rows.toBytes(RowLayout.of(version.columns()), values.toArray()));
        byte[] bytes = batch.toByteArray();
        return node.engine().write(table.shard(id), new UUID(1, id), 1, bytes, 0, bytes.length);
    }
}
