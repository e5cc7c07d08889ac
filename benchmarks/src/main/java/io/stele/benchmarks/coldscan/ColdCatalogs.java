package io.stele.benchmarks.coldscan;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.S3Catalogs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The writer of catalog files for many catalogs over the same tables, each with caches of its own.
 * A catalog that was not queried yet is cold, in memory and on disk, in a Trino whose code is warm.
 */
final class ColdCatalogs {
    /** The catalogs that are queried first, and again and again. */
    static final String WARM = "warm";

    private final S3Catalogs catalogs;

    ColdCatalogs(S3Catalogs catalogs) {
        this.catalogs = requireNonNull(catalogs, "catalogs is null");
    }

    /**
     * Writes the catalog files of the warm catalogs and of {@code coldCatalogs} cold ones; call it
     * before Trino starts.
     */
    void configureTrino(int coldCatalogs) throws IOException {
        for (String number : numbers(coldCatalogs)) {
            String stele = "stele_" + number;
            Map<String, String> scanned =
                    catalogs.withPages("stele.cache", stele, catalogs.stele());
            // Otherwise the sidecar would aggregate without a scan, and workers would cache
            // filtered rows
            scanned.put("stele.aggregation-pushdown.enabled", "false");
            scanned.put("stele.fragment-cache.enabled", "false");
            catalogs.write(stele, scanned);
            catalogs.write("iceberg_" + number, catalogs.iceberg());
            String cached = "iceberg_fs_cache_" + number;
            Map<String, String> properties =
                    catalogs.withPages("fs.cache", cached, catalogs.iceberg());
            catalogs.write(cached, properties);
        }
    }

    private static List<String> numbers(int coldCatalogs) {
        return Stream.concat(
                        Stream.of(WARM),
                        Stream.iterate(0, number -> number + 1)
                                .limit(coldCatalogs)
                                .map(String::valueOf))
                .toList();
    }

    /** The location of Iceberg's schema. */
    String icebergLocation() {
        return catalogs.icebergLocation(ScannedTable.SCHEMA);
    }
}
