package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.Urgency;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * A scheduling group of reads at run time: its claims to processor time, for scans and for lookups,
 * which have priority, and its admission limits. Thread-safe.
 */
public final class QueryGroup {
    private final GroupSpec spec;
    private final ContextPool pool;
    private final SchedulingGroup scans;
    private final SchedulingGroup lookups;
    private final ReadAdmission scanAdmission;
    private final ReadAdmission lookupAdmission;

    QueryGroup(GroupSpec spec, ContextPool pool, LongSupplier nanoTime) {
        this.spec = requireNonNull(spec, "spec is null");
        this.pool = requireNonNull(pool, "pool is null");
        this.scans = pool.createGroup(spec.name(), spec.shares(), Urgency.NORMAL);
        this.lookups = pool.createGroup(lookupsName(spec.name()), spec.shares(), Urgency.LATENCY);
        this.scanAdmission =
                new ReadAdmission(
                        "Scans of scheduling group " + spec.name(),
                        spec.maxRunning(),
                        spec.maxQueued(),
                        nanoTime);
        this.lookupAdmission =
                new ReadAdmission(
                        "Lookups of scheduling group " + spec.name(),
                        spec.maxLookups(),
                        0,
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
     * Admits a scan, asynchronously; a caller that stops waiting cancels the future. A scan pauses
     * its permit while its client receives nothing, because a query may read another scan to its
     * end before it continues with this one.
     *
     * @throws SteleException BUSY, with the time after which to try again
     */
    public CompletableFuture<ReadAdmission.Permit> enterScan() {
        return scanAdmission.enter();
    }

    /**
     * Admits a lookup.
     *
     * @throws SteleException BUSY, with the time after which to try again
     */
    public ReadAdmission.Permit enterLookup() {
        return lookupAdmission.enterNow();
    }

    /** A context for a scan. */
    public ExecutionContext scanContext(String name) {
        return pool.createContext(name, scans);
    }

    /** A context for a read with low latency. */
    public ExecutionContext lookupContext(String name) {
        return pool.createContext(name, lookups);
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
