package io.stele.cache;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * An account of one piece of work, such as the scan of a split: its requests to a store, and the
 * bytes that it had from the store, from the data cache on disk, and from caches in memory. Caches
 * and stores count what they deliver in the account of the present thread, if it has one. Who hands
 * work to another thread hands the account over, by {@link #carry}. Bytes that other work had
 * requested already are in that work's account only. Thread-safe.
 *
 * <p>Rounds are the longest chain of requests of which each began after the one before had ended:
 * the round trips that the work waits for, if it does not compute meanwhile.
 */
public final class ReadAccount {
    private static final ScopedValue<ReadAccount> CURRENT = ScopedValue.newInstance();

    private final LongAdder requests = new LongAdder();
    private final LongAdder hedges = new LongAdder();
    private final LongAdder storeBytes = new LongAdder();
    private final LongAdder diskBytes = new LongAdder();
    private final LongAdder memoryBytes = new LongAdder();

    @GuardedBy("this")
    private long rounds; // the highest of an ended request

    /** Work of any kind, with its failures. */
    @FunctionalInterface
    public interface Work<T, X extends Exception> {
        T run() throws X;
    }

    /** A request to a store in an account, or in none. */
    public static final class Request {
        private static final Request OF_NONE = new Request(null, 0);

        private final @Nullable ReadAccount account;
        private final long round;

        private Request(@Nullable ReadAccount account, long round) {
            this.account = account;
            this.round = round;
        }

        /**
         * Counts the end of the request.
         *
         * @param bytes that it brought; 0 after a failure
         */
        public void ended(long bytes) {
            if (account != null) {
                account.ended(round, bytes);
            }
        }
    }

    /** The account of the present thread's work. */
    public static Optional<ReadAccount> current() {
        return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
    }

    /** Begins a request of the present thread's work; the caller calls {@link Request#ended}. */
    public static Request request() {
        return CURRENT.isBound() ? CURRENT.get().begin() : Request.OF_NONE;
    }

    /** Counts bytes that the present thread's work had from a disk cache. */
    public static void fromDisk(long bytes) {
        if (CURRENT.isBound()) {
            CURRENT.get().diskBytes.add(bytes);
        }
    }

    /** Counts bytes that the present thread's work had from memory. */
    public static void fromMemory(long bytes) {
        if (CURRENT.isBound()) {
            CURRENT.get().memoryBytes.add(bytes);
        }
    }

    /** The same work for another thread, in the account of the present thread. */
    public static Runnable carry(Runnable work) {
        requireNonNull(work, "work is null");
        if (!CURRENT.isBound()) {
            return work;
        }
        ReadAccount account = CURRENT.get();
        return () -> account.run(work);
    }

    /** Runs work of this account on the present thread. */
    public void run(Runnable work) {
        if (isCurrent()) {
            work.run();
        } else {
            ScopedValue.where(CURRENT, this).run(work);
        }
    }

    /** Runs work of this account on the present thread. */
    public <T, X extends Exception> T call(Work<T, X> work) throws X {
        return isCurrent() ? work.run() : ScopedValue.where(CURRENT, this).call(work::run);
    }

    private boolean isCurrent() {
        return CURRENT.isBound() && CURRENT.get() == this;
    }

    /** Begins a request; the caller calls {@link Request#ended}. */
    public Request begin() {
        requests.increment();
        synchronized (this) {
            return new Request(this, rounds + 1);
        }
    }

    /** Counts a second request for a range whose first request is late; it is no round. */
    public void hedged() {
        requests.increment();
        hedges.increment();
    }

    private void ended(long round, long bytes) {
        storeBytes.add(bytes);
        synchronized (this) {
            rounds = Math.max(rounds, round);
        }
    }

    /** Requests to the store, with hedges and repetitions. */
    public long requests() {
        return requests.sum();
    }

    /** The longest chain of requests in turn. */
    public synchronized long rounds() {
        return rounds;
    }

    /** Requests that were sent because another one was late. */
    public long hedges() {
        return hedges.sum();
    }

    /** Bytes that the store delivered, also those that were never read. */
    public long storeBytes() {
        return storeBytes.sum();
    }

    /** Bytes from the data cache on disk. */
    public long diskBytes() {
        return diskBytes.sum();
    }

    /** Bytes of values found in caches in memory. */
    public long memoryBytes() {
        return memoryBytes.sum();
    }
}
