package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The work of an aggregation on one column file, or on a shard's rows outside column files, which
 * the caller's threads drive batch by batch. Nothing is read where the result is cached. Confined
 * to one thread at a time.
 */
public final class AggregatePart implements AutoCloseable {
    private final int index;
    private final AggregatePass pass;
    private final VectorSource source;
    private final Supplier<Aggregator> factory;
    private final @Nullable AggregateCacheLookup lookup; // null: the result is not cached
    private @Nullable Aggregator aggregator; // null before the first batch
    private long stateBytes; // last reported to the pass
    private boolean closed;

    AggregatePart(
            int index,
            AggregatePass pass,
            VectorSource source,
            Supplier<Aggregator> factory,
            Optional<AggregateCacheLookup> lookup) {
        this.index = index;
        this.pass = requireNonNull(pass, "pass is null");
        this.source = requireNonNull(source, "source is null");
        this.factory = requireNonNull(factory, "factory is null");
        this.lookup = lookup.orElse(null);
    }

    /**
     * The key of the part's result in the cache, which parts of other queries with the same result
     * have as well; empty: the result is not cached.
     */
    public Optional<AggregateCacheKey> resultKey() {
        return lookup == null ? Optional.empty() : Optional.of(lookup.key());
    }

    /**
     * The computation of the same result by another query, to wait for. The caller repeats this
     * call until it returns empty, before the first {@link #load}.
     */
    public Optional<CompletableFuture<?>> waitsFor() {
        return lookup == null ? Optional.empty() : lookup.waitsFor();
    }

    /**
     * Moves to the next batch; false at the end. Under {@link io.stele.objectstore.NonBlocking} it
     * throws where it would have to wait; the same call may then be repeated in a thread that may
     * wait.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA, naming the file
     */
    public boolean load() throws IOException {
        if (lookup == null) {
            return source.load();
        }
        if (lookup.isCached()) {
            return false;
        }
        long start = lookup.nanoTime();
        try {
            return source.load();
        } finally {
            lookup.spent(start);
        }
    }

    /**
     * Adds the rows of the present batch; never waits, and takes about a millisecond at most.
     * Afterwards the pass may be too large ({@link AggregatePass#isTooLarge}).
     *
     * @throws io.stele.protocol.SteleException TOO_MANY_GROUPS, NUMBER_OUT_OF_RANGE
     */
    public void add() {
        long start = lookup == null ? 0 : lookup.nanoTime();
        Aggregator present = aggregator();
        present.add(source);
        long bytes = present.state().sizeBytes();
        pass.checkOpen(present.state(), bytes - stateBytes);
        stateBytes = bytes;
        if (lookup != null) {
            lookup.spent(start);
        }
    }

    int index() {
        return index;
    }

    /** Returns the result of all batches; called once. */
    GroupedState complete() {
        if (lookup == null) {
            return aggregator().state();
        }
        return lookup.isCached() ? lookup.result() : lookup.complete(aggregator().state());
    }

    /** Created for the first batch, since cached results need none. */
    private Aggregator aggregator() {
        Aggregator present = aggregator;
        if (present == null) {
            present = factory.get();
            aggregator = present;
        }
        return present;
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            pass.closed(stateBytes);
        }
        if (lookup != null) {
            lookup.close();
        }
        source.close();
    }
}
