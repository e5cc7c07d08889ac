package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ParallelReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A holder of a file's reader, which opens the file at the first use and keeps the reader, until it
 * is closed to limit memory ({@link OpenReaders}). After that or a failure, the next use opens the
 * file again. Thread-safe; concurrent first uses may each open the file, and one reader is kept.
 *
 * @param <R> the type of the reader
 */
public abstract class LazyReader<R> {
    // There is a holder for every file: an AtomicReference each would cost as much as the holder
    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<LazyReader, Object> READER =
            AtomicReferenceFieldUpdater.newUpdater(LazyReader.class, Object.class, "reader");

    static final long UNKNOWN = -1;

    private volatile @Nullable Object reader; // an R
    private boolean used; // since the last look; a lost update does no harm

    /** Opens the file; blocks. */
    abstract R open() throws IOException;

    /** Called with the reader that is kept, once after each opening. */
    void opened(R kept) {}

    /** The number of versions that a compaction may drop, if it is known; else {@link #UNKNOWN}. */
    long staleCount() {
        return UNKNOWN;
    }

    /**
     * Opens the readers that are not open, in parallel. This is a hint: a failure is thrown only at
     * the reader's use.
     *
     * @return the readers in the same order, null where one could not be opened. They stay open for
     *     the caller, also if their holders close some of them because of the limit of open readers
     */
    public static <R> List<@Nullable R> openAll(
            List<? extends LazyReader<? extends R>> holders, ParallelReads reads)
            throws IOException {
        AtomicReferenceArray<@Nullable R> open = new AtomicReferenceArray<>(holders.size());
        List<ParallelReads.Read> closed = new ArrayList<>();
        for (int i = 0; i < open.length(); i++) {
            int place = i;
            LazyReader<? extends R> holder = holders.get(i);
            holder.find()
                    .ifPresentOrElse(
                            reader -> open.set(place, reader),
                            () -> closed.add(() -> open.set(place, holder.get())));
        }
        if (!closed.isEmpty()) {
            reads.tryAll(closed);
        }
        List<@Nullable R> opened = new ArrayList<>();
        for (int i = 0; i < open.length(); i++) {
            opened.add(open.get(i));
        }
        return opened;
    }

    /** A holder of an open reader. */
    public static <R> LazyReader<R> of(R open) {
        requireNonNull(open, "open is null");
        LazyReader<R> holder =
                new LazyReader<>() {
                    @Override
                    R open() {
                        return open;
                    }
                };
        holder.reader = open;
        return holder;
    }

    /** The reader, if the file is open. */
    public Optional<R> find() {
        return Optional.ofNullable(present());
    }

    public boolean isOpen() {
        return reader != null;
    }

    /**
     * Returns the reader; blocks if the file is not open.
     *
     * @throws IOException if the file cannot be opened; also any other exception of the opening
     */
    public R get() throws IOException {
        R known = present();
        if (known != null) {
            return known;
        }
        NonBlocking.check();
        R newest = open();
        if (READER.compareAndSet(this, null, newest)) {
            opened(newest);
            return newest;
        }
        R other = present();
        return other == null ? newest : other;
    }

    /** Whether the reader was used since the last call. */
    boolean takeUse() {
        boolean wasUsed = used;
        used = false;
        return wasUsed;
    }

    /** Forgets the reader; those who have it may use it further. */
    void close() {
        reader = null;
    }

    @SuppressWarnings("unchecked")
    private @Nullable R present() {
        if (!used) {
            used = true;
        }
        return (R) reader;
    }
}
