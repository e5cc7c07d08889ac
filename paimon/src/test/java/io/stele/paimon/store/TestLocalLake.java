package io.stele.paimon.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lake in a folder. */
final class TestLocalLake extends LakeContract {
    private static final AtomicInteger LAKES = new AtomicInteger();

    @TempDir static java.nio.file.Path directory;

    @Override
    String newWarehouse() {
        int number = LAKES.incrementAndGet();
        return (number % 2 == 0 ? "file:" : "") + directory.resolve("a lake-" + number);
    }

    @Override
    PaimonLake open(String location) {
        return TestingLakes.open(location, Map.of());
    }

    @Override
    List<String> stored(String location) throws IOException {
        java.nio.file.Path folder = java.nio.file.Path.of(location.replace("file:", ""));
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<java.nio.file.Path> all = Files.walk(folder)) {
            return all.map(java.nio.file.Path::toString).sorted().toList();
        }
    }

    @Test
    void leavesNoTemporaryFiles() throws Exception {
        filesReplaceNone();
        try (Stream<java.nio.file.Path> all = Files.walk(directory)) {
            assertThat(all.map(file -> file.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("."));
        }
    }

    @Test
    void otherUsersMayReadWhatTheMaskAllows() throws Exception {
        try (PaimonLake lake = open(newWarehouse())) {
            java.nio.file.Path plain = Files.createFile(directory.resolve("plain"));
            Path file = new Path(directory + "/written");
            lake.fileIO().writeFile(file, "x", false);
            assertThat(Files.getPosixFilePermissions(directory.resolve("written")))
                    .isEqualTo(Files.getPosixFilePermissions(plain));
        }
    }

    @Test
    void refusesOtherStoresByName() throws Exception {
        try (PaimonLake lake = open(newWarehouse())) {
            assertThatThrownBy(() -> lake.files().readFully("oss://b/x"))
                    .hasMessageContaining("scheme 'oss'")
                    .hasMessageContaining("oss://b/x");
            assertThatThrownBy(() -> lake.files().readFully("file://host/x"))
                    .hasMessageContaining("found the host host");
            assertThatThrownBy(() -> lake.files().readFully("relative/x"))
                    .hasMessageContaining("absolute");
        }
    }

    /** Those who write a lake must not choose what is read of this host. */
    @Test
    void lakesElsewhereHaveNoFilesOfThisHost() throws Exception {
        try (PaimonLake lake = open("s3://bucket/lake")) {
            for (String location : List.of("/etc/hostname", "file:/etc/hostname")) {
                assertThatThrownBy(() -> lake.files().open(location, 1))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("one of this host");
            }
        }
    }

    @Test
    void copiesOfOtherProcessesFailByName() throws Exception {
        try (PaimonLake lake = open(newWarehouse())) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
                output.writeObject(lake.fileIO());
            }
            try (ObjectInputStream input =
                    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                FileIO copy = (FileIO) input.readObject();
                assertThatThrownBy(() -> copy.exists(new Path("/x")))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("in the process that opened it");
            }
        }
    }
}
