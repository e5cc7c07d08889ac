package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No two rows of a shard with the same values of a unique index, whatever way they come. */
class TestUniqueIndexes {
    private static final IndexSchema BY_NAME =
            new IndexSchema(1, "by_name", List.of(2), true, true);
    private static final IndexSchema BY_AMOUNT =
            new IndexSchema(2, "by_amount", List.of(3), true, true);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(30_000, 10_000_000, Duration.ofMinutes(5))
                    .withRetention(Duration.ofMillis(1))
                    .withCollectionGrace(Duration.ofMillis(1));

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aDuplicateIsToldWithItsValuesAndChangesNothing(Orientation orientation)
            throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = create(node, orientation, BY_NAME);
        node.await(table.upsert(node.engine(), 1, "one", 1));
        assertDuplicate(
                node,
                table.upsert(node.engine(), 2, "one", 2),
                "Expected new values in unique index 'by_name' of table test.t, found the duplicate key (name = one), which the row (id = 1) has");
        node.await(node.engine().flush(table.id()));
        assertDuplicate(node, table.upsert(node.engine(), 2, "one", 2), "(name = one)");
        node.restart();
        assertDuplicate(node, table.upsert(node.engine(), 2, "one", 2), "(name = one)");
        // Its own row may go on having it, and what it gives up is free.
        node.await(table.upsert(node.engine(), 1, "one", 3));
        node.await(table.upsert(node.engine(), 1, "uno", 3));
        node.await(table.upsert(node.engine(), 2, "one", 2));
        node.await(table.delete(node.engine(), 1));
        node.await(table.upsert(node.engine(), 3, "uno", 3));
        assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(2L, "one:2", 3L, "uno:3"));
        assertThat(node.uncaught()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aBatchIsJudgedByWhatItLeaves(Orientation orientation) throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 2);
        TestTable table = create(node, orientation, BY_NAME);
        ShardId shard = table.schema().shard(0);
        WriteBatchBuilder two = table.batch();
        two.upsert(table.key(1), table.row(1, "a", 0));
        two.upsert(table.key(2), table.row(2, "a", 0));
        assertDuplicate(node, table.write(node.engine(), shard, two), "(name = a)");
        for (boolean flushed : new boolean[] {false, true}) {
            WriteBatchBuilder first = table.batch();
            first.upsert(table.key(1), table.row(1, "a", 0));
            first.upsert(table.key(2), table.row(2, "b", 0));
            node.await(table.write(node.engine(), shard, first));
            if (flushed) {
                node.await(node.engine().flush(table.id()));
            }
            WriteBatchBuilder swap = table.batch();
            swap.upsert(table.key(1), table.row(1, "b", 1));
            swap.upsert(table.key(2), table.row(2, "a", 1));
            node.await(table.write(node.engine(), shard, swap));
            WriteBatchBuilder ring = table.batch();
            ring.upsert(table.key(3), table.row(3, "b", 2));
            ring.upsert(table.key(1), table.row(1, "a", 2));
            ring.delete(table.key(2));
            node.await(table.write(node.engine(), shard, ring));
            WriteBatchBuilder onTheWay = table.batch();
            onTheWay.upsert(table.key(4), table.row(4, "a", 3)); // for a moment
            onTheWay.upsert(table.key(4), table.row(4, "c", 3));
            node.await(table.write(node.engine(), shard, onTheWay));
            assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                    .isEqualTo(Map.of(1L, "a:2", 3L, "b:2", 4L, "c:3"));
            node.await(table.delete(node.engine(), 3));
            node.await(table.delete(node.engine(), 4));
        }
    }

    @Test
    void nullIsNoValue() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 3);
        TestTable table =
                create(
                        node,
                        Orientation.ROW,
                        new IndexSchema(1, "both", List.of(3, 2), true, true));
        node.await(table.upsert(node.engine(), 1, null, 1));
        node.await(table.upsert(node.engine(), 2, null, 1));
        node.await(table.upsert(node.engine(), 3, "x", 1));
        node.await(table.upsert(node.engine(), 4, "x", 2));
        assertDuplicate(node, table.upsert(node.engine(), 2, "x", 2), "(amount = 2, name = x)");
    }

    @Test
    void whatAnEntryCutsOffCountsAsWell() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 4);
        TestTable table = create(node, Orientation.ROW, BY_NAME);
        String begin = "x".repeat(20_000);
        node.await(table.upsert(node.engine(), 1, begin + "1", 0));
        node.await(table.upsert(node.engine(), 2, begin + "2", 0));
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 3, begin + "3", 0));
        assertDuplicate(node, table.upsert(node.engine(), 4, begin + "2", 0), "(name = xxx");
        alter(node, table, List.of());
        alter(node, table, List.of(BY_NAME));
        node.await(node.engine().awaitIndexes(table.id()));
        assertThat(index(node, table).orElseThrow().ready()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void anIndexIsAddedIfThereAreNoDuplicates(Orientation orientation) throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 5);
        TestTable table = create(node, orientation);
        for (long id = 0; id < 200; id++) {
            node.await(table.upsert(node.engine(), id, "n" + (id < 100 ? id : 5000 + id), id));
        }
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 7, "n8", 0));
        alter(node, table, List.of(BY_NAME));
        assertRefused(
                        ErrorCode.DUPLICATE_KEY,
                        () -> node.await(node.engine().awaitIndexes(table.id())))
                .hasMessage(
                        "Expected unique values for index 'by_name' of table test.t, found the duplicate key (name = n8) in the rows (id = 7) and (id = 8)");
        assertThat(index(node, table)).isEmpty();
        node.await(table.upsert(node.engine(), 9, "n8", 0)); // nobody minds
        node.await(table.delete(node.engine(), 9));
        node.await(table.delete(node.engine(), 8));
        alter(node, table, List.of(BY_NAME));
        node.await(node.engine().awaitIndexes(table.id()));
        assertThat(index(node, table).orElseThrow().ready()).isTrue();
        assertDuplicate(node, table.upsert(node.engine(), 8, "n8", 0), "which the row (id = 7)");
        alter(node, table, List.of());
        node.await(table.upsert(node.engine(), 8, "n8", 0));
        assertThat(node.uncaught()).isEmpty();
    }

    /** Of two rows that get the same values while the index is built, one is refused, or it. */
    @ParameterizedTest
    @CsvSource({"ROW,1", "ROW,2", "COLUMN,3", "COLUMN,4", "ROW_COLUMN,5"})
    void writesGoOnWhileAnIndexIsBuilt(Orientation orientation, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int built = 0;
        int refusedIndexes = 0;
        for (int round = 0; round < 40; round++) {
            SimulatedNode node = SimulatedNode.start(OPTIONS, random.nextLong());
            TestTable table = create(node, orientation);
            for (long id = 0; id < 20; id++) {
                table.upsert(node.engine(), id, "n" + id, 0);
            }
            if (random.nextBoolean()) {
                node.await(node.engine().flush(table.id()));
            }
            List<CompletableFuture<Lsn>> answers = new ArrayList<>();
            int before = random.nextInt(3); // those that can be duplicates of what is there
            for (int i = 0; i < before; i++) {
                answers.add(write(node, table, random));
            }
            for (int tasks = random.nextInt(10); tasks > 0; tasks--) {
                node.pool().runOne();
            }
            alter(node, table, List.of(BY_NAME));
            CompletableFuture<?> ready = node.engine().awaitIndexes(table.id());
            for (int i = random.nextInt(12); i >= 0; i--) {
                answers.add(write(node, table, random));
                for (int tasks = random.nextInt(12); tasks > 0; tasks--) {
                    node.pool().runOne();
                }
            }
            boolean unique = true;
            try {
                node.await(ready);
            } catch (SteleException duplicates) {
                assertThat(duplicates.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
                unique = false;
            }
            for (CompletableFuture<Lsn> answer : answers) {
                try {
                    node.await(answer);
                } catch (SteleException refused) {
                    assertThat(refused.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
                }
            }
            Map<Long, String> rows = table.snapshot(node.engine(), node.openSnapshot());
            assertThat(index(node, table).isPresent()).isEqualTo(unique);
            if (unique) {
                assertThat(new HashSet<>(rows.values())).hasSameSizeAs(rows.values());
            }
            built += unique ? 1 : 0;
            refusedIndexes += unique ? 0 : 1;
            assertThat(node.uncaught()).isEmpty();
        }
        assertThat(built).isGreaterThan(3);
        assertThat(refusedIndexes).isGreaterThan(3);
    }

    private static CompletableFuture<Lsn> write(
            SimulatedNode node, TestTable table, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            long id = random.nextInt(25);
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(id), table.row(id, "n" + random.nextInt(60), 0));
            String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
            node.engine()
                    .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
            return node.commit(transaction, List.of());
        }
        return table.upsert(node.engine(), random.nextInt(25), "n" + random.nextInt(60), 0);
    }

    @Test
    void workersFilesAreCheckedAtTheirCommit() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 6);
        TestTable table = create(node, Orientation.COLUMN, BY_NAME);
        node.await(table.upsert(node.engine(), 1, "a", 0));
        assertDuplicate(
                node,
                commit(node, table, "f1", Map.of(2L, "b", 3L, "a"), Map.of()),
                "(name = a), which the row (id = 1) has");
        assertDuplicate(
                node, commit(node, table, "f2", Map.of(2L, "b", 3L, "b"), Map.of()), "(name = b)");
        node.await(commit(node, table, "f3", Map.of(1L, "b", 3L, "a"), Map.of()));
        assertDuplicate(node, table.upsert(node.engine(), 4, "a", 0), "which the row (id = 3)");
        // Staged rows come after those of files.
        node.await(commit(node, table, "f4", Map.of(5L, "a"), Map.of(3L, "c")));
        assertDuplicate(
                node, commit(node, table, "f5", Map.of(6L, "d"), Map.of(7L, "d")), "(name = d)");
        assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(1L, "b:0", 3L, "c:0", 5L, "a:0"));
        node.restart();
        assertDuplicate(node, table.upsert(node.engine(), 4, "c", 0), "which the row (id = 3)");
    }

    private static CompletableFuture<Lsn> commit(
            SimulatedNode node,
            TestTable table,
            String fileId,
            Map<Long, String> inFile,
            Map<Long, String> staged)
            throws IOException {
        List<WorkerFiles.Row> rows = new ArrayList<>();
        inFile.forEach((id, name) -> rows.add(new WorkerFiles.Row(id, name, 0)));
        ShardId shard = table.schema().shard(0);
        WrittenFile file = WorkerFiles.write(node.objects(), table, shard, fileId, rows);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        staged.forEach(
                (id, name) -> {
                    WriteBatchBuilder batch = table.batch();
                    batch.upsert(table.key(id), table.row(id, name, 0));
                    byte[] bytes = batch.toByteArray();
                    node.engine().stage(transaction, shard, bytes, 0, bytes.length);
                });
        return node.commit(transaction, List.of(file));
    }

    @ParameterizedTest
    @CsvSource({
        "ROW,1",
        "ROW,2",
        "ROW,3",
        "COLUMN,4",
        "COLUMN,5",
        "COLUMN,6",
        "ROW_COLUMN,7",
        "ROW_COLUMN,8"
    })
    void eachChangeIsAnsweredAsIfItWereTheOnlyOne(Orientation orientation, long seed)
            throws IOException {
        new Run(orientation, seed).run(500);
    }

    private record Values(String name, long amount) {
        @Override
        public String toString() {
            return name + ":" + amount;
        }
    }

    /** Many changes in flight at a time; the oracle makes them one after the other. */
    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable table;
        private final ShardId shard;
        private final boolean ingests;
        private TreeMap<Long, Values> model = new TreeMap<>();
        private final List<CompletableFuture<?>> answers = new ArrayList<>();
        private final List<Boolean> refused = new ArrayList<>();
        private int refusals;
        private int accepted;
        private int files;

        Run(Orientation orientation, long seed) throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(OPTIONS, seed);
            table = create(node, orientation, BY_NAME, BY_AMOUNT);
            shard = table.schema().shard(0);
            ingests = orientation == Orientation.COLUMN;
        }

        void run(int steps) throws IOException {
            for (int step = 0; step < steps; step++) {
                step(random.nextInt(100));
                for (int tasks = random.nextInt(15); tasks > 0; tasks--) {
                    node.pool().runOne();
                }
            }
            check();
            node.await(node.engine().compact(table.id()));
            check();
            assertThat(refusals).isGreaterThan(40);
            assertThat(accepted).isGreaterThan(40);
            assertThat(node.uncaught()).isEmpty();
        }

        private void step(int dice) throws IOException {
            if (dice < 76) {
                write();
            } else if (dice < 82) {
                transaction();
            } else if (dice < 84) {
                check();
            } else if (dice < 90) {
                node.engine().flush(table.id());
            } else if (dice < 93) {
                node.engine().compact(table.id());
            } else if (dice < 97) {
                node.advance(random.nextInt(2000));
                node.pool().tick();
            } else if (dice == 99) {
                settle();
                node.restart();
                check();
            }
        }

        private void write() {
            WriteBatchBuilder batch = table.batch();
            TreeMap<Long, Values> after = new TreeMap<>(model);
            boolean duplicate = change(batch, after, random.nextInt(3) > 0);
            if (!batch.isEmpty()) {
                decided(after, duplicate);
                answers.add(table.apply(node.engine(), shard, batch));
            }
        }

        /** Adds operations; returns whether one inserts a key that is there. */
        private boolean change(
                WriteBatchBuilder batch, TreeMap<Long, Values> after, boolean plain) {
            boolean duplicate = false;
            for (int i = random.nextInt(5); i >= 0; i--) {
                long id = random.nextInt(40);
                Values there = after.get(id);
                Values values = new Values(name(true), random.nextInt(150));
                OperationKind kind = kind(plain);
                switch (kind) {
                    case DELETE -> {
                        batch.delete(table.key(id));
                        after.remove(id);
                    }
                    case UPSERT, INSERT, INSERT_IF_ABSENT -> {
                        table.insert(batch, kind, id, values.name, values.amount);
                        duplicate |= there != null && kind == OperationKind.INSERT;
                        if (there == null || kind == OperationKind.UPSERT) {
                            after.put(id, values);
                        }
                    }
                    case UPDATE, UPDATE_OR_INSERT -> {
                        table.update(batch, kind, id, Optional.empty(), values.amount);
                        if (there != null || kind == OperationKind.UPDATE_OR_INSERT) {
                            String name = there == null ? null : there.name;
                            after.put(id, new Values(name, values.amount));
                        }
                    }
                    case APPEND -> throw new AssertionError();
                }
            }
            return duplicate;
        }

        private OperationKind kind(boolean plain) {
            OperationKind[] kinds = OperationKind.values();
            OperationKind kind = kinds[random.nextInt(kinds.length)];
            boolean usable = kind != OperationKind.APPEND && !(plain && kind.isConditional());
            return usable ? kind : OperationKind.UPSERT;
        }

        private String name(boolean orNull) {
            int choice = random.nextInt(90);
            return orNull && choice == 0 ? null : "n" + choice;
        }

        private void decided(TreeMap<Long, Values> after, boolean duplicate) {
            boolean refuse = duplicate || hasDuplicates(after);
            model = refuse ? model : after;
            refused.add(refuse);
            refusals += refuse ? 1 : 0;
            accepted += refuse ? 0 : 1;
        }

        private static boolean hasDuplicates(Map<Long, Values> rows) {
            Set<String> names = new HashSet<>();
            Set<Long> amounts = new HashSet<>();
            long named = rows.values().stream().map(Values::name).filter(Objects::nonNull).count();
            rows.values()
                    .forEach(
                            row -> {
                                amounts.add(row.amount);
                                if (row.name != null) {
                                    names.add(row.name);
                                }
                            });
            return names.size() < named || amounts.size() < rows.size();
        }

        /** Several batches and a file at one LSN, between the writes before and after. */
        private void transaction() throws IOException {
            settle();
            TreeMap<Long, Values> after = new TreeMap<>(model);
            List<WrittenFile> written = new ArrayList<>();
            boolean hasFile = ingests && random.nextBoolean();
            if (hasFile) {
                Map<Long, WorkerFiles.Row> rows = new TreeMap<>();
                for (int i = random.nextInt(6); i >= 0; i--) {
                    long id = random.nextInt(40);
                    Values values = new Values(name(false), random.nextInt(150));
                    rows.put(id, new WorkerFiles.Row(id, values.name, values.amount));
                    after.put(id, values);
                }
                written.add(
                        WorkerFiles.write(
                                node.objects(),
                                table,
                                shard,
                                "worker-" + files++,
                                List.copyOf(rows.values())));
            }
            String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
            boolean duplicate = false;
            for (int i = random.nextInt(3); i > 0; i--) {
                WriteBatchBuilder batch = table.batch();
                duplicate |= change(batch, after, hasFile);
                byte[] bytes = batch.toByteArray();
                node.engine().stage(transaction, shard, bytes, 0, bytes.length);
            }
            decided(after, duplicate);
            answers.add(node.commit(transaction, written));
            settle();
        }

        private void settle() {
            for (int i = 0; i < answers.size(); i++) {
                if (refused.get(i)) {
                    assertDuplicate(node, answers.get(i), "found the duplicate key (");
                } else {
                    node.await(answers.get(i));
                }
            }
            answers.clear();
            refused.clear();
        }

        private void check() throws IOException {
            settle();
            Map<Long, String> rows = new TreeMap<>();
            model.forEach((id, values) -> rows.put(id, values.toString()));
            LeasedSnapshot snapshot = node.openSnapshot();
            assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(rows);
            assertThat(table.planned(node, snapshot)).isEqualTo(rows);
            node.engine().closeSnapshot(snapshot.id());
        }
    }

    /** A refusal that was answered once is answered so again, whatever has become free since. */
    @Test
    void aRefusalIsRemembered() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 9);
        TestTable table = create(node, Orientation.ROW, BY_NAME);
        ShardId shard = table.schema().shard(0);
        node.await(table.upsert(node.engine(), 1, "a", 0));
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(2), table.row(2, "a", 0));
        byte[] bytes = batch.toByteArray();
        assertDuplicate(node, send(node, shard, bytes), "(name = a)");
        node.await(table.delete(node.engine(), 1));
        assertDuplicate(node, send(node, shard, bytes), "(name = a)");
        node.restart();
        assertDuplicate(node, send(node, shard, bytes), "(name = a)");
    }

    private static CompletableFuture<WriteOutcome> send(
            SimulatedNode node, ShardId shard, byte[] bytes) {
        java.util.UUID writer = new java.util.UUID(1, 1);
        return node.engine().apply(shard, writer, 1, bytes, 0, bytes.length);
    }

    private static TestTable create(
            SimulatedNode node, Orientation orientation, IndexSchema... indexes) {
        return TestTable.createIndexed(node.engine(), "t", orientation, 1, List.of(indexes));
    }

    private static void alter(SimulatedNode node, TestTable table, List<IndexSchema> indexes) {
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        List.of(TableOption.INDEXES),
                        TableOptions.NONE.withIndexes(indexes));
    }

    private static Optional<IndexSchema> index(SimulatedNode node, TestTable table) {
        return node.engine().catalog().current().table(table.id()).options().indexes().stream()
                .findFirst();
    }

    private static void assertDuplicate(
            SimulatedNode node, CompletableFuture<?> answer, String message) {
        try {
            node.await(answer);
        } catch (SteleException refused) {
            assertThat(refused.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
            assertThat(refused).hasMessageContaining(message);
            return;
        }
        throw new AssertionError("Expected a refusal with '" + message + "', found none");
    }
}
