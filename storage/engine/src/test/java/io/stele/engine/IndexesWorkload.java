package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Upserts and deletions of one client, while indexes are added and dropped, over a node that fails:
 * at whatever LSN is read, an index finds what filtering all rows at that LSN finds.
 *
 * <p>The oracle is the engine's own scan: other workloads hold that to what was written.
 */
final class IndexesWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int NAMES = 4;
    private static final IndexSchema BY_NAME =
            new IndexSchema(1, "by_name", List.of(2), false, true);
    private static final IndexSchema BY_AMOUNT =
            new IndexSchema(2, "by_amount", List.of(3), false, true);

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private long acknowledged;

    IndexesWorkload(Simulation simulation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        Orientation orientation = Orientation.values()[random.nextInt(Orientation.values().length)];
        table =
                TestTable.createIndexed(
                        node.engine(), "indexed", orientation, SHARDS, List.of(BY_NAME));
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        int dice = random.nextInt(100);
        if (dice < 85) {
            change();
        } else if (dice < 90) {
            alter();
        } else if (dice < 96) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    private void change() {
        long first = random.nextInt(40);
        WriteBatchBuilder batch = table.batch();
        for (long id = first; id < first + 20; id++) {
            if (table.shard(id).equals(table.shard(first)) && random.nextInt(4) == 0) {
                if (random.nextInt(4) == 0) {
                    batch.delete(table.key(id));
                } else {
                    batch.upsert(
                            table.key(id),
                            table.row(id, "n" + random.nextInt(NAMES), random.nextInt(NAMES)));
                }
            }
        }
        if (!batch.isEmpty()) {
            CompletableFuture<Lsn> written = table.write(node.engine(), table.shard(first), batch);
            written.whenComplete(
                    (lsn, failed) -> {
                        if (failed == null) {
                            acknowledged++;
                            simulation.trace("indexed at " + lsn);
                        }
                    });
        }
    }

    private void alter() {
        List<IndexSchema> indexes = new ArrayList<>(indexes());
        if (!indexes.removeIf(index -> index.name().equals(BY_AMOUNT.name()))) {
            indexes.add(BY_AMOUNT);
        }
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        List.of(TableOption.INDEXES),
                        TableOptions.NONE.withIndexes(indexes));
    }

    private List<IndexSchema> indexes() {
        return node.engine().catalog().current().table(table.id()).options().indexes();
    }

    @Override
    public void check() throws IOException {
        node.await(node.engine().awaitIndexes(table.id()));
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> rows = table.snapshot(node.engine(), snapshot);
        for (IndexSchema index : indexes()) {
            assertThat(index.ready()).isTrue();
            Map<Long, String> found = new TreeMap<>();
            for (long value = 0; value < NAMES; value++) {
                boolean byName = index.name().equals(BY_NAME.name());
                Object key = byName ? "n" + value : value;
                Map<Long, String> some =
                        table.lookup(node.engine(), snapshot, index.id(), List.of(key));
                some.forEach(
                        (id, row) -> assertThat(row).matches(byName ? key + ":.*" : ".*:" + key));
                found.putAll(some);
            }
            assertThat(found).as("%s", index).isEqualTo(rows);
        }
        node.engine().closeSnapshot(snapshot.id());
    }

    @Override
    public void finish() throws IOException {
        check();
        node.await(node.engine().compact(table.id()));
        check();
    }
}
