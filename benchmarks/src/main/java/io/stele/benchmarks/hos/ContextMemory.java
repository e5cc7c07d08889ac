package io.stele.benchmarks.hos;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.ThreadedFairPool;
import io.stele.scheduler.Urgency;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A measurement of the heap that one idle execution context takes, beside that of a parked virtual
 * thread. The contexts have run and then wait, many at a time.
 */
final class ContextMemory {
    private static final int COLLECTIONS = 3;

    private ContextMemory() {}

    static void measure(int count, Metrics metrics, List<Target> targets) throws Exception {
        double contextBytes = contexts(count);
        int threadCount = count / 10; // a tenth: they take several times as much
        double threadBytes = virtualThreads(threadCount);
        metrics.put("idle contexts", count);
        metrics.put("idle context: bytes of heap each", contextBytes);
        metrics.put("parked virtual threads", threadCount);
        metrics.put("parked virtual thread: bytes of heap each", threadBytes);
        targets.add(Target.atMost("idle context: bytes of heap each", 150, contextBytes));
    }

    private static double contexts(int count) throws InterruptedException {
        try (ContextPool pool =
                new ThreadedFairPool(
                        FairPoolOptions.of(1),
                        System::nanoTime,
                        Thread.ofPlatform().daemon().factory(),
                        failure -> {
                            throw new IllegalStateException(failure);
                        })) {
            SchedulingGroup group =
                    pool.createGroup("idle", SchedulingGroup.DEFAULT_SHARES, Urgency.NORMAL);
            long before = usedBytes();
            ExecutionContext[] contexts = new ExecutionContext[count];
            CountDownLatch ran = new CountDownLatch(count);
            Runnable task = ran::countDown;
            for (int i = 0; i < count; i++) {
                contexts[i] = pool.createContext("idle", group);
                contexts[i].execute(task);
            }
            ran.await();
            double each = (double) (usedBytes() - before) / count;
            if (contexts[count - 1].isCurrent()) {
                throw new IllegalStateException("Expected the last context to be idle");
            }
            return each;
        }
    }

    private static double virtualThreads(int count) throws InterruptedException {
        long before = usedBytes();
        Thread[] threads = new Thread[count];
        boolean[] ending = new boolean[1];
        CountDownLatch started = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            threads[i] =
                    Thread.startVirtualThread(
                            () -> {
                                started.countDown();
                                do {
                                    LockSupport.park();
                                } while (!isSet(ending));
                            });
        }
        started.await();
        double each = (double) (usedBytes() - before) / count;
        synchronized (ending) {
            ending[0] = true;
        }
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return each;
    }

    private static boolean isSet(boolean[] flag) {
        synchronized (flag) {
            return flag[0];
        }
    }

    private static long usedBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
