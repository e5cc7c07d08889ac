package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.unthreaded;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.files.DurableDirectories;
import io.stele.engine.wal.LogFixture.Read;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestLocalLogFiles {
    @TempDir Path directory;

    @Test
    void namesFilesBySegment() throws Exception {
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            files.create(12).close();
            files.create(3).close();
            Files.createFile(directory.resolve("notes.txt"));
            Files.createFile(directory.resolve("99999999999999999999.wal")); // no long
            assertThat(files.segments()).containsExactly(3L, 12L);
            assertThat(directory.resolve("00000000000000000012.wal")).exists();
            assertThatThrownBy(() -> files.create(3))
                    .isInstanceOf(FileAlreadyExistsException.class);
            files.delete(3);
            assertThat(files.segments()).containsExactly(12L);
        }
    }

    @Test
    void aNewFolderIsDurable() throws Exception {
        List<Path> synced = new ArrayList<>();
        Path folder = directory.resolve("a/wal");
        LocalLogFiles.open(folder, new DurableDirectories(synced::add)).close();
        assertThat(synced).containsExactly(directory, directory.resolve("a"));
    }

    @Test
    void knowsWhatTheDiskHasLeft() throws Exception {
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            assertThat(files.usableBytes())
                    .isBetween(1L, Files.getFileStore(directory).getTotalSpace());
        }
    }

    @Test
    void writesBuffersOfAnySize() throws Exception {
        byte[] large = new byte[3_000_001];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 31);
        }
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            try (LogFiles.Writer writer = files.create(1)) {
                writer.append(
                        List.of(
                                ByteBuffer.wrap(large, 0, 10),
                                ByteBuffer.allocateDirect(0),
                                ByteBuffer.wrap(large, 10, large.length - 10)));
                writer.append(List.of(ByteBuffer.wrap(new byte[] {1, 2, 3})));
                writer.sync();
            }
            try (LogFiles.Reader reader = files.open(1)) {
                assertThat(reader.sizeBytes()).isEqualTo(large.length + 3);
                ByteBuffer found = ByteBuffer.allocate(large.length);
                reader.read(0, found);
                assertThat(found.array()).isEqualTo(large);
                assertThatThrownBy(() -> reader.read(large.length, ByteBuffer.allocate(4)))
                        .isInstanceOf(EOFException.class)
                        .hasMessageContaining("1 more bytes")
                        .hasMessageContaining("00000000000000000001.wal");
            }
        }
    }

    @Test
    void sealingCutsAndKeepsTheRest() throws Exception {
        byte[] bytes = new byte[2_500_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            Path file = directory.resolve("00000000000000000001.wal");
            Files.write(file, bytes);
            files.seal(1, 2_400_000, 100_000);
            assertThat(Files.readAllBytes(file))
                    .isEqualTo(java.util.Arrays.copyOf(bytes, 2_400_000));
        }
    }

    @Test
    void keepsASecondOpenerOut() throws Exception {
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            assertThat(files.segments()).isEmpty();
            assertThatThrownBy(() -> LocalLogFiles.open(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("found it in use")
                    .hasMessageContaining(directory.toString());
        }
        LocalLogFiles.open(directory).close();
    }

    @Test
    void recoversACutFile() throws Exception {
        try (LocalLogFiles files = LocalLogFiles.open(directory)) {
            NodeLog log = unthreaded(files);
            write(log, A, "kept");
            commitAll(log);
            write(log, A, "torn");
            log.close();
            Path file = directory.resolve("00000000000000000001.wal");
            Files.write(
                    file,
                    java.util.Arrays.copyOf(Files.readAllBytes(file), (int) Files.size(file) - 1));
            assertThat(read(files)).extracting(Read::text).containsExactly("kept");
            long size = Files.size(file);
            Files.write(file, new byte[100], StandardOpenOption.APPEND);
            assertThat(read(files)).extracting(Read::text).containsExactly("kept");
            assertThat(Files.size(file)).isEqualTo(size);
        }
    }
}
