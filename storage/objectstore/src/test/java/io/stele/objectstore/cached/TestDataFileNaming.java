package io.stele.objectstore.cached;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache over stores whose data files have names of another convention, or the same names. */
final class TestDataFileNaming {
    private static final String STELE_NAME = "data/7/0/1-a.orc";
    private static final String OTHER_NAME = "lake/t/bucket-0/1-a.orc";
    private static final DataFileNaming OTHER =
            path -> path.startsWith("lake/t/bucket-") ? Optional.of("t") : Optional.empty();

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        executor.close();
    }

    /** One of many stores, with a name of its own; counts its reads. */
    private static final class NamedStore extends ForwardingObjectStore {
        private final String name;
        private final AtomicInteger reads = new AtomicInteger();

        NamedStore(String name) {
            super(new InMemoryObjectStore());
            this.name = name;
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            reads.incrementAndGet();
            super.read(path, offset, buffer, bufferOffset, length);
        }

        @Override
        public String describe(String path) {
            return name + "/" + path;
        }
    }

    private DataCache open() throws IOException {
        DataCacheConfig config =
                new DataCacheConfig()
                        .setDirectories(List.of(directory.toString()))
                        .setMaxSizes(List.of(DataSize.of(8, Unit.MEGABYTE)))
                        .setPageSize(DataSize.of(64, Unit.KILOBYTE));
        return DataCache.open(config, System::nanoTime, new Random(1), executor, executor);
    }

    private static void readTwice(DataCache cache, ObjectStore store, String path, byte[] content)
            throws IOException {
        for (int i = 0; i < 2; i++) {
            assertThat(store.open(path, content.length).read(0, content.length)).isEqualTo(content);
            while (cache.pages().unitsOnTheirWay() > 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void theNamingDecidesWhatIsCached() throws Exception {
        NamedStore store = new NamedStore("s");
        byte[] content = {1, 2, 3};
        store.put(STELE_NAME, content);
        store.put(OTHER_NAME, content);
        try (DataCache cache = open()) {
            readTwice(cache, cache.over(store, WarmingPolicy.NOTHING, OTHER), OTHER_NAME, content);
            assertThat(store.reads).as("cached").hasValue(1);
            readTwice(cache, cache.over(store, WarmingPolicy.NOTHING, OTHER), STELE_NAME, content);
            assertThat(store.reads).as("no data file by this naming").hasValue(3);
            readTwice(cache, cache.over(store, WarmingPolicy.NOTHING), STELE_NAME, content);
            assertThat(store.reads).as("the default naming").hasValue(4);
        }
    }

    @Test
    void onePathInTwoStoresIsTwoFiles() throws Exception {
        NamedStore first = new NamedStore("first");
        NamedStore second = new NamedStore("second");
        first.put(OTHER_NAME, new byte[] {1, 1});
        second.put(OTHER_NAME, new byte[] {2, 2});
        try (DataCache cache = open()) {
            ObjectStore cachedFirst = cache.over(first, WarmingPolicy.NOTHING, OTHER);
            ObjectStore cachedSecond = cache.over(second, WarmingPolicy.NOTHING, OTHER);
            readTwice(cache, cachedFirst, OTHER_NAME, new byte[] {1, 1});
            readTwice(cache, cachedSecond, OTHER_NAME, new byte[] {2, 2});
            readTwice(cache, cachedFirst, OTHER_NAME, new byte[] {1, 1});
            assertThat(first.reads).hasValue(1);
            assertThat(second.reads).hasValue(1);
        }
    }
}
