package io.stele.sidecar.postgresql.catalog;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.CatalogStore;
import io.stele.engine.catalog.TableState;
import io.stele.objectstore.LocalObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A real catalog with tables of all types, keys, indexes, views and names that need quotes. */
final class SampleCatalog {
    private final CatalogService service;

    SampleCatalog(Path folder) throws IOException {
        service =
                CatalogService.open(
                        new CatalogStore(new LocalObjectStore(folder), new UUID(0, 1)),
                        0,
                        () -> new Lsn(1),
                        millis -> {},
                        failure -> {});
        service.own(1, List.of());
        service.createSchema("shop");
        service.createSchema("odd schema");
        create(orders());
        create(
                table(
                        "odd schema",
                        "odd \"table",
                        List.of(
                                column(1, "the key", "integer", false),
                                column(2, "value", "varchar", true)),
                        List.of(1),
                        Optional.empty(),
                        TableOptions.NONE));
        create(allTypes());
        service.createView(view("big_orders", 1), Optional.empty(), "", false);
        service.createView(
                view("totals", 1),
                Optional.of(
                        table(
                                "shop",
                                "totals",
                                List.of(column(1, "region", "varchar", true)),
                                List.of(),
                                Optional.empty(),
                                TableOptions.NONE)),
                "",
                false);
    }

    Catalog current() {
        return service.current();
    }

    void create(TableSchema table) {
        service.createTable(table, "", TableState.PUBLIC);
    }

    static TableSchema simple(String name) {
        return table(
                "shop",
                name,
                List.of(column(1, "id", "bigint", false)),
                List.of(1),
                Optional.empty(),
                TableOptions.NONE);
    }

    private static TableSchema orders() {
        return table(
                "shop",
                "orders",
                List.of(
                        column(1, "region", "varchar", false),
                        column(2, "id", "bigint", false),
                        column(3, "customer", "varchar(40)", true),
                        column(4, "total", "decimal(12,2)", true)
                                .withComment(Optional.of("with tax")),
                        column(5, "placed", "timestamp(3)", true),
                        column(6, "active", "boolean", true).withDefault(Optional.of("true"))),
                List.of(1, 2),
                Optional.of("Orders of customers"),
                TableOptions.NONE.withIndexes(
                        List.of(
                                new IndexSchema(1, "by_customer", List.of(3), true, true),
                                new IndexSchema(2, "by_total", List.of(4, 5), false, true))));
    }

    private static TableSchema allTypes() {
        List<ColumnSchema> columns = new ArrayList<>();
        for (String type :
                List.of(
                        "boolean",
                        "tinyint",
                        "smallint",
                        "integer",
                        "bigint",
                        "real",
                        "double",
                        "decimal(10,3)",
                        "varchar",
                        "varchar(7)",
                        "char(3)",
                        "varbinary",
                        "date",
                        "time(6)",
                        "timestamp(6)",
                        "timestamp(3) with time zone",
                        "uuid",
                        "json",
                        "array(integer)",
                        "map(varchar, bigint)",
                        "row(a integer)")) {
            columns.add(column(columns.size() + 1, "c" + (columns.size() + 1), type, true));
        }
        return table("shop", "all_types", columns, List.of(), Optional.empty(), TableOptions.NONE);
    }

    private static ViewSchema view(String name, long revision) {
        return new ViewSchema(
                "shop",
                name,
                revision,
                "{\"originalSql\": \"SELECT region, id FROM orders\", \"columns\": ["
                        + "{\"name\": \"region\", \"type\": \"varchar\"},"
                        + "{\"name\": \"id\", \"type\": \"bigint\"}], \"path\": []}",
                Optional.empty(),
                Optional.empty());
    }

    private static TableSchema table(
            String schema,
            String name,
            List<ColumnSchema> columns,
            List<Integer> primaryKey,
            Optional<String> comment,
            TableOptions options) {
        return TableSchema.builder(schema, name)
                .columns(columns)
                .primaryKey(primaryKey)
                .orientation(primaryKey.isEmpty() ? Orientation.COLUMN : Orientation.ROW)
                .comment(comment)
                .options(options)
                .build();
    }

    private static ColumnSchema column(int id, String name, String type, boolean nullable) {
        return new ColumnSchema(id, name, DataType.parse(type), nullable, Optional.empty());
    }
}
