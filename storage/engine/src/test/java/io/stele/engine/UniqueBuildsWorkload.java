package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Coordinator;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Upserts, transactions and workers' files with few names, while a unique index on the name comes
 * and goes, over a node that fails: an index that is ready has no name twice, one that has names
 * twice is gone, and a write is refused only while there is an index.
 */
final class UniqueBuildsWorkload implements Workload {
    private static final List<IndexSchema> BY_NAME =
            List.of(new IndexSchema(1, "by_name", List.of(2), true, true));

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final int ids;
    private final int names;
    private boolean indexedSinceCheck;
    private int files;
    private long acknowledged;

    UniqueBuildsWorkload(Simulation simulation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        ids = 4 + random.nextInt(30);
        names = ids * (2 + random.nextInt(20)); // so that some indexes can be built
        Orientation orientation = Orientation.values()[random.nextInt(Orientation.values().length)];
        table = TestTable.createIndexed(node.engine(), "unique_builds", orientation, 1, List.of());
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        int dice = random.nextInt(100);
        if (dice < 70) {
            change();
        } else if (dice < 80) {
            commit();
        } else if (dice < 86) {
            alter();
        } else if (dice < 95) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    private void change() {
        follow(table.write(node.engine(), table.schema().shard(0), batch()));
    }

    private WriteBatchBuilder batch() {
        WriteBatchBuilder batch = table.batch();
        for (int i = random.nextInt(3); i >= 0; i--) {
            long id = random.nextInt(ids);
            if (random.nextInt(5) == 0) {
                batch.delete(table.key(id));
            } else {
                batch.upsert(table.key(id), table.row(id, name(), 0));
            }
        }
        return batch;
    }

    private String name() {
        return "n" + random.nextInt(names);
    }

    private void commit() throws IOException {
        StorageEngine engine = node.engine();
        String transaction = engine.beginTransaction(table.id(), Optional.empty());
        List<WrittenFile> written = new ArrayList<>();
        if (table.schema().orientation() == Orientation.COLUMN && random.nextBoolean()) {
            Map<Long, WorkerFiles.Row> rows = new TreeMap<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                long id = random.nextInt(ids);
                rows.put(id, new WorkerFiles.Row(id, name(), 0));
            }
            written.add(
                    WorkerFiles.write(
                            node.objects(),
                            table,
                            table.schema().shard(0),
                            "unique-" + files++,
                            List.copyOf(rows.values())));
        } else {
            byte[] bytes = batch().toByteArray();
            engine.stage(transaction, table.schema().shard(0), bytes, 0, bytes.length);
        }
        follow(engine.commit(transaction, written, Optional.empty()));
    }

    private void follow(CompletableFuture<Lsn> answer) {
        boolean indexed = !indexes().isEmpty();
        indexedSinceCheck |= indexed;
        boolean mayBeRefused = indexedSinceCheck;
        answer.whenComplete(
                (lsn, failed) -> {
                    if (failed == null) {
                        acknowledged++;
                        simulation.trace("unique at " + lsn);
                    } else if (Coordinator.unwrap(failed) instanceof SteleException known
                            && known.code() == ErrorCode.DUPLICATE_KEY
                            && !mayBeRefused
                            && !indexedSinceCheck) {
                        simulation.fail(new AssertionError("Expected no refusal", failed));
                    }
                });
    }

    private void alter() {
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        List.of(TableOption.INDEXES),
                        TableOptions.NONE.withIndexes(indexes().isEmpty() ? BY_NAME : List.of()));
        indexedSinceCheck = true;
    }

    private List<IndexSchema> indexes() {
        return node.engine().catalog().current().table(table.id()).options().indexes();
    }

    @Override
    public void check() throws IOException {
        boolean building = indexes().stream().anyMatch(index -> !index.ready());
        boolean failed = false;
        try {
            node.await(node.engine().awaitIndexes(table.id()));
        } catch (SteleException duplicates) {
            assertThat(duplicates.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
            failed = true;
        }
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> rows = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(rows);
        node.engine().closeSnapshot(snapshot.id());
        Set<String> distinct = new HashSet<>(rows.values());
        if (failed) {
            assertThat(building).isTrue();
            assertThat(indexes()).isEmpty();
        } else if (!indexes().isEmpty()) {
            assertThat(indexes()).allMatch(IndexSchema::ready);
            assertThat(distinct).hasSameSizeAs(rows.values());
            rows.forEach(this::assertRefused);
        }
        indexedSinceCheck = !indexes().isEmpty();
    }

    /** What is there cannot be there again. */
    private void assertRefused(long id, String row) {
        String name = row.split(":")[0];
        try {
            node.await(table.upsert(node.engine(), 1000 + id, name, 0));
        } catch (SteleException refused) {
            assertThat(refused.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
            return;
        }
        throw new AssertionError("Expected a refusal of " + name + " for it is in row " + id);
    }

    @Override
    public void finish() throws IOException {
        check();
        node.await(node.engine().compact(table.id()));
        check();
    }
}
