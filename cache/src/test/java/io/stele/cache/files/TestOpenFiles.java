package io.stele.cache.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestOpenFiles {
    @TempDir private Path directory;

    @Test
    void readsWhatWasDeletedUntilToldSo() throws IOException {
        OpenFiles files = new OpenFiles(4);
        Path file = write("a", "content");
        assertThat(read(files, file, 7)).isEqualTo("content");

        Files.delete(file);
        assertThat(read(files, file, 7)).isEqualTo("content"); // so it is open indeed
        files.forget(file);

        assertThatThrownBy(() -> read(files, file, 7)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void readsWhatReplacedAFile() throws IOException {
        OpenFiles files = new OpenFiles(4);
        Path file = write("a", "before");
        assertThat(read(files, file, 6)).isEqualTo("before");

        Files.delete(file);
        write("a", "after!");
        files.forget(file);

        assertThat(read(files, file, 6)).isEqualTo("after!");
    }

    @Test
    void closesFilesAboveTheLimitUnderThreadsThatRead() throws Exception {
        OpenFiles files = new OpenFiles(1);
        List<Path> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(write("file" + i, "content" + i));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int first = thread;
                done.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 2_000; i++) {
                                        int file = (first + i) % all.size();
                                        assertThat(read(files, all.get(file), 8))
                                                .isEqualTo("content" + file);
                                    }
                                    return null;
                                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
        }
    }

    @Test
    void anInterruptedReadFailsAndTheNextOneOpensAgain() throws IOException {
        OpenFiles files = new OpenFiles(4);
        Path file = write("a", "content");
        assertThat(read(files, file, 7)).isEqualTo("content");

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> read(files, file, 7))
                .isInstanceOf(ClosedByInterruptException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(read(files, file, 7)).isEqualTo("content");
    }

    @Test
    void refusesALimitBelowOne() {
        assertThatThrownBy(() -> new OpenFiles(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("found 0");
    }

    private Path write(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    private static String read(OpenFiles files, Path file, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(length);
        files.read(file, channel -> Transfers.readFully(channel, 0, target.clear(), file));
        return new String(target.array(), StandardCharsets.UTF_8);
    }
}
