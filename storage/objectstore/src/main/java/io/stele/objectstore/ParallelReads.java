package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An executor of batches of independent reads of an object store. The reads are parallel where the
 * store is worth reading ahead of; elsewhere they are sequential. Immutable and thread-safe.
 *
 * <p>The caller takes part, so that a call ends even if no thread of the executor ever begins.
 */
public final class ParallelReads {
    /**
     * Of one call: two dozen columns of some row groups. All calls together have the helpers of the
     * store, and do the rest themselves.
     */
    private static final int MAX_PARALLEL = 128;

    /** Of hints: more than chance, fewer than an outage has. */
    private static final int MAX_FAILURES = 4;

    private final Optional<ReadingAhead> ahead;

    private ParallelReads(Optional<ReadingAhead> ahead) {
        this.ahead = requireNonNull(ahead, "ahead is null");
    }

    /** Of objects of a store. */
    public static ParallelReads of(ObjectStore store) {
        return new ParallelReads(store.readingAhead());
    }

    /** Whether reads are done side by side, so that it is worth to find out what will be read. */
    public boolean isParallel() {
        return ahead.isPresent();
    }

    /** A read that blocks. */
    @FunctionalInterface
    public interface Read {
        void run() throws IOException;
    }

    /**
     * Runs all reads. After a failure no further one is started. Running ones are waited for,
     * unless this thread is interrupted: then they continue, and their results are dropped.
     *
     * @throws IOException of the first that failed; so are unchecked exceptions and errors
     * @throws InterruptedIOException if this thread is interrupted while it waits for others
     */
    public void runAll(List<? extends Read> reads) throws IOException {
        NonBlocking.check();
        if (ahead.isEmpty() || reads.size() < 2) {
            for (Read read : reads) {
                read.run();
            }
            return;
        }
        Batch batch = new Batch(reads);
        int wanted = Math.min(reads.size(), MAX_PARALLEL) - 1;
        try {
            for (int i = 0; i < wanted && ahead.get().tryHelp(batch::work); i++) {
                // as many as there are
            }
        } catch (RuntimeException | Error failed) {
            batch.fail(failed); // some may be under way
        }
        batch.work();
        batch.await();
    }

    /**
     * As {@link #runAll}, of reads that are hints: one that fails is left to the caller that needs
     * what it reads, which reads it again and fails then. After some failures of the store the rest
     * is not begun: in an outage each takes as long as its retries do.
     */
    public void tryAll(List<? extends Read> reads) throws IOException {
        AtomicInteger failures = new AtomicInteger();
        runAll(
                reads.stream()
                        .map(
                                read ->
                                        hint(
                                                () -> {
                                                    if (failures.get() < MAX_FAILURES) {
                                                        counting(read, failures);
                                                    }
                                                }))
                        .toList());
    }

    private static void counting(Read read, AtomicInteger failures) throws IOException {
        try {
            read.run();
        } catch (NoSuchFileException | EOFException ofOne) {
            throw ofOne;
        } catch (IOException away) {
            failures.incrementAndGet();
            throw away;
        }
    }

    /** The same read as a hint: see {@link #tryAll}. */
    public static Read hint(Read read) {
        return () -> {
            try {
                read.run();
            } catch (IOException | SteleException failed) {
                // Time-outs of sockets are InterruptedIOExceptions, too
                if (failed instanceof InterruptedIOException
                        && Thread.currentThread().isInterrupted()) {
                    throw failed;
                }
            }
        };
    }

    /** The reads of one call. Guarded by its own lock, which is not held while reading. */
    private static final class Batch {
        private final List<? extends Read> reads;
        private int next;
        private int running;
        private @Nullable Throwable failure;

        private Batch(List<? extends Read> reads) {
            this.reads = List.copyOf(reads);
        }

        private void work() {
            for (Read read = take(); read != null; read = take()) {
                Throwable failed = null;
                try {
                    read.run();
                } catch (Throwable thrown) {
                    failed = thrown; // the caller's
                }
                ended(failed);
            }
        }

        private synchronized @Nullable Read take() {
            if (failure != null || next == reads.size()) {
                return null;
            }
            running++;
            return reads.get(next++);
        }

        private synchronized void ended(@Nullable Throwable failed) {
            running--;
            if (failed != null) {
                fail(failed);
            }
            notifyAll();
        }

        private synchronized void fail(Throwable failed) {
            if (failure == null) {
                failure = failed;
            }
        }

        private synchronized void await() throws IOException {
            while (running > 0) {
                try {
                    wait();
                } catch (InterruptedException stopped) {
                    next = reads.size();
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("Interrupted while reading");
                }
            }
            Failures.throwAny(failure, "A read failed");
        }
    }
}
