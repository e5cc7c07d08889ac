package io.stele.benchmarks.scan;

/** The tables of equal lineitem rows that the benchmark scans. */
enum ScanTable {
    STELE("stele", "stele.bench", "lineitem", ""),
    /** The same table through a catalog without a column cache: every scan decodes its files. */
    STELE_UNCACHED("stele_uncached", "stele_uncached.bench", "lineitem", ""),
    ICEBERG_ORC("iceberg_orc", "iceberg.bench", "lineitem_orc", " WITH (format = 'ORC')"),
    ICEBERG_PARQUET(
            "iceberg_parquet", "iceberg.bench", "lineitem_parquet", " WITH (format = 'PARQUET')");

    private final String label;
    private final String schema;
    private final String table;
    private final String properties;

    ScanTable(String label, String schema, String table, String properties) {
        this.label = label;
        this.schema = schema;
        this.table = table;
        this.properties = properties;
    }

    String label() {
        return label;
    }

    String qualifiedName() {
        return schema + "." + table;
    }

    /** Whether it has rows of its own to load. */
    boolean isLoaded() {
        return this != STELE_UNCACHED;
    }

    String properties() {
        return properties;
    }
}
