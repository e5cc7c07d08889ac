package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two consumers that apply the changes of a table to a TreeMap, beside writes, flushes, compactions
 * and crashes. Each begins again where it was, and has what the table has at every such LSN.
 */
final class TestChangeConsumers {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT.withMemTables(20_000, 10_000_000, Duration.ofMinutes(5));

    static List<Arguments> histories() {
        return LongRun.combinations(
                List.of(
                        arguments(Orientation.ROW, 1L),
                        arguments(Orientation.COLUMN, 2L),
                        arguments(Orientation.ROW_COLUMN, 3L),
                        arguments(Orientation.COLUMN, 4L)),
                List.of(
                        arguments(Orientation.ROW, 5L),
                        arguments(Orientation.COLUMN, 6L),
                        arguments(Orientation.ROW, 7L),
                        arguments(Orientation.COLUMN, 8L)));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void consumersHaveWhatTheTableHas(Orientation orientation, long seed) throws IOException {
        new History(orientation, seed).run(400);
    }

    /** What one consumer knows. */
    private static final class Consumer {
        private final Map<Long, String> rows = new TreeMap<>();
        private Lsn position;

        Consumer(Lsn position) {
            this.position = position;
        }

        void apply(String change) {
            String[] parts = change.split(" ", 4);
            long id = Long.parseLong(parts[2]);
            String row = parts[3];
            switch (ChangeKind.valueOf(parts[1])) {
                case INSERT -> assertThat(rows.putIfAbsent(id, row)).as(change).isNull();
                case UPDATE_BEFORE -> assertThat(rows.get(id)).as(change).isEqualTo(row);
                case UPDATE -> assertThat(rows.put(id, row)).as(change).isNotNull();
                case DELETE -> assertThat(rows.remove(id)).as(change).isEqualTo(row);
            }
        }
    }

    private static final class History {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable table;
        private final List<Consumer> consumers;
        private int count;

        History(Orientation orientation, long seed) throws IOException {
            random = new SplittableRandom(seed);
            StorageOptions options = OPTIONS.withMaxChanges(seed % 2 == 0 ? 2_000 : 1 << 20);
            node =
                    seed % 4 < 2
                            ? SimulatedNode.start(options, seed)
                            : SimulatedNode.startFar(options, seed);
            table = TestTable.create(node.engine(), "t", orientation, true, 2);
            LeasedSnapshot empty = node.openSnapshot();
            consumers = List.of(new Consumer(empty.lsn()), new Consumer(empty.lsn()));
            node.engine().closeSnapshot(empty.id());
        }

        void run(int steps) throws IOException {
            for (int step = 0; step < steps; step++) {
                step(random.nextInt(100));
            }
            for (Consumer consumer : consumers) {
                consume(consumer);
            }
            assertThat(node.uncaught()).isEmpty();
        }

        private void step(int dice) throws IOException {
            if (dice < 70) {
                change();
            } else if (dice < 80) {
                consume(consumers.get(random.nextInt(consumers.size())));
            } else if (dice < 88) {
                node.await(node.engine().flush(table.id()));
            } else if (dice < 90) {
                node.await(node.engine().compact(table.id()));
            } else if (dice < 97) {
                node.tick(random.nextInt(2_000));
            } else {
                node.restart();
            }
        }

        private void change() {
            ShardId shard = table.schema().shard(random.nextInt(2));
            WriteBatchBuilder batch = table.batch();
            for (int i = random.nextInt(12); i >= 0; i--) {
                long id = random.nextInt(random.nextInt(4) == 0 ? 4_000 : 60);
                if (table.shard(id).equals(shard)) {
                    if (random.nextInt(4) == 0) {
                        batch.delete(table.key(id));
                    } else {
                        batch.upsert(table.key(id), table.row(id, "n", count++));
                    }
                }
            }
            if (!batch.isEmpty()) {
                Lsn lsn = node.await(table.write(node.engine(), shard, batch));
                assertThat(lsn).isGreaterThan(Lsn.MIN);
            }
        }

        private void consume(Consumer consumer) throws IOException {
            LeasedSnapshot now = node.openSnapshot();
            for (ShardId shard : table.schema().shards()) {
                table.changes(
                                node.engine(),
                                shard,
                                consumer.position,
                                now,
                                now.lsn(),
                                ScanPredicate.ALL,
                                true)
                        .forEach(consumer::apply);
            }
            consumer.position = now.lsn();
            assertThat(consumer.rows).isEqualTo(table.snapshot(node.engine(), now));
            node.engine().closeSnapshot(now.id());
        }
    }
}
