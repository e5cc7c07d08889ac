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
 * A cache of open channels of files that were read recently. Opening a file costs as much as
 * reading some kilobytes of it. Only for files that do not change: code that deletes or replaces
 * one calls {@link #forget}. Thread-safe.
 */
public final class OpenFiles {
    private final Cache<Path, FileChannel> channels;

    /**
     * @param maxFiles about how many files stay open
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

    /** Reads from a channel of the file; any position of the channel is meaningless. */
    @FunctionalInterface
    public interface Read {
        /**
         * @param channel must not be closed, nor used after the call
         */
        void from(FileChannel channel) throws IOException;
    }

    /**
     * Runs a read, again if the channel was closed under it: because others were opened, or because
     * another thread was interrupted while it read, which in Java closes the channel for all.
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

    /** Closes the file, which is to be deleted or replaced: after that. */
    public void forget(Path file) {
        channels.invalidate(file);
    }
}
