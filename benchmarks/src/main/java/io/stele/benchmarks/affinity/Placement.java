package io.stele.benchmarks.affinity;

import java.util.Locale;

/** The ways in which splits find their workers, each with a catalog and caches of its own. */
enum Placement {
    /** As by default: each file has a preferred worker. */
    PREFERRED,
    /** Any worker reads and caches any file. */
    RANDOM;

    /** Also the name of the catalog. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String schema() {
        return label() + "." + AffinityBenchmark.SCHEMA;
    }
}
