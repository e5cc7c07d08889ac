package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Run;
import io.stele.objectstore.cached.DefaultCache;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestCounts;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Paimon lake in a folder that an S3 server also serves as a bucket, behind a proxy that delays
 * and counts requests. Paimon writes it as a folder; it is read in both ways. Confined to one
 * thread.
 */
final class BenchmarkLake implements AutoCloseable {
    static final long REQUEST_MILLIS = 15;

    private static final String FOLDER = "lake";
    private static final String DATA_DIRECTORY = DefaultCache.DATA_DIRECTORY;
    private static final long IMAGE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Path state;
    private final VersityGateway gateway;
    private final DelayingS3Proxy proxy;
    private Path dataDirectory;
    private int dataDirectories;

    private BenchmarkLake(Path state, VersityGateway gateway, DelayingS3Proxy proxy) {
        this.state = requireNonNull(state, "state is null");
        this.gateway = requireNonNull(gateway, "gateway is null");
        this.proxy = requireNonNull(proxy, "proxy is null");
        this.dataDirectory = state;
    }

    static BenchmarkLake start(Run run) throws IOException {
        Path state = run.path("state");
        VersityGateway gateway = VersityGateway.start(state.resolve("s3"));
        try {
            BenchmarkLake lake =
                    new BenchmarkLake(
                            state,
                            gateway,
                            DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE));
            Files.createDirectories(lake.folder());
            return lake;
        } catch (IOException | RuntimeException e) {
            gateway.close();
            throw e;
        }
    }

    /** The lake as a folder. */
    Path folder() {
        return state.resolve("s3").resolve(VersityGateway.BUCKET).resolve(FOLDER);
    }

    /** A folder for files of a moment. */
    Path spill() {
        return state.resolve("spill");
    }

    DelayingS3Proxy proxy() {
        return proxy;
    }

    /** How the bucket is reached. */
    Map<String, String> s3() {
        return proxy.properties(gateway);
    }

    /** The configuration of a catalog that reads the lake as a folder. */
    Map<String, String> local() {
        return Map.of("stele.paimon.warehouse", folder().toString());
    }

    /** The configuration of a catalog that reads it from S3. */
    Map<String, String> remote() {
        Map<String, String> properties = new TreeMap<>(s3());
        properties.put("stele.paimon.warehouse", "s3://" + VersityGateway.BUCKET + "/" + FOLDER);
        return properties;
    }

    /** From now on requests take so long, and are counted from zero. */
    Counts newRound(long requestMillis) {
        proxy.newRound(
                new InjectedDelays(TimeUnit.MILLISECONDS.toNanos(requestMillis), 0, 0, 0, 1, 0));
        return new Counts(requestCount());
    }

    private long requestCount() {
        return proxy.requests().count(FOLDER, RequestCounts.Kind.READ)
                + proxy.requests().count(FOLDER, RequestCounts.Kind.LIST);
    }

    /** Requests and bytes since a round began. */
    final class Counts {
        private final long before;

        private Counts(long before) {
            this.before = before;
        }

        double requests() {
            return requestCount() - before;
        }

        double megabytes() {
            return proxy.sentBytes() / 1e6;
        }
    }

    /** Catalogs that are opened from now on find nothing that others have left on disk. */
    void forgetCaches() throws IOException {
        dataDirectory =
                Files.createDirectories(state.resolve("node").resolve("" + dataDirectories++));
        System.setProperty(DATA_DIRECTORY, dataDirectory.toString());
    }

    /** Waits until a catalog has persisted the image of a table. */
    void awaitImage() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + IMAGE_TIMEOUT_NANOS;
        while (!hasImage()) {
            if (System.nanoTime() > deadline) {
                throw new IOException("Expected an image of a table in " + dataDirectory);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private boolean hasImage() throws IOException {
        try (Stream<Path> files = Files.walk(dataDirectory)) {
            return files.anyMatch(file -> file.toString().endsWith(".image"));
        }
    }

    @Override
    public void close() throws IOException {
        System.clearProperty(DATA_DIRECTORY);
        try {
            proxy.close();
        } finally {
            gateway.close();
        }
    }
}
