package io.stele.objectstore.cached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.cache.files.DirectoryLock;
import io.stele.cache.page.segment.LocalCacheFiles;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Caches that nobody configured: how large, where, and when there is none. */
final class TestDefaultCacheRules {
    private static final long GB = 1L << 30;
    private static final int PAGE = 256 << 10;
    private static final String PATH = "data/7/0/1-a.orc";

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        executor.close();
    }

    private DataCache open(Path folder, DataCacheConfig config) throws IOException {
        return DataCache.openDefault(folder, config, System::nanoTime, new Random(1), executor);
    }

    private DataCache open(Path folder) throws IOException {
        return open(folder, new DataCacheConfig());
    }

    @Test
    void aQuarterOfTheDiskIsTaken() {
        assertThat(DefaultCacheRules.maxBytes(100 * GB, 0, 16 * GB, PAGE)).isEqualTo(25 * GB);
        // What it has already counts as free: a restart changes nothing
        assertThat(DefaultCacheRules.maxBytes(80 * GB, 20 * GB, 16 * GB, PAGE)).isEqualTo(25 * GB);
        assertThat(DefaultCacheRules.maxBytes(100_000 * GB, 0, 1024 * GB, PAGE))
                .isEqualTo(DefaultCacheRules.MAX_BYTES);
        assertThat(DefaultCacheRules.maxBytes(4 * GB, 0, 16 * GB, PAGE)).isEqualTo(GB);
        assertThat(DefaultCacheRules.maxBytes(4 * GB - 4, 0, 16 * GB, PAGE)).isZero();
        assertThat(DefaultCacheRules.maxBytes(0, 0, 16 * GB, PAGE)).isZero();
    }

    @Test
    void theIndexTakesAFiftiethOfTheHeap() {
        long bytes = DefaultCacheRules.maxBytes(100_000 * GB, 0, 2 * GB, PAGE);
        assertThat(bytes / PAGE * 58).isBetween(2 * GB / 50 - 58, 2 * GB / 50);
        assertThat(DefaultCacheRules.maxBytes(100_000 * GB, 0, 2 * GB, 4 * PAGE))
                .isEqualTo(Math.min(4 * bytes, DefaultCacheRules.MAX_BYTES));
        assertThat(DefaultCacheRules.maxBytes(100_000 * GB, 0, 4 << 20, PAGE)).isZero();
    }

    /** A dropped catalog's pages go, those in use or used lately stay, and so do other files. */
    @Test
    void whatNobodyUsesIsEmptied() throws IOException {
        Path dropped = directory.resolve("dropped");
        Path used = directory.resolve("used");
        Path lately = directory.resolve("lately");
        Instant now = Instant.now();
        for (Path folder : List.of(dropped, used, lately)) {
            open(folder).close();
            Files.write(folder.resolve("pages/00000003.pages"), new byte[100]);
            Files.write(folder.resolve("pages/notes.txt"), new byte[1]);
            age(folder.resolve("pages"), now.minus(Duration.ofDays(31)));
        }
        age(lately.resolve("pages/index"), now.minus(Duration.ofDays(29)));
        try (DirectoryLock _ = DirectoryLock.acquire(used.resolve("pages"), "cache")) {
            assertThat(DefaultCacheRules.emptyAbandoned(List.of(dropped, used, lately), now))
                    .containsExactly(dropped.resolve("pages"));
        }
        assertThat(names(dropped.resolve("pages"))).containsExactly("lock", "notes.txt");
        for (Path folder : List.of(used, lately)) {
            assertThat(names(folder.resolve("pages")))
                    .containsExactly("00000003.pages", "index", "lock", "notes.txt");
        }
        assertThat(
                        DefaultCacheRules.emptyAbandoned(
                                List.of(dropped, directory.resolve("none")), now))
                .isEmpty();
        open(dropped).close();
    }

    /** Its age was looked at, then its owner came and went, then it is locked. */
    @Test
    void whatIsUsedBeforeItIsLockedStays() throws IOException {
        Path pages = directory.resolve("pages");
        Instant now = Instant.now();
        open(directory).close();
        Path segment = pages.resolve("00000003.pages");
        Files.write(segment, new byte[100]);
        age(pages, now.minus(Duration.ofDays(31)));
        Instant before = now.minus(DefaultCacheRules.ABANDONED);
        assertThat(
                        DefaultCacheRules.emptyIfAbandoned(
                                pages,
                                before,
                                folder -> {
                                    Files.write(segment, new byte[200]);
                                    return LocalCacheFiles.tryOpen(folder);
                                }))
                .isFalse();
        assertThat(names(pages)).containsExactly("00000003.pages", "index", "lock");
        age(pages, now.minus(Duration.ofDays(31)));
        assertThat(DefaultCacheRules.emptyIfAbandoned(pages, before, LocalCacheFiles::tryOpen))
                .isTrue();
        assertThat(names(pages)).containsExactly("lock");
    }

    /** Its owner, who comes at this moment, is not to find it in use. */
    @Test
    void whatWasUsedLatelyIsNotLocked() throws IOException {
        open(directory).close();
        assertThat(
                        DefaultCacheRules.emptyIfAbandoned(
                                directory.resolve("pages"),
                                Instant.now().minus(DefaultCacheRules.ABANDONED),
                                folder -> {
                                    throw new AssertionError("locked " + folder);
                                }))
                .isFalse();
    }

    private static void age(Path path, Instant time) throws IOException {
        List<Path> files =
                Files.isDirectory(path)
                        ? names(path).stream().map(path::resolve).toList()
                        : List.of(path);
        for (Path file : files) {
            Files.setLastModifiedTime(file, FileTime.from(time));
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void itHasItsFolderAgainAfterARestart() throws IOException {
        Path folder = directory.resolve("not").resolve("there");
        byte[] content = new byte[2 * PAGE + 100];
        new Random(1).nextBytes(content);
        ObjectStore store = new InMemoryObjectStore();
        store.put(PATH, content);
        try (DataCache cache = open(folder)) {
            ObjectReader reader =
                    cache.over(store, WarmingPolicy.NOTHING).open(PATH, content.length);
            assertThat(reader.read(0, content.length)).isEqualTo(content);
            while (cache.pages().unitsOnTheirWay() > 0) {
                Thread.onSpinWait();
            }
            assertThat(cache.space().maxDiskBytes()).isGreaterThanOrEqualTo(GB);
            assertThat(cache.describe()).contains(folder.resolve("pages").toString());
        }
        try (DataCache cache = open(folder)) {
            ObjectReader reader =
                    cache.over(store, WarmingPolicy.NOTHING).open(PATH, content.length);
            assertThat(reader.read(0, content.length)).isEqualTo(content);
            assertThat(reader.tally().requests()).isZero();
        }
        assertThat(folder)
                .isDirectoryContaining("glob:**/pages")
                .isDirectoryNotContaining("glob:**/pages-*");
    }

    /** Not every user of the host may read the bucket. */
    @Test
    void nobodyElseReadsIt() throws IOException {
        Path folder = directory.resolve("above/own");
        open(folder).close();
        for (Path made : List.of(folder, folder.resolve("pages"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                    .as("%s", made)
                    .isEqualTo("rwx------");
        }
        Path given =
                Files.createDirectory(
                        directory.resolve("given"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwxr-x---")));
        open(given).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(given)))
                .as("one that somebody made")
                .isEqualTo("rwxr-x---");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(given.resolve("pages"))))
                .isEqualTo("rwx------");
    }

    @Test
    void eachOfSeveralProcessesHasAFolderOfItsOwn() throws IOException {
        List<DataCache> caches = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                caches.add(open(directory));
            }
            assertThat(caches.get(0).describe()).contains("/pages]");
            assertThat(caches.get(1).describe()).contains("/pages-2]");
            assertThatThrownBy(() -> open(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use")
                    .hasMessageContaining(directory.resolve("pages").toString());
            caches.removeFirst().close();
            caches.add(open(directory));
            assertThat(caches.getLast().describe()).contains("/pages]");
        } finally {
            caches.forEach(DataCache::close);
        }
    }

    @Test
    void aSizeMayBeGiven() throws IOException {
        DataCacheConfig config =
                new DataCacheConfig().setMaxSizes(List.of(DataSize.of(64, Unit.MEGABYTE)));
        try (DataCache cache = open(directory, config)) {
            assertThat(cache.space().maxDiskBytes()).isEqualTo(64L << 20);
        }
        config.setMaxSizes(List.of(DataSize.of(1, Unit.MEGABYTE)));
        assertThatThrownBy(() -> open(directory, config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("stele.cache.max-sizes: expected at least");
        open(directory).close(); // nothing was left locked
    }

    @Test
    void whatIsInTheWayIsTold() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void itIsUsedOverANetworkUnlessTheConfigurationSaysOtherwise() {
        DataCacheConfig config = new DataCacheConfig();
        assertThat(DataCache.isWanted(config, true)).isTrue();
        assertThat(DataCache.isWanted(config, false)).isFalse();
        assertThat(DataCache.isWanted(config.setEnabled(false), true)).isFalse();
        assertThat(DataCache.isWanted(config.setEnabled(true), false)).isTrue();
        assertThat(DataCache.hasDirectories(config)).isFalse();
        config.setDirectories(List.of("/a"));
        assertThat(DataCache.hasDirectories(config)).isTrue();
        assertThat(DataCache.hasDirectories(config.setEnabled(false))).isFalse();
    }
}
