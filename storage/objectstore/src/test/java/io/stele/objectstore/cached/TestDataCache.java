package io.stele.objectstore.cached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.ReadTally;
import io.stele.objectstore.SequentialReads;
import io.stele.objectstore.WouldBlockException;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.protocol.api.status.DataCacheTable;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store with a cache over real files, beside the store alone. */
final class TestDataCache {
    private static final int PAGE = 64 << 10;
    private static final String PATH = "data/7/0/1-a.orc";

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountingStore store = new CountingStore(new InMemoryObjectStore());

    @AfterEach
    void end() {
        executor.close();
    }

    /** Counts the reads that get through. */
    private static final class CountingStore extends ForwardingObjectStore {
        private int reads;

        CountingStore(ObjectStore store) {
            super(store);
        }

        @Override
        public synchronized void read(
                String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            reads++;
            super.read(path, offset, buffer, bufferOffset, length);
        }

        synchronized int reads() {
            return reads;
        }
    }

    private DataCacheConfig config(Path... directories) {
        return new DataCacheConfig()
                .setDirectories(Stream.of(directories).map(Path::toString).toList())
                .setMaxSizes(
                        Stream.of(directories).map(_ -> DataSize.of(8, Unit.MEGABYTE)).toList())
                .setPageSize(DataSize.ofBytes(PAGE));
    }

    private DataCache open(DataCacheConfig config) throws IOException {
        // Without the pause before what was fetched is written, which its own test waits for
        return DataCache.open(config, System::nanoTime, new Random(1), executor, executor);
    }

    private static void awaitFilled(DataCache cache) {
        while (cache.pages().unitsOnTheirWay() > 0) {
            Thread.onSpinWait();
        }
    }

    private static byte[] content(int length, int seed) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    @Test
    void aDataFileIsFetchedOnceAndFoundAfterARestart() throws IOException {
        byte[] content = content(3 * PAGE + 100, 1);
        store.put(PATH, content);
        try (DataCache cache = open(config(directory))) {
            ObjectReader reader =
                    cache.over(store, WarmingPolicy.NOTHING).open(PATH, content.length);
            assertThat(reader.read(10, 2 * PAGE))
                    .isEqualTo(Arrays.copyOfRange(content, 10, 10 + 2 * PAGE));
            awaitFilled(cache);
            assertThat(reader.read(2 * PAGE + 10, PAGE + 90))
                    .isEqualTo(Arrays.copyOfRange(content, 2 * PAGE + 10, 3 * PAGE + 100));
            awaitFilled(cache);
            assertThat(store.reads()).isEqualTo(2);
            assertThat(reader.tally())
                    .isEqualTo(new ReadTally(3 * PAGE + 90, 2, content.length, 2));
        }
        try (DataCache cache = open(config(directory))) {
            ObjectReader reader =
                    cache.over(store, WarmingPolicy.NOTHING).open(PATH, content.length);
            assertThat(reader.read(0, content.length)).isEqualTo(content);
            assertThat(store.reads()).isEqualTo(2);
            assertThat(reader.tally()).isEqualTo(new ReadTally(content.length, 0, 0, 0));
        }
    }

    @Test
    void whatCanBeReplacedIsNeverCached() throws IOException {
        try (DataCache cache = open(config(directory))) {
            ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
            for (String path : List.of("manifest/3", "txn/4", "data/7", "catalog/1")) {
                for (int version = 0; version < 2; version++) {
                    byte[] content = content(1000, version);
                    cached.put(path, content);
                    assertThat(cached.open(path, 1000).read(0, 1000)).isEqualTo(content);
                    awaitFilled(cache);
                    assertThat(cached.readFully(path)).isEqualTo(content);
                }
            }
            assertThat(cache.tables()).isEmpty();
            assertThat(cache.space().pages()).isZero();
        }
    }

    /** The same name in another warehouse is another file. */
    @Test
    void filesAreKnownByTheirPlace() throws IOException {
        InMemoryObjectStore memory = new InMemoryObjectStore();
        ForwardingObjectStore elsewhere =
                new ForwardingObjectStore(memory) {
                    @Override
                    public String describe(String path) {
                        return "elsewhere/" + path;
                    }
                };
        byte[] here = content(1000, 1);
        byte[] there = content(1000, 2);
        store.put(PATH, here);
        elsewhere.put(PATH, there);
        try (DataCache cache = open(config(directory))) {
            assertThat(cache.over(store, WarmingPolicy.NOTHING).open(PATH, 1000).read(0, 1000))
                    .isEqualTo(here);
            awaitFilled(cache);
            assertThat(cache.over(elsewhere, WarmingPolicy.NOTHING).open(PATH, 1000).read(0, 1000))
                    .isEqualTo(there);
        }
    }

    @Test
    void whatIsDeletedLeavesTheCache() throws IOException {
        byte[] content = content(3 * PAGE, 1);
        store.put(PATH, content);
        try (DataCache cache = open(config(directory))) {
            CachedObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
            cached.open(PATH, content.length).read(0, content.length);
            awaitFilled(cache);
            assertThat(cache.space().pages()).isEqualTo(3);
            cached.delete(PATH);
            assertThat(cache.space().pages()).isZero();
            assertThatThrownBy(() -> cached.open(PATH, content.length).read(0, 10))
                    .isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void whatIsWrittenIsThereAtOnceIfAskedFor() throws IOException {
        byte[] content = content(2 * PAGE + 77, 1);
        byte[] sums = content(300, 2);
        try (DataCache cache = open(config(directory))) {
            CachedObjectStore cached = cache.over(store, WarmingPolicy.NEW_FILES);
            write(cached, PATH, content);
            cached.put(PATH + ".sums", sums);
            cached.put("manifest/1", sums);
            awaitFilled(cache);
            assertThat(cache.space().pages()).isEqualTo(4);
            ObjectReader reader = cached.open(PATH, content.length);
            assertThat(reader.read(0, content.length)).isEqualTo(content);
            assertThat(cached.open(PATH + ".sums", 300).read(0, 300)).isEqualTo(sums);
            assertThat(store.reads()).isZero();
            cached.delete(PATH);
            assertThat(cache.space().pages()).isEqualTo(1);

            write(cache.over(store, WarmingPolicy.NOTHING), "data/7/0/cold", content);
            awaitFilled(cache);
            assertThat(cache.space().pages()).isEqualTo(1);
        }
    }

    /** Thousands of them may wait to be published, or to be cached, at the same time. */
    @Test
    void aSmallFileThatIsWrittenHoldsNoWholePage() throws IOException {
        try (DataCache cache = open(config(directory))) {
            CachedObjectStore cached = cache.over(store, WarmingPolicy.NEW_FILES);
            try (WarmingWriter writer = new WarmingWriter(store.create(PATH), cached, PATH, PAGE)) {
                writer.write(content(100, 1));
                assertThat(writer.heldBytes()).isLessThanOrEqualTo(4 << 10);
                writer.write(content(20_000, 1));
                assertThat(writer.heldBytes()).isBetween(20_100, 40_200);
                writer.write(content(PAGE, 1));
                assertThat(writer.heldBytes()).isBetween(20_100, 40_200);
            }
        }
    }

    @Test
    void whatWasNotPublishedIsForgotten() throws IOException {
        try (DataCache cache = open(config(directory))) {
            CachedObjectStore cached = cache.over(store, WarmingPolicy.NEW_FILES);
            try (ObjectWriter writer = cached.create(PATH)) {
                writer.write(content(3 * PAGE + 1, 1));
                awaitFilled(cache);
                assertThat(cache.space().pages()).isEqualTo(3);
            }
            assertThat(cache.space().pages()).isZero();
        }
    }

    /** A compaction's output is cached if most of what went into it was. */
    @Test
    void whatTakesThePlaceOfHotFilesIsHot() throws IOException {
        byte[] content = content(4 * PAGE, 1);
        store.put("data/7/0/a", content);
        store.put("data/7/0/b", content);
        List<ObjectEntry> inputs =
                List.of(
                        new ObjectEntry("data/7/0/a", content.length),
                        new ObjectEntry("data/7/0/b", content.length));
        try (DataCache cache = open(config(directory))) {
            CachedObjectStore cached = cache.over(store, WarmingPolicy.NEW_AND_HOT_FILES);
            cached.open("data/7/0/a", content.length).read(0, 3 * PAGE);
            awaitFilled(cache);
            write(cached.replacing(inputs), "data/7/0/c", content);
            awaitFilled(cache);
            assertThat(cache.space().pages()).as("three of eight were here").isEqualTo(3);
            cached.open("data/7/0/b", content.length).read(0, 1);
            awaitFilled(cache);
            write(cached.replacing(inputs), "data/7/0/d", content);
            awaitFilled(cache);
            assertThat(cache.space().pages()).as("four of eight were here").isEqualTo(8);
            write(
                    cache.over(store, WarmingPolicy.NEW_FILES).replacing(inputs),
                    "data/7/0/e",
                    content);
            awaitFilled(cache);
            assertThat(cache.space().pages()).isEqualTo(8);
        }
    }

    private static void write(ObjectStore to, String path, byte[] content) throws IOException {
        try (ObjectWriter writer = to.create(path)) {
            int half = content.length / 3;
            writer.write(content, 0, half);
            writer.write(content, half, content.length - half);
            writer.commit();
        }
    }

    @Test
    void aThreadThatMustNotWaitIsTold() throws IOException {
        byte[] content = content(PAGE, 1);
        store.put(PATH, content);
        try (DataCache cache = open(config(directory))) {
            ObjectReader reader =
                    cache.over(store, WarmingPolicy.NOTHING).open(PATH, content.length);
            reader.read(0, 10);
            awaitFilled(cache);
            assertThatThrownBy(() -> NonBlocking.read(() -> reader.read(0, 10)))
                    .isInstanceOf(WouldBlockException.class);
        }
    }

    @Test
    void tablesGoByTheNamesTheyHave() throws IOException {
        store.put(PATH, content(100, 1));
        try (DataCache cache = open(config(directory).setShares(List.of("s.orders:0.5")))) {
            cache.over(store, WarmingPolicy.NOTHING).open(PATH, 100).read(0, 100);
            assertThat(cache.tables()).extracting(DataCacheTable::table).containsExactly("7");
            cache.name("7", "s.orders");
            cache.name("7", "s.orders");
            assertThat(cache.tables())
                    .extracting(DataCacheTable::table)
                    .containsExactly("s.orders");
        }
    }

    /** A share goes with the name: the table that has it keeps its pages. */
    @Test
    void aShareHoldsForTheTableOfTheName() throws IOException {
        byte[] mine = content(40 * PAGE, 1);
        store.put(PATH, mine);
        try (DataCache cache = open(config(directory).setShares(List.of("s.mine:0.9")))) {
            ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
            cache.name("7", "s.mine");
            cached.open(PATH, mine.length).read(0, mine.length);
            awaitFilled(cache);
            byte[] other = content(40 * PAGE, 2);
            for (int file = 0; file < 20; file++) {
                String path = "data/8/0/" + file;
                store.put(path, other);
                for (int use = 0; use < 3; use++) {
                    cached.open(path, other.length).read(0, other.length);
                    awaitFilled(cache);
                }
            }
            int before = store.reads();
            assertThat(cached.open(PATH, mine.length).read(0, mine.length)).isEqualTo(mine);
            assertThat(store.reads()).isEqualTo(before);
        }
    }

    /** Nothing is brought in; what is there is read from there. */
    private void checkMerging(ObjectStore cached, DataCache cache) throws IOException {
        byte[] content = content(8 * PAGE, 1);
        cached.put(PATH, content);
        cached.open(PATH, content.length).read(0, 2 * PAGE);
        awaitFilled(cache);
        long pages = cache.space().pages();
        assertThat(pages).isBetween(2L, 4L); // more of an encrypted object
        try (SequentialReads reads = SequentialReads.of(cached)) {
            ObjectReader merging =
                    reads.over(
                            cached.open(PATH, content.length),
                            List.of(new ByteRange(0, content.length)));
            assertThat(merging.read(0, content.length)).isEqualTo(content);
            assertThat(merging.tally().fetchedBytes()).isBetween(4L * PAGE, 6L * PAGE + 4096);
        }
        awaitFilled(cache);
        assertThat(cache.space().pages()).isEqualTo(pages);
    }

    @Test
    void whatAMergeReadsDoesNotComeIn() throws IOException {
        ObjectStore far = new FarObjectStore(store, executor, System::nanoTime);
        try (DataCache cache = open(config(directory.resolve("plain")))) {
            checkMerging(cache.over(far, WarmingPolicy.NOTHING), cache);
        }
        try (DataCache cache = open(config(directory.resolve("encrypted")))) {
            checkMerging(
                    TestKeys.encryption("a").over(cache.over(far, WarmingPolicy.NOTHING)), cache);
        }
    }

    @Test
    void aDirectoryInUseIsRefusedByName() throws IOException {
        try (DataCache first = open(config(directory))) {
            assertThatThrownBy(() -> open(config(directory)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("stele.cache.directories")
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("in use");
            assertThat(first.space().directoriesOut()).isZero();
        }
        // Nothing was left locked
        open(config(directory)).close();
    }

    @Test
    void aDirectoryThatCannotBeIsRefusedByName() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Path good = directory.resolve("good");
        assertThatThrownBy(() -> open(config(good, file)))
                .hasMessageContaining("stele.cache.directories")
                .hasMessageContaining(file.toString());
        DataCacheConfig small =
                config(good, directory.resolve("small"))
                        .setMaxSizes(
                                List.of(
                                        DataSize.of(8, Unit.MEGABYTE),
                                        DataSize.of(100, Unit.KILOBYTE)));
        assertThatThrownBy(() -> open(small))
                .hasMessageContaining("stele.cache.max-sizes: expected at least")
                .hasMessageContaining("small")
                .hasMessageContaining("100kB");
        open(config(good)).close();
    }

    /**
     * Random reads while pages are damaged on disk, the cache is reopened, and files come and go.
     */
    @Test
    void readsAreThoseOfTheStoreWhateverHappens() throws IOException {
        long seed = Long.getLong("simulation.seed", 5);
        Random random = new Random(seed);
        Map<String, byte[]> files = new HashMap<>();
        long damaged = 0;
        for (int round = 0; round < LongRun.count(5, 12); round++) {
            try (DataCache cache = open(config(directory.resolve("a"), directory.resolve("b")))) {
                CachedObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
                for (int step = 0; step < 150; step++) {
                    step(cached, files, random, round * 1000 + step);
                    if (step % 10 == 0) {
                        awaitFilled(cache);
                        damage(random);
                    }
                }
                awaitFilled(cache);
                damaged += cache.tables().getFirst().damagedPages();
            }
        }
        assertThat(damaged).as("seed %s", seed).isPositive();
    }

    private void step(
            CachedObjectStore cached, Map<String, byte[]> files, Random random, int number)
            throws IOException {
        if (files.size() < 5 || random.nextInt(20) == 0) {
            String path = "data/7/" + random.nextInt(3) + "/" + number;
            files.put(path, content(1 + random.nextInt(6 * PAGE), number));
            cached.put(path, files.get(path));
            return;
        }
        List<String> paths = new ArrayList<>(files.keySet());
        paths.sort(null);
        String path = paths.get(random.nextInt(paths.size()));
        byte[] content = files.get(path);
        if (random.nextInt(30) == 0) {
            cached.delete(path);
            files.remove(path);
            return;
        }
        int offset = random.nextInt(content.length);
        int length = random.nextInt(content.length - offset + 1);
        ObjectReader reader = cached.open(path, content.length);
        if (random.nextBoolean()) {
            reader.prefetch(offset, length);
        }
        assertThat(reader.read(offset, length))
                .as("%s+%s of %s", offset, length, path)
                .isEqualTo(Arrays.copyOfRange(content, offset, offset + length));
    }

    private void damage(Random random) throws IOException {
        List<Path> segments;
        try (Stream<Path> all = Files.walk(directory)) {
            segments = all.filter(file -> file.toString().endsWith(".pages")).sorted().toList();
        }
        for (Path segment : segments) {
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                long size = Math.max(1, channel.size() - 8);
                channel.write(
                        ByteBuffer.wrap(content(8, random.nextInt())),
                        (long) (random.nextDouble() * size));
            }
        }
    }
}
