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
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps a directory for one part of one process, until it is closed or the process ends: a lock on
 * its file {@value #FILE_NAME}.
 *
 * <p>A process loses its POSIX locks on a file when it closes any descriptor of that file. So the
 * file of a directory that this process has is never opened a second time: who has which is written
 * down among the system properties, which all class loaders of the process share.
 *
 * <p>Invariant: a directory that this process has locked stays locked, also if another part of it
 * asks for it, until its lock is closed. Thread-safe.
 */
public final class DirectoryLock implements Closeable {
    /** The name of the file, which is not to be used otherwise. */
    public static final String FILE_NAME = "lock";

    private static final String HELD = "io.stele.directory-lock.";

    private final FileChannel file;
    private final String holding;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DirectoryLock(FileChannel file, String holding) {
        this.file = file;
        this.holding = holding;
    }

    /**
     * Creates the directory if it does not exist and locks it.
     *
     * @param purpose what the directory is for, as errors name it: "log"
     * @throws IOException if another process, or another part of this one, has it
     */
    public static DirectoryLock acquire(Path directory, String purpose) throws IOException {
        requireNonNull(purpose, "purpose is null");
        return tryAcquire(directory)
                .orElseThrow(
                        () ->
                                new IOException(
                                        String.format(
                                                Locale.ROOT,
                                                "Expected the %s directory %s for this process alone, found it in use",
                                                purpose,
                                                directory)));
    }

    /**
     * Creates the directory if it does not exist and locks it; empty if another process, or another
     * part of this one, has it.
     *
     * @throws IOException if it cannot be made or written
     */
    public static Optional<DirectoryLock> tryAcquire(Path directory) throws IOException {
        Files.createDirectories(requireNonNull(directory, "directory is null"));
        String holding = HELD + identity(directory);
        if (System.getProperties().putIfAbsent(holding, "held") != null) {
            return Optional.empty();
        }
        boolean locked = false;
        try {
            Optional<FileChannel> file = lock(directory.resolve(FILE_NAME));
            locked = file.isPresent();
            return file.map(open -> new DirectoryLock(open, holding));
        } finally {
            if (!locked) {
                System.getProperties().remove(holding);
            }
        }
    }

    /** The same for all paths that lead to the directory, as far as the file system says so. */
    private static String identity(Path directory) throws IOException {
        Object key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
        return key == null ? directory.toRealPath().toString() : key.toString();
    }

    private static Optional<FileChannel> lock(Path path) throws IOException {
        FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            locked = tryLock(file).isPresent();
            return locked ? Optional.of(file) : Optional.empty();
        } finally {
            if (!locked) {
                file.close();
            }
        }
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
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            file.close();
        } finally {
            System.getProperties().remove(holding);
        }
    }
}
