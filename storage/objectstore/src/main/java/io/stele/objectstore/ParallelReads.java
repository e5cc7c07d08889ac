package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.GapRule;
import io.stele.objectstore.retrieval.RangePlanner;
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
 * An executor of batches of independent reads of an object store. The reads run in parallel if the
 * store has read-ahead, and else one after the other. Immutable and thread-safe.
 *
 * <p>The caller takes part, so that a call ends even if no thread of the executor ever begins.
 */
public final class ParallelReads {
    /**
     * Parallel reads of one call: two dozen columns of some row groups. All calls share the helper
     * permits of the store; each caller does the remaining reads itself.
     */
    private static final int MAX_PARALLEL = 128;

    /**
     * Failures of hints after which the rest is skipped: more than chance causes, fewer than an
     * outage.
     */
    private static final int MAX_FAILURES = 4;

    private final Optional<ReadingAhead> ahead;

    private ParallelReads(Optional<ReadingAhead> ahead) {
        this.ahead = requireNonNull(ahead, "ahead is null");
    }

    /** The executor for reads of a store. */
    public static ParallelReads of(ObjectStore store) {
        return new ParallelReads(store.readingAhead());
    }

    /**
     * Whether reads run in parallel, so that it is worthwhile to find out which ranges will be
     * read.
     */
    public boolean isParallel() {
        return ahead.isPresent();
    }

    /**
     * A planner of the requests for several ranges. Gaps are worth a request by a rule and the
     * store's latencies. A request has at most twice the bytes of a gap, because the longest of
     * several parallel requests determines the time.
     */
    public RangePlanner planner(GapRule gap) {
        int gapBytes = ahead.map(present -> present.gapBytes(gap)).orElse(gap.startBytes());
        return new RangePlanner(gapBytes, 2 * gapBytes);
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
     * @throws IOException of the first read that failed; its unchecked exceptions and errors are
     *     thrown, too
     * @throws InterruptedIOException if this thread is interrupted while it waits for other
     *     threads' reads
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
                // until all wanted helpers run, or no permit is left
            }
        } catch (RuntimeException | Error failed) {
            batch.fail(failed); // some may be under way
        }
        batch.work();
        batch.await();
    }

    /**
     * Runs reads that are hints, as {@link #runAll} does. A failure of a hint is ignored: the
     * caller that needs its bytes reads them again, and fails then. After some failures of the
     * store the remaining hints are skipped, because in an outage each takes as long as its
     * retries.
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
