package io.stele.benchmarks.encryption;

import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The phase of the encryption benchmark that writes an object and reads it in ranges, by one
 * thread, in stores that take turns. The files are in the page cache of the operating system. So
 * the path to the bytes is measured, not the disk.
 */
final class StorePhase {
    private static final int PIECE_BYTES = 1 << 20;

    /** The patterns of reads. */
    private enum Pattern {
        IN_ORDER("read in order, 1 MiB", PIECE_BYTES),
        LARGE("read at random, 8 MiB", 8 << 20),
        SMALL("read at random, 16 KiB", 16 << 10);

        private final String label;
        private final int bytes;

        Pattern(String label, int bytes) {
            this.label = label;
            this.bytes = bytes;
        }
    }

    private final Map<String, ObjectStore> stores;
    private final int fileBytes;
    private final int rounds;
    private final Metrics metrics;
    private final Map<String, List<Double>> found = new LinkedHashMap<>();
    private final SplittableRandom random = new SplittableRandom(3);

    /**
     * @param stores by the names of the report
     */
    StorePhase(Map<String, ObjectStore> stores, int fileBytes, int rounds, Metrics metrics) {
        this.stores = stores;
        this.fileBytes = fileBytes;
        this.rounds = rounds;
        this.metrics = metrics;
    }

    void run() throws IOException {
        byte[] content = new byte[PIECE_BYTES];
        random.nextBytes(content);
        for (int round = -2; round < rounds; round++) { // the first two warm up
            for (Map.Entry<String, ObjectStore> store : stores.entrySet()) {
                String path = "data/1/0/" + (round + 2) + ".bench";
                write(store.getKey(), store.getValue(), path, content, round >= 0);
                for (Pattern pattern : Pattern.values()) {
                    read(store.getKey(), store.getValue(), path, pattern, content, round >= 0);
                }
                store.getValue().delete(path);
            }
        }
        found.forEach((name, values) -> metrics.put(name, Medians.median(values)));
    }

    private void write(String name, ObjectStore store, String path, byte[] content, boolean counts)
            throws IOException {
        long start = System.nanoTime();
        long cpu = Machine.processCpuNanos();
        try (ObjectWriter writer = store.create(path)) {
            for (int written = 0; written < fileBytes; written += content.length) {
                writer.write(content, 0, content.length);
            }
            writer.commit();
        }
        add(counts, name + ", write", fileBytes, start, cpu);
    }

    private void read(
            String name,
            ObjectStore store,
            String path,
            Pattern pattern,
            byte[] content,
            boolean counts)
            throws IOException {
        ObjectReader reader = store.open(path, fileBytes);
        byte[] buffer = new byte[pattern.bytes];
        // Equal bytes for all read sizes, except for small ranges
        int reads = Math.min(fileBytes / pattern.bytes, 4_096);
        long start = System.nanoTime();
        long cpu = Machine.processCpuNanos();
        for (int i = 0; i < reads; i++) {
            int offset =
                    pattern == Pattern.IN_ORDER
                            ? i * pattern.bytes
                            : random.nextInt(fileBytes - pattern.bytes);
            reader.read(offset, buffer, 0, pattern.bytes);
            if (buffer[0] != content[offset % content.length]) {
                throw new IllegalStateException("Expected what was written, found other bytes");
            }
        }
        add(counts, name + ", " + pattern.label, (long) reads * pattern.bytes, start, cpu);
    }

    private void add(boolean counts, String name, long bytes, long startNanos, long cpuNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        double cpuSeconds = (Machine.processCpuNanos() - cpuNanos) / 1e9;
        if (counts) {
            double mebibytes = bytes / (double) (1 << 20);
            put(name + ": MiB/s", mebibytes / seconds);
            put(name + ": CPU s/GiB", cpuSeconds / mebibytes * 1024);
        }
    }

    private void put(String name, double value) {
        found.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }
}
