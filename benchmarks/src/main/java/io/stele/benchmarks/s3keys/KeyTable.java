package io.stele.benchmarks.s3keys;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The tables of equal orders that the benchmark reads and writes by key. */
enum KeyTable {
    /** Its files are in no order of the key. */
    COLUMN(
            "stele",
            "column_orders",
            " WITH (primary_key = ARRAY['o_orderkey'], clustering_key = ARRAY['o_orderdate'], orientation = 'column')"),
    ROW("stele", "row_orders", " WITH (primary_key = ARRAY['o_orderkey'], orientation = 'row')"),
    ICEBERG("iceberg", "orders", " WITH (format = 'PARQUET')"),
    /** The same table, read through Trino's cache of files. */
    ICEBERG_FS_CACHE("iceberg_cached", "orders", "");

    private final String catalogs;
    private final String table;
    private final String properties;

    KeyTable(String catalogs, String table, String properties) {
        this.catalogs = catalogs;
        this.table = table;
        this.properties = properties;
    }

    /** Those that have rows of their own, and are written. */
    static List<KeyTable> written() {
        return Arrays.stream(values()).filter(table -> !table.properties.isEmpty()).toList();
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    boolean isStele() {
        return catalogs.equals("stele");
    }

    /** The prefix of its catalogs' names. */
    String catalogs() {
        return catalogs;
    }

    String table() {
        return table;
    }

    String properties() {
        return properties;
    }

    static String query(String table, List<Long> keys) {
        return "SELECT * FROM %s WHERE o_orderkey IN (%s)"
                .formatted(
                        table,
                        keys.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }
}
