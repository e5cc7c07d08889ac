package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.cache.BenefitCache.Claim;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of one part's result in the aggregate cache, which on a miss claims the computation,
 * measures its time and caches the result. Confined to one thread at a time.
 */
final class AggregateCacheLookup {
    private final AggregateCache cache;
    private final AggregateCacheKey key;
    private final AggregatePlan plan;
    private final AggregateCacheTally tally;
    private @Nullable Claim<byte[]> claim; // null before the first use
    private @Nullable GroupedState decoded; // of the claim's result
    private boolean finished;
    private long nanos;

    AggregateCacheLookup(
            AggregateCache cache,
            AggregateCacheKey key,
            AggregatePlan plan,
            AggregateCacheTally tally) {
        this.tally = requireNonNull(tally, "tally is null");
        this.cache = requireNonNull(cache, "cache is null");
        this.key = requireNonNull(key, "key is null");
        this.plan = requireNonNull(plan, "plan is null");
    }

    AggregateCacheKey key() {
        return key;
    }

    /** The computation to wait for; empty when the result is cached, or must be computed here. */
    Optional<CompletableFuture<?>> waitsFor() {
        while (true) {
            Claim<byte[]> present = claim();
            CompletableFuture<Optional<byte[]>> computation = present.computation();
            if (computation == null) {
                if (isCached() || claim().computation() == null) {
                    return Optional.empty();
                }
                continue; // the cached result cannot be read, and another run computes it
            }
            if (!computation.isDone()) {
                return Optional.of(computation);
            }
            // The result is in the cache now. If it was given up or is too large, this run computes
            // it
            Optional<byte[]> result = computation.join();
            claim = result.isPresent() ? new Claim<>(result.get(), 0, false, null) : null;
        }
    }

    /**
     * Whether the cached result is usable, so that nothing must be computed. A result that cannot
     * be decoded is removed: an earlier release may have stored it.
     */
    boolean isCached() {
        while (decoded == null) {
            Claim<byte[]> present = claim();
            byte[] value = present.value();
            if (value == null || present.verify()) {
                return false;
            }
            decode(value);
        }
        return true;
    }

    long nanoTime() {
        return cache.nanoTime();
    }

    void spent(long since) {
        nanos += cache.nanoTime() - since;
    }

    /** The cached result; only after {@link #isCached} returned true. */
    GroupedState result() {
        Claim<byte[]> present = claim();
        byte[] known = requireNonNull(present.value(), "no result");
        tally.found(known.length, present.nanos());
        return requireNonNull(decoded, "no result");
    }

    /** Caches the computed result, or compares it with the cached one. */
    GroupedState complete(GroupedState computed) {
        tally.computed();
        byte[] known = claim().value();
        finished = true;
        boolean isSmall = computed.sizeBytes() <= 8L * cache.maxEntryBytes();
        Optional<byte[]> state = isSmall ? Optional.of(write(computed)) : Optional.empty();
        if (known == null) {
            cache.finish(key, state, nanos);
        } else if (state.isPresent()) {
            cache.verify(key, known, state.get());
        }
        return computed;
    }

    /** Gives up a claim that was not completed, so that another query computes the result. */
    void close() {
        Claim<byte[]> present = claim;
        if (present != null && present.isTask() && !finished) {
            finished = true;
            cache.finish(key, Optional.empty(), 0);
        }
    }

    private Claim<byte[]> claim() {
        Claim<byte[]> present = claim;
        if (present == null) {
            present = cache.claim(key);
            claim = present;
        }
        return present;
    }

    /** Decodes a result; if that fails, removes it so that it is claimed again. */
    private void decode(byte[] bytes) {
        GroupedState state = plan.newState();
        try {
            DataInputStream source = new DataInputStream(new ByteArrayInputStream(bytes));
            state.read(source);
            if (source.available() > 0) {
                throw new IOException("%s bytes are left over".formatted(source.available()));
            }
            decoded = state;
        } catch (IOException | RuntimeException e) {
            cache.forget(key, e);
            claim = null;
        }
    }

    private static byte[] write(GroupedState state) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream target = new DataOutputStream(bytes)) {
            state.write(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
        return bytes.toByteArray();
    }
}
