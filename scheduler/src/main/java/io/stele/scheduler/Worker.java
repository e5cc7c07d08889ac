package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.DoubleAdder;
import org.jspecify.annotations.Nullable;

/**
 * One thread's part of a {@link FairPool}: it picks the runnable context with the smallest virtual
 * runtime, runs it for a quantum, and charges it for the time.
 *
 * <p>Confined to its thread (in a simulation, to the thread that steps it), except for the inbox,
 * the request to move a context, the parking flag and the published fields.
 *
 * <p>Invariant: a context is in this worker's inbox, in its run queue, or running here only while
 * it is SCHEDULED or RUNNING and {@code context.worker} is this worker. Invariant: {@code
 * minVirtualRuntime} never decreases, and no context of the run queue is below it by more than the
 * charge of one turn.
 */
final class Worker implements YieldSignal {
    // A clock read costs as much as several small tasks; a work unit's step costs far more.
    private static final int TASKS_BETWEEN_CLOCK_READS = 16;

    // The time, in quanta, that the latency class may use beyond its share before it must wait for
    // its turn.
    private static final int LATENCY_BONUS_QUANTA = 4;

    // The most contexts by which the load is measured, so that the cost does not grow with the
    // number of waiting contexts.
    private static final int LOAD_SAMPLE = 128;

    private final FairPool pool;
    private final int index;
    private final long latencyBonus; // in virtual nanoseconds
    private final RunQueue queue = new RunQueue();
    private final ContextInbox inbox = new ContextInbox();
    private final AtomicBoolean parked = new AtomicBoolean();
    private final AtomicReference<@Nullable Move> requestedMove = new AtomicReference<>();
    private volatile double load; // published: the claims of its runnable contexts, in shares
    private final DoubleAdder placed = new DoubleAdder(); // claims of contexts placed here since
    private final AtomicLong minVirtualRuntime = new AtomicLong(); // written by this worker only
    private volatile @Nullable SchedulingGroup currentGroup; // published, for the status
    private volatile @Nullable Thread thread;
    private @Nullable ExecutionContext current;
    private final AtomicBoolean interruptible =
            new AtomicBoolean(); // by the latency class, in this turn; only this worker sets it
    private long latencyVirtualRuntime;
    private final AtomicLong hosted = new AtomicLong(); // virtual time, on other threads
    private long turnStartNanos;
    private int tasksSinceClock;
    private long nextPublishNanos;

    /** A request to move a context of about this claim to another worker. */
    record Move(Worker target, double claim) {}

    Worker(FairPool pool, int index) {
        this.pool = requireNonNull(pool, "pool is null");
        this.index = index;
        this.latencyBonus = LATENCY_BONUS_QUANTA * pool.options().quantumNanos();
        this.latencyVirtualRuntime = -latencyBonus;
    }

    int index() {
        return index;
    }

    // ---- any thread

    /** Whether the latency class would preempt the present task of this worker; approximate. */
    boolean letsLatencyIn() {
        return interruptible.getOpaque() && hosted.get() <= latencyBonus;
    }

    /** Charges a task of a latency group that another thread ran in this worker's time. */
    void hosted(SchedulingGroup group, long nanos) {
        hosted.addAndGet(virtualNanos(nanos, latencyClaim(group)));
    }

    /** Adds a context, which the caller owns, and wakes the worker up. */
    void put(ExecutionContext context) {
        if (thread == Thread.currentThread()) {
            accept(context); // this is the worker's thread: no unpark needed
            return;
        }
        inbox.put(context);
        unpark();
    }

    /** Wakes the worker up if it is parked; returns whether this call did. */
    boolean unpark() {
        if (parked.get() && parked.compareAndSet(true, false)) {
            pool.unparked(this);
            return true;
        }
        return false;
    }

    /** Whether new work has arrived since the worker ran out of work. */
    boolean hasIncoming() {
        return !inbox.isEmpty() || pool.latencyWaits();
    }

    boolean isParked() {
        return parked.get();
    }

    /**
     * Whether a context added now might have to wait although the worker is not parked. False if
     * the worker's own thread calls this and has nothing else to run.
     */
    boolean wouldMakeWait() {
        return thread != Thread.currentThread() || hasWaiting();
    }

    long minVirtualRuntime() {
        return minVirtualRuntime.getOpaque();
    }

    double load() {
        return load;
    }

    /** The load, plus the claims of contexts placed here since its measurement. */
    double expectedLoad() {
        return load + placed.sum();
    }

    /** Called when a new context was placed here. */
    void placed(double claim) {
        placed.add(claim);
    }

    /** The group of the context that runs now; null if none runs. */
    @Nullable SchedulingGroup currentGroup() {
        return currentGroup;
    }

    /** Stores a request, unless there is one already. */
    void request(Move move) {
        requestedMove.compareAndSet(null, move);
    }

    // ---- the worker's thread

    /** Sets the thread that steps this worker from now on; null: no thread for now. */
    void attach(@Nullable Thread newThread) {
        thread = newThread;
        ExecutionContext running = current;
        if (running != null) {
            running.runOn(newThread);
        }
    }

    /**
     * Runs at most one task, or one step of a work unit.
     *
     * @return false when there is nothing to run
     */
    boolean step() {
        ExecutionContext running = current;
        if (running != null && (tasksSinceClock >= TASKS_BETWEEN_CLOCK_READS || latencyWaits())) {
            tasksSinceClock = 0;
            checkTurn(running, pool.nanoTime());
        }
        ExecutionContext context = current;
        if (context == null) {
            context = next();
            if (context == null) {
                return false;
            }
            startTurn(context, pool.nanoTime());
        }
        switch (context.runNext(this)) {
            case NOTHING -> endTurn(context, pool.nanoTime());
            case RAN -> {
                tasksSinceClock++;
                if (!context.hasTasks()) {
                    endTurn(context, pool.nanoTime());
                }
            }
            case UNFINISHED -> tasksSinceClock = TASKS_BETWEEN_CLOCK_READS;
        }
        return true;
    }

    @Override
    public boolean shouldYield() {
        return latencyWaits() || pool.nanoTime() - turnStartNanos >= pool.options().quantumNanos();
    }

    /**
     * Announces that this worker is about to wait for {@link #unpark}. Returns false if new work
     * has arrived, so that it must not wait.
     *
     * <p>A submitter first adds its work and then reads the flag. This first sets the flag and then
     * checks for work again. So at least one of them sees the other's write.
     */
    boolean park() {
        load = 0;
        placed.reset();
        pool.parking();
        parked.set(true);
        if (!inbox.isEmpty() || pool.latencyWaits() || pool.isClosing()) {
            unpark();
            return false;
        }
        return true;
    }

    private boolean hasWaiting() {
        return !queue.isEmpty() || !inbox.isEmpty();
    }

    private boolean latencyWaits() {
        return interruptible.getPlain() && pool.latencyWaits();
    }

    private void checkTurn(ExecutionContext context, long now) {
        boolean quantumOver = now - turnStartNanos >= pool.options().quantumNanos();
        if (latencyWaits() || (quantumOver && (hasWaiting() || pool.latencyWaits()))) {
            endTurn(context, now);
            return;
        }
        if (quantumOver) {
            charge(context, now); // nothing waits: runs the next quantum
            turnStartNanos = now;
            raiseFloor(context.virtualRuntime);
        }
        balanceLoad(now);
    }

    private void startTurn(ExecutionContext context, long now) {
        context.begin();
        current = context;
        currentGroup = context.group();
        turnStartNanos = now;
        tasksSinceClock = 0;
        boolean newInterruptible =
                context.group().urgency() == Urgency.NORMAL
                        && latencyGoesBefore(context.virtualRuntime);
        if (newInterruptible != interruptible.getPlain()) {
            interruptible.setOpaque(newInterruptible);
        }
    }

    private void endTurn(ExecutionContext context, long now) {
        charge(context, now);
        context.group().turnEnded();
        current = null;
        currentGroup = null;
        boolean normal = context.group().urgency() == Urgency.NORMAL;
        // Once its turn has ended without more work, another thread may take the context.
        if (context.endTurn()) {
            if (normal) {
                queue.add(context);
            } else {
                pool.putLatency(context);
            }
        }
        Move move = requestedMove.get();
        if (move != null) {
            requestedMove.set(null);
            move(move, now);
        }
        ExecutionContext following = next();
        if (following != null) {
            startTurn(following, now);
        }
        balanceLoad(now);
    }

    private void charge(ExecutionContext context, long now) {
        SchedulingGroup group = context.group();
        long nanos = Math.max(0, now - turnStartNanos);
        group.used(nanos, nanos > 2 * pool.options().quantumNanos());
        if (group.urgency() == Urgency.NORMAL) {
            double claim = group.claimOf(context.share(), now);
            context.virtualRuntime += virtualNanos(nanos, claim);
        } else if (!queue.isEmpty()) {
            latencyVirtualRuntime += virtualNanos(nanos, latencyClaim(group));
        }
    }

    /** The claim of the latency class, as if it had one context on every worker. */
    private double latencyClaim(SchedulingGroup group) {
        return (double) group.shares() / pool.options().workers();
    }

    private static long virtualNanos(long nanos, double claim) {
        return Math.max(1, Math.round(nanos * (SchedulingGroup.DEFAULT_SHARES / claim)));
    }

    private @Nullable ExecutionContext next() {
        if (!inbox.isEmpty()) {
            inbox.drain(this::accept);
        }
        if (pool.latencyWaits()
                && (queue.isEmpty() || latencyGoesBefore(queue.first().virtualRuntime))) {
            ExecutionContext urgent = pool.pollLatency();
            if (urgent != null) {
                return urgent;
            }
        }
        if (queue.isEmpty()) {
            return null;
        }
        ExecutionContext chosen = queue.removeFirst();
        raiseFloor(chosen.virtualRuntime);
        return chosen;
    }

    /** Raises the minimum to the smallest virtual runtime of the runnable contexts. */
    private void raiseFloor(long virtualRuntime) {
        if (virtualRuntime - minVirtualRuntime.getPlain() > 0) {
            minVirtualRuntime.setOpaque(virtualRuntime);
        }
    }

    /**
     * Adds a context to the run queue. A context that was idle for long gets no more credit than
     * the contexts that waited here.
     */
    private void accept(ExecutionContext context) {
        long floor = minVirtualRuntime.getPlain();
        if (context.virtualRuntime - floor < 0) {
            context.virtualRuntime = floor;
        }
        queue.add(context);
    }

    private boolean latencyGoesBefore(long virtualRuntime) {
        long floor = minVirtualRuntime.getPlain() - latencyBonus;
        if (latencyVirtualRuntime - floor < 0) {
            latencyVirtualRuntime = floor;
        }
        if (hosted.get() != 0) {
            latencyVirtualRuntime += hosted.getAndSet(0);
        }
        return latencyVirtualRuntime - virtualRuntime <= 0;
    }

    // ---- evening out the load

    private void balanceLoad(long now) {
        if (pool.hasIdleWorkers() && !queue.isEmpty() && current != null) {
            Worker idle = pool.findIdle();
            if (idle != null) {
                ExecutionContext stolen = queue.removeFirst();
                pool.countSteal();
                stolen.group().stolen();
                hand(stolen, idle);
            }
        }
        if (now - nextPublishNanos >= 0) {
            nextPublishNanos = now + pool.options().balanceNanos() / 4;
            load = measureLoad(now);
            placed.reset();
            pool.balanceIfDue(now);
        }
    }

    private double measureLoad(long now) {
        double[] sum = new double[1];
        int counted =
                queue.forEachOfFirst(
                        LOAD_SAMPLE,
                        context -> sum[0] += context.group().claimOf(context.share(), now));
        if (counted > 0) {
            sum[0] *= (double) queue.size() / counted;
        }
        ExecutionContext running = current;
        if (running != null && running.group().urgency() == Urgency.NORMAL) {
            sum[0] += running.group().claimOf(running.share(), now);
        }
        return sum[0];
    }

    /**
     * Moves the context with the nearest claim to the target, unless that would not improve the
     * balance.
     */
    private void move(Move move, long now) {
        @Nullable ExecutionContext[] best = new ExecutionContext[1];
        double[] distance = {move.claim()};
        queue.forEachOfFirst(
                LOAD_SAMPLE,
                context -> {
                    double claim = context.group().claimOf(context.share(), now);
                    if (Math.abs(claim - move.claim()) < distance[0]) {
                        distance[0] = Math.abs(claim - move.claim());
                        best[0] = context;
                    }
                });
        ExecutionContext chosen = best[0];
        if (chosen != null) {
            queue.remove(chosen);
            pool.countMigration();
            hand(chosen, move.target());
            load = measureLoad(now);
        }
    }

    private void hand(ExecutionContext context, Worker target) {
        context.virtualRuntime += target.minVirtualRuntime() - minVirtualRuntime.getPlain();
        context.worker = target;
        target.put(context);
    }

    /** Throws if an invariant does not hold; for tests, between steps. */
    void verifyInvariants() {
        queue.forEachOfFirst(
                queue.size(),
                context -> {
                    if (context.worker != this) {
                        throw new IllegalStateException(
                                "Expected %s to be on worker %d, found %s"
                                        .formatted(context, index, context.worker));
                    }
                });
    }

    @Override
    public String toString() {
        return "Worker[%d, %d waiting, load %.1f]".formatted(index, queue.size(), load);
    }
}
