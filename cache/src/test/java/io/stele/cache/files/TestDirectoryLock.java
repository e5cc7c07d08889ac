package io.stele.cache.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of this process, as another one sees them. */
class TestDirectoryLock {
    @TempDir private Path folder;

    /** Tries to lock a directory in a process of its own. */
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) throws IOException {
            boolean locked = DirectoryLock.tryAcquire(Path.of(arguments[0])).isPresent();
            System.exit(locked ? 0 : 3);
        }
    }

    private static boolean anotherProcessLocks(Path directory) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                place(DirectoryLock.class)
                                        + File.pathSeparator
                                        + place(OtherProcess.class),
                                OtherProcess.class.getName(),
                                directory.toString())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        assertThat(exit).as(output).isIn(0, 3);
        return exit == 0;
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    @Test
    void aSecondAttemptLeavesTheFirstLockInPlace() throws Exception {
        Path directory = folder.resolve("a");
        try (DirectoryLock lock = DirectoryLock.acquire(directory, "log")) {
            assertThat(anotherProcessLocks(directory)).isFalse();
            assertThat(DirectoryLock.tryAcquire(directory)).isEmpty();
            Path link = Files.createSymbolicLink(folder.resolve("link"), directory);
            assertThat(DirectoryLock.tryAcquire(link)).isEmpty();
            assertThatThrownBy(() -> DirectoryLock.acquire(directory, "log"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("log directory " + directory);
            assertThat(anotherProcessLocks(directory)).isFalse();
            assertThat(lock).isNotNull();
        }
        assertThat(anotherProcessLocks(directory)).isTrue();
    }

    /** Closing twice does not let others into what somebody has now. */
    @Test
    void aLockIsClosedOnce() throws Exception {
        DirectoryLock first = DirectoryLock.acquire(folder, "log");
        first.close();
        Optional<DirectoryLock> second = DirectoryLock.tryAcquire(folder);
        assertThat(second).isPresent();
        first.close();
        assertThat(DirectoryLock.tryAcquire(folder)).isEmpty();
        second.orElseThrow().close();
        DirectoryLock.acquire(folder, "log").close();
    }

    /**
     * A new directory may have the number of one that was deleted while this process had it; here
     * it is the same one, without its lock file.
     */
    @Test
    void aDirectoryThatWasMadeAnewIsFree() throws Exception {
        DirectoryLock old = DirectoryLock.acquire(folder, "log");
        Files.delete(folder.resolve(DirectoryLock.FILE_NAME));
        try (DirectoryLock lock = DirectoryLock.acquire(folder, "log")) {
            assertThat(lock).isNotNull();
            old.close();
            assertThat(DirectoryLock.tryAcquire(folder)).isEmpty();
            assertThat(anotherProcessLocks(folder)).isFalse();
        }
        DirectoryLock.acquire(folder, "log").close();
    }

    @Test
    void whatCannotBeLockedIsNotHeld() throws Exception {
        Path file = Files.createDirectory(folder.resolve(DirectoryLock.FILE_NAME));
        assertThatThrownBy(() -> DirectoryLock.tryAcquire(folder)).isInstanceOf(IOException.class);
        Files.delete(file);
        DirectoryLock.acquire(folder, "log").close();
    }
}
