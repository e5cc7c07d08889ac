package io.stele.sidecar;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;

/** Tables that several tests create. */
public final class SampleTables {
    private SampleTables() {}

    /**
     * {@code shop.orders (id bigint not null, status varchar, amount double, placed timestamp(6))},
     * primary key id, 4 shards.
     */
    public static TableSchema orders(Orientation orientation) {
        return table("orders", List.of(1), orientation);
    }

    /** The same columns without a primary key. */
    public static TableSchema events() {
        return table("events", List.of(), Orientation.COLUMN);
    }

    private static TableSchema table(
            String name, List<Integer> primaryKey, Orientation orientation) {
        return table(
                name,
                List.of(
                        column(1, "id", "bigint", false),
                        column(2, "status", "varchar", true),
                        column(3, "amount", "double", true),
                        column(4, "placed", "timestamp(6)", true)),
                primaryKey,
                orientation);
    }

    private static TableSchema table(
            String name,
            List<ColumnSchema> columns,
            List<Integer> primaryKey,
            Orientation orientation) {
        return TableSchema.builder("shop", name)
                .columns(columns)
                .primaryKey(primaryKey)
                .orientation(orientation)
                .shardCount(4)
                .build();
    }

    private static ColumnSchema column(int id, String name, String type, boolean nullable) {
        return new ColumnSchema(id, name, DataType.parse(type), nullable, Optional.empty());
    }
}
