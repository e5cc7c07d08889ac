package io.stele.benchmarks.aggregates;

import java.util.List;

/**
 * The kinds of aggregation that the benchmark compares, each a table to query and session
 * properties.
 */
enum AggregateWay {
    /** Trino aggregates the rows of scans. */
    TRINO("trino", "stele.bench.lineitem", "stele.aggregation_pushdown_enabled = false"),
    /** The sidecar aggregates, without cached results. */
    SIDECAR(
            "sidecar",
            "stele.bench.lineitem",
            "stele.cost_based_aggregation_enabled = false",
            "stele.fragment_cache_enabled = false"),
    /** The sidecar uses its cached results of files. */
    RESULTS("results", "stele.bench.lineitem", "stele.cost_based_aggregation_enabled = false"),
    ICEBERG_ORC("iceberg_orc", "iceberg.bench.lineitem_orc"),
    ICEBERG_PARQUET("iceberg_parquet", "iceberg.bench.lineitem_parquet");

    private final String label;
    private final String table;
    private final List<String> properties;

    AggregateWay(String label, String table, String... properties) {
        this.label = label;
        this.table = table;
        this.properties = List.of(properties);
    }

    String label() {
        return label;
    }

    String table() {
        return table;
    }

    /** Session properties and their values. */
    List<String> properties() {
        return properties;
    }
}
