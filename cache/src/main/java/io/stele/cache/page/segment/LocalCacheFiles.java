package io.stele.cache.page.segment;

import io.stele.cache.files.DirectoryLock;
import io.stele.cache.files.Transfers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The {@link CacheFiles} of a directory of the local file system, locked for this process while it
 * is open.
 */
public final class LocalCacheFiles implements CacheFiles {
    private final Path directory;
    private final DirectoryLock lock;

    private LocalCacheFiles(Path directory, DirectoryLock lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Opens the directory, creating it if it does not exist.
     *
     * @throws IOException if another process, or another part of this one, has it open
     */
    public static LocalCacheFiles open(Path directory) throws IOException {
        return new LocalCacheFiles(directory, DirectoryLock.acquire(directory, "cache"));
    }

    /**
     * Opens the directory, creating it if it does not exist; empty if another process, or another
     * component of this one, has it open.
     *
     * @throws IOException if the directory cannot be created or written
     */
    public static Optional<LocalCacheFiles> tryOpen(Path directory) throws IOException {
        return DirectoryLock.tryAcquire(directory)
                .map(lock -> new LocalCacheFiles(directory, lock));
    }

    /** Whether a file of this name belongs to a cache; false for the lock file. */
    public static boolean isCacheFile(String name) {
        return name.equals(IndexFile.NAME)
                || name.equals(IndexFile.NEW_NAME)
                || SegmentFiles.segment(name).isPresent();
    }

    @Override
    public List<String> list() throws IOException {
        List<String> names = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (!name.equals(DirectoryLock.FILE_NAME)) {
                    names.add(name);
                }
            }
        }
        names.sort(null);
        return List.copyOf(names);
    }

    @Override
    public CacheFile open(String name) throws IOException {
        return new LocalCacheFile(directory.resolve(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(
                directory.resolve(from),
                directory.resolve(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public long usableBytes() throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    /**
     * A file channel that survives interrupts. Java closes a channel for all users when a thread is
     * interrupted in it. So this opens the channel again; the interrupt status of the thread stays
     * set.
     */
    private static final class LocalCacheFile implements CacheFile {
        private final Path path;
        private volatile FileChannel channel;
        private boolean closed;

        LocalCacheFile(Path path) throws IOException {
            this.path = path;
            this.channel = openChannel(path);
        }

        private static FileChannel openChannel(Path path) throws IOException {
            return FileChannel.open(
                    path,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
        }

        @Override
        public long sizeBytes() throws IOException {
            long[] size = new long[1];
            withChannel(open -> size[0] = open.size());
            return size[0];
        }

        @Override
        public void read(ByteBuffer target, long position) throws IOException {
            int start = target.position();
            withChannel(open -> Transfers.readFully(open, position, target.position(start), path));
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            int start = source.position();
            withChannel(open -> Transfers.writeFully(open, position, source.position(start)));
        }

        private interface Action {
            void on(FileChannel open) throws IOException;
        }

        private void withChannel(Action action) throws IOException {
            boolean interrupted = false;
            try {
                while (true) {
                    FileChannel open = channel;
                    try {
                        action.on(open);
                        return;
                    } catch (ClosedByInterruptException e) {
                        interrupted = true;
                        Thread.interrupted();
                        reopen(open);
                    } catch (ClosedChannelException e) {
                        reopen(open);
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private synchronized void reopen(FileChannel failed) throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            if (channel == failed) {
                channel = openChannel(path);
            }
        }

        @Override
        public synchronized void close() throws IOException {
            closed = true;
            channel.close();
        }
    }
}
