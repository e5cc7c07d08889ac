package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A fault injector that fills the disk of the sidecar's log. The disk is a small file system in
 * memory where one may be mounted, and else a limit on the size of the sidecar's files (EFBIG for
 * ENOSPC), where {@code prlimit} is there. Confined to one thread.
 */
final class LogDisk implements AutoCloseable {
    /** Many times what the log of a run has, so that it is full only when it is to be. */
    private static final int MEBIBYTES = 512;

    private static final String FILLER = "filler";

    /** The ways to make a disk full. */
    enum Way {
        MOUNT("a file system of " + MEBIBYTES + " MiB in memory"),
        FILE_LIMIT("a limit on the size of files (no file system may be mounted here)"),
        NONE("left out: no file system may be mounted here, and there is no prlimit");

        private final String text;

        Way(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private final Path folder;
    private final Way way;

    private LogDisk(Path folder, Way way) {
        this.folder = requireNonNull(folder, "folder is null");
        this.way = requireNonNull(way, "way is null");
    }

    static LogDisk open(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        if (run("mount", "-t", "tmpfs", "-o", "size=" + MEBIBYTES + "m", "tmpfs", folder + "")) {
            return new LogDisk(folder, Way.MOUNT);
        }
        return new LogDisk(folder, run("prlimit", "--version") ? Way.FILE_LIMIT : Way.NONE);
    }

    Way way() {
        return way;
    }

    /** The next bytes find no room. */
    void fill(long pid) throws IOException, InterruptedException {
        switch (way) {
            case MOUNT -> fillUp();
            // Segments of the log are larger than that
            case FILE_LIMIT -> run("prlimit", "--pid", pid + "", "--fsize=65536:unlimited");
            case NONE -> {}
        }
    }

    private void fillUp() throws IOException {
        FileStore store = Files.getFileStore(folder);
        byte[] zeros = new byte[64 << 10];
        try (OutputStream out = Files.newOutputStream(folder.resolve(FILLER))) {
            // The log grows while this writes, so it writes until the file system reports that it
            // is full
            while (store.getUsableSpace() > 0) {
                out.write(zeros, 0, (int) Math.min(zeros.length, store.getUsableSpace()));
            }
        } catch (IOException e) {
            // full
        }
    }

    /** There is room again. */
    void free(long pid) throws IOException, InterruptedException {
        switch (way) {
            case MOUNT -> Files.deleteIfExists(folder.resolve(FILLER));
            case FILE_LIMIT -> run("prlimit", "--pid", pid + "", "--fsize=unlimited:unlimited");
            case NONE -> {}
        }
    }

    /** Copies what is on it to where it stays. */
    void keep(Path target) throws IOException {
        if (way != Way.MOUNT) {
            return;
        }
        Files.createDirectories(target);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false; // no such program
        }
    }

    @Override
    public void close() throws InterruptedException {
        if (way == Way.MOUNT) {
            run("umount", folder.toString());
        }
    }
}
