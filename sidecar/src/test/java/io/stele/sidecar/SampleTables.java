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

    /**
     * {@code shop.items (region varchar, id integer, price decimal(10,2), note varchar(8))},
     * primary key region and id, 2 shards.
     */
    public static TableSchema items() {
        return TableSchema.builder("shop", "items")
                .columns(
                        List.of(
                                column(1, "region", "varchar", false),
                                column(2, "id", "integer", false),
                                column(3, "price", "decimal(10,2)", true),
                                column(4, "note", "varchar(8)", true)))
                .primaryKey(List.of(1, 2))
                .orientation(Orientation.ROW)
                .shardCount(2)
                .build();
    }

    /** {@code shop.types}: primary key id, and a column of each type; 1 shard. */
    public static TableSchema types() {
        return TableSchema.builder("shop", "types")
                .columns(
                        List.of(
                                column(1, "id", "integer", false),
                                column(2, "b", "boolean", true),
                                column(3, "t", "tinyint", true),
                                column(4, "s", "smallint", true),
                                column(5, "l", "bigint", true),
                                column(6, "f", "real", true),
                                column(7, "d", "double", true),
                                column(8, "n", "decimal(38,10)", true),
                                column(9, "v", "varchar", true),
                                column(10, "c", "char(5)", true),
                                column(11, "x", "varbinary", true),
                                column(12, "day", "date", true),
                                column(13, "tm", "time(6)", true),
                                column(14, "ts", "timestamp(6)", true),
                                column(15, "tz", "timestamp(6) with time zone", true),
                                column(16, "u", "uuid", true),
                                column(17, "j", "json", true),
                                column(18, "a", "array(integer)", true),
                                column(19, "m", "map(varchar, bigint)", true),
                                column(20, "r", "row(x integer, y varchar)", true)))
                .primaryKey(List.of(1))
                .orientation(Orientation.ROW)
                .shardCount(1)
                .build();
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
