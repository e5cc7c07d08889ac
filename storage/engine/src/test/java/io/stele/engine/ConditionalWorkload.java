package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Coordinator;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Inserts and partial updates between upserts and deletions, many in flight at a time. A shard's
 * client sends in order, so what each batch comes to is known when it is sent; and a batch sent
 * again, whatever happened since, is answered as it was the first time: refused if it was.
 *
 * <p>Beside it, transactions insert rows of ids of their own: of each id exactly one gets through.
 *
 * <p>In a table with a unique index on the name, names are few, and a batch that leaves a name
 * twice is refused.
 */
final class ConditionalWorkload implements Workload {
    private static final List<IndexSchema> BY_NAME =
            List.of(new IndexSchema(1, "by_name", List.of(2), true, true));
    private static final int REMEMBERED = 1000; // of the batches of a writer, by a shard
    private static final long COUNTERS = 10_000; // ids from here on are the transactions'

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final boolean unique;
    private final int ids;
    private final Map<ShardId, SerialHistory> histories = new HashMap<>();
    private final Map<ShardId, Set<Long>> refused = new HashMap<>();
    private final Map<ShardId, Map<Long, Integer>> skipped = new HashMap<>();
    private final Map<Long, Set<String>> counted = new TreeMap<>(); // id to names that may be there
    private final Map<Long, String> acknowledgedNames = new TreeMap<>();
    private long nextValue;
    private long acknowledged;

    private ConditionalWorkload(Simulation simulation, Orientation orientation, boolean unique) {
        this.unique = unique;
        this.simulation = simulation;
        this.random = simulation.newRandom();
        this.node = simulation.node();
        this.ids = 5 + random.nextInt(60);
        table =
                TestTable.create(
                        node.engine(),
                        (unique ? "unique_" : "conditional_")
                                + orientation.text().replace(',', '_'),
                        orientation,
                        true,
                        unique ? 1 : 2,
                        unique ? TableOptions.NONE.withIndexes(BY_NAME) : TableOptions.NONE);
        for (ShardId shard : table.schema().shards()) {
            histories.put(shard, new SerialHistory());
            refused.put(shard, new HashSet<>());
            skipped.put(shard, new HashMap<>());
        }
    }

    static Workload of(Simulation simulation, Orientation orientation) {
        return new ConditionalWorkload(simulation, orientation, false);
    }

    static Workload unique(Simulation simulation, Orientation orientation) {
        return new ConditionalWorkload(simulation, orientation, true);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        int dice = random.nextInt(100);
        if (dice < 80) {
            change();
        } else if (dice < 90) {
            insertByTransaction();
        } else if (dice < 97) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    @Override
    public void check() throws IOException {
        for (ShardId shard : table.schema().shards()) {
            SerialHistory history = histories.get(shard);
            history.checkPresent(rows(shard));
            history.lost();
            for (SerialHistory.Batch batch : history.batches()) {
                boolean known = batch.sequence() > history.batches().size() - REMEMBERED;
                if (!batch.isAcknowledged() || (known && random.nextInt(10) == 0)) {
                    sendAndAwait(shard, batch);
                }
            }
            assertThat(rows(shard)).isEqualTo(history.last());
        }
        checkTransactions();
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
    }

    private Map<Long, String> rows(ShardId shard) throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> all = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(all);
        node.engine().closeSnapshot(snapshot.id());
        Map<Long, String> rows = new TreeMap<>();
        all.forEach(
                (id, row) -> {
                    if (id < COUNTERS && table.shard(id).equals(shard)) {
                        rows.put(id, row);
                    }
                });
        return rows;
    }

    private void change() {
        ShardId shard = table.schema().shard(random.nextInt(table.schema().shardCount()));
        SerialHistory history = histories.get(shard);
        Optional<SerialHistory.Batch> failed = history.firstFailed();
        if (failed.isPresent()) {
            send(shard, failed.get());
            return;
        }
        if (!history.mayAppend()) {
            return;
        }
        WriteBatchBuilder batch = table.batch();
        Map<Long, String> rows = history.last();
        Map<Long, Optional<String>> changes = new TreeMap<>();
        boolean duplicate = false;
        int skips = 0;
        for (int i = random.nextInt(5); i >= 0; i--) {
            long id = random.nextInt(ids);
            if (!table.shard(id).equals(shard)) {
                continue;
            }
            String there = rows.get(id);
            OperationKind kind = kind();
            String name =
                    unique
                            ? "n" + random.nextInt(2 * ids)
                            : "n" + nextValue + "x".repeat(random.nextInt(120));
            long value = nextValue++;
            switch (kind) {
                case DELETE -> {
                    batch.delete(table.key(id));
                    rows.remove(id);
                }
                case UPDATE, UPDATE_OR_INSERT -> {
                    table.update(batch, kind, id, Optional.empty(), value);
                    if (there != null || kind == OperationKind.UPDATE_OR_INSERT) {
                        String old = there == null ? "null" : there.split(":")[0];
                        rows.put(id, old + ":" + value);
                    } else {
                        skips++;
                    }
                }
                default -> {
                    table.insert(batch, kind, id, name, value);
                    duplicate |= there != null && kind == OperationKind.INSERT;
                    if (there == null || kind == OperationKind.UPSERT) {
                        rows.put(id, name + ":" + value);
                    } else {
                        skips++;
                    }
                }
            }
            changes.put(id, Optional.ofNullable(rows.get(id)));
        }
        duplicate |= unique && hasNameTwice(rows);
        if (!batch.isEmpty()) {
            SerialHistory.Batch appended =
                    history.append(batch.toByteArray(), duplicate ? Map.of() : changes);
            if (duplicate) {
                refused.get(shard).add(appended.sequence());
            }
            skipped.get(shard).put(appended.sequence(), duplicate ? 0 : skips);
            send(shard, appended);
        }
    }

    private static boolean hasNameTwice(Map<Long, String> rows) {
        Set<String> names = new HashSet<>();
        return rows.values().stream()
                .map(row -> row.split(":")[0])
                .anyMatch(name -> !name.equals("null") && !names.add(name));
    }

    private OperationKind kind() {
        return switch (random.nextInt(12)) {
            case 0, 1 -> OperationKind.UPSERT;
            case 2, 3, 4 -> OperationKind.DELETE;
            case 5, 6, 7 -> OperationKind.INSERT_IF_ABSENT;
            case 8 -> OperationKind.INSERT;
            case 9, 10 -> OperationKind.UPDATE;
            default -> OperationKind.UPDATE_OR_INSERT;
        };
    }

    private void sendAndAwait(ShardId shard, SerialHistory.Batch batch) {
        try {
            node.await(send(shard, batch));
        } catch (SteleException answer) {
            assertThat(answer.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
        }
    }

    private CompletableFuture<WriteOutcome> send(ShardId shard, SerialHistory.Batch batch) {
        StorageEngine engine = node.engine();
        batch.sent();
        CompletableFuture<WriteOutcome> answer =
                engine.apply(
                        shard,
                        table.writerId(),
                        batch.sequence(),
                        batch.bytes(),
                        0,
                        batch.bytes().length);
        answer.whenComplete(
                (outcome, failed) -> {
                    if (node.engine() == engine) {
                        try {
                            answered(shard, batch, outcome, failed);
                        } catch (AssertionError wrong) {
                            simulation.fail(wrong);
                        }
                    }
                });
        return answer;
    }

    private void answered(
            ShardId shard, SerialHistory.Batch batch, WriteOutcome outcome, Throwable failed) {
        boolean mustBeRefused = refused.get(shard).contains(batch.sequence());
        simulation.trace(table.schema().qualifiedName() + " " + batch.sequence() + " " + outcome);
        if (outcome != null) {
            assertThat(mustBeRefused).as("refusal of batch %s", batch.sequence()).isFalse();
            assertThat(outcome.skipped()).isEqualTo(skipped.get(shard).get(batch.sequence()));
            acknowledged++;
            batch.acknowledged(outcome.lsn(), true);
            return;
        }
        Throwable cause = Coordinator.unwrap(failed);
        if (cause instanceof SteleException known && known.code() == ErrorCode.DUPLICATE_KEY) {
            assertThat(mustBeRefused).as("refusal of batch %s", batch.sequence()).isTrue();
            acknowledged++;
            batch.acknowledged(io.stele.protocol.Lsn.MIN, false);
        } else {
            histories.get(shard).failed(batch, cause);
        }
    }

    /** An insert if absent in a transaction, beside the same by a write: exactly one is there. */
    private void insertByTransaction() {
        StorageEngine engine = node.engine();
        long id = COUNTERS + random.nextInt(20);
        String name = "t" + nextValue++;
        String transaction = engine.beginTransaction(table.id(), Optional.empty());
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT, id, name, 0);
        engine.stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        counted.computeIfAbsent(id, key -> new HashSet<>()).add(name + ":0");
        engine.commit(transaction, List.of(), Optional.empty())
                .whenComplete(
                        (lsn, failed) -> {
                            if (lsn != null && node.engine() == engine) {
                                acknowledged++;
                                String other = acknowledgedNames.put(id, name + ":0");
                                if (other != null) {
                                    simulation.fail(
                                            new AssertionError(
                                                    "Expected one insert of %d to succeed, found %s and %s"
                                                            .formatted(id, other, name)));
                                }
                            }
                        });
    }

    private void checkTransactions() throws IOException {
        for (Map.Entry<Long, Set<String>> entry : counted.entrySet()) {
            Optional<String> row = table.get(node.engine(), Optional.empty(), entry.getKey());
            String known = acknowledgedNames.get(entry.getKey());
            if (known != null) {
                assertThat(row).as("inserted row %s", entry.getKey()).contains(known);
            } else if (row.isPresent()) {
                assertThat(entry.getValue()).contains(row.get());
                acknowledgedNames.put(entry.getKey(), row.get());
            }
        }
    }
}
