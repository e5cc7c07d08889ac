package io.stele.benchmarks.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestCacheFolders {
    @TempDir private Path folder;

    /** Trino refuses a cache whose configured folder is missing. */
    @Test
    void emptiedFoldersStay() throws IOException {
        Path pages = Files.createDirectories(folder.resolve("catalog").resolve("pages"));
        Files.writeString(pages.resolve("0.segment"), "bytes");
        Files.writeString(folder.resolve("results"), "bytes");
        CacheFolders.empty(folder);
        assertThat(pages).isEmptyDirectory();
        assertThat(folder.resolve("results")).doesNotExist();
        CacheFolders.empty(folder.resolve("missing"));
    }
}
