package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.files.DurableDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that come between the steps of another call, by its syncs. */
final class TestLocalFolders {
    @TempDir Path root;

    private LocalFolders folders(DurableDirectories.Sync sync) {
        return new LocalFolders(root, new DurableDirectories(sync));
    }

    @Test
    void aFileGetsOneOfTwoNames() throws Exception {
        Path from = Files.write(root.resolve("from"), new byte[] {1, 2});
        Path one = root.resolve("one");
        Path two = root.resolve("two");
        LocalFolders other = new LocalFolders(root);
        List<Boolean> others = new ArrayList<>();
        LocalFolders first =
                folders(
                        directory -> {
                            if (others.isEmpty()) {
                                others.add(other.rename(from, two));
                            }
                        });
        boolean renamed = first.rename(from, one);
        assertThat(others).containsExactly(true);
        assertThat(renamed).isFalse();
        assertThat(from).doesNotExist();
        assertThat(one).doesNotExist();
        assertThat(two).hasBinaryContent(new byte[] {1, 2});
    }

    @Test
    void aRenameSyncsTheNewNameBeforeItRemovesTheOldOne() throws Exception {
        Path from = root.resolve("a/from");
        Path to = root.resolve("b/to");
        Files.createDirectories(from.getParent());
        Files.createDirectories(to.getParent());
        Files.write(from, new byte[1]);
        List<String> syncs = new ArrayList<>();
        LocalFolders folders =
                folders(directory -> syncs.add(directory.getFileName() + " " + Files.exists(from)));
        assertThat(folders.rename(from, to)).isTrue();
        assertThat(syncs).containsExactly("b true", "a false");
    }

    @Test
    void aFileThatGoesMeanwhileIsNotRenamed() throws Exception {
        Path from = Files.write(root.resolve("from"), new byte[1]);
        Path to = root.resolve("folder/to");
        LocalFolders folders = folders(directory -> Files.deleteIfExists(from));
        assertThat(folders.rename(from, to)).isFalse();
        assertThat(to).doesNotExist();
    }
}
