package io.stele.engine.wal;

import io.stele.cache.files.Directories;
import io.stele.cache.files.DirectoryLock;
import io.stele.cache.files.DurableDirectories;
import io.stele.cache.files.Transfers;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The segment files of a log in a directory of a local file system, {@code <number>.wal}, synced
 * with fdatasync. The directory is for this process alone while it is open.
 *
 * <p>Safe for use by many threads, except that one writer belongs to one thread.
 */
public final class LocalLogFiles implements LogFiles {

    /**
     * Appended bytes pass through a buffer of this size: large enough that a usual group is one
     * system call.
     */
    private static final int STAGING_BYTES = 1 << 20;

    private final Path directory;
    private final DirectoryLock lock;
    private final AtomicReference<@Nullable ByteBuffer> spareStaging = new AtomicReference<>();

    private LocalLogFiles(Path directory, DirectoryLock lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Opens the directory, creating it durably if it does not exist.
     *
     * @throws IOException if another process, or another part of this one, has it open
     */
    public static LocalLogFiles open(Path directory) throws IOException {
        return open(directory, new DurableDirectories());
    }

    static LocalLogFiles open(Path directory, DurableDirectories directories) throws IOException {
        directories.create(directory.toAbsolutePath());
        return new LocalLogFiles(directory, DirectoryLock.acquire(directory, "log"));
    }

    @Override
    public long usableBytes() {
        File disk = directory.toFile(); // a FileStore would need the table of mounted file systems
        long usableBytes = disk.getUsableSpace();
        // A file system that does not count its space, or does not answer, says 0 of 0.
        boolean isKnown = usableBytes > 0 || disk.getTotalSpace() > 0;
        return isKnown ? usableBytes : Long.MAX_VALUE;
    }

    @Override
    public List<Long> segments() throws IOException {
        List<Long> segments = new ArrayList<>();
        for (Path file : Directories.list(directory)) {
            LogNames.segment(file.getFileName().toString()).ifPresent(segments::add);
        }
        Collections.sort(segments);
        return List.copyOf(segments);
    }

    @Override
    public Writer create(long segment) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        path(segment), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        boolean done = false;
        try {
            Directories.sync(directory);
            done = true;
            return new LocalWriter(channel);
        } finally {
            if (!done) {
                channel.close();
            }
        }
    }

    @Override
    public Reader open(long segment) throws IOException {
        return new LocalReader(
                FileChannel.open(path(segment), StandardOpenOption.READ), describe(segment));
    }

    @Override
    public void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        path(segment), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.truncate(sizeBytes);
            ByteBuffer chunk = ByteBuffer.allocate(STAGING_BYTES);
            for (long position = rewriteFrom; position < sizeBytes; position += chunk.limit()) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), sizeBytes - position));
                Transfers.readFully(channel, position, chunk, describe(segment));
                chunk.flip();
                Transfers.writeFully(channel, position, chunk);
            }
            channel.force(true);
        }
    }

    @Override
    public void delete(long segment) throws IOException {
        Files.delete(path(segment));
        Directories.sync(directory);
    }

    @Override
    public String describe(long segment) {
        return path(segment).toString();
    }

    private Path path(long segment) {
        return directory.resolve(LogNames.ofSegment(segment));
    }

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        lock.close();
    }

    private final class LocalWriter implements Writer {
        private final FileChannel channel;
        private final ByteBuffer staging;

        LocalWriter(FileChannel channel) {
            this.channel = channel;
            ByteBuffer spare = spareStaging.getAndSet(null);
            staging = spare != null ? spare : ByteBuffer.allocateDirect(STAGING_BYTES);
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            staging.clear();
            for (ByteBuffer buffer : buffers) {
                while (buffer.hasRemaining()) {
                    int count = Math.min(buffer.remaining(), staging.remaining());
                    staging.put(staging.position(), buffer, buffer.position(), count);
                    staging.position(staging.position() + count);
                    buffer.position(buffer.position() + count);
                    if (!staging.hasRemaining()) {
                        writeStaging();
                    }
                }
            }
            writeStaging();
        }

        private void writeStaging() throws IOException {
            staging.flip();
            while (staging.hasRemaining()) {
                channel.write(staging);
            }
            staging.clear();
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            spareStaging.set(staging);
            channel.close();
        }
    }

    private record LocalReader(FileChannel channel, String file) implements Reader {
        @Override
        public long sizeBytes() throws IOException {
            return channel.size();
        }

        @Override
        public void read(long position, ByteBuffer target) throws IOException {
            Transfers.readFully(channel, position, target, file);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
