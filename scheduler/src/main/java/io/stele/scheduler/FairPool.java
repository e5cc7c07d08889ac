package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The fair scheduler of execution contexts: workers that divide their time by the shares of
 * scheduling groups, with load balancing and a latency class. It has no threads and clocks of its
 * own. {@link ThreadedFairPool} runs each worker on a thread, a simulation runs the workers in
 * virtual time.
 *
 * <p>Any thread may call the methods of {@link ContextPool}; the other methods state their own
 * rules.
 */
final class FairPool implements ContextPool, ContextDispatcher {
    /*
     * Each worker keeps its runnable contexts by virtual runtime and always runs the smallest
     * (Hologres [1], section 4.5):
     *
     * charge = time * (runnable shares of the group) / (share of the context * shares of the group)
     *
     * so a group's contexts together are charged as one context with the group's shares, on
     * whatever workers they are. The number of runnable shares rises at once and falls slowly
     * (ShareAverage). With nested groups, the shares of a query's group are its part of the shares
     * of its class, by the same formula: so one flat queue of contexts serves any tree of groups.
     *
     * A worker never accesses the run queue of another worker. Contexts reach a worker through its
     * inbox: when they become runnable, when it has nothing to do and another worker has more than
     * it runs (its parking flag is the request), and when loads differ at a balancing (a Move).
     *
     * Contexts of latency groups have no worker: they wait in one inbox that every worker checks
     * before its own queue, because a request that is pinned to one worker waits with it while the
     * system has taken its thread away. A waiting latency context interrupts the contexts that poll
     * their yield signal. The latency class as a whole also has a virtual runtime on each worker,
     * so it receives only its share and a small bonus. A thread with a request may serve it itself
     * if a worker would run it at once; that worker is charged for the time, so the shares stay
     * correct.
     *
     * [1] Jiang et al., Alibaba Hologres: A Cloud-Native Service for Hybrid Serving/Analytical
     * Processing, PVLDB 13(12), 2020.
     */
    private final FairPoolOptions options;
    private final LongSupplier nanoTime;
    private final Consumer<Worker> unparker;
    private final Consumer<Throwable> uncaught;
    private final List<Worker> workers;
    private final SchedulingGroups groups = new SchedulingGroups();
    private final ConcurrentLinkedQueue<ExecutionContext> latency = new ConcurrentLinkedQueue<>();
    private final AtomicInteger idleWorkers = new AtomicInteger();
    private final AtomicInteger guests = new AtomicInteger(); // see tryRunHere; approximate
    private final LongAdder steals = new LongAdder();
    private final LongAdder migrations = new LongAdder();
    private final AtomicBoolean balancing = new AtomicBoolean();
    private final AtomicLong nextBalanceNanos;
    private volatile boolean closing;

    /**
     * @param unparker called when a parked worker has work
     * @param uncaught called with every failure of a task
     */
    FairPool(
            FairPoolOptions options,
            LongSupplier nanoTime,
            Consumer<Worker> unparker,
            Consumer<Throwable> uncaught) {
        this.options = requireNonNull(options, "options is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.unparker = requireNonNull(unparker, "unparker is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        this.nextBalanceNanos = new AtomicLong(nanoTime.getAsLong() + options.balanceNanos());
        List<Worker> made = new ArrayList<>();
        for (int index = 0; index < options.workers(); index++) {
            made.add(new Worker(this, index));
        }
        this.workers = List.copyOf(made);
    }

    FairPoolOptions options() {
        return options;
    }

    List<Worker> workers() {
        return workers;
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    // ---- groups and contexts

    @Override
    public SchedulingGroup createGroup(String name, int shares, Urgency urgency) {
        return groups.create(name, shares, urgency, options.averageNanos());
    }

    @Override
    public SchedulingGroup createGroup(String name, int shares, SchedulingGroup parent) {
        return groups.nest(name, shares, parent, options.averageNanos());
    }

    @Override
    public void removeGroup(SchedulingGroup group) {
        groups.remove(group);
    }

    @Override
    public ExecutionContext createContext(String name, SchedulingGroup group, int share) {
        ExecutionContext context = new ExecutionContext(name, group, share, this);
        if (group.urgency() == Urgency.NORMAL) {
            context.worker = place(group);
        }
        return context;
    }

    /**
     * Places a new context of a group: round-robin over the workers, each round from the least
     * loaded worker.
     */
    private Worker place(SchedulingGroup group) {
        int placement = group.nextPlacement();
        int count = workers.size();
        if (placement % count == 0) {
            group.placeFrom(leastLoaded().index());
        }
        Worker chosen = workers.get((group.placedFrom() + placement) % count);
        chosen.placed(group.expectedClaim(placement));
        return chosen;
    }

    private Worker leastLoaded() {
        Worker least = workers.getFirst();
        for (Worker worker : workers) {
            if (worker.expectedLoad() < least.expectedLoad()) {
                least = worker;
            }
        }
        return least;
    }

    @Override
    public void runnable(ExecutionContext context) {
        if (context.group().urgency() == Urgency.LATENCY) {
            putLatency(context);
            return;
        }
        Worker worker = requireNonNull(context.worker, "context.worker is null");
        if (hasIdleWorkers() && !worker.isParked() && worker.wouldMakeWait()) {
            Worker idle = findIdle();
            if (idle != null) {
                context.virtualRuntime += idle.minVirtualRuntime() - worker.minVirtualRuntime();
                context.worker = idle;
                worker = idle;
            }
        }
        worker.put(context);
    }

    @Override
    public void failed(Throwable failure) {
        uncaught.accept(failure);
    }

    // ---- the latency class

    void putLatency(ExecutionContext context) {
        latency.add(context);
        if (hasIdleWorkers()) {
            for (Worker worker : workers) {
                if (worker.unpark()) {
                    return;
                }
            }
        }
    }

    boolean latencyWaits() {
        return !latency.isEmpty();
    }

    @Nullable ExecutionContext pollLatency() {
        return latency.poll();
    }

    // ---- tasks on the threads of others

    @Override
    public boolean tryRunHere(SchedulingGroup group, Runnable task) {
        if (hasIdleWorkers()) {
            runHere(group, task); // an idle worker has the time
            return true;
        }
        if (group.urgency() != Urgency.LATENCY || guests.get() >= workers.size()) {
            return false;
        }
        Worker host = findHost();
        if (host == null) {
            return false;
        }
        guests.incrementAndGet();
        try {
            host.hosted(group, runHere(group, task));
        } finally {
            guests.decrementAndGet();
        }
        return true;
    }

    private long runHere(SchedulingGroup group, Runnable task) {
        long start = nanoTime.getAsLong();
        task.run();
        long nanos = Math.max(0, nanoTime.getAsLong() - start);
        group.used(nanos, nanos > 2 * options.quantumNanos());
        return nanos;
    }

    private @Nullable Worker findHost() {
        for (Worker worker : workers) {
            if (worker.letsLatencyIn()) {
                return worker;
            }
        }
        return null;
    }

    // ---- idle workers

    void parking() {
        idleWorkers.incrementAndGet();
    }

    void unparked(Worker worker) {
        idleWorkers.decrementAndGet();
        unparker.accept(worker);
    }

    boolean hasIdleWorkers() {
        return idleWorkers.get() > 0;
    }

    @Nullable Worker findIdle() {
        for (Worker worker : workers) {
            if (worker.isParked()) {
                return worker;
            }
        }
        return null;
    }

    void countSteal() {
        steals.increment();
    }

    void countMigration() {
        migrations.increment();
    }

    // ---- balancing and accounting

    /**
     * Balances the load and updates the entitled time of groups, if it is due. Any worker may call
     * it.
     */
    void balanceIfDue(long now) {
        if (now - nextBalanceNanos.get() < 0 || !balancing.compareAndSet(false, true)) {
            return;
        }
        try {
            nextBalanceNanos.set(now + options.balanceNanos());
            balance();
            account();
        } finally {
            balancing.set(false);
        }
    }

    private void balance() {
        Worker most = workers.getFirst();
        Worker least = most;
        for (Worker worker : workers) {
            most = worker.load() > most.load() ? worker : most;
            least = worker.load() < least.load() ? worker : least;
        }
        double difference = most.load() - least.load();
        if (difference > 0) {
            most.request(new Worker.Move(least, difference / 2));
        }
    }

    private void account() {
        long used = 0;
        List<Use> uses = new ArrayList<>();
        for (SchedulingGroup group : groups) {
            Use use = Use.take(group);
            uses.add(use);
            used += use.nanos();
        }
        entitle(uses, used);
        for (Use use : uses) {
            Collection<SchedulingGroup> nested = use.group().nested();
            if (!nested.isEmpty()) {
                entitle(nested.stream().map(Use::take).toList(), use.nanos());
            }
        }
    }

    /** The processor time that a group used since the last accounting. */
    private record Use(SchedulingGroup group, long nanos) {
        static Use take(SchedulingGroup group) {
            return new Use(group, group.takeCpuNanos());
        }

        boolean isActive() {
            return nanos > 0 || group.runnableContexts() > 0;
        }
    }

    /** Divides a time among the active groups by their shares. */
    private static void entitle(List<Use> uses, long nanos) {
        long sharesOfActive = 0;
        for (Use use : uses) {
            sharesOfActive += use.isActive() ? use.group().shares() : 0;
        }
        for (Use use : uses) {
            if (use.isActive()) {
                SchedulingGroup group = use.group();
                group.entitled(
                        Math.round((double) nanos * group.shares() / Math.max(1, sharesOfActive)));
            }
        }
    }

    @Override
    public PoolStatus status() {
        List<GroupStatus> statuses = groups.status(this::runningContexts);
        return new PoolStatus(
                workers.size(),
                Math.max(0, idleWorkers.get()),
                statuses.stream().mapToLong(GroupStatus::switches).sum(),
                statuses.stream().mapToLong(GroupStatus::overruns).sum(),
                steals.sum(),
                migrations.sum(),
                statuses);
    }

    private long runningContexts(SchedulingGroup group) {
        return workers.stream().filter(worker -> worker.currentGroup() == group).count();
    }

    // ---- the end

    boolean isClosing() {
        return closing;
    }

    /** Workers end when they have nothing to run any more. */
    @Override
    public void close() {
        closing = true;
        workers.forEach(Worker::unpark);
    }
}
