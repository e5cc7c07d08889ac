package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.ExecutionContext;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A read of a client in a scheduling group, from its request to its end: its admission and its
 * execution contexts. All scans of a query run with the query's claim to processor time; lookups
 * run with the claim of their group.
 *
 * <p>Thread-safe, except that one thread pauses, resumes and closes it.
 */
public final class QueryRead implements AutoCloseable {
    private final QueryGroup group;
    private final Optional<ActiveQuery> query;
    private final CompletableFuture<ReadAdmission.Permit> admission;
    private final AtomicInteger contexts = new AtomicInteger();

    /** The progress of a read through its admission. */
    enum State {
        QUEUED,
        RUNNING,
        PAUSED
    }

    /**
     * @param query empty: a lookup
     */
    QueryRead(
            QueryGroup group,
            Optional<ActiveQuery> query,
            CompletableFuture<ReadAdmission.Permit> admission) {
        this.group = requireNonNull(group, "group is null");
        this.query = requireNonNull(query, "query is null");
        this.admission = requireNonNull(admission, "admission is null");
    }

    /** Completes when the read is admitted; a caller that stops waiting cancels it. */
    public CompletableFuture<ReadAdmission.Permit> admission() {
        return admission;
    }

    /**
     * The memory that the group gives one scan at most, in bytes; {@link Long#MAX_VALUE}: no limit.
     */
    public long maxMemoryBytes() {
        return group.maxMemoryBytes();
    }

    /**
     * Frees its place in the group while its client receives nothing, because a query may read
     * another scan to its end before it continues with this one. Only after admission.
     */
    public void pause() {
        permit().pause();
    }

    /** Takes a place again after {@link #pause}, before all new reads; it is never refused. */
    public CompletableFuture<ReadAdmission.Permit> resume() {
        return permit().resume();
    }

    /** A context for a scan. */
    public ExecutionContext scanContext(String name) {
        ActiveQuery owner =
                query.orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "Expected a scan, found a lookup: " + name));
        contexts.incrementAndGet();
        return group.scanContext(name, owner);
    }

    /** A context for a read with low latency. */
    public ExecutionContext lookupContext(String name) {
        contexts.incrementAndGet();
        return group.lookupContext(name);
    }

    /** Lends shares of this read's query to another query, as {@link SharedResults#lend}. */
    SharedResults.Loan lend(QueryRead borrower, int parallel) {
        if (borrower.group != group || query.isEmpty() || borrower.query.isEmpty()) {
            return SharedResults.Loan.NOTHING;
        }
        return group.lend(query.get(), borrower.query.get(), parallel);
    }

    /** Ends the read; it creates no more contexts. */
    @Override
    public void close() {
        ReadAdmission.leave(admission);
        query.ifPresent(owner -> group.ended(owner, this));
    }

    State state() {
        if (!admission.isDone()) {
            return State.QUEUED;
        }
        return !admission.isCompletedExceptionally() && permit().isHeld()
                ? State.RUNNING
                : State.PAUSED;
    }

    int contexts() {
        return contexts.get();
    }

    long reservedBytes() {
        return state() == State.RUNNING ? permit().bytes() : 0;
    }

    private ReadAdmission.Permit permit() {
        if (!admission.isDone()) {
            throw new IllegalStateException("Expected an admitted read, found one that waits");
        }
        return admission.join();
    }
}
