package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The results that reads compute and for which reads of other queries may wait. A read that waits
 * lends shares of its query to the query that computes: the work that it needs is there.
 *
 * <p>Thread-safe. It holds one entry for each part of a read that is computed at the moment.
 */
public final class SharedResults {
    private final ConcurrentMap<Object, QueryRead> computing = new ConcurrentHashMap<>();

    /** Announces that a read computes a result. */
    public void begin(Object key, QueryRead read) {
        computing.put(requireNonNull(key, "key is null"), requireNonNull(read, "read is null"));
    }

    /** Called when the read has computed the result, or given it up. */
    public void end(Object key, QueryRead read) {
        computing.remove(key, read);
    }

    /**
     * Lends a part of the shares of a query that waits for a result to the query that computes it.
     * Nothing is lent if nobody has announced the result, or if the two are in different groups,
     * because shares of a group do not belong to its queries.
     *
     * @param parallel contexts of the waiting read: the part of each is lent
     * @return the loan, which the caller closes when it no longer waits
     */
    public Loan lend(Object key, QueryRead waiting, int parallel) {
        QueryRead borrower = computing.get(key);
        return borrower == null ? Loan.NOTHING : waiting.lend(borrower, parallel);
    }

    /** Some shares of a query that another query has, until it is closed. */
    @FunctionalInterface
    public interface Loan extends AutoCloseable {
        /** A loan of no shares. */
        Loan NOTHING = () -> {};

        /** Returns the shares; called once. */
        @Override
        void close();
    }
}
