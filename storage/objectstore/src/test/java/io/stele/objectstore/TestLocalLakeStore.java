package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store from the root of this host's files. */
final class TestLocalLakeStore extends FolderStoreContract {
    @TempDir Path directory;

    @Override
    FolderStore store() {
        return LocalObjectStore.ofLake(Path.of("/"));
    }

    @Override
    String folder() {
        return directory.resolve("lake").toString().substring(1);
    }

    @AfterEach
    void leavesNoTemporaryFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .noneMatch(name -> name.startsWith(".stele"));
        }
    }

    @Test
    void openingCreatesNothing() throws Exception {
        LocalObjectStore store = LocalObjectStore.ofLake(directory.resolve("none"));
        assertThat(store.list("")).isEmpty();
        assertThat(store.listLevel("")).isEqualTo(FolderLevel.EMPTY);
        assertThat(store.find("x")).isEmpty();
        assertThat(store.supportsCompareAndSwap()).isFalse();
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void warehousesHideTheirTemporaryFiles() throws Exception {
        LocalObjectStore store = new LocalObjectStore(directory.resolve("warehouse"));
        store.put("a/b", new byte[1]);
        assertThat(store.listLevel("").folders()).containsExactly("a");
        assertThat(store.supportsCompareAndSwap()).isTrue();
    }
}
