package io.stele.cache.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestDirectories {
    @TempDir Path folder;

    @Test
    void listsFilesAndDirectories() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Files.createFile(inner.resolve("deeper"));
        assertThat(Directories.list(folder)).containsExactlyInAnyOrder(file, inner);
    }

    @Test
    void whatIsNoDirectoryIsAnError() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> Directories.list(file)).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Directories.list(folder.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }
}
