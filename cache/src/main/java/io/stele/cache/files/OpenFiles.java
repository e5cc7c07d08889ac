package io.stele.cache.files;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A cache of open channels of recently read local files, used by the local object store. Opening a
 * file costs as much as reading some kilobytes of it. Only for files that do not change: code that
 * deletes or replaces a file must call {@link #forget}. Thread-safe.
 */
public final class OpenFiles {
    private final Cache<Path, FileChannel> channels;

    /**
     * @param maxFiles approximate limit of open files
     */
    public OpenFiles(int maxFiles) {
        if (maxFiles < 1) {
            throw new IllegalArgumentException("Expected at least 1 open file, found " + maxFiles);
        }
        this.channels =
                Caffeine.newBuilder()
                        .maximumSize(maxFiles)
                        .executor(Runnable::run)
                        .removalListener(OpenFiles::close)
                        .build();
    }

    private static void close(
            @Nullable Path file, @Nullable FileChannel channel, RemovalCause cause) {
        try {
            requireNonNull(channel, "channel is null").close();
        } catch (IOException e) {
            // opened for reading only: there is nothing to lose
        }
    }

    /** A read from a channel of the file; the position of the channel is undefined. */
    @FunctionalInterface
    public interface Read {
        /**
         * @param channel must not be closed, nor used after the call
         */
        void from(FileChannel channel) throws IOException;
    }

    /**
     * Runs a read, and repeats it if the channel was closed meanwhile: by an eviction, or by the
     * interrupt of another reading thread, for which Java closes the channel for all threads.
     *
     * @throws ClosedByInterruptException if this thread is interrupted
     */
    public void read(Path file, Read read) throws IOException {
        while (true) {
            FileChannel channel = open(file);
            try {
                read.from(channel);
                return;
            } catch (ClosedByInterruptException e) {
                channels.asMap().remove(file, channel);
                throw e;
            } catch (ClosedChannelException e) {
                channels.asMap().remove(file, channel);
            }
        }
    }

    private FileChannel open(Path file) throws IOException {
        FileChannel open = channels.getIfPresent(file);
        if (open != null) {
            return open;
        }
        try {
            return channels.get(file, OpenFiles::openChannel);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static FileChannel openChannel(Path file) {
        try {
            return FileChannel.open(file, StandardOpenOption.READ);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes the file. Must be called after it was deleted or replaced. */
    public void forget(Path file) {
        channels.invalidate(file);
    }
}
