package io.stele.benchmarks.tpch;

import io.stele.benchmarks.servers.TpchRounds;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The stores that hold the same eight tables of TPC-H, each with its catalog, schema and table
 * properties.
 */
enum TpchStore {
    STELE("stele", "stele", "bench", ""),
    ICEBERG_ORC("iceberg_orc", "iceberg", "bench_orc", " WITH (format = 'ORC')"),
    ICEBERG_PARQUET("iceberg_parquet", "iceberg", "bench_parquet", " WITH (format = 'PARQUET')");

    private final String label;
    private final String catalog;
    private final String schema;
    private final String properties;

    TpchStore(String label, String catalog, String schema, String properties) {
        this.label = label;
        this.catalog = catalog;
        this.schema = schema;
        this.properties = properties;
    }

    String label() {
        return label;
    }

    String catalog() {
        return catalog;
    }

    String schema() {
        return schema;
    }

    /** Of its tables, in CREATE TABLE. */
    String properties() {
        return properties;
    }

    TpchRounds.Place place() {
        TpchRounds.Place place = new TpchRounds.Place(label, catalog, schema);
        return this == STELE ? place.withResults(label, false) : place;
    }

    /** Where queries are asked: of Stele without and with results of earlier queries. */
    static List<TpchRounds.Place> places() {
        return Stream.concat(
                        Arrays.stream(values()).map(TpchStore::place), Stream.of(withResults()))
                .toList();
    }

    /** Stele as by default, where a query that came before is answered by its results. */
    static TpchRounds.Place withResults() {
        return STELE.place().withResults("stele, cached results", true);
    }
}
