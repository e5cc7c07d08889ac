package io.stele.benchmarks.pagecache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.PageCacheOptions;
import io.stele.cache.page.PageGeometry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random reads through Alluxio's cache while its files are damaged and it is opened again. */
class TestAlluxioPageStore {
    private static final PageGeometry GEOMETRY = new PageGeometry(1024, 64);

    @TempDir private Path folder;

    private final Random random = new Random(3);
    private final byte[] content = new byte[100_000];
    private final CachedFile file = new CachedFile("t", "data/1/0/a.orc", content.length);

    @Test
    void readsGiveTheBytesOfTheFile() throws IOException {
        random.nextBytes(content);
        long hits = 0;
        long damaged = 0;
        for (int life = 0; life < 4; life++) {
            AlluxioPageStore store = AlluxioPageStore.open(folder, 50 * 1152, GEOMETRY);
            try (PageCache cache =
                    new PageCache(
                            store, PageCacheOptions.DEFAULT, System::nanoTime, Runnable::run)) {
                for (int step = 0; step < 500; step++) {
                    if (step % 10 == 0) {
                        damage();
                    }
                    read(cache);
                }
                hits += cache.tableStatistics().getFirst().pageHits();
                damaged += cache.tableStatistics().getFirst().damagedPages();
            }
        }
        assertThat(hits).isGreaterThan(500);
        assertThat(damaged).isPositive();
    }

    private void read(PageCache cache) throws IOException {
        int offset = (int) (random.nextDouble() * random.nextDouble() * content.length);
        int length = random.nextInt(Math.min(3000, content.length - offset));
        byte[] buffer = new byte[length];
        cache.read(
                file,
                offset,
                buffer,
                0,
                length,
                (from, target, at, count) ->
                        System.arraycopy(content, (int) from, target, at, count));
        assertThat(buffer).isEqualTo(Arrays.copyOfRange(content, offset, offset + length));
    }

    private void damage() throws IOException {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(folder)) {
            pages = files.filter(Files::isRegularFile).sorted().toList();
        }
        if (!pages.isEmpty()) {
            Path page = pages.get(random.nextInt(pages.size()));
            byte[] bytes = Files.readAllBytes(page);
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] ^= 1;
                Files.write(page, bytes);
            }
        }
    }
}
