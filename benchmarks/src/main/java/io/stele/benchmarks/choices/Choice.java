package io.stele.benchmarks.choices;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings that the benchmark compares: the defaults, and each planning choice of the connector
 * forced one way.
 */
enum Choice {
    DEFAULT(Map.of()),
    LOOKUPS_OFF(Map.of("lookup_max_keys", "0")),
    LOOKUPS_ON(Map.of("cost_based_lookups_enabled", "false")),
    INDEX_JOINS_ON(Map.of("index_join_enabled", "true")),
    AGGREGATION_OFF(Map.of("aggregation_pushdown_enabled", "false")),
    AGGREGATION_ON(Map.of("cost_based_aggregation_enabled", "false")),
    DECODED_COLUMNS_OFF(Map.of("column_cache_enabled", "false")),
    /** Splits do not wait for the filters that joins find. */
    NARROWING_OFF(Map.of("dynamic_filtering_wait_timeout", "'0s'"));

    private static final Map<String, String> DEFAULTS =
            Map.of(
                    "lookup_max_keys", "1000",
                    "cost_based_lookups_enabled", "true",
                    "index_join_enabled", "false",
                    "aggregation_pushdown_enabled", "true",
                    "cost_based_aggregation_enabled", "true",
                    "column_cache_enabled", "true",
                    "dynamic_filtering_wait_timeout", "'1s'");

    private final Map<String, String> forced;

    Choice(Map<String, String> forced) {
        this.forced = forced;
    }

    /** All session properties that choices differ in, with the literals of this one. */
    Map<String, String> sessionProperties() {
        Map<String, String> properties = new TreeMap<>(DEFAULTS);
        properties.putAll(forced);
        return properties;
    }

    /** As in names of metrics and catalogs. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
