package io.stele.benchmarks.pagecache;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.PageCacheOptions;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStore;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A benchmark of the page cache over segment files and over Alluxio's client cache, beside
 * positional reads of the file itself and Alluxio without our checksums. Everything is in this
 * process, and in the system's page cache: what is measured is the way to the bytes, not the disk.
 * Targets are of segment files, which is what the product has; Alluxio is for comparison.
 */
public final class PageCacheBenchmark implements Benchmark {
    private static final double TARGET_OF_PLAIN = 2.0;

    /** MiB of heap of an index for 1 TiB: 64 bytes for each page of 1 MiB. */
    private static final double TARGET_HEAP_MIB = 64;

    /** 100 GB, of which the file takes a part. */
    private static final long CACHE_PAGES = 100_000;

    private static final Logger ALLUXIO_LOG = Logger.getLogger("alluxio");
    private static final String SEGMENTS = "segments";
    private static final String PARTS = "parts";
    private static final String ALLUXIO = "alluxio";

    @Override
    public String name() {
        return "page-cache";
    }

    @Override
    public String description() {
        return "hits, misses, heap and restart of the page cache, over segment files and Alluxio";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        boolean quick = options.quick();
        long fileBytes = quick ? 64L << 20 : 256L << 20;
        Path folder = Run.load().path("state").resolve("page-cache");
        String machine = Machine.describe();
        Metrics metrics = new Metrics();
        ALLUXIO_LOG.setLevel(Level.OFF); // it reports an empty folder as an error
        List<Target> targets = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            HitPhase hits =
                    new HitPhase(
                            fileBytes,
                            quick ? 3 : 9,
                            Duration.ofMillis(quick ? 100 : 500),
                            metrics);
            if (isWanted(options, "hits")) {
                hits(folder, fileBytes, hits, executor, metrics, targets);
            }
            if (isWanted(options, "misses")) {
                misses(folder, executor, metrics, targets);
            }
            if (isWanted(options, "index")) {
                index(options, folder, executor, metrics, targets);
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets);
    }

    private static boolean isWanted(BenchmarkOptions options, String phase) {
        return options.only().isEmpty() || phase.contains(options.only().orElseThrow());
    }

    private static void hits(
            Path folder,
            long fileBytes,
            HitPhase phase,
            ExecutorService executor,
            Metrics metrics,
            List<Target> targets)
            throws Exception {
        Path plain = write(folder.resolve("plain"), fileBytes);
        CachedFile file = new CachedFile("bench", "file.orc", fileBytes);
        CachedFile bare = new CachedFile("bench", "bare.orc", fileBytes);
        PageStore segments =
                Readers.segments(
                        folder.resolve("hits-segments"),
                        PageGeometry.DEFAULT,
                        CACHE_PAGES,
                        executor);
        AlluxioPageStore alluxio = alluxio(folder.resolve("hits-alluxio"), CACHE_PAGES << 20);
        try (Reader positional = Readers.plain(plain);
                Reader ours = Readers.cached(SEGMENTS, segments, file, executor);
                Reader theirs = Readers.cached(ALLUXIO, alluxio, file, executor)) {
            fillBare(alluxio, bare);
            List<Reader> readers = List.of(positional, ours, theirs, Readers.alone(alluxio, bare));
            phase.one(readers);
            phase.many(readers);
            double base = metrics.value(HitPhase.micros(positional, HitPhase.SMALL));
            targets.add(
                    Target.atMost(
                            "4 KiB hit, segments: times a positional read",
                            TARGET_OF_PLAIN,
                            metrics.value(HitPhase.micros(ours, HitPhase.SMALL)) / base));
        }
    }

    /** Pages as they are, without checksums. */
    private static void fillBare(AlluxioPageStore store, CachedFile file) throws IOException {
        byte[] page = new byte[store.pageBytes()];
        for (long number = 0; number * page.length < file.sizeBytes(); number++) {
            Content.fill(number * page.length, page, 0, page.length);
            if (!store.manager().put(store.id(file, number), page)) {
                throw new IOException("Expected Alluxio to keep page " + number);
            }
        }
    }

    private static void misses(
            Path folder, ExecutorService executor, Metrics metrics, List<Target> targets)
            throws Exception {
        MissPhase phase = new MissPhase(executor);
        CachedFile file = new CachedFile("bench", "missed.orc", 64L << 20);
        PageStore segments =
                Readers.segments(
                        folder.resolve("misses-segments"), PageGeometry.DEFAULT, 64, executor);
        AlluxioPageStore alluxio = alluxio(folder.resolve("misses-alluxio"), 256L << 20);
        for (PageStore store : List.of(segments, alluxio)) {
            String name = store == segments ? SEGMENTS : ALLUXIO;
            try (PageCache cache =
                    new PageCache(store, PageCacheOptions.DEFAULT, System::nanoTime, executor)) {
                int loads = phase.cached(cache, file);
                metrics.put("8 misses of a page, %s: loads".formatted(name), loads);
                if (store == segments) {
                    targets.add(
                            Target.atMost(
                                    "8 misses of a page, %s: loads".formatted(name), 1, loads));
                } else {
                    CachedFile bare = new CachedFile("bench", "missed-bare.orc", 64L << 20);
                    metrics.put(
                            "8 misses of a page, alluxio alone: loads", phase.alone(alluxio, bare));
                }
            }
        }
    }

    private static void index(
            BenchmarkOptions options,
            Path folder,
            ExecutorService executor,
            Metrics metrics,
            List<Target> targets)
            throws IOException {
        int pages = options.quick() ? 10_000 : 100_000;
        // As many as 1 TiB has: what its index takes is measured, not reckoned from fewer
        int ofTerabyte = IndexPhase.PAGES_OF_TERABYTE / (options.quick() ? 4 : 1);
        IndexPhase terabyte = new IndexPhase(ofTerabyte, metrics);
        double full = segments(terabyte, folder, SEGMENTS, 1024, ofTerabyte, executor);
        targets.add(Target.atMost("heap, segments: MiB for 1 TiB", TARGET_HEAP_MIB, full));
        int unit = IndexPhase.GEOMETRY.unitPayloadBytes();
        double parts = segments(terabyte, folder, PARTS, unit, ofTerabyte, executor);
        targets.add(
                Target.atMost(
                        "heap, segments, one unit of each page: MiB for 1 TiB",
                        TARGET_HEAP_MIB,
                        parts));
        IndexPhase phase = new IndexPhase(pages, metrics);
        Path alluxio = Files.createDirectories(folder.resolve("index-alluxio"));
        phase.run(
                ALLUXIO,
                IndexPhase.GEOMETRY.pageBytes(),
                () -> AlluxioPageStore.open(alluxio, 4096L * pages, IndexPhase.GEOMETRY));
    }

    private static double segments(
            IndexPhase phase,
            Path folder,
            String name,
            int putBytes,
            int pages,
            ExecutorService executor)
            throws IOException {
        Path files = folder.resolve("index-" + name);
        return phase.run(
                name,
                putBytes,
                () -> Readers.segments(files, IndexPhase.GEOMETRY, pages, executor));
    }

    private static AlluxioPageStore alluxio(Path folder, long maxBytes) throws IOException {
        Files.createDirectories(folder);
        return AlluxioPageStore.open(folder, maxBytes, PageGeometry.DEFAULT);
    }

    private static Path write(Path file, long bytes) throws IOException {
        Files.createDirectories(file.getParent());
        byte[] buffer = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long start = 0; start < bytes; start += buffer.length) {
                Content.fill(start, buffer, 0, buffer.length);
                out.write(buffer);
            }
        }
        return file;
    }
}
