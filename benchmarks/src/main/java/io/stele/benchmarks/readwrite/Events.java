package io.stele.benchmarks.readwrite;

import io.stele.benchmarks.local.LocalEngine;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The table that the benchmark scans and writes, of keyed events with a date, two numbers and a
 * text.
 */
final class Events {
    static final int DAY = 1;
    static final int QUANTITY = 2;
    static final int PRICE = 3;
    static final int SHARDS = 2;

    private Events() {}

    static TableSchema definition() {
        return TableSchema.builder(LocalEngine.schemaName(), "events")
                .columns(
                        List.of(
                                new ColumnSchema(1, "id", DataType.parse("bigint")).notNull(),
                                new ColumnSchema(2, "day", DataType.parse("bigint")),
                                new ColumnSchema(3, "quantity", DataType.parse("bigint")),
                                new ColumnSchema(4, "price", DataType.parse("bigint")),
                                new ColumnSchema(5, "state", DataType.parse("varchar"))))
                .primaryKey(List.of(1))
                .shardCount(SHARDS)
                .build();
    }

    /** Another version of a row; its quantity is always 1, so that the sum is the count. */
    static Object[] row(long id, SplittableRandom random) {
        return new Object[] {
            id, random.nextLong(365), 1L, random.nextLong(100_000), "state " + random.nextInt(20)
        };
    }
}
