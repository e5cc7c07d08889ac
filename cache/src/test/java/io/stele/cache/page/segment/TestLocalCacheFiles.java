package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.page.segment.CacheFiles.CacheFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestLocalCacheFiles {
    @TempDir private Path directory;

    @Test
    void oneProcessHasItAtATime() throws IOException {
        try (LocalCacheFiles files = LocalCacheFiles.open(directory)) {
            assertThat(files.list()).isEmpty();
            assertThatThrownBy(() -> LocalCacheFiles.open(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
        }
        LocalCacheFiles.open(directory).close();
    }

    @Test
    void readsWritesRenamesAndDeletes() throws IOException {
        try (LocalCacheFiles files = LocalCacheFiles.open(directory);
                CacheFile file = files.open("a")) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 2);
            assertThat(file.sizeBytes()).isEqualTo(5);
            ByteBuffer target = ByteBuffer.allocate(4);
            file.read(target, 1);
            assertThat(target.array()).containsExactly(0, 1, 2, 3);
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(4), 2))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("offset 5");
            files.open("b").close();
            files.rename("a", "b");
            assertThat(files.list()).containsExactly("b");
            files.delete("b");
            assertThat(files.list()).isEmpty();
        }
    }

    /** Whatever lies in a directory, it keeps no store from opening, and nobody from the lock. */
    @Test
    void foldersInPlaceOfFilesKeepNobodyFromStarting() throws IOException {
        for (String name : List.of("index", "index.new", "00000000.pages")) {
            Path folder = directory.resolve("with-" + name);
            Files.createDirectories(folder.resolve(name).resolve("something"));
            SegmentPageStore store =
                    new SegmentPageStore(
                            SegmentStoreOptions.DEFAULT,
                            List.of(
                                    new SegmentPageStore.Directory(
                                            "d",
                                            SegmentStoreOptions.DEFAULT.minBytes(),
                                            () -> LocalCacheFiles.open(folder))),
                            System::nanoTime,
                            new Random(1),
                            Runnable::run);
            assertThat(store.isAvailable()).as(name).isFalse();
            assertThat(store.statistics().directoriesOut()).isOne();
            store.close();
            LocalCacheFiles.open(folder).close();
        }
    }

    @Test
    void anInterruptedReaderHarmsNobody() throws IOException {
        try (LocalCacheFiles files = LocalCacheFiles.open(directory);
                CacheFile file = files.open("a")) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            Thread.currentThread().interrupt();
            ByteBuffer target = ByteBuffer.allocate(3);
            file.read(target, 0);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(target.array()).containsExactly(1, 2, 3);
            target.clear();
            file.read(target, 0);
            assertThat(target.array()).containsExactly(1, 2, 3);
        }
    }
}
