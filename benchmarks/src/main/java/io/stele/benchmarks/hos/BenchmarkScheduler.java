package io.stele.benchmarks.hos;

import io.stele.scheduler.ContextPool;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.ThreadedFairPool;
import io.stele.scheduler.Urgency;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of the cost of task submission and of context switches in the scheduler. It has one
 * worker thread and one thread that submits from outside. Each invocation ends when all tasks have
 * run, so the times include their execution.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Djdk.virtualThreadScheduler.parallelism=1")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class BenchmarkScheduler {
    private static final int TASKS = 100_000;
    private static final int SWITCHES = 100_000;

    private final ContextPool pool =
            new ThreadedFairPool(
                    FairPoolOptions.of(1),
                    System::nanoTime,
                    Thread.ofPlatform().daemon().factory(),
                    failure -> {
                        throw new IllegalStateException(failure);
                    });
    private final SchedulingGroup group =
            pool.createGroup("benchmark", SchedulingGroup.DEFAULT_SHARES, Urgency.NORMAL);
    private final ExecutionContext context = pool.createContext("context", group);
    private final ExecutionContext other = pool.createContext("other", group);
    private final SchedulingGroup parent =
            pool.createGroup("class", SchedulingGroup.DEFAULT_SHARES, Urgency.NORMAL);
    private final ExecutionContext ofOneQuery = ofQuery("one");
    private final ExecutionContext ofOtherQuery = ofQuery("other");
    private final ExecutorService threadPool = Executors.newFixedThreadPool(1);
    private final ForkJoinPool forkJoin =
            new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);

    private ExecutionContext ofQuery(String name) {
        return pool.createContext(
                name, pool.createGroup(name, SchedulingGroup.DEFAULT_SHARES, parent));
    }

    @TearDown(Level.Trial)
    public void stop() {
        pool.close();
        threadPool.close();
        forkJoin.close();
    }

    /** A task into a context that exists. */
    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void submitToContext() throws InterruptedException {
        submitAll(context);
    }

    /** A context for each task, as requests of the latency class have. */
    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void contextForEachTask() throws InterruptedException {
        submitAll(task -> pool.createContext("task", group).execute(task));
    }

    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void submitToThreadPool() throws InterruptedException {
        submitAll(threadPool);
    }

    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void submitToForkJoin() throws InterruptedException {
        submitAll(forkJoin);
    }

    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void startVirtualThread() throws InterruptedException {
        submitAll(Thread::startVirtualThread);
    }

    private static void submitAll(Executor executor) throws InterruptedException {
        Countdown countdown = new Countdown(TASKS);
        for (int i = 0; i < TASKS; i++) {
            executor.execute(countdown);
        }
        countdown.done.await();
    }

    /** Counts without a lock: all of these run one task at a time. */
    private static final class Countdown implements Runnable {
        final CountDownLatch done = new CountDownLatch(1);
        private int left;

        Countdown(int left) {
            this.left = left;
        }

        @Override
        public void run() {
            if (--left == 0) {
                done.countDown();
            }
        }
    }

    /** Two contexts wake each other: a submission, a wake-up and a switch each time. */
    @Benchmark
    @OperationsPerInvocation(SWITCHES)
    public void switchContexts() throws InterruptedException {
        switchBetween(context, other);
    }

    /** The same for contexts of two queries in a class, which both enter and leave it each time. */
    @Benchmark
    @OperationsPerInvocation(SWITCHES)
    public void switchQueries() throws InterruptedException {
        switchBetween(ofOneQuery, ofOtherQuery);
    }

    private static void switchBetween(ExecutionContext even, ExecutionContext odd)
            throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        Runnable[] turns = new Runnable[1];
        turns[0] =
                new Runnable() {
                    private int left = SWITCHES;

                    @Override
                    public void run() {
                        if (--left == 0) {
                            done.countDown();
                        } else {
                            (left % 2 == 0 ? even : odd).execute(this);
                        }
                    }
                };
        even.execute(turns[0]);
        done.await();
    }

    /** Two virtual threads wake each other. */
    @Benchmark
    @OperationsPerInvocation(SWITCHES)
    public void switchVirtualThreads() throws InterruptedException {
        Turns turns = new Turns();
        Thread even = Thread.ofVirtual().unstarted(() -> turns.take(0));
        Thread odd = Thread.ofVirtual().unstarted(() -> turns.take(1));
        turns.threads = new Thread[] {even, odd};
        even.start();
        odd.start();
        even.join();
        odd.join();
    }

    private static final class Turns {
        Thread[] threads = {};
        private volatile int turn;

        void take(int mine) {
            for (int left = turn; left < SWITCHES; left = turn) {
                if (left % 2 == mine) {
                    turn = left + 1;
                    LockSupport.unpark(threads[1 - mine]);
                } else {
                    LockSupport.park();
                }
            }
            LockSupport.unpark(threads[1 - mine]);
        }
    }
}
