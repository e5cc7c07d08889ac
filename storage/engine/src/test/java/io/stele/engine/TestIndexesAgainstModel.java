package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.status.IndexStatus;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random changes, ingested files, flushes, compactions and reopenings while indexes come and go; at
 * every snapshot each lookup by index is what filtering all rows at that point gives, in the order
 * of the index.
 */
class TestIndexesAgainstModel {
    private static final IndexSchema BY_NAME =
            new IndexSchema(1, "by_name", List.of(2), false, true);
    private static final IndexSchema BY_AMOUNT_AND_NAME =
            new IndexSchema(2, "by_amount", List.of(3, 2), false, true);
    private static final IndexSchema BY_NAME_AND_ID =
            new IndexSchema(3, "by_name_id", List.of(2, 1), false, true);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(40_000, 10_000_000, Duration.ofMinutes(5))
                    .withRetention(Duration.ofMillis(1))
                    .withCollectionGrace(Duration.ofMillis(1));

    @ParameterizedTest
    @CsvSource({"ROW,1", "ROW,2", "COLUMN,3", "COLUMN,4", "ROW_COLUMN,5", "ROW_COLUMN,6"})
    void lookupsAreFilteredScans(Orientation orientation, long seed) throws IOException {
        new Run(orientation, seed).run(350);
    }

    private record Values(String name, Long amount) {
        @Override
        public String toString() {
            return name + ":" + amount;
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable table;
        private final TreeMap<Lsn, Map<Long, Values>> states =
                new TreeMap<>(Map.of(Lsn.MIN, Map.of()));
        private final TreeMap<Long, Values> present = new TreeMap<>();
        private final Map<Long, List<Values>> lastWritten = new HashMap<>(); // by the last batch
        private final List<LeasedSnapshot> snapshots = new ArrayList<>();
        private final boolean ingests;
        private int files;
        private int lookups;

        Run(Orientation orientation, long seed) throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(OPTIONS, seed);
            table =
                    TestTable.createIndexed(
                            node.engine(),
                            "t",
                            orientation,
                            2,
                            List.of(BY_NAME, BY_AMOUNT_AND_NAME));
            ingests = orientation == Orientation.COLUMN;
        }

        void run(int steps) throws IOException {
            for (int step = 0; step < steps; step++) {
                step(random.nextInt(100));
            }
            checkAll();
            // History is over, so what no row of now has must go.
            snapshots.forEach(snapshot -> node.engine().closeSnapshot(snapshot.id()));
            snapshots.clear();
            node.tick(10);
            for (long id = 0; id < 10; id++) { // in both shards
                node.await(table.upsert(node.engine(), id, "last", 0));
                present.put(id, new Values("last", 0L));
                lastWritten.put(id, List.of(new Values("last", 0L)));
            }
            node.tick(10);
            node.await(node.engine().awaitIndexes(table.id()));
            node.await(node.engine().compact(table.id()));
            LeasedSnapshot now = node.openSnapshot();
            assertThat(table.snapshot(node.engine(), now)).hasSize(present.size());
            assertThat(node.uncaught()).isEmpty();
            assertThat(lookups).isGreaterThan(100);
            for (IndexStatus index : node.engine().indexes(table.id())) {
                assertThat(index.memoryBytes()).isZero();
                assertThat(index.entries())
                        .as("%s", index)
                        .isBetween(
                                (long) present.size(),
                                mostEntries(index.index().columns().contains(3)));
            }
        }

        // What a later operation of the same batch replaced has the LSN of the row that is there.
        private long mostEntries(boolean byAmount) {
            long entries = 0;
            for (long id : present.keySet()) {
                Set<String> names = new HashSet<>();
                Set<String> both = new HashSet<>();
                for (Values values : lastWritten.get(id)) {
                    String name = values.name == null ? "null" : values.name;
                    String kept = name.substring(0, Math.min(10_000, name.length()));
                    names.add(kept);
                    both.add(kept + ":" + values.amount);
                }
                entries += byAmount ? both.size() : names.size();
            }
            return entries;
        }

        private void step(int dice) throws IOException {
            if (dice < 64) {
                change();
            } else if (dice < 70) {
                ingest();
            } else if (dice < 76) {
                snapshots.add(node.openSnapshot());
            } else if (dice < 82) {
                checkAll();
            } else if (dice < 86) {
                node.await(node.engine().flush(table.id()));
            } else if (dice < 88) {
                node.await(node.engine().compact(table.id()));
            } else if (dice < 94) {
                node.tick(random.nextInt(2000));
            } else if (dice < 96) {
                alter();
            } else if (dice < 98 && !snapshots.isEmpty()) {
                node.engine()
                        .closeSnapshot(snapshots.remove(random.nextInt(snapshots.size())).id());
            } else if (dice == 99) {
                node.restart();
                snapshots.clear();
            }
        }

        /** Adds an index or drops one, without waiting for it to be built. */
        private void alter() {
            List<IndexSchema> indexes = new ArrayList<>(indexes());
            IndexSchema changed = random.nextBoolean() ? BY_NAME_AND_ID : BY_AMOUNT_AND_NAME;
            if (!indexes.removeIf(index -> index.name().equals(changed.name()))) {
                indexes.add(changed);
            }
            node.engine()
                    .catalog()
                    .setOptions(
                            table.id(),
                            List.of(TableOption.INDEXES),
                            TableOptions.NONE.withIndexes(indexes));
            if (random.nextBoolean()) {
                node.await(node.engine().awaitIndexes(table.id()));
                assertThat(indexes()).allMatch(IndexSchema::ready);
            }
        }

        private List<IndexSchema> indexes() {
            return node.engine().catalog().current().table(table.id()).options().indexes();
        }

        private void change() {
            ShardId shard = table.schema().shard(random.nextInt(2));
            WriteBatchBuilder batch = table.batch();
            Map<Long, List<Values>> inBatch = new HashMap<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                long id = random.nextInt(random.nextInt(4) == 0 ? 400 : 40);
                if (!table.shard(id).equals(shard)) {
                    continue;
                }
                if (random.nextInt(4) == 0) {
                    batch.delete(table.key(id));
                    present.remove(id);
                } else {
                    Values values = new Values(name(true), (long) random.nextInt(5));
                    batch.upsert(table.key(id), table.row(id, values.name, values.amount));
                    present.put(id, values);
                    inBatch.computeIfAbsent(id, any -> new ArrayList<>()).add(values);
                }
            }
            lastWritten.putAll(inBatch);
            if (!batch.isEmpty()) {
                changed(node.await(table.write(node.engine(), shard, batch)));
            }
        }

        private void ingest() throws IOException {
            if (!ingests) {
                change();
                return;
            }
            List<WrittenFile> written = new ArrayList<>();
            Map<Long, Values> rows = new TreeMap<>();
            for (ShardId shard : table.schema().shards()) {
                Map<Long, WorkerFiles.Row> inShard = new TreeMap<>();
                for (int i = 0; i < 20; i++) {
                    long id = random.nextInt(400);
                    if (table.shard(id).equals(shard)) {
                        Values values = new Values(name(false), (long) random.nextInt(5));
                        rows.put(id, values);
                        inShard.put(id, new WorkerFiles.Row(id, values.name, values.amount));
                    }
                }
                if (!inShard.isEmpty()) {
                    written.add(
                            WorkerFiles.write(
                                    node.objects(),
                                    table,
                                    shard,
                                    "worker-" + files++,
                                    List.copyOf(inShard.values())));
                }
            }
            String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
            Lsn lsn = node.await(node.commit(transaction, written));
            present.putAll(rows);
            rows.forEach((id, values) -> lastWritten.put(id, List.of(values)));
            changed(lsn);
        }

        // Few names, some of them long, some with zeros that keys escape.
        private String name(boolean orNull) {
            int choice = random.nextInt(orNull ? 13 : 12);
            return switch (choice) {
                case 12 -> null;
                case 11 -> "long" + "x".repeat(20_000) + random.nextInt(2);
                case 10 -> "\0\0";
                case 9 -> "";
                default -> "n" + choice;
            };
        }

        private void changed(Lsn lsn) {
            states.put(lsn, new TreeMap<>(present));
        }

        private void checkAll() throws IOException {
            LeasedSnapshot now = node.openSnapshot();
            check(now);
            node.engine().closeSnapshot(now.id());
            for (LeasedSnapshot snapshot : snapshots) {
                check(snapshot);
            }
        }

        private void check(LeasedSnapshot snapshot) throws IOException {
            Map<Long, Values> rows = states.floorEntry(snapshot.lsn()).getValue();
            for (int i = 0; i < 3; i++) {
                String name = name(true);
                long amount = random.nextInt(6);
                check(snapshot, BY_NAME, Arrays.asList(name), of(rows, name, null));
                check(snapshot, BY_NAME_AND_ID, Arrays.asList(name), of(rows, name, null));
                check(snapshot, BY_AMOUNT_AND_NAME, List.of(amount), of(rows, "any", amount));
                check(
                        snapshot,
                        BY_AMOUNT_AND_NAME,
                        Arrays.asList(amount, name),
                        of(rows, name, amount));
                long id = random.nextInt(40);
                Map<Long, Values> one = of(rows, name, null);
                one.keySet().removeIf(found -> found != id);
                check(snapshot, BY_NAME_AND_ID, Arrays.asList(name, id), one);
            }
        }

        private void check(
                LeasedSnapshot snapshot,
                IndexSchema wanted,
                List<Object> values,
                Map<Long, Values> expected)
                throws IOException {
            Optional<IndexSchema> index =
                    indexes().stream()
                            .filter(there -> there.name().equals(wanted.name()) && there.ready())
                            .findFirst();
            if (index.isEmpty()) {
                return;
            }
            int indexId = index.get().id();
            lookups++;
            Map<Long, String> texts = new LinkedHashMap<>();
            expected.forEach((id, row) -> texts.put(id, row.toString()));
            Map<Long, String> found = table.lookup(node.engine(), snapshot, indexId, values);
            assertThat(found)
                    .as("index %s of %s at %s", indexId, values, snapshot)
                    .isEqualTo(texts);
            if (wanted != BY_AMOUNT_AND_NAME || values.size() == 2) {
                assertThat(new ArrayList<>(found.keySet()))
                        .isSortedAccordingTo(Comparator.naturalOrder());
            }
            assertThat(table.lookup(node.engine(), Optional.of(snapshot.lsn()), indexId, values))
                    .isEqualTo(found);
        }

        private static Map<Long, Values> of(Map<Long, Values> rows, String name, Long amount) {
            Predicate<Values> wanted =
                    row ->
                            ("any".equals(name) || Objects.equals(row.name, name))
                                    && (amount == null || row.amount.equals(amount));
            Map<Long, Values> found = new TreeMap<>();
            rows.forEach(
                    (id, row) -> {
                        if (wanted.test(row)) {
                            found.put(id, row);
                        }
                    });
            return found;
        }
    }
}
