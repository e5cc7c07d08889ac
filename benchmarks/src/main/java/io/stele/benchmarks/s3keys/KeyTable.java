package io.stele.benchmarks.s3keys;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The tables of equal orders that the benchmark reads and writes by key. */
enum KeyTable {
    /** Its files are in no order of the key. */
    COLUMN(
            "stele",
            " WITH (primary_key = ARRAY['o_orderkey'], clustering_key = ARRAY['o_orderdate'], orientation = 'column')"),
    ROW("stele", " WITH (primary_key = ARRAY['o_orderkey'], orientation = 'row')"),
    ICEBERG("iceberg", " WITH (format = 'PARQUET')");

    static final String SCHEMA = "keys";

    private final String catalog;
    private final String properties;

    KeyTable(String catalog, String properties) {
        this.catalog = catalog;
        this.properties = properties;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isStele() {
        return this != ICEBERG;
    }

    String qualifiedName() {
        return "%s.%s.%s_orders".formatted(catalog, SCHEMA, label());
    }

    String properties() {
        return properties;
    }

    String query(List<Long> keys) {
        return "SELECT * FROM %s WHERE o_orderkey IN (%s)"
                .formatted(
                        qualifiedName(),
                        keys.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }

    /** The statement that replaces existing orders. */
    String upsert(String changes) {
        return isStele()
                ? "INSERT INTO %s SELECT * FROM %s".formatted(qualifiedName(), changes)
                : """
                  MERGE INTO %s t USING %s c ON t.o_orderkey = c.o_orderkey
                  WHEN MATCHED THEN UPDATE SET o_custkey = c.o_custkey, o_orderstatus = c.o_orderstatus, o_totalprice = c.o_totalprice,
                    o_orderdate = c.o_orderdate, o_orderpriority = c.o_orderpriority, o_clerk = c.o_clerk,
                    o_shippriority = c.o_shippriority, o_comment = c.o_comment
                  WHEN NOT MATCHED THEN INSERT VALUES (c.o_orderkey, c.o_custkey, c.o_orderstatus, c.o_totalprice, c.o_orderdate,
                    c.o_orderpriority, c.o_clerk, c.o_shippriority, c.o_comment)"""
                        .formatted(qualifiedName(), changes);
    }
}
