package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous fetch of one range from a remote store into its target: admission, the request,
 * a hedge if the request is late, and retries after failures.
 *
 * <p>A first request writes into the target itself, unless the target is large and on the heap. A
 * hedge writes into a buffer of a pool, which {@link #finish} copies if the hedge won. {@link
 * #ended} completes once, when the target is not written to any more. So it waits for a cancelled
 * or beaten first request, as long as the source needs to end that request.
 *
 * <p>Thread-safe, guarded by itself; the source, the target and the executor are called without the
 * lock.
 *
 * <p>Invariant: at most one first request and one hedge are under way; at most one hedge's answer
 * ever begins, unless it is cancelled too late. Invariant: the ticket, the timer, the reservation
 * and the buffer of the hedge are released exactly once.
 */
final class RangeFetch {
    /**
     * From this size on, a target on the heap is filled by one copy from an off-heap buffer. A copy
     * of more than 2.5 MB bypasses the processor's caches; small copies, one for each read of the
     * socket, would first load the memory that they overwrite.
     */
    private static final int BULK_BYTES = 3 << 20;

    /** The time of the first check before there are measurements. */
    private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The time to the next check of a request that was late but was not hedged. */
    private static final long NEXT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final FetchServices services;
    private final RangeRequest request;
    private final RangeTarget target;
    private final Optional<ReadAccount> account = ReadAccount.current(); // of the reader
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private Admission.@Nullable Ticket ticket;
    private Timers.@Nullable Timer timer;
    private @Nullable Run first;
    private @Nullable Run hedge;
    private @Nullable Run winner;
    private @Nullable IOException failure;
    private int failures;
    private boolean cancelled;
    private boolean settled; // the hedge's reservation
    private boolean finished; // the target is not written to any more

    RangeFetch(FetchServices services, RangeRequest request, RangeTarget target) {
        this.services = requireNonNull(services, "services is null");
        this.request = requireNonNull(request, "request is null");
        this.target = requireNonNull(target, "target is null");
    }

    /** Enters the admission queue; called once. This thread may send the request. */
    void start() {
        Admission.Ticket own = services.admission.enter(request.range().length(), this::sendFirst);
        boolean over;
        synchronized (this) {
            ticket = own;
            over = finished;
        }
        if (over) {
            own.giveBack();
        }
    }

    /** Completes, never with a failure, when the fetch has ended. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Cancels the requests; {@link #ended} completes soon. Does nothing after the end. */
    void cancel() {
        Runnable after;
        synchronized (this) {
            if (winner != null || failure != null || cancelled) {
                return;
            }
            cancelled = true;
            after = settle();
        }
        after.run();
    }

    /**
     * Called after the end: copies the bytes to their target, if they are not there yet.
     *
     * @return the version that was read; empty if it was cancelled
     * @throws IOException the source's failure, with the earlier ones as suppressed
     */
    Optional<ObjectVersion> finish() throws IOException {
        Run won;
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            won = winner;
        }
        if (won == null) {
            return Optional.empty();
        }
        ObjectVersion version = requireNonNull(won.version);
        ByteBuffer from = won.buffer;
        if (from != null) {
            try {
                target.of(version, won.length).put(from.clear().limit(won.length));
            } finally {
                won.giveBackBuffer();
            }
        }
        return Optional.of(version);
    }

    private void sendFirst() {
        Run run = new Run(false);
        synchronized (this) {
            if (isDecided()) {
                return; // cancelled while it waited
            }
            first = run;
            timer = null;
        }
        run.send();
        lookAfter(run);
    }

    private void sendAgain() {
        services.counters.retries.increment();
        sendFirst();
    }

    /** Sets the timer for the next check of a request. */
    private void lookAfter(Run run) {
        synchronized (this) {
            if (hedge != null || run != first || run.over || isDecided()) {
                return;
            }
            long delay =
                    services.history
                            .usual()
                            .map(
                                    usual ->
                                            HedgePolicy.checkAfterNanos(
                                                            usual, run.version != null, bytes(run))
                                                    - elapsedNanos(run))
                            .orElse(FIRST_LOOK_NANOS);
            long wait = delay > 0 ? delay : NEXT_LOOK_NANOS;
            long dueNanos = services.now() + wait;
            stopTimer();
            timer =
                    services.runtime
                            .timers()
                            .schedule(
                                    wait,
                                    () ->
                                            services.runtime
                                                    .executor()
                                                    .execute(() -> look(run, dueNanos)));
        }
    }

    /** The time since the start of a request, without the delay that this process itself caused. */
    private long elapsedNanos(Run run) {
        return services.now() - run.startNanos - run.excusedNanos;
    }

    private void look(Run run, long dueNanos) {
        Run second = null;
        synchronized (this) {
            if (hedge != null || run != first || run.over || isDecided()) {
                return;
            }
            timer = null;
            run.excusedNanos =
                    HedgePolicy.excusedNanos(run.excusedNanos, services.now() - dueNanos);
            if (isLate(run)) {
                if (!services.budget.reserve(request.range().length())) {
                    services.counters.hedgesRefused.increment();
                    return;
                }
                second = new Run(true);
                hedge = second;
            }
        }
        if (second == null) {
            lookAfter(run);
        } else {
            services.counters.hedges.increment();
            second.send();
        }
    }

    private boolean isLate(Run run) {
        return services.history
                .usual()
                .map(
                        usual ->
                                HedgePolicy.isLate(
                                        usual,
                                        elapsedNanos(run),
                                        run.version != null,
                                        run.receivedBytes(),
                                        bytes(run)))
                .orElse(false);
    }

    private long bytes(Run run) {
        return run.version == null ? request.range().length() : run.length;
    }

    /**
     * Ends the hedge when the first request's response begins before the hedge's: the request was
     * not late after all, or the hedge is no better. The hedge costs nothing if it ends now, and
     * another one may follow.
     */
    private @Nullable Run retireHedge() {
        Run early = hedge;
        if (early == null || early.over || early.version != null || isDecided()) {
            return null;
        }
        early.cancelled = true;
        hedge = null;
        services.budget.settle(request.range().length(), 0);
        return early;
    }

    private boolean isDecided() {
        return winner != null || failure != null || cancelled;
    }

    /** Called when a request has ended, with success or failure. */
    private void over(Run run, @Nullable IOException cause) {
        Runnable after;
        boolean won;
        synchronized (this) {
            run.over = true;
            after = cause == null ? succeeded(run) : failed(run, cause);
            won = run == winner;
            if (won || !run.isHedge) {
                long bytes = won ? run.length : 0;
                requireNonNull(first).counted.ifPresent(asked -> asked.ended(bytes));
            }
        }
        if (cause == null) {
            learn(run);
        }
        if (!won) {
            run.giveBackBuffer();
        }
        after.run();
    }

    private void learn(Run run) {
        long now = services.now();
        services.meter.add(run.length, now);
        services.learn(
                new RequestSample(
                        run.length, run.firstByteNanos - run.startNanos, now - run.startNanos));
    }

    private Runnable succeeded(Run run) {
        if (!isDecided()) {
            winner = run;
            failure = null;
            services.counters.bytes.add(run.length);
            services.budget.want(run.length);
            if (run.isHedge) {
                services.counters.hedgeWins.increment();
            }
        }
        return settle();
    }

    private Runnable failed(Run run, IOException cause) {
        if (isDecided() || run.cancelled) {
            return settle();
        }
        boolean another = isUnderWay(run == hedge ? first : hedge);
        if (!(cause instanceof TransientReadException)) {
            failure = cause;
            return settle();
        }
        failures++;
        if (another) {
            return settle(); // the other one continues as the first
        }
        if (!services.retries.allowsAnother(failures)) {
            failure = cause;
            return settle();
        }
        stopTimer();
        timer =
                services.runtime
                        .timers()
                        .schedule(
                                services.retries.pauseNanos(failures, services.runtime.random()),
                                () -> services.runtime.executor().execute(this::sendAgain));
        return settle();
    }

    private static boolean isUnderWay(@Nullable Run run) {
        return run != null && !run.over;
    }

    /** The actions that follow from the present state, to be run without the lock. */
    private Runnable settle() {
        settleBudget();
        if (!isDecided()) {
            return () -> {};
        }
        stopTimer();
        Run loser = winner != null && winner == first ? hedge : first;
        Run other = winner == null ? hedge : null;
        boolean cancelsLoser = isUnderWay(loser) && !requireNonNull(loser).cancelled;
        boolean cancelsOther = isUnderWay(other) && !requireNonNull(other).cancelled;
        if (cancelsLoser) {
            requireNonNull(loser).cancelled = true;
        }
        if (cancelsOther) {
            requireNonNull(other).cancelled = true;
        }
        // A hedge never writes into the target: its end need not be waited for
        boolean ends = !isUnderWay(first) && !finished;
        finished |= ends;
        Admission.Ticket given = ends ? ticket : null;
        return () -> {
            if (cancelsLoser) {
                requireNonNull(loser).cancelAttempt();
            }
            if (cancelsOther) {
                requireNonNull(other).cancelAttempt();
            }
            if (ends) {
                if (given != null) {
                    given.giveBack();
                }
                ended.complete(null);
            }
        };
    }

    /** The number of bytes that arrived twice is known only when both requests are over. */
    private void settleBudget() {
        Run second = hedge;
        if (second == null || settled || !second.over || isUnderWay(first)) {
            return;
        }
        settled = true;
        Run beaten = winner == second ? first : second;
        services.budget.settle(
                request.range().length(), beaten == null ? 0 : beaten.receivedBytes());
    }

    private void stopTimer() {
        Timers.Timer set = timer;
        timer = null;
        if (set != null) {
            set.cancel();
        }
    }

    /** One request. Its state is guarded by the fetch. */
    private final class Run implements RangeSource.Listener {
        private final boolean isHedge;
        private @Nullable BufferPool pool; // that the buffer is of
        private @Nullable ByteBuffer buffer; // where the answer goes, if not into the target
        private RangeSource.@Nullable Attempt attempt;
        private @Nullable ObjectVersion version;
        private int length;
        private long startNanos;
        private long firstByteNanos;
        private long excusedNanos; // of its time, for which this process was late
        private boolean cancelled;
        private boolean over;
        private Optional<ReadAccount.Request> counted = Optional.empty(); // unless it is a hedge

        private Run(boolean isHedge) {
            this.isHedge = isHedge;
            this.startNanos = services.now();
        }

        private void send() {
            services.counters.requests.increment();
            if (isHedge) {
                account.ifPresent(ReadAccount::hedged);
            } else {
                counted = account.map(ReadAccount::begin);
            }
            RangeSource.Attempt started;
            try {
                started = services.source.start(request, this);
            } catch (RuntimeException e) {
                failed(new IOException("Cannot ask for " + request, e));
                return;
            }
            boolean unwanted;
            synchronized (RangeFetch.this) {
                attempt = started;
                unwanted = cancelled;
            }
            if (unwanted) {
                started.cancel();
            }
        }

        private void cancelAttempt() {
            RangeSource.Attempt started;
            synchronized (RangeFetch.this) {
                started = attempt;
            }
            if (started != null) { // else the sending thread finds that it is cancelled
                started.cancel();
            }
        }

        private long receivedBytes() {
            RangeSource.Attempt started = attempt;
            return started == null ? 0 : started.receivedBytes();
        }

        private void giveBackBuffer() {
            ByteBuffer own;
            BufferPool from;
            synchronized (RangeFetch.this) {
                own = buffer;
                from = pool;
                buffer = null;
            }
            if (own != null && from != null) {
                from.giveBack(own);
            }
        }

        @Override
        public ByteBuffer begins(ObjectVersion answered, int answeredLength) throws IOException {
            Run early;
            synchronized (RangeFetch.this) {
                version = answered;
                length = answeredLength;
                firstByteNanos = services.now();
                early = this == first ? retireHedge() : null;
            }
            if (early != null) {
                early.cancelAttempt();
                lookAfter(this);
            }
            Optional<ByteBuffer> own = Optional.empty();
            if (isHedge) {
                own = take(services.hedgeBuffers);
                if (own.isEmpty()) {
                    services.counters.hedgesRefused.increment();
                    throw new TransientReadException("All buffers for hedges are in use");
                }
            } else if (answeredLength >= BULK_BYTES && !target.isDirect()) {
                own = take(services.bulkBuffers);
            }
            return own.isPresent() ? own.get() : target.of(answered, answeredLength);
        }

        private Optional<ByteBuffer> take(BufferPool buffers) {
            Optional<ByteBuffer> taken = buffers.take(length);
            synchronized (RangeFetch.this) {
                pool = buffers;
                buffer = taken.orElse(null);
            }
            return taken;
        }

        @Override
        public void completed() {
            RangeFetch.this.over(this, null);
        }

        @Override
        public void failed(IOException cause) {
            RangeFetch.this.over(this, cause);
        }
    }
}
