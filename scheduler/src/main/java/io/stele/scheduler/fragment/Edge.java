package io.stele.scheduler.fragment;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.WorkUnit;
import io.stele.scheduler.YieldSignal;
import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The pull-based connection between a query fragment that produces batches and its consumer
 * (Hologres, section 4.3). The producer works on its context only while a pull waits for a batch,
 * or to produce a limited number of batches ahead.
 *
 * <p>Invariant: every pull completes exactly once, with a batch, the end, a {@link
 * FragmentException} or a {@link CancellationException}, in the order of the pulls; the source is
 * closed exactly once; at most {@code prefetch} batches are buffered.
 *
 * <p>Threads: {@link #pull}, {@link #resume} and {@link #cancel} may be called from any thread.
 * Pulls complete on the producer's context, so dependent stages should only submit work to another
 * context. The context must be cancelled after the edge, not instead of it.
 */
public final class Edge<B> {
    private final String fragment;
    private final ExecutionContext context;
    private final BatchSource<B> source;
    private final EdgeOptions options;
    private final ToLongFunction<B> sizeBytes;
    private final AtomicInteger outstanding = new AtomicInteger();
    private final AtomicBoolean cancelling = new AtomicBoolean();

    // Confined to the context.
    private final ArrayDeque<CompletableFuture<Pulled<B>>> waiting = new ArrayDeque<>();
    private final ArrayDeque<B> buffer = new ArrayDeque<>();
    private long bufferedBytes;
    private boolean producing; // a work unit is queued in the context
    private boolean blocked; // the source waits for {@link #resume}
    private boolean ended; // the source is closed
    private @Nullable RuntimeException failure; // instead of a regular end

    /**
     * @param fragment the name of the producer, for errors
     * @param context runs the producer
     * @param sizeBytes memory of a batch in bytes
     */
    public Edge(
            String fragment,
            ExecutionContext context,
            BatchSource<B> source,
            EdgeOptions options,
            ToLongFunction<B> sizeBytes) {
        this.fragment = requireNonNull(fragment, "fragment is null");
        this.context = requireNonNull(context, "context is null");
        this.source = requireNonNull(source, "source is null");
        this.options = requireNonNull(options, "options is null");
        this.sizeBytes = requireNonNull(sizeBytes, "sizeBytes is null");
    }

    /**
     * Pulls the next batch. After the end every pull returns the end again.
     *
     * @throws IllegalStateException if the number of waiting pulls equals the credits
     */
    public CompletableFuture<Pulled<B>> pull() {
        if (outstanding.incrementAndGet() > options.credits()) {
            outstanding.decrementAndGet();
            throw new IllegalStateException(
                    "Expected at most %d pulls from fragment %s at once, found one more"
                            .formatted(options.credits(), fragment));
        }
        CompletableFuture<Pulled<B>> pull = new CompletableFuture<>();
        context.start(
                onContext(
                        () -> {
                            waiting.add(pull);
                            answer();
                            produce();
                        },
                        () -> fail(pull, cancellation())));
        return pull;
    }

    /** The most pulls that may wait at once. */
    int credits() {
        return options.credits();
    }

    /** Called when the event for which the source waited has happened. */
    public void resume() {
        context.execute(
                () -> {
                    blocked = false;
                    produce();
                });
    }

    /**
     * Cancels waiting and later pulls, and closes the source. Does nothing after the end, or after
     * an earlier call.
     */
    public void cancel() {
        if (cancelling.compareAndSet(false, true)) {
            context.start(onContext(this::cancelHere, this::cancelHere));
        }
    }

    private void cancelHere() {
        if (!ended) {
            endWith(cancellation());
        }
        dropBuffer();
        answer();
    }

    /** Starts producing a batch if one is wanted and none is being produced. */
    private void produce() {
        if (!producing && wantsMore()) {
            producing = true;
            context.start(
                    new WorkUnit() {
                        @Override
                        public boolean step(YieldSignal signal) {
                            return makeBatch(signal);
                        }

                        @Override
                        public void cancelled() {
                            producing = false;
                            cancelHere();
                        }
                    });
        }
    }

    private boolean wantsMore() {
        return !ended
                && !blocked
                && (!waiting.isEmpty()
                        || (buffer.size() < options.prefetch()
                                && bufferedBytes < options.bufferedBytes()));
    }

    /** Does one step; returns true when there is nothing to do now. */
    private boolean makeBatch(YieldSignal signal) {
        if (cancelling.get()) {
            cancelHere(); // the task for it waits behind this unit
        }
        if (!wantsMore()) {
            producing = false;
            return true;
        }
        // A resume during this call is a task behind this step.
        try {
            switch (source.next(signal)) {
                case Produced.Batch<B>(B batch) -> {
                    buffer.add(batch);
                    bufferedBytes += sizeBytes.applyAsLong(batch);
                }
                case Produced.Working<B>() -> {}
                case Produced.Waiting<B>() -> blocked = true;
                case Produced.End<B>() -> endWith(null);
            }
        } catch (Throwable failed) {
            endWith(FragmentException.of(fragment, failed));
        }
        answer();
        producing = wantsMore();
        return !producing;
    }

    private void endWith(@Nullable RuntimeException newFailure) {
        ended = true;
        failure = newFailure;
        try {
            source.close();
        } catch (RuntimeException broken) {
            if (failure == null) {
                failure = FragmentException.of(fragment, broken);
            } else {
                failure.addSuppressed(broken);
            }
        }
        if (failure != null) {
            dropBuffer();
        }
    }

    private void dropBuffer() {
        buffer.clear();
        bufferedBytes = 0;
    }

    private void answer() {
        while (!waiting.isEmpty()) {
            B batch = buffer.poll();
            if (batch != null) {
                bufferedBytes -= sizeBytes.applyAsLong(batch);
                complete(waiting.remove(), Pulled.batch(batch));
            } else if (!ended) {
                return;
            } else if (failure != null) {
                fail(waiting.remove(), failure);
            } else {
                complete(waiting.remove(), Pulled.theEnd());
            }
        }
    }

    // The credit is returned first, because a dependent stage of the pull may pull again.
    private void complete(CompletableFuture<Pulled<B>> pull, Pulled<B> answer) {
        outstanding.decrementAndGet();
        pull.complete(answer);
    }

    private void fail(CompletableFuture<Pulled<B>> pull, RuntimeException why) {
        outstanding.decrementAndGet();
        pull.completeExceptionally(why);
    }

    private CancellationException cancellation() {
        return new CancellationException("Fragment " + fragment + " is cancelled");
    }

    private static WorkUnit onContext(Runnable action, Runnable whenCancelled) {
        return new WorkUnit() {
            @Override
            public boolean step(YieldSignal signal) {
                action.run();
                return true;
            }

            @Override
            public void cancelled() {
                whenCancelled.run();
            }
        };
    }
}
