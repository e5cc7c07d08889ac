package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.Urgency;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * A scheduling group of reads at run time: its claims to processor time, for scans and for lookups,
 * which have priority, and its admission limits. In the claim for scans each query has a claim of
 * its own, from its first open scan to the end of its last one. Thread-safe.
 */
public final class QueryGroup {
    private final GroupSpec spec;
    private final ContextPool pool;
    private final LongSupplier nanoTime;
    private final SchedulingGroup scans;
    private final SchedulingGroup lookups;
    private final ReadAdmission scanAdmission;
    private final ReadAdmission lookupAdmission;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<ActiveQuery.Key, ActiveQuery> queries = new HashMap<>();

    @GuardedBy("lock")
    private long openedQueries;

    QueryGroup(GroupSpec spec, ContextPool pool, LongSupplier nanoTime) {
        this.spec = requireNonNull(spec, "spec is null");
        this.pool = requireNonNull(pool, "pool is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.scans = pool.createGroup(spec.name(), spec.shares(), Urgency.NORMAL);
        this.lookups = pool.createGroup(lookupsName(spec.name()), spec.shares(), Urgency.LATENCY);
        this.scanAdmission =
                new ReadAdmission(
                        "Scans of scheduling group " + spec.name(),
                        spec.maxRunning(),
                        spec.maxQueued(),
                        spec.maxMemoryBytes(),
                        nanoTime);
        this.lookupAdmission =
                new ReadAdmission(
                        "Lookups of scheduling group " + spec.name(),
                        spec.maxLookups(),
                        0,
                        Long.MAX_VALUE,
                        nanoTime);
    }

    /** The name of the pool's group for the lookups of a group. */
    static String lookupsName(String group) {
        return group + ".lookups";
    }

    public String name() {
        return spec.name();
    }

    /**
     * The most memory that all scans together reserve, in bytes; {@link Long#MAX_VALUE}: no limit.
     */
    public long maxMemoryBytes() {
        return spec.maxMemoryBytes();
    }

    /**
     * Opens a scan of a query, which the caller closes; it may run once it is admitted. Scans with
     * the same user and query id have one claim to processor time together. A scan without a query
     * id is a query by itself.
     *
     * @param bytes the most memory that the scan uses; if it is more than the limit of the group,
     *     the limit is reserved, and the scan runs alone
     * @throws SteleException BUSY, with the time after which to try again
     */
    public QueryRead openScan(QueryIdentity identity, long bytes) {
        CompletableFuture<ReadAdmission.Permit> admission = scanAdmission.enter(bytes);
        try {
            return openScan(identity, admission);
        } catch (RuntimeException | Error e) {
            ReadAdmission.leave(admission);
            throw e;
        }
    }

    private QueryRead openScan(
            QueryIdentity identity, CompletableFuture<ReadAdmission.Permit> admission) {
        synchronized (lock) {
            openedQueries++;
            ActiveQuery.Key key = ActiveQuery.Key.of(identity, openedQueries);
            ActiveQuery query = queries.get(key);
            if (query == null) {
                query = new ActiveQuery(key, identity, claim(identity), nanoTime.getAsLong());
                queries.put(key, query);
            }
            QueryRead read = new QueryRead(this, Optional.of(query), admission);
            query.reads().add(read);
            return read;
        }
    }

    /**
     * Opens a lookup by key, which the caller closes.
     *
     * @throws SteleException BUSY, with the time after which to try again
     */
    public QueryRead openLookup() {
        return new QueryRead(
                this, Optional.empty(), CompletableFuture.completedFuture(enterLookup()));
    }

    /**
     * Admits a lookup that is not run on a context of this group.
     *
     * @throws SteleException BUSY, with the time after which to try again
     */
    public ReadAdmission.Permit enterLookup() {
        return lookupAdmission.enterNow();
    }

    /** A context for a read with low latency. */
    public ExecutionContext lookupContext(String name) {
        return pool.createContext(name, lookups);
    }

    /** Creates the claim of a query, with a name that is unique in the pool. */
    @GuardedBy("lock")
    private SchedulingGroup claim(QueryIdentity identity) {
        String label = identity.queryId().isEmpty() ? "scan" : identity.queryId();
        return pool.createGroup(
                "%s/%s#%d".formatted(spec.name(), label, openedQueries),
                SchedulingGroup.DEFAULT_SHARES,
                scans);
    }

    // ---- for the reads

    ExecutionContext scanContext(String name, ActiveQuery query) {
        return pool.createContext(name, query.claim());
    }

    /** Removes an ended read; with the last one, its query. Does nothing if it was removed. */
    void ended(ActiveQuery query, QueryRead read) {
        synchronized (lock) {
            if (query.reads().remove(read) && query.reads().isEmpty()) {
                queries.remove(query.key());
                pool.removeGroup(query.claim());
            }
        }
    }

    /**
     * Lends shares of one query to another. Only its own shares are lent, never borrowed ones, and
     * one of them stays. So every loan can be returned, in any order.
     *
     * @param parallel the number of parts into which the lender divides its shares
     */
    SharedResults.Loan lend(ActiveQuery lender, ActiveQuery borrower, int parallel) {
        int count = (SchedulingGroup.DEFAULT_SHARES - 1) / parallel;
        synchronized (lock) {
            // What the borrower lent comes back while it still has this loan
            int room =
                    SchedulingGroup.MAX_SHARES - borrower.claim().shares() - borrower.lentShares();
            int left = SchedulingGroup.DEFAULT_SHARES - 1 - lender.lentShares();
            if (lender == borrower || count < 1 || count > left || count > room) {
                return SharedResults.Loan.NOTHING;
            }
            lender.claim().transfer(count, borrower.claim());
            lender.lent(count);
        }
        return () -> {
            synchronized (lock) {
                borrower.claim().transfer(count, lender.claim());
                lender.lent(-count);
            }
        };
    }

    // ---- for the report

    /** The queries with open scans, in no order. */
    List<ActiveQuery> queries() {
        synchronized (lock) {
            return List.copyOf(queries.values());
        }
    }

    SchedulingGroup lookups() {
        return lookups;
    }

    ReadAdmission scanAdmission() {
        return scanAdmission;
    }

    ReadAdmission lookupAdmission() {
        return lookupAdmission;
    }
}
