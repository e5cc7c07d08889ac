package io.stele.benchmarks.coldscan;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Catalogs over the same tables, each with caches of its own: a catalog that was not asked yet is
 * cold, in memory and on disk, in a Trino whose code is warm.
 */
final class ColdCatalogs {
    /** The catalogs that are asked first, and again and again. */
    static final String WARM = "warm";

    private static final String CACHE_SIZE = "2GB";

    private final Run run;
    private final Path state;
    private final Map<String, String> s3;
    private final String bucket;

    /**
     * @param s3 how the bucket is reached, as {@code s3.*} properties
     */
    ColdCatalogs(Run run, Map<String, String> s3, String bucket) {
        this.run = requireNonNull(run, "run is null");
        this.state = run.path("state");
        this.s3 = new TreeMap<>(s3);
        this.bucket = requireNonNull(bucket, "bucket is null");
    }

    /** Puts the sidecar's warehouse into the bucket; before it is started. */
    void configureSidecar() throws IOException {
        Path file = run.path("sidecar.etc").resolve("config.properties");
        Map<String, String> properties = read(file);
        properties.putAll(s3);
        properties.put("stele.warehouse.path", warehouse());
        write(file, properties);
    }

    /**
     * Writes the catalog files for the warm catalogs and so many cold ones; before Trino starts.
     */
    void configureTrino(int coldCatalogs) throws IOException {
        Path folder = run.path("trino.etc").resolve("catalog");
        Map<String, String> stele = read(folder.resolve("stele.properties"));
        stele.putAll(s3);
        stele.put("stele.warehouse.path", warehouse());
        // However few the rows: what is in no file cannot be cold
        stele.put("stele.write.direct-threshold", "0B");
        Files.createDirectories(state.resolve("iceberg"));
        for (String number : numbers(coldCatalogs)) {
            write(folder, "stele_" + number, withCache("stele.cache", "stele_" + number, stele));
            write(folder, "iceberg_" + number, iceberg());
            Map<String, String> cached =
                    withCache("fs.cache", "iceberg_fs_cache_" + number, iceberg());
            cached.put("fs.cache.enabled", "true");
            write(folder, "iceberg_fs_cache_" + number, cached);
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

    private String warehouse() {
        return "s3://" + bucket + "/stele";
    }

    /** Where Iceberg's schema lies. */
    String icebergLocation() {
        return "s3://" + bucket + "/iceberg/" + ScannedTable.SCHEMA;
    }

    /** The metastore is files on the local disk, which costs Iceberg less than any service. */
    private Map<String, String> iceberg() {
        Map<String, String> properties = new TreeMap<>(s3);
        properties.put("connector.name", "iceberg");
        properties.put("iceberg.catalog.type", "TESTING_FILE_METASTORE");
        properties.put("hive.metastore.catalog.dir", "local:///metastore");
        properties.put("fs.local.enabled", "true");
        properties.put("local.location", state.resolve("iceberg").toString());
        properties.put("fs.s3.enabled", "true");
        return properties;
    }

    private Map<String, String> withCache(
            String prefix, String name, Map<String, String> properties) {
        Map<String, String> result = new TreeMap<>(properties);
        result.put(prefix + ".directories", state.resolve("pages").resolve(name).toString());
        result.put(prefix + ".max-sizes", CACHE_SIZE);
        return result;
    }

    private void write(Path folder, String catalog, Map<String, String> properties)
            throws IOException {
        Files.createDirectories(state.resolve("pages").resolve(catalog));
        write(folder.resolve(catalog + ".properties"), properties);
    }

    private static Map<String, String> read(Path file) throws IOException {
        Map<String, String> properties = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
            int equals = line.indexOf('=');
            if (!line.startsWith("#") && equals > 0) {
                properties.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return properties;
    }

    private static void write(Path file, Map<String, String> properties) throws IOException {
        List<String> lines =
                properties.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .toList();
        Files.write(
                file,
                lines,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
    }
}
