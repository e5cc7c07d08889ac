package io.stele.engine.shard.apply;

import static java.util.Objects.requireNonNull;

/**
 * A policy for the number of apply workers with which a shard applies its log. It doubles the
 * number as soon as the shard falls behind the log with groups that are large enough to divide. It
 * halves the number when half of the workers would have been enough for some time, or groups were
 * too small to divide. It has no clock, and it only decides.
 *
 * <p>The capacity of a number of workers is learned when it does not suffice: it is the rows per
 * second of that window. Confined to one thread.
 */
public final class ApplyWorkerPolicy {
    private static final int GROUPS = 4; // fewer are too few to decide
    private static final int GROUPS_PER_BARRIER =
            64; // of two workers' rows: with fewer, the workers wait more than they work

    private static final double ENOUGH = 0.7; // of the capacity of half the workers
    private static final int CALM_WINDOWS = 20; // two seconds: an idle worker costs nothing

    private static final int FUTILE_WINDOWS =
            600; // a minute until workers that could not be used are tried again

    private final ApplyOptions options;
    private final double[] capacity; // by number of workers: rows a second
    private int calmWindows;
    private int futileWindows; // left of them

    public ApplyWorkerPolicy(ApplyOptions options) {
        this.options = requireNonNull(options, "options is null");
        this.capacity = new double[options.maxWorkers() + 1];
    }

    /**
     * The wanted number of apply workers.
     *
     * @param present the present number
     * @param window the load since the last call
     */
    public int workers(int present, ApplyWindow window) {
        futileWindows = Math.max(0, futileWindows - 1);
        boolean grows = isBehind(window) && isDivisible(present, window);
        if (present < options.maxWorkers() && grows && futileWindows == 0) {
            calmWindows = 0;
            capacity[present] = window.rowsPerSecond();
            return Math.min(options.maxWorkers(), 2 * present);
        }
        int fewer = Math.max(options.minWorkers(), present / 2);
        boolean futile = !isDivisible(1, window);
        boolean calm = futile || window.rowsPerSecond() < ENOUGH * capacity[fewer];
        calmWindows = calm ? calmWindows + 1 : 0;
        if (calmWindows < CALM_WINDOWS || fewer == present) {
            return present;
        }
        calmWindows = 0;
        futileWindows = futile ? FUTILE_WINDOWS : 0;
        return fewer;
    }

    private static boolean isBehind(ApplyWindow window) {
        return window.groups() >= GROUPS && 2 * window.behind() >= window.groups();
    }

    /** Whether twice as many workers would have enough rows in a group, and between barriers. */
    private boolean isDivisible(int workers, ApplyWindow window) {
        return window.rows() >= 2L * workers * options.rowsPerWorker() * window.groups()
                && window.rows()
                        >= 2L * options.rowsPerWorker() * GROUPS_PER_BARRIER * window.barriers();
    }
}
