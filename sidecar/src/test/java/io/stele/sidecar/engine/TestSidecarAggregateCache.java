package io.stele.sidecar.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.files.DirectoryLock;
import io.stele.objectstore.encryption.EncryptionConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where results of aggregations are kept that nobody gave a folder. */
final class TestSidecarAggregateCache {
    private static final Optional<String> HISTORY = Optional.of("warehouse a, log 1");

    @TempDir private Path directory;

    /** Whether results are kept in the folder, by the lock on it. */
    private static boolean isKept(SidecarAggregateCache results, Path folder) throws IOException {
        results.keepIn(HISTORY, Optional.of(folder));
        Path kept = folder.resolve("results");
        if (!Files.exists(kept.resolve(DirectoryLock.FILE_NAME))) {
            return false;
        }
        var lock = DirectoryLock.tryAcquire(kept);
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isEmpty();
    }

    private SidecarAggregateCache results(AggregateCacheConfig config) {
        return new SidecarAggregateCache(config, new EncryptionConfig());
    }

    @Test
    void theyAreInTheFolderOfCaches() throws IOException {
        try (SidecarAggregateCache results = results(new AggregateCacheConfig())) {
            assertThat(isKept(results, directory.resolve("a/b"))).isTrue();
        }
        Path kept = directory.resolve("a/b/results");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rwx------");
    }

    @Test
    void aFolderThatCannotBeUsedHarmsNobody() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        try (SidecarAggregateCache first = results(new AggregateCacheConfig());
                SidecarAggregateCache second = results(new AggregateCacheConfig())) {
            assertThat(isKept(first, file)).isFalse();
            assertThat(isKept(first, directory)).isTrue();
            second.keepIn(HISTORY, Optional.of(directory)); // in use
            assertThat(second.cache()).isPresent();
        }
    }

    @Test
    void whatTheConfigurationSaysGoesFirst() throws IOException {
        AggregateCacheConfig elsewhere =
                new AggregateCacheConfig().setDirectory(directory.resolve("mine").toFile());
        try (SidecarAggregateCache results = results(elsewhere)) {
            assertThat(isKept(results, directory)).isFalse();
            assertThat(directory.resolve("mine")).isDirectory();
        }
        try (SidecarAggregateCache results =
                results(new AggregateCacheConfig().setEnabled(false))) {
            assertThat(isKept(results, directory)).isFalse();
        }
    }

    private Path segment(String folder) throws IOException {
        Files.createDirectories(directory.resolve(folder));
        return Files.write(
                directory.resolve(folder).resolve("results-000000000000.log"), new byte[100]);
    }

    /** Also where the configuration says where they are. */
    @Test
    void thoseOfAnotherHistoryAreDeleted() throws IOException {
        Path byDefault = segment("results");
        Files.writeString(directory.resolve("results/history"), "warehouse b, log 1");
        try (SidecarAggregateCache results = results(new AggregateCacheConfig())) {
            assertThat(isKept(results, directory)).isTrue();
        }
        assertThat(byDefault).doesNotExist();
        Path configured = segment("mine");
        AggregateCacheConfig mine =
                new AggregateCacheConfig().setDirectory(directory.resolve("mine").toFile());
        try (SidecarAggregateCache results = results(mine)) {
            results.keepIn(HISTORY, Optional.empty());
        }
        assertThat(configured).doesNotExist();
        segment("mine");
        try (SidecarAggregateCache results = results(mine)) {
            results.keepIn(HISTORY, Optional.empty());
        }
        assertThat(configured).exists();
    }

    @Test
    void withoutAHistoryNoneAreKept() throws IOException {
        Path configured = segment("mine");
        AggregateCacheConfig mine =
                new AggregateCacheConfig().setDirectory(directory.resolve("mine").toFile());
        for (AggregateCacheConfig config : List.of(mine, new AggregateCacheConfig())) {
            try (SidecarAggregateCache results = results(config)) {
                results.keepIn(Optional.empty(), Optional.of(directory));
                assertThat(results.cache()).isPresent();
            }
        }
        assertThat(directory.resolve("results")).doesNotExist();
        assertThat(directory.resolve("mine")).isDirectoryNotContaining("glob:**/lock");
        assertThat(configured).exists();
    }

    @Test
    void aConfiguredDirectoryInUseIsRefused() throws IOException {
        AggregateCacheConfig mine =
                new AggregateCacheConfig().setDirectory(directory.resolve("mine").toFile());
        try (SidecarAggregateCache first = results(mine);
                SidecarAggregateCache second = results(mine)) {
            first.keepIn(HISTORY, Optional.empty());
            assertThatThrownBy(() -> second.keepIn(HISTORY, Optional.empty()))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(directory.resolve("mine").toString());
        }
    }

    /** Those written before have minima and maxima in them, which are values of rows. */
    @Test
    void withEncryptionAtRestThoseOfBeforeAreDeleted() throws IOException {
        Path before = segment("results");
        try (SidecarAggregateCache results = results(new AggregateCacheConfig())) {
            results.deleteUnencrypted(directory);
        }
        assertThat(before).exists();
        EncryptionConfig encryption = new EncryptionConfig().setMasterKeyFile("keys");
        AggregateCacheConfig off = new AggregateCacheConfig().setEnabled(false);
        for (AggregateCacheConfig config : List.of(new AggregateCacheConfig(), off)) {
            segment("results");
            try (SidecarAggregateCache results = new SidecarAggregateCache(config, encryption)) {
                results.deleteUnencrypted(directory);
                results.deleteUnencrypted(directory.resolve("not there"));
            }
            assertThat(before).doesNotExist();
        }
        assertThat(directory.resolve("not there")).doesNotExist();
    }

    /** Minima and maxima are values of rows. */
    @Test
    void withEncryptionAtRestTheyAreInMemoryOnly() throws IOException {
        EncryptionConfig encryption = new EncryptionConfig().setMasterKeyFile("keys");
        try (SidecarAggregateCache results =
                new SidecarAggregateCache(new AggregateCacheConfig(), encryption)) {
            assertThat(isKept(results, directory)).isFalse();
        }
        assertThat(directory).isEmptyDirectory();
    }
}
