package io.stele.cache.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that come between the steps of another call, by its syncs. */
final class TestDurableDirectories {
    @TempDir Path root;

    private final List<Path> synced = new ArrayList<>();

    @Test
    void aDirectoryIsDurableWhicheverCallMadeIt() throws Exception {
        Path directory = root.resolve("a");
        DurableDirectories other = new DurableDirectories(synced::add);
        List<Path> before = new ArrayList<>();
        DurableDirectories first =
                new DurableDirectories(
                        parent -> {
                            if (before.isEmpty()) {
                                before.add(parent);
                                other.create(directory); // it exists, and is not durable yet
                            }
                        });
        first.create(directory);
        assertThat(before).containsExactly(root);
        assertThat(synced).as("by the other call").containsExactly(root);
        other.create(directory);
        assertThat(synced).as("all is durable").containsExactly(root);
    }

    @Test
    void aFailedSyncIsRepeatedByTheNextCall() throws Exception {
        DurableDirectories failing =
                new DurableDirectories(
                        parent -> {
                            throw new IOException("disk");
                        });
        assertThatThrownBy(() -> failing.create(root.resolve("a"))).hasMessage("disk");
        new DurableDirectories(synced::add).create(root.resolve("a/b"));
        assertThat(synced).containsExactly(root, root.resolve("a"));
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNotSynced() throws Exception {
        Path file = Files.write(root.resolve("file"), new byte[1]);
        DurableDirectories directories = new DurableDirectories(synced::add);
        assertThatThrownBy(() -> directories.create(file)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directories.create(file.resolve("a")))
                .isInstanceOf(IOException.class);
        assertThat(synced).isEmpty();
        Files.delete(file);
        directories.create(file);
        directories.create(file);
        assertThat(synced).containsExactly(root);
    }
}
