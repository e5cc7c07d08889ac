package io.stele.benchmarks.raptorx;

import io.stele.benchmarks.servers.TpchRounds.Place;
import java.util.Locale;

/** The layouts of Stele's tables of TPC-H, with the places where each is queried. */
enum Layout {
    /** As loaded by default. */
    NO_KEY,
    /** With a primary key, and files that are in no order of it. */
    KEYED;

    /** The catalog as by default. */
    static final String CATALOG = "stele";

    /** The catalog without any cache. */
    static final String UNCACHED = "stele_uncached";

    private String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    String schema() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Without results of earlier queries: the figure that counts. */
    Place withoutResults() {
        return place().withResults(label(), false);
    }

    /** As by default. */
    Place withResults() {
        return place().withResults(label() + ", cached results", true);
    }

    /** Without any cache; the sidecar has to be without caches, too. */
    Place withoutCaches() {
        return new Place(label() + ", caches off", UNCACHED, schema());
    }

    private Place place() {
        return new Place(label(), CATALOG, schema());
    }
}
