package io.stele.objectstore.cached;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.encryption.TestKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of encrypted files: the cache is below, and has them as the store does. */
final class TestEncryptedDataCache {
    private static final int PAGE = 64 << 10;
    private static final String WRITTEN = "data/7/0/1-a.orc";
    private static final String READ = "data/7/0/2-b.orc";

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final InMemoryObjectStore store = new InMemoryObjectStore();

    @AfterEach
    void end() {
        executor.close();
    }

    private static void write(ObjectStore to, String path, byte[] content) throws IOException {
        try (ObjectWriter writer = to.create(path)) {
            writer.write(content);
            writer.commit();
        }
    }

    private boolean cacheHas(String text) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (new String(Files.readAllBytes(file), ISO_8859_1).contains(text)) {
                    return true;
                }
            }
        }
        return false;
    }

    private DataCache open() throws IOException {
        return DataCache.open(
                new DataCacheConfig()
                        .setDirectories(List.of(directory.toString()))
                        .setMaxSizes(List.of(DataSize.of(16, Unit.MEGABYTE)))
                        .setPageSize(DataSize.ofBytes(PAGE)),
                System::nanoTime,
                new Random(1),
                executor);
    }

    @Test
    void pagesAreKeptEncryptedAndFound() throws IOException {
        byte[] content = "a page of plain text. ".repeat(20_000).getBytes(ISO_8859_1);
        try (DataCache cache = open()) {
            ObjectStore cached = cache.over(store, WarmingPolicy.NEW_AND_HOT_FILES);
            ObjectStore encrypted = TestKeys.encryption("k").over(cached);
            write(encrypted, WRITTEN, content);
            write(TestKeys.encryption("k").over(store), READ, content);
            awaitFilled(cache);
            ObjectReader reader = encrypted.open(READ, content.length);
            assertThat(reader.isPrefetching()).isTrue();
            reader.prefetch(0, content.length).join();
            assertThat(reader.read(0, content.length)).isEqualTo(content);
            awaitFilled(cache);
            assertThat(reader.tally().requests()).isBetween(1L, 2L);
            // The written file came with its writing, and its end and key with that
            ObjectReader written = encrypted.open(WRITTEN, content.length);
            assertThat(written.read(0, content.length)).isEqualTo(content);
            assertThat(written.tally().requests()).isZero();
            ObjectStore replacing =
                    encrypted.replacing(List.of(new ObjectEntry(WRITTEN, content.length)));
            write(replacing, "data/7/0/3-c.orc", content);
            awaitFilled(cache);
            ObjectReader merged = encrypted.open("data/7/0/3-c.orc", content.length);
            assertThat(merged.read(0, content.length)).isEqualTo(content);
            assertThat(merged.tally().requests()).isZero();
        }
        assertThat(cacheHas("plain text")).isFalse();
        store.delete(WRITTEN);
        try (DataCache cache = open()) {
            ObjectReader afterRestart =
                    TestKeys.encryption("k")
                            .over(cache.over(store, WarmingPolicy.NOTHING))
                            .open(WRITTEN, content.length);
            assertThat(afterRestart.read(0, content.length)).isEqualTo(content);
        }
    }

    /** The test above would find plain pages. */
    @Test
    void plainPagesAreFound() throws IOException {
        byte[] content = "a page of plain text. ".repeat(20_000).getBytes(ISO_8859_1);
        store.put(READ, content);
        try (DataCache cache = open()) {
            // An old file of a warehouse that is encrypted since
            ObjectReader reader =
                    TestKeys.encryption("k")
                            .over(cache.over(store, WarmingPolicy.NOTHING))
                            .open(READ, content.length);
            assertThat(reader.read(0, content.length)).isEqualTo(content);
            awaitFilled(cache);
        }
        assertThat(cacheHas("plain text")).isTrue();
    }

    private static void awaitFilled(DataCache cache) {
        while (cache.pages().unitsOnTheirWay() > 0) {
            Thread.onSpinWait();
        }
    }
}
