package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ParallelReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A holder of a file's reader, which opens the file at the first use and keeps the reader. After a
 * failure, the next use tries again. Thread-safe; concurrent first uses may each open the file, and
 * one reader is kept.
 *
 * @param <R> the type of the reader
 */
public final class LazyReader<R> {
    /** Opens the file; blocks. */
    @FunctionalInterface
    public interface Opening<R> {
        R open() throws IOException;
    }

    private final Opening<R> opening;
    private final AtomicReference<R> reader = new AtomicReference<>();

    public LazyReader(Opening<R> opening) {
        this.opening = requireNonNull(opening, "opening is null");
    }

    /**
     * Opens the readers that are not open, in parallel. This is a hint: a failure is thrown only at
     * the reader's use.
     */
    public static void openAll(Collection<? extends LazyReader<?>> readers, ParallelReads reads)
            throws IOException {
        List<ParallelReads.Read> closed = new ArrayList<>();
        for (LazyReader<?> reader : readers) {
            if (!reader.isOpen()) {
                closed.add(reader::get);
            }
        }
        if (!closed.isEmpty()) {
            reads.tryAll(closed);
        }
    }

    /** A holder of an open reader. */
    public static <R> LazyReader<R> of(R open) {
        requireNonNull(open, "open is null");
        LazyReader<R> lazy = new LazyReader<>(() -> open);
        lazy.reader.set(open);
        return lazy;
    }

    /** The reader, if the file is open. */
    public Optional<R> find() {
        return Optional.ofNullable(reader.get());
    }

    public boolean isOpen() {
        return reader.get() != null;
    }

    /**
     * Returns the reader; blocks if the file is not open.
     *
     * @throws IOException if the file cannot be opened; also any other exception of the opening
     */
    public R get() throws IOException {
        R known = reader.get();
        if (known != null) {
            return known;
        }
        NonBlocking.check();
        R opened = opening.open();
        return reader.compareAndSet(null, opened) ? opened : requireNonNull(reader.get());
    }
}
