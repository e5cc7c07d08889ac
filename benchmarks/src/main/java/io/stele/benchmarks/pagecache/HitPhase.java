package io.stele.benchmarks.pagecache;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The phase of the page cache benchmark that measures hits. It reads a file that every reader has
 * completely, at random offsets, which are not aligned on purpose. It runs in rounds in which the
 * readers take turns, and the order of the turns rotates.
 */
final class HitPhase {
    /** A size by the name it has in the report. */
    record Size(String name, int bytes) {}

    static final Size SMALL = new Size("4 KiB", 4 << 10);
    static final List<Size> SIZES =
            List.of(SMALL, new Size("64 KiB", 64 << 10), new Size("1 MiB", 1 << 20));
    private static final int MANY_THREADS = 64;

    private final long fileBytes;
    private final int rounds;
    private final Duration duration;
    private final Metrics metrics;
    private final SplittableRandom seeds = new SplittableRandom(7);

    HitPhase(long fileBytes, int rounds, Duration duration, Metrics metrics) {
        this.fileBytes = fileBytes;
        this.rounds = rounds;
        this.duration = duration;
        this.metrics = metrics;
    }

    static String micros(Reader reader, Size size) {
        return "%s hit, %s: us".formatted(size.name(), reader.name());
    }

    /** One thread: the median over the rounds of the mean time of a read. */
    void one(List<Reader> readers) throws Exception {
        for (Size size : SIZES) {
            Map<Reader, List<Double>> micros = new LinkedHashMap<>();
            for (int round = -1; round < rounds; round++) { // the first is for warming up
                for (int turn = 0; turn < readers.size(); turn++) {
                    Reader reader = readers.get((turn + round + 1) % readers.size());
                    long start = System.nanoTime();
                    long count = reads(reader, size, seeds.split());
                    if (round >= 0) {
                        double nanos = System.nanoTime() - start;
                        micros.computeIfAbsent(reader, first -> new ArrayList<>())
                                .add(nanos / count / 1e3);
                    }
                }
            }
            micros.forEach(
                    (reader, values) -> metrics.put(micros(reader, size), Medians.median(values)));
        }
    }

    /** 64 threads: reads a second, median over the rounds. */
    void many(List<Reader> readers) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(MANY_THREADS)) {
            for (Size size : SIZES.subList(0, 2)) {
                Map<Reader, List<Double>> perSecond = new LinkedHashMap<>();
                for (int round = -1; round < rounds; round++) {
                    for (int turn = 0; turn < readers.size(); turn++) {
                        Reader reader = readers.get((turn + round + 1) % readers.size());
                        double rate = rate(threads, reader, size);
                        if (round >= 0) {
                            perSecond.computeIfAbsent(reader, first -> new ArrayList<>()).add(rate);
                        }
                    }
                }
                perSecond.forEach(
                        (reader, values) ->
                                metrics.put(
                                        "%s hit, %s, %d threads: reads/s"
                                                .formatted(
                                                        size.name(), reader.name(), MANY_THREADS),
                                        Medians.median(values)));
            }
        }
    }

    private double rate(ExecutorService threads, Reader reader, Size size) throws Exception {
        long start = System.nanoTime();
        List<Future<Long>> counts = new ArrayList<>();
        for (int i = 0; i < MANY_THREADS; i++) {
            SplittableRandom random = seeds.split();
            counts.add(threads.submit(() -> reads(reader, size, random)));
        }
        long sum = 0;
        for (Future<Long> count : counts) {
            sum += count.get();
        }
        return sum * 1e9 / (System.nanoTime() - start);
    }

    private long reads(Reader reader, Size size, SplittableRandom random) throws IOException {
        byte[] buffer = new byte[size.bytes()];
        long end = System.nanoTime() + duration.toNanos();
        long count = 0;
        while (count % 16 != 0 || System.nanoTime() < end) {
            long offset = random.nextLong(fileBytes - size.bytes());
            reader.read(offset, buffer, size.bytes());
            Content.check(offset, buffer, size.bytes());
            count++;
        }
        return count;
    }
}
