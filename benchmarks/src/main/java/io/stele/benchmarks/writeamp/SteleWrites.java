package io.stele.benchmarks.writeamp;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.local.CountingStore;
import io.stele.benchmarks.local.LocalEngine;
import io.stele.benchmarks.local.ShardBatches;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.tablet.Traffic;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.api.status.ShardStatus;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The subject of the write amplification benchmark that is Stele's engine, in this process, with
 * one shard and sizes in the proportions of the defaults.
 */
final class SteleWrites {
    private static final int BATCH_ROWS = 100;
    private static final int PIPELINE = 8;

    private SteleWrites() {}

    static Written run(
            Workload workload, Path directory, Orientation orientation, Duration retention)
            throws Exception {
        long memTable = workload.memTableBytes();
        StorageOptions options =
                StorageOptions.DEFAULT
                        .withMemTables(memTable, 8 * memTable, Duration.ofDays(1))
                        .withTargetFileBytes(4 * memTable)
                        .withRetention(retention);
        AtomicReference<CountingStore> counting = new AtomicReference<>();
        try (LocalEngine engine =
                LocalEngine.open(directory, options, store -> counted(store, counting))) {
            TableSchema table = engine.createTable(definition(orientation));
            ShardBatches writer = new ShardBatches(engine.engine(), table, 1, BATCH_ROWS, PIPELINE);
            workload.forEach(
                    (key, value) -> {
                        Object[] values = workload.content().values(value);
                        values[0] = UserRows.key(key);
                        writer.upsert(values);
                    });
            writer.flush();
            engine.settle(table);
            Traffic.Totals traffic = engine.status(table).traffic();
            CountingStore store = requireNonNull(counting.get(), "the engine opened no store");
            long data = traffic.flushBytes() + traffic.mergeBytes();
            if (store.dataBytes() != data) {
                throw new IllegalStateException(
                        "Expected the %,d bytes that went to the store in the metrics, found %,d"
                                .formatted(store.dataBytes(), data));
            }
            return new Written(
                    engine.engine().status().log().bytes(),
                    traffic.flushBytes(),
                    traffic.mergeBytes(),
                    store.otherBytes(),
                    engine.engine().status().shards().stream()
                            .mapToLong(ShardStatus::fileBytes)
                            .sum());
        }
    }

    private static ObjectStore counted(ObjectStore store, AtomicReference<CountingStore> counting) {
        CountingStore counted = new CountingStore(store);
        counting.set(counted);
        return counted;
    }

    private static TableSchema definition(Orientation orientation) {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "ycsb_key", VarcharType.VARCHAR).notNull());
        for (int field = 0; field < UserRows.FIELDS; field++) {
            columns.add(new ColumnSchema(2 + field, "field" + field, VarcharType.VARCHAR));
        }
        return TableSchema.builder(LocalEngine.schemaName(), "usertable")
                .columns(columns)
                .primaryKey(List.of(1))
                .orientation(orientation)
                .build();
    }
}
