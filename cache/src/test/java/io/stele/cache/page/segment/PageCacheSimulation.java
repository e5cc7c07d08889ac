package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.PageCacheOptions;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStoreStatistics;
import io.stele.cache.page.TableCacheStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A cache over two directories that are damaged, fill up, fail, and crash in the middle of writes,
 * with the files themselves as oracle: every read gives exactly their bytes, and no directory takes
 * more space than it may. {@code -Dsimulation.seed=N} runs one seed again, {@code
 * -Dsimulation.seeds=N} that many.
 */
class PageCacheSimulation {
    private static final int SEEDS = 120;
    private static final int LIVES = 6;
    private static final int STEPS = 150;
    private static final PageGeometry GEOMETRY = new PageGeometry(1024, 64);
    private static final SegmentStoreOptions OPTIONS =
            new SegmentStoreOptions(GEOMETRY, 32, Map.of("reserved", 0.4));

    @Test
    void readsGiveTheBytesOfTheFiles() {
        Long only = Long.getLong("simulation.seed");
        Totals totals = new Totals();
        if (only != null) {
            run(only, totals);
            return;
        }
        int seeds = Integer.getInteger("simulation.seeds", SEEDS);
        for (long seed = 0; seed < seeds; seed++) {
            run(seed, totals);
        }
        // A simulation in which nothing is kept, nothing breaks or nothing survives shows nothing.
        assertThat(totals.hits).as("hits").isGreaterThan(100L * seeds);
        assertThat(totals.evictions).as("evictions").isGreaterThan(50L * seeds);
        assertThat(totals.damaged).as("damaged pages").isGreaterThan(3L * seeds);
        assertThat(totals.crashes).as("crashes").isGreaterThan(seeds);
        assertThat(totals.writeFailures).as("failed writes").isGreaterThan(seeds);
        assertThat(totals.out).as("directories taken out").isGreaterThan(seeds / 10);
        assertThat(totals.survived).as("pages after restarts").isGreaterThan(50L * seeds);
    }

    private static void run(long seed, Totals totals) {
        try {
            new Simulation(seed, totals).run();
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError("Failed with -Dsimulation.seed=" + seed, e);
        }
    }

    private static final class Totals {
        private long hits;
        private long evictions;
        private long damaged;
        private long crashes;
        private long writeFailures;
        private long out;
        private long survived;
    }

    private static final class Simulation {
        private final Random random;
        private final Totals totals;
        private final List<byte[]> contents = new ArrayList<>();
        private final List<CachedFile> files = new ArrayList<>();
        private final List<SimulatedDisk> disks = new ArrayList<>();
        private final List<SegmentPageStore.Directory> directories = new ArrayList<>();
        private long now;

        Simulation(long seed, Totals totals) {
            this.random = new Random(seed);
            this.totals = totals;
            for (int i = 0; i < 24; i++) {
                byte[] content = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(12 << 10)];
                random.nextBytes(content);
                contents.add(content);
                String table = i % 3 == 0 ? "reserved" : "table" + i % 4;
                files.add(new CachedFile(table, "file" + i, content.length));
            }
            for (int i = 0; i < 2; i++) {
                SimulatedDisk disk = new SimulatedDisk(random);
                disks.add(disk);
                int unit = GEOMETRY.unitBytes() + 3 * IndexJournal.PAGE_RECORD_BYTES;
                long bytes = OPTIONS.minBytes() + random.nextInt(200) * unit;
                directories.add(new SegmentPageStore.Directory("directory" + i, bytes, disk::open));
            }
        }

        void run() throws IOException {
            for (int life = 0; life < LIVES; life++) {
                SegmentPageStore store =
                        new SegmentPageStore(
                                OPTIONS, directories, () -> now, random, Runnable::run);
                totals.survived += store.statistics().pages();
                PageCacheOptions options =
                        new PageCacheOptions(1 + random.nextInt(8 << 10), 1, 64 << 10);
                PageCache cache = new PageCache(store, options, () -> now, Runnable::run);
                if (random.nextInt(3) > 0) {
                    disks.get(random.nextInt(2)).crashAfter(1 + random.nextInt(300));
                }
                for (int step = 0; step < STEPS && !isDead(); step++) {
                    step(cache);
                    checkSpace();
                }
                end(cache);
            }
        }

        private boolean isDead() {
            return disks.stream().anyMatch(SimulatedDisk::isDead);
        }

        private void step(PageCache cache) throws IOException {
            now += random.nextInt(100) == 0 ? 61_000_000_000L : random.nextInt(1_000_000);
            SimulatedDisk disk = disks.get(random.nextInt(2));
            switch (random.nextInt(64)) {
                case 0 -> disk.damage();
                case 1 -> disk.setFailing(random.nextInt(3) > 0);
                case 2 -> disk.setFailing(false);
                case 3 -> disk.setMaxBytes(disk.usedBytes() + random.nextInt(2000));
                case 4 -> disk.setMaxBytes(Long.MAX_VALUE);
                case 5, 6, 7 -> put(cache);
                case 8 -> cache.remove(files.get(random.nextInt(files.size())));
                default -> read(cache);
            }
        }

        /** Some files are read much more often than others. */
        private int anyFile() {
            double skewed = random.nextDouble();
            return (int) (skewed * skewed * files.size());
        }

        private void read(PageCache cache) throws IOException {
            int file = anyFile();
            byte[] content = contents.get(file);
            int offset = random.nextInt(content.length + 1);
            int rest = content.length - offset;
            int length =
                    random.nextInt(4) == 0
                            ? rest
                            : Math.min(rest, random.nextInt(random.nextBoolean() ? 64 : 3000));
            byte[] buffer = new byte[length + 7];
            Arrays.fill(buffer, (byte) 0x55);
            cache.read(
                    files.get(file),
                    offset,
                    buffer,
                    3,
                    length,
                    (from, target, at, count) ->
                            System.arraycopy(content, (int) from, target, at, count));
            byte[] expected = new byte[length + 7];
            Arrays.fill(expected, (byte) 0x55);
            System.arraycopy(content, offset, expected, 3, length);
            assertThat(buffer)
                    .as("%s bytes at %s of file %s", length, offset, file)
                    .isEqualTo(expected);
            assertThat(cache.unitsOnTheirWay()).isZero();
        }

        private void put(PageCache cache) {
            int file = anyFile();
            byte[] content = contents.get(file);
            if (content.length > 0) {
                int page = random.nextInt(content.length) / GEOMETRY.pageBytes();
                int start = page * GEOMETRY.pageBytes();
                int length = Math.min(GEOMETRY.pageBytes(), content.length - start);
                cache.put(files.get(file), page, content, start, length);
            }
        }

        private void checkSpace() {
            for (int i = 0; i < disks.size(); i++) {
                assertThat(disks.get(i).usedBytes())
                        .as("bytes of directory %s", i)
                        .isLessThanOrEqualTo(directories.get(i).maxBytes());
            }
        }

        private void end(PageCache cache) {
            PageStoreStatistics statistics = cache.storeStatistics();
            totals.evictions += statistics.evictions();
            totals.damaged += statistics.damaged();
            totals.writeFailures += statistics.writeFailures();
            totals.out += statistics.directoriesOut();
            for (TableCacheStatistics table : cache.tableStatistics()) {
                totals.hits += table.pageHits();
            }
            boolean crashed = isDead();
            if (crashed) {
                totals.crashes++;
            } else if (random.nextBoolean()) {
                cache.close();
            }
            boolean powerFailed = crashed && random.nextBoolean();
            disks.forEach(disk -> disk.restart(powerFailed));
        }
    }
}
