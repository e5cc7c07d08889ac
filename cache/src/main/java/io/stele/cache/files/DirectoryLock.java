package io.stele.cache.files;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;

/**
 * Keeps a directory for one part of one process, until it is closed or the process ends: a lock on
 * its file {@value #FILE_NAME}.
 */
public final class DirectoryLock implements Closeable {
    /** The name of the file, which is not to be used otherwise. */
    public static final String FILE_NAME = "lock";

    private final FileChannel file;

    private DirectoryLock(FileChannel file) {
        this.file = file;
    }

    /**
     * Creates the directory if it does not exist and locks it.
     *
     * @param purpose what the directory is for, as errors name it: "log"
     * @throws IOException if another process, or another part of this one, has it
     */
    public static DirectoryLock acquire(Path directory, String purpose) throws IOException {
        requireNonNull(purpose, "purpose is null");
        Files.createDirectories(requireNonNull(directory, "directory is null"));
        FileChannel file =
                FileChannel.open(
                        directory.resolve(FILE_NAME),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            locked = tryLock(file).isPresent();
        } finally {
            if (!locked) {
                file.close();
            }
        }
        if (!locked) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "Expected the %s directory %s for this process alone, found it in use",
                            purpose,
                            directory));
        }
        return new DirectoryLock(file);
    }

    private static Optional<FileLock> tryLock(FileChannel file) throws IOException {
        try {
            return Optional.ofNullable(file.tryLock());
        } catch (OverlappingFileLockException e) {
            return Optional.empty();
        }
    }

    /** Lets others in. */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
