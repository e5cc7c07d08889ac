package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Random writes, flushes and compactions of a table, with looks at the present and the past
 * between.
 */
final class LookupScenario {
    /** Compares what a lookup finds at a snapshot; returns how much it found. */
    interface Check {
        int at(LeasedSnapshot snapshot) throws IOException;
    }

    private LookupScenario() {}

    /**
     * Runs the scenario; fails if hardly anything was found.
     *
     * @param keys rows have ids below it
     * @param name of a row with an id
     */
    static void run(
            SimulatedNode node,
            TestTable table,
            SplittableRandom random,
            int steps,
            int keys,
            LongFunction<String> name,
            Check check)
            throws IOException {
        List<LeasedSnapshot> snapshots = new ArrayList<>();
        int found = 0;
        for (int step = 0; step < steps; step++) {
            long id = random.nextInt(keys);
            WriteBatchBuilder batch = table.batch();
            if (random.nextInt(5) == 0) {
                batch.delete(table.key(id));
            } else {
                batch.upsert(table.key(id), table.row(id, name.apply(id), random.nextInt(4)));
            }
            node.await(table.write(node.engine(), table.shard(id), batch));
            if (random.nextInt(40) == 0) {
                node.await(node.engine().flush(table.id()));
            }
            if (random.nextInt(60) == 0) {
                node.await(node.engine().compact(table.id()));
            }
            if (random.nextInt(20) == 0) {
                snapshots.add(node.openSnapshot());
            }
            if (random.nextInt(10) == 0) {
                snapshots.add(node.openSnapshot());
                for (LeasedSnapshot snapshot : snapshots) {
                    found += check.at(snapshot);
                }
                snapshots.removeLast();
            }
        }
        assertThat(found).isGreaterThan(100);
        assertThat(node.uncaught()).isEmpty();
    }

    /** Some values of a column. */
    static ColumnDomain values(TestTable table, int column, List<?> values) {
        KeyEncoder encoder = KeyEncoder.forColumns(table.schema(), List.of(column));
        return new ColumnDomain(
                false,
                values.stream()
                        .distinct()
                        .map(value -> encoder.encodeObjects(List.of(value)))
                        .map(key -> ValueRange.equal(encoder.split(key).getFirst().orElseThrow()))
                        .toList());
    }
}
