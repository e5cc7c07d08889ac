package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The limits of read-ahead for all scans and compactions of one remote store, which balance
 * retrieval and processing (AnyBlob's object scheduler, PVLDB 2023, section 4). A processor is a
 * scan or compaction that reads objects in order. The bytes ahead of its position, fetched or in
 * flight, are twice what it will process during one fetch, and no more than the network can
 * deliver.
 *
 * <pre>
 * bytes ahead = 2 * min(processed bytes/s while there is something, retrieved bytes/s) * latency
 * </pre>
 *
 * <p>The latency is measured only by fetches that began while few other fetches were in flight.
 * Else it would include the queue of this process, and a full network would make that queue ever
 * longer. If the store becomes slower, fewer bytes are retrieved and ahead, and fetches without a
 * queue occur again.
 *
 * <p>So work that computes much holds little memory and few requests. Work that waits for the store
 * gets more requests as long as they reduce the wait, up to the limit of the store. Threads are not
 * moved to retrieval, as in AnyBlob: requests need none here.
 *
 * <p>Thread-safe, guarded by itself; of foreign code only the clock is called under the lock. Room
 * that one processor returns while another processor wants it is offered to the other at once,
 * because it may be a scan without a thread at present, which would not request it.
 *
 * <p>Invariant: aheadBytes is the sum of the processors' bytes ahead. It is at most maxBytes plus
 * one range of each processor, which it needs to continue.
 */
public final class RetrievalBalance {
    /**
     * The factor of AnyBlob: work must not wait because a request took longer than the usual one.
     */
    private static final double ROOM = 2;

    /**
     * Room of a processor before its speed is measured, in bytes: a request of the largest size.
     */
    static final long INITIAL_BYTES = 16 << 20;

    /** Up to this many fetches at a time form no queue, or a short one. */
    private static final int QUIET_FETCHES = 8;

    private final long maxBytes;
    private final LongSupplier nanoTime;
    private final ThroughputMeter retrieved;
    private final LatencyHistory history = new LatencyHistory();
    private final Set<Processor> processors = new HashSet<>();
    private LatencyFit latency = LatencyFit.S3; // until the first measurement
    private long usualBytes = 1 << 20; // of a fetch
    private int inFlight;
    private long aheadBytes;
    private long refused;

    /**
     * @param maxBytes ahead of all processors together
     * @param nanoTime never goes back
     */
    public RetrievalBalance(long maxBytes, LongSupplier nanoTime) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("Expected at least 1 byte, found " + maxBytes);
        }
        this.maxBytes = maxBytes;
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.retrieved = new ThroughputMeter(nanoTime.getAsLong());
    }

    /**
     * Opens a processor for a compaction, which requests room again whenever it has processed some.
     */
    public Processor open() {
        return open(() -> {});
    }

    /**
     * Opens a processor for a scan of a split, which may wait without a thread while other
     * processors return room.
     *
     * @param mayBegin called by any thread, without a lock of this, when there may be room for a
     *     range that was refused because other processors had the room; must not block
     */
    public Processor open(Runnable mayBegin) {
        Processor processor = new Processor(nanoTime.getAsLong(), mayBegin);
        synchronized (this) {
            processors.add(processor);
        }
        return processor;
    }

    /**
     * A consumer of retrieved bytes. Its methods may be called by any thread; calls after {@link
     * #close} have no effect.
     */
    public final class Processor implements AutoCloseable {
        private final ProcessingRate rate = new ProcessingRate();
        private long seenNanos;
        private long seenBytes;
        private long seenWaitedNanos;
        private final Runnable mayBegin;
        private boolean isWaiting;
        private boolean wantsRoom; // that others had
        private long ahead;

        private Processor(long nowNanos, Runnable mayBegin) {
            this.seenNanos = nowNanos;
            this.mayBegin = requireNonNull(mayBegin, "mayBegin is null");
        }

        /**
         * Requests room to fetch a range. A processor with nothing ahead is never refused. So one
         * range of any size can always be fetched while another is processed.
         *
         * @return whether the fetch may begin now; else the caller requests again when it has
         *     {@link #processed} more bytes
         */
        public boolean begin(long bytes) {
            synchronized (RetrievalBalance.this) {
                boolean isOpen = processors.contains(this);
                boolean begins =
                        ahead == 0 || (ahead + bytes <= window(this) && fits(bytes)) || bytes == 0;
                wantsRoom = isOpen && !begins && !fits(bytes);
                if (!isOpen || !begins) {
                    refused++;
                    return false;
                }
                ahead += bytes;
                aheadBytes += bytes;
                return true;
            }
        }

        /** Returns the room of bytes that are now being processed, or whose fetch was given up. */
        public void reached(long bytes) {
            List<Runnable> others = List.of();
            synchronized (RetrievalBalance.this) {
                long given = Math.min(ahead, bytes);
                if (given > 0 && processors.contains(this)) {
                    ahead -= given;
                    aheadBytes -= given;
                    others = takeWanting(this);
                }
            }
            others.forEach(Runnable::run);
        }

        /**
         * Reports its work since it was opened.
         *
         * @param bytes processed since it was opened
         * @param waitedNanos the time since it was opened in which it waited for data, without the
         *     pauses after {@link #waits}
         */
        public void processed(long bytes, long waitedNanos) {
            long now = nanoTime.getAsLong();
            synchronized (RetrievalBalance.this) {
                if (!isWaiting) {
                    long busy = now - seenNanos - (waitedNanos - seenWaitedNanos);
                    rate.add(Math.max(0, bytes - seenBytes), Math.max(0, busy));
                    seenBytes = bytes;
                }
                seenNanos = now;
                seenWaitedNanos = waitedNanos;
            }
        }

        /**
         * Begins a pause until {@link #resumes}, in which the processor waits for the store; the
         * pause does not count as work.
         *
         * @param bytes processed since it was opened
         */
        public void waits(long bytes) {
            processed(bytes, seenWaitedNanos);
            synchronized (RetrievalBalance.this) {
                isWaiting = true;
            }
        }

        /** Ends a pause after {@link #waits}. */
        public void resumes() {
            long now = nanoTime.getAsLong();
            synchronized (RetrievalBalance.this) {
                if (isWaiting) {
                    isWaiting = false;
                    seenNanos = now;
                }
            }
        }

        /** Returns all its room. */
        @Override
        public void close() {
            List<Runnable> others = List.of();
            synchronized (RetrievalBalance.this) {
                if (processors.remove(this)) {
                    aheadBytes -= ahead;
                    ahead = 0;
                    others = takeWanting(this);
                }
            }
            others.forEach(Runnable::run);
        }
    }

    /**
     * The processors that may request again because {@code giver} returned room; {@code giver}
     * requests by itself.
     */
    private List<Runnable> takeWanting(Processor giver) {
        List<Runnable> wanting = new ArrayList<>();
        for (Processor other : processors) {
            if (other != giver && other.wantsRoom) {
                other.wantsRoom = false;
                wanting.add(other.mayBegin);
            }
        }
        return wanting;
    }

    /** A fetch of a range begins. */
    public Fetch fetching() {
        long now = nanoTime.getAsLong();
        synchronized (this) {
            inFlight++;
            return new Fetch(now, inFlight <= Math.max(QUIET_FETCHES, processors.size()));
        }
    }

    /** The fetch of one range, which is timed. */
    public final class Fetch {
        private final long startNanos;
        private final boolean isQuiet; // few others were under way
        private boolean isOver;

        private Fetch(long startNanos, boolean isQuiet) {
            this.startNanos = startNanos;
            this.isQuiet = isQuiet;
        }

        /**
         * Ends the fetch, after success or failure.
         *
         * @param bytes that came from the store: 0 if the fetch failed, or the range was cached
         */
        public void ended(long bytes) {
            long now = nanoTime.getAsLong();
            synchronized (RetrievalBalance.this) {
                if (isOver) {
                    return;
                }
                isOver = true;
                inFlight--;
                if (bytes > 0) {
                    retrieved.add(bytes, now);
                    if (isQuiet) {
                        learn(new RequestSample(bytes, now - startNanos, now - startNanos));
                    }
                }
            }
        }
    }

    /** Updates the latency with a fetch that did not wait for other fetches of this process. */
    private void learn(RequestSample sample) {
        if (history.add(sample)) {
            history.usual()
                    .ifPresent(
                            usual -> {
                                latency = usual.fit();
                                usualBytes = Math.max(1, usual.bytes());
                            });
        }
    }

    private boolean fits(long bytes) {
        return aheadBytes + bytes <= maxBytes;
    }

    /** The greatest number of bytes that a processor may have ahead. */
    private long window(Processor processor) {
        if (!processor.rate.isKnown()) {
            return Math.min(maxBytes, INITIAL_BYTES);
        }
        double own = processor.rate.bytesPerSecond();
        double all = processedBytesPerSecond();
        double network = retrieved.bytesPerSecond(nanoTime.getAsLong());
        // No bytes were fetched recently: all were cached, and the next ranges are unknown
        double rate = network == 0 ? own : own * Math.min(1, network / all);
        double nanos = latency.nanos(usualBytes);
        return (long)
                Math.clamp(ROOM * rate * nanos / TimeUnit.SECONDS.toNanos(1), 1, (double) maxBytes);
    }

    /** The throughput of all processors if none waited. */
    private double processedBytesPerSecond() {
        return processors.stream()
                .map(processor -> processor.rate)
                .filter(ProcessingRate::isKnown)
                .mapToDouble(ProcessingRate::bytesPerSecond)
                .sum();
    }

    /** Its statistics. */
    public synchronized BalanceStatistics statistics() {
        return new BalanceStatistics(
                processors.size(),
                aheadBytes,
                processors.stream().mapToLong(this::window).max().orElse(0),
                (long) processedBytesPerSecond(),
                (long) retrieved.bytesPerSecond(nanoTime.getAsLong()),
                latency.nanos(usualBytes) / 1e6,
                refused);
    }
}
