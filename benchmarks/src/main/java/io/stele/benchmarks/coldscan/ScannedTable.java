package io.stele.benchmarks.coldscan;

/**
 * The tables of equal rows that the benchmark scans, with the caches that they are read through.
 */
enum ScannedTable {
    STELE("stele", "lineitem", "", "stele"),
    ICEBERG_PARQUET("iceberg_parquet", "lineitem_parquet", " WITH (format = 'PARQUET')", "iceberg"),
    ICEBERG_ORC("iceberg_orc", "lineitem_orc", " WITH (format = 'ORC')", "iceberg"),
    ICEBERG_PARQUET_FS_CACHE(
            "iceberg_parquet_fs_cache",
            "lineitem_parquet",
            " WITH (format = 'PARQUET')",
            "iceberg_fs_cache"),
    ICEBERG_ORC_FS_CACHE(
            "iceberg_orc_fs_cache", "lineitem_orc", " WITH (format = 'ORC')", "iceberg_fs_cache");

    /** The schema in every catalog. */
    static final String SCHEMA = "bench";

    private final String label;
    private final String table;
    private final String properties;
    private final String catalogs;

    ScannedTable(String label, String table, String properties, String catalogs) {
        this.label = label;
        this.table = table;
        this.properties = properties;
        this.catalogs = catalogs;
    }

    String label() {
        return label;
    }

    String table() {
        return table;
    }

    /** The clauses of CREATE TABLE after its name. */
    String properties() {
        return properties;
    }

    boolean isStele() {
        return this == STELE;
    }

    /** The table in one of its catalogs. */
    String in(String catalogNumber, String tableName) {
        return "%s_%s.%s.%s".formatted(catalogs, catalogNumber, SCHEMA, tableName);
    }
}
