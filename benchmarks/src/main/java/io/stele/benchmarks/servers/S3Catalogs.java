package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The writer of catalog files for Stele's and Iceberg's catalogs over one bucket, each with caches
 * of its own. All catalogs of a kind see the same tables. Files are written before the servers
 * start. Confined to one thread.
 */
public final class S3Catalogs {
    private static final String CACHE_SIZE = "2GB";

    private final Run run;
    private final Path state;
    private final Map<String, String> s3;
    private final String bucket;
    private final Map<String, String> sidecar; // as bin/stele configures it
    private final Map<String, String> stele; // the catalog, likewise

    /**
     * @param s3 how the bucket is reached, as {@code s3.*} properties
     */
    public S3Catalogs(Run run, Map<String, String> s3, String bucket) throws IOException {
        this.run = requireNonNull(run, "run is null");
        this.state = run.path("state");
        this.s3 = new TreeMap<>(s3);
        this.bucket = requireNonNull(bucket, "bucket is null");
        this.sidecar = read(sidecarFile());
        this.stele = read(catalogs().resolve("stele.properties"));
    }

    /** Puts the sidecar's warehouse into the bucket; all else is as by default. */
    public void configureSidecar() throws IOException {
        configureSidecar(Map.of());
    }

    /**
     * The same with other properties than those that it has by default; before it starts.
     *
     * @param more in place of what was given before
     */
    public void configureSidecar(Map<String, String> more) throws IOException {
        Map<String, String> properties = new TreeMap<>(sidecar);
        properties.putAll(s3);
        properties.put("stele.warehouse.path", "s3://" + bucket + "/stele");
        properties.putAll(more);
        write(sidecarFile(), properties);
    }

    private Path sidecarFile() {
        return run.path("sidecar.etc").resolve("config.properties");
    }

    /** The location of a schema of Iceberg. */
    public String icebergLocation(String schema) {
        return "s3://" + bucket + "/iceberg/" + schema;
    }

    /** A catalog of Stele as by default, with the data page cache that it then has. */
    public Map<String, String> stele() throws IOException {
        Map<String, String> properties = new TreeMap<>(stele);
        properties.putAll(s3);
        return properties;
    }

    /**
     * A catalog of Iceberg without a cache of files. The metastore is files on the local disk,
     * which costs Iceberg less than any service.
     */
    public Map<String, String> iceberg() throws IOException {
        Files.createDirectories(state.resolve("iceberg"));
        Map<String, String> properties = new TreeMap<>(s3);
        properties.put("connector.name", "iceberg");
        properties.put("iceberg.catalog.type", "TESTING_FILE_METASTORE");
        properties.put("hive.metastore.catalog.dir", "local:///metastore");
        properties.put("fs.local.enabled", "true");
        properties.put("local.location", state.resolve("iceberg").toString());
        properties.put("fs.s3.enabled", "true");
        return properties;
    }

    /**
     * The same with Trino's cache of files on disk, {@code fs.cache}, and the cache of footers.
     *
     * @param catalog its name
     */
    public Map<String, String> cachedIceberg(String catalog) throws IOException {
        Path pages = CacheFolders.ofIceberg(run).resolve(catalog);
        Files.createDirectories(pages);
        Map<String, String> result = new TreeMap<>(iceberg());
        result.put("fs.cache.enabled", "true");
        result.put("fs.cache.directories", pages.toString());
        result.put("fs.cache.max-sizes", CACHE_SIZE);
        result.put("iceberg.parquet-footer-cache.type", "MEMORY");
        result.put("iceberg.parquet-footer-cache.memory.max-size", "64MB");
        return result;
    }

    /** Writes a catalog's file. */
    public void write(String catalog, Map<String, String> properties) throws IOException {
        write(catalogs().resolve(catalog + ".properties"), properties);
    }

    private Path catalogs() {
        return run.path("trino.etc").resolve("catalog");
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
