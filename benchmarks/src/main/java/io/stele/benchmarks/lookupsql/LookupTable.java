package io.stele.benchmarks.lookupsql;

import java.util.Locale;

/** The tables of equal orders that the benchmark queries, with the query for one row of each. */
enum LookupTable {
    STELE_COLUMN(
            "stele",
            "column_orders",
            " WITH (primary_key = ARRAY['o_orderkey'], orientation = 'column')",
            ""),
    STELE_ROW(
            "stele",
            "row_orders",
            " WITH (primary_key = ARRAY['o_orderkey'], orientation = 'row')",
            ""),
    /** The column table, scanned as if there were no lookups. */
    STELE_SCANNED("stele", "column_orders", "", "SET SESSION stele.lookup_max_keys = 0"),
    ICEBERG_PARQUET(
            "iceberg",
            "parquet_orders",
            " WITH (format = 'PARQUET', sorted_by = ARRAY['o_orderkey'])",
            ""),
    ICEBERG_ORC(
            "iceberg",
            "orc_orders",
            " WITH (format = 'ORC', sorted_by = ARRAY['o_orderkey'], orc_bloom_filter_columns = ARRAY['o_orderkey'], orc_bloom_filter_fpp = 0.01)",
            "");

    static final String SCHEMA = "lookup";

    private final String catalog;
    private final String table;
    private final String properties;
    private final String session;

    LookupTable(String catalog, String table, String properties, String session) {
        this.catalog = catalog;
        this.table = table;
        this.properties = properties;
        this.session = session;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String qualifiedName() {
        return catalog + "." + SCHEMA + "." + table;
    }

    /** Whether it has rows of its own to load. */
    boolean isLoaded() {
        return this != STELE_SCANNED;
    }

    String properties() {
        return properties;
    }

    /** The first statement of its connection; empty: none. */
    String session() {
        return session;
    }

    String query(long key) {
        return "SELECT * FROM %s WHERE o_orderkey = %d".formatted(qualifiedName(), key);
    }
}
