package io.stele.cache.files;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An exclusive lock of one component of one process on a local directory, such as a log's or
 * cache's, until it is closed or the process ends. It is a lock on the directory's file {@value
 * #FILE_NAME}.
 *
 * <p>A process loses its POSIX locks on a file when it closes any descriptor of that file. So the
 * lock file of a directory that this process holds is never opened a second time. The holders are
 * recorded in the system properties, which all class loaders of the process share. A directory is
 * identified by its number in the file system. A new directory may get that number after the old
 * one was deleted. So the number of the lock file is recorded beside it: no other file has that
 * number while the lock file is open.
 *
 * <p>Invariant: a directory that this process has locked stays locked until its lock is closed or
 * its lock file is deleted. This holds even if another part of the process requests it.
 * Thread-safe.
 */
public final class DirectoryLock implements Closeable {
    /** The name of the lock file, which must have no other use. */
    public static final String FILE_NAME = "lock";

    private static final String HELD = "io.stele.directory-lock.";

    /** The placeholder for the number of the lock file while the file is being opened. */
    private static final String OPENING = "opening";

    private final FileChannel file;
    private final Holding holding;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DirectoryLock(FileChannel file, Holding holding) {
        this.file = file;
        this.holding = holding;
    }

    /** A holder's system property: its name identifies the directory, its value the lock file. */
    private record Holding(String name, String lockFile) {
        /** Removes the property, unless another holder has written it since. */
        void remove() {
            System.getProperties().remove(name, lockFile);
        }
    }

    /**
     * Creates the directory if it does not exist and locks it.
     *
     * @param purpose of the directory, for messages, such as "log"
     * @throws IOException if another process, or another component of this one, has locked it
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
     * component of this one, has locked it.
     *
     * @throws IOException if it cannot be created or written
     */
    public static Optional<DirectoryLock> tryAcquire(Path directory) throws IOException {
        Files.createDirectories(requireNonNull(directory, "directory is null"));
        Path lockFile = directory.resolve(FILE_NAME);
        Holding opening = new Holding(HELD + identity(directory), OPENING);
        if (!begin(opening, lockFile)) {
            return Optional.empty();
        }
        try {
            return lock(lockFile, opening.name());
        } finally {
            opening.remove();
        }
    }

    /**
     * Records that the lock file is being opened, unless another component of the process has it.
     */
    private static boolean begin(Holding opening, Path lockFile) throws IOException {
        Properties held = System.getProperties();
        while (true) {
            Object before = held.putIfAbsent(opening.name(), OPENING);
            if (before == null) {
                return true;
            }
            if (before.equals(OPENING) || isOf(lockFile, before)) {
                return false;
            }
            if (held.replace(opening.name(), before, OPENING)) {
                return true;
            }
        }
    }

    /** An identity that is equal for all paths to the file, if the file system has file keys. */
    private static String identity(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key == null ? file.toRealPath().toString() : key.toString();
    }

    private static boolean isOf(Path lockFile, Object identity) throws IOException {
        try {
            return identity(lockFile).equals(identity);
        } catch (NoSuchFileException e) {
            return false; // the directory was deleted since
        }
    }

    private static Optional<DirectoryLock> lock(Path path, String name) throws IOException {
        FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            if (tryLock(file).isEmpty()) {
                return Optional.empty();
            }
            Holding holding = new Holding(name, identity(path));
            System.getProperties().setProperty(name, holding.lockFile());
            locked = true;
            return Optional.of(new DirectoryLock(file, holding));
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

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            file.close();
        } finally {
            holding.remove();
        }
    }
}
