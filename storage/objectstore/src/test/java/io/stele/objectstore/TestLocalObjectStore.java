package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestLocalObjectStore extends ObjectStoreContract {
    @TempDir Path directory;

    @Override
    ObjectStore store() throws IOException {
        return new LocalObjectStore(directory.resolve("warehouse"));
    }

    @AfterEach
    void leavesNoTemporaryFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("warehouse/.tmp"))) {
            assertThat(files.map(file -> file.getFileName().toString())).isSubsetOf("swap.lock");
        }
    }

    @Test
    void objectsAreThereAfterReopening() throws Exception {
        store().put("a/b", bytes("x"));
        assertThat(store().readFully("a/b")).isEqualTo(bytes("x"));
        assertThat(directory.resolve("warehouse/a/b")).hasBinaryContent(bytes("x"));
    }

    @Test
    void deletesWhatDeadWritersLeft() throws Exception {
        LocalObjectStore store = new LocalObjectStore(directory.resolve("warehouse"));
        Path abandoned =
                Files.write(directory.resolve("warehouse/.tmp/abandoned.object"), bytes("x"));
        Instant changed = Files.getLastModifiedTime(abandoned).toInstant();
        assertThat(store.deleteAbandoned(changed)).isZero();
        assertThat(store.list("")).isEmpty();
        assertThat(store.deleteAbandoned(changed.plusSeconds(1))).isEqualTo(1);
    }
}
