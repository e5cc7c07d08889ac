package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Writes whose outcome depends on what is there, many on their way at once, beside a map that takes
 * them one after the other: in the order they were sent they must come to the same.
 */
class TestConditionalWrites {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(20_000, 10_000_000, Duration.ofMinutes(5))
                    .withRetention(Duration.ofMillis(1))
                    .withCollectionGrace(Duration.ofMillis(1));

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
    void manyOnTheirWayComeToTheSameAsOneAfterTheOther(Orientation orientation, long seed)
            throws IOException {
        new Run(orientation, seed).run(700);
    }

    @Test
    void aDuplicateKeyIsToldWithItsValuesAndChangesNothing() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        node.await(table.upsert(node.engine(), 7, "seven", 7));
        node.await(node.engine().flush(table.id()));
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT, 8, "eight", 8);
        table.insert(batch, OperationKind.INSERT, 7, "again", 0);

        CompletableFuture<WriteOutcome> answer = table.apply(node.engine(), table.shard(7), batch);
        assertRefused(
                node,
                answer,
                "Expected a new key in table test.t, found the duplicate key (id = 7)");
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(Map.of(7L, "seven:7"));
    }

    @Test
    void aRefusalIsRememberedAlsoAfterARestart() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        ShardId shard = table.shard(7);
        node.await(table.upsert(node.engine(), 7, "seven", 7));
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT, 7, "again", 0);
        byte[] bytes = batch.toByteArray();
        assertRefused(node, send(node, table, shard, 2, bytes), "duplicate key (id = 7)");
        byte[] delete = deletion(table, 7);
        node.await(send(node, table, shard, 3, delete));

        assertRefused(node, send(node, table, shard, 2, bytes), "duplicate key (id = 7)");
        node.restart();
        assertRefused(node, send(node, table, shard, 2, bytes), "duplicate key (id = 7)");
        node.await(node.engine().flush(table.id()));
        node.tick(1000);
        node.tick(1000);
        node.restart();
        assertRefused(node, send(node, table, shard, 2, bytes), "duplicate key (id = 7)");
        assertThat(table.get(node.engine(), Optional.empty(), 7)).isEmpty();
        assertThat(node.await(send(node, table, shard, 4, bytes)).skipped()).isZero();
        assertThat(table.get(node.engine(), Optional.empty(), 7)).contains("again:0");
    }

    @Test
    void noneOfAThousandRefusalsBecomesASuccess() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        ShardId shard = table.shard(7);
        node.await(table.upsert(node.engine(), 7, "seven", 7));
        int last = 1001; // of a thousand, as many as a client has unanswered by default
        List<byte[]> batches = new ArrayList<>();
        for (int sequence = 2; sequence <= last; sequence++) {
            WriteBatchBuilder batch = table.batch();
            // Every third one is skipped, the others are refused
            table.insert(
                    batch,
                    sequence % 3 == 0 ? OperationKind.INSERT_IF_ABSENT : OperationKind.INSERT,
                    7,
                    "again",
                    sequence);
            batches.add(batch.toByteArray());
        }
        sendAll(node, table, shard, batches);
        sendAll(node, table, shard, batches); // over another connection
        node.await(send(node, table, shard, last + 1, deletion(table, 7)));
        sendAll(node, table, shard, batches);
        node.restart();
        sendAll(node, table, shard, batches);
        node.await(node.engine().flush(table.id()));
        node.tick(1000);
        node.tick(1000);
        node.restart();
        sendAll(node, table, shard, batches);
        assertThat(table.get(node.engine(), Optional.empty(), 7)).isEmpty();
    }

    private static void sendAll(
            SimulatedNode node, TestTable table, ShardId shard, List<byte[]> batches) {
        List<CompletableFuture<WriteOutcome>> answers = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            answers.add(send(node, table, shard, i + 2, batches.get(i)));
        }
        for (int i = 0; i < batches.size(); i++) {
            if ((i + 2) % 3 == 0) {
                assertThat(node.await(answers.get(i)).skipped()).as("batch %s", i + 2).isEqualTo(1);
            } else {
                assertRefused(node, answers.get(i), "duplicate key (id = 7)");
            }
        }
    }

    @Test
    void manyShortLivedWritersLeaveManifestsSmall() throws IOException {
        SimulatedNode node =
                SimulatedNode.start(
                        OPTIONS.withMemTables(64 << 20, 256 << 20, Duration.ofDays(1)), 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        ShardId shard = table.shard(7);
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT_IF_ABSENT, 7, "seven", 7);
        byte[] bytes = batch.toByteArray();
        for (int i = 1; i <= 70_000; i++) {
            CompletableFuture<WriteOutcome> answer =
                    node.engine().apply(shard, new UUID(9, i), 1, bytes, 0, bytes.length);
            if (i % 1000 == 0) {
                node.await(answer);
            }
            if (i == 60_000) {
                node.advance(Duration.ofMinutes(11).toMillis());
            }
        }
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 7, "later", 7));
        node.await(node.engine().flush(table.id()));
        assertThat(newestManifestBytes(node, shard)).isLessThan(4096);

        node.restart();
        WriteOutcome again =
                node.await(
                        node.engine().apply(shard, new UUID(9, 70_000), 1, bytes, 0, bytes.length));
        assertThat(again.skipped()).isEqualTo(1);
        assertThat(table.get(node.engine(), Optional.empty(), 7)).contains("later:7");
        node.advance(Duration.ofMinutes(62).toMillis());
        node.await(table.upsert(node.engine(), 7, "last", 7));
        node.await(node.engine().flush(table.id()));
        assertThat(newestManifestBytes(node, shard)).isLessThan(4096);
    }

    private static int newestManifestBytes(SimulatedNode node, ShardId shard) throws IOException {
        ManifestStore manifests =
                new ManifestStore(
                        node.objects(), shard, new UUID(0, 0), OrcManifestBaseFormat.INSTANCE);
        long version = manifests.loadLatest().orElseThrow().version();
        return node.objects().readFully("manifest/%s/%020d".formatted(shard, version)).length;
    }

    @Test
    void conditionalOperationsOfATransactionAreWorkedOutAtItsCommit() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        node.await(table.upsert(node.engine(), 1, "one", 1));
        node.await(node.engine().flush(table.id()));
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(node, table, transaction, 1, OperationKind.UPDATE, "", 10);
        stage(node, table, transaction, 1, OperationKind.UPDATE, "", 11);
        stage(node, table, transaction, 2, OperationKind.INSERT_IF_ABSENT, "mine", 2);
        stage(node, table, transaction, 3, OperationKind.INSERT, "three", 3);
        stage(node, table, transaction, 4, OperationKind.UPDATE, "", 4);
        stage(node, table, transaction, 5, OperationKind.UPDATE_OR_INSERT, "", 5);
        node.await(table.upsert(node.engine(), 2, "theirs", 20));

        node.await(node.commit(transaction, List.of()));
        Map<Long, String> expected =
                Map.of(1L, "one:11", 2L, "theirs:20", 3L, "three:3", 5L, "null:5");
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
        node.restart();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);

        String second = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(node, table, second, 9, OperationKind.UPDATE_OR_INSERT, "", 9);
        stage(node, table, second, 3, OperationKind.INSERT, "again", 0);
        assertRefused(node, node.commit(second, List.of()), "duplicate key (id = 3)");
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
    }

    private static byte[] deletion(TestTable table, long id) {
        WriteBatchBuilder batch = table.batch();
        batch.delete(table.key(id));
        return batch.toByteArray();
    }

    private static CompletableFuture<WriteOutcome> send(
            SimulatedNode node, TestTable table, ShardId shard, long sequence, byte[] bytes) {
        return node.engine().apply(shard, table.writerId(), sequence, bytes, 0, bytes.length);
    }

    private static void stage(
            SimulatedNode node,
            TestTable table,
            String transaction,
            long id,
            OperationKind kind,
            String name,
            long amount) {
        WriteBatchBuilder batch = table.batch();
        if (kind.isPartial()) {
            table.update(batch, kind, id, Optional.empty(), amount);
        } else {
            table.insert(batch, kind, id, name, amount);
        }
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private static void assertRefused(
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

    /** What one batch must be answered. */
    private record Expected(boolean refused, int skipped) {}

    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable table;
        private final TreeMap<Long, String> model = new TreeMap<>();
        private final List<CompletableFuture<WriteOutcome>> answers = new ArrayList<>();
        private final List<Expected> expected = new ArrayList<>();
        private int refusals;
        private int skips;
        private int racesLost;

        Run(Orientation orientation, long seed) throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(OPTIONS, seed);
            table = TestTable.create(node.engine(), "t", orientation, true, 2);
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
            assertThat(refusals).isGreaterThan(20);
            assertThat(skips).isGreaterThan(20);
            assertThat(racesLost).isPositive();
            assertThat(node.uncaught()).isEmpty();
        }

        private void step(int dice) throws IOException {
            if (dice < 80) {
                write();
            } else if (dice < 85) {
                transaction();
            } else if (dice < 88) {
                check();
            } else if (dice < 92) {
                node.engine().flush(table.id());
            } else if (dice < 94) {
                node.engine().compact(table.id());
            } else if (dice < 98) {
                node.advance(random.nextInt(2000));
                node.pool().tick();
            } else if (dice == 99) {
                settle();
                node.restart();
                check();
            }
        }

        private void write() {
            ShardId shard = table.schema().shard(random.nextInt(2));
            WriteBatchBuilder batch = table.batch();
            boolean plain = random.nextInt(3) == 0;
            TreeMap<Long, String> after = new TreeMap<>(model);
            boolean refused = false;
            int skipped = 0;
            for (int i = random.nextInt(6); i >= 0; i--) {
                long id = random.nextInt(random.nextInt(3) == 0 ? 300 : 40);
                if (!table.shard(id).equals(shard)) {
                    continue;
                }
                OperationKind kind = kind(plain);
                String name = "n" + random.nextInt(1000) + "x".repeat(random.nextInt(150));
                long amount = random.nextLong(1000);
                boolean there = after.containsKey(id);
                switch (kind) {
                    case DELETE -> {
                        batch.delete(table.key(id));
                        after.remove(id);
                    }
                    case UPSERT, INSERT, INSERT_IF_ABSENT -> {
                        table.insert(batch, kind, id, name, amount);
                        refused |= there && kind == OperationKind.INSERT;
                        if (!there || kind == OperationKind.UPSERT) {
                            after.put(id, name + ":" + amount);
                        } else {
                            skipped++;
                        }
                    }
                    case UPDATE, UPDATE_OR_INSERT -> {
                        boolean named = random.nextBoolean();
                        table.update(
                                batch,
                                kind,
                                id,
                                named ? Optional.of(name) : Optional.empty(),
                                amount);
                        if (there || kind == OperationKind.UPDATE_OR_INSERT) {
                            String old = there ? after.get(id).split(":")[0] : "null";
                            after.put(id, (named ? name : old) + ":" + amount);
                        } else {
                            skipped++;
                        }
                    }
                    case APPEND -> throw new AssertionError();
                }
            }
            if (!refused) {
                model.clear();
                model.putAll(after);
            }
            refusals += refused ? 1 : 0;
            skips += skipped;
            expected.add(new Expected(refused, refused ? 0 : skipped));
            answers.add(table.apply(node.engine(), shard, batch));
        }

        private OperationKind kind(boolean plain) {
            if (plain) {
                return random.nextInt(3) == 0 ? OperationKind.DELETE : OperationKind.UPSERT;
            }
            return switch (random.nextInt(12)) {
                case 0 -> OperationKind.UPSERT;
                case 1, 2 -> OperationKind.DELETE;
                case 3, 4, 5, 6 -> OperationKind.INSERT_IF_ABSENT;
                case 7 -> OperationKind.INSERT;
                case 8, 9 -> OperationKind.UPDATE;
                default -> OperationKind.UPDATE_OR_INSERT;
            };
        }

        /**
         * A transaction and an insert of the same new key, at the same time: whichever comes first,
         * the transaction's row stays, and the insert says so.
         */
        private void transaction() throws IOException {
            settle();
            long id = 1000L + model.tailMap(1000L).size();
            String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
            stage(node, table, transaction, id, OperationKind.UPSERT, "transaction", 1);
            CompletableFuture<Lsn> committed = node.commit(transaction, List.of());
            for (int tasks = random.nextInt(40); tasks > 0; tasks--) {
                node.pool().runOne();
            }
            WriteBatchBuilder batch = table.batch();
            table.insert(batch, OperationKind.INSERT_IF_ABSENT, id, "insert", 1);
            CompletableFuture<WriteOutcome> inserted =
                    table.apply(node.engine(), table.shard(id), batch);
            Lsn committedLsn = node.await(committed);
            WriteOutcome outcome = node.await(inserted);
            assertThat(outcome.skipped())
                    .isEqualTo(outcome.lsn().compareTo(committedLsn) > 0 ? 1 : 0);
            racesLost += outcome.skipped();
            model.put(id, "transaction:1");
        }

        private void settle() {
            for (int i = 0; i < answers.size(); i++) {
                Expected expectedAnswer = expected.get(i);
                if (expectedAnswer.refused()) {
                    assertRefused(node, answers.get(i), "duplicate key (id = ");
                } else {
                    assertThat(node.await(answers.get(i)).skipped())
                            .isEqualTo(expectedAnswer.skipped());
                }
            }
            answers.clear();
            expected.clear();
        }

        private void check() throws IOException {
            settle();
            LeasedSnapshot snapshot = node.openSnapshot();
            assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(model);
            assertThat(table.planned(node, snapshot)).isEqualTo(model);
            for (long id = 0; id < 40; id++) {
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .isEqualTo(Optional.ofNullable(model.get(id)));
            }
            node.engine().closeSnapshot(snapshot.id());
        }
    }
}
