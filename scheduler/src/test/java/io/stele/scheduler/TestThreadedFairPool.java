package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pool on real threads. Nothing wakes a parked worker but work: a lost wake-up is a hang. */
@Timeout(600)
class TestThreadedFairPool {
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    @Test
    void losesNoWakeUpBetweenContextsThatAnswerEachOther() throws Exception {
        int pairs = 6;
        int rounds = 20_000;
        CountDownLatch done = new CountDownLatch(pairs);
        try (ContextPool pool = pool(3)) {
            SchedulingGroup group = pool.createGroup("pairs", 1000, Urgency.NORMAL);
            SchedulingGroup urgent = pool.createGroup("urgent", 1000, Urgency.LATENCY);
            for (int i = 0; i < pairs; i++) {
                ExecutionContext one = pool.createContext("one", i == 0 ? urgent : group);
                ExecutionContext other = pool.createContext("other", group);
                one.execute(() -> answer(one, other, rounds, done));
            }
            assertThat(done.await(100, TimeUnit.SECONDS)).as(pool.status().toString()).isTrue();
        }
        assertThat(failures).isEmpty();
    }

    private static void answer(
            ExecutionContext here, ExecutionContext there, int left, CountDownLatch done) {
        if (left == 0) {
            done.countDown();
        } else {
            there.execute(() -> answer(there, here, left - 1, done));
        }
    }

    @Test
    void runsEveryTaskOnceInOrderWhileContextsMoveAndWorkersPark() throws Exception {
        int submitters = 4;
        int contextCount = 40;
        int each = 20_000;
        AtomicLong ran = new AtomicLong();
        try (ContextPool pool = pool(4)) {
            SchedulingGroup normal = pool.createGroup("normal", 1000, Urgency.NORMAL);
            SchedulingGroup urgent = pool.createGroup("urgent", 1000, Urgency.LATENCY);
            List<Counted> counted = new ArrayList<>();
            for (int i = 0; i < contextCount; i++) {
                counted.add(
                        new Counted(
                                pool.createContext("context " + i, i % 5 == 0 ? urgent : normal),
                                submitters));
            }
            List<Thread> threads = new ArrayList<>();
            for (int submitter = 0; submitter < submitters; submitter++) {
                int number = submitter;
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            SplittableRandom random = new SplittableRandom(number);
                                            for (int i = 0; i < each; i++) {
                                                int task = i;
                                                Counted to =
                                                        counted.get(random.nextInt(contextCount));
                                                to.context.execute(
                                                        () -> {
                                                            to.run(number, task);
                                                            ran.incrementAndGet();
                                                        });
                                            }
                                        }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            List<CompletableFuture<?>> ends = new ArrayList<>();
            counted.forEach(one -> ends.add(one.context.join()));
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(100, TimeUnit.SECONDS);
            assertThat(ran).hasValue((long) submitters * each);
        }
        assertThat(failures).isEmpty();
    }

    /** Counts without a lock, because its context runs one task at a time. */
    private static final class Counted {
        final ExecutionContext context;
        final int[] lastOfSubmitter;
        boolean inside;

        Counted(ExecutionContext context, int submitters) {
            this.context = context;
            this.lastOfSubmitter = new int[submitters];
            java.util.Arrays.fill(lastOfSubmitter, -1);
        }

        void run(int submitter, int task) {
            if (inside || task <= lastOfSubmitter[submitter]) {
                throw new IllegalStateException(
                        "Task %d of %d after %d"
                                .formatted(task, submitter, lastOfSubmitter[submitter]));
            }
            inside = true;
            lastOfSubmitter[submitter] = task;
            inside = false;
        }
    }

    @Test
    void anUrgentTaskInterruptsWorkThatPolls() throws Exception {
        try (ContextPool pool = pool(1)) {
            SchedulingGroup query = pool.createGroup("query", 1000, Urgency.NORMAL);
            SchedulingGroup serving = pool.createGroup("serving", 1000, Urgency.LATENCY);
            CountDownLatch computing = new CountDownLatch(1);
            CompletableFuture<String> served = new CompletableFuture<>();
            AtomicInteger stepsUntilServed = new AtomicInteger();
            ExecutionContext computation = pool.createContext("computation", query);
            computation.start(
                    signal -> {
                        computing.countDown();
                        stepsUntilServed.incrementAndGet();
                        while (!signal.shouldYield()) {
                            Thread.onSpinWait();
                        }
                        return served.isDone();
                    });
            computing.await();
            pool.createContext("request", serving).execute(() -> served.complete("served"));
            assertThat(served.get(100, TimeUnit.SECONDS)).isEqualTo("served");
            computation.join().get(100, TimeUnit.SECONDS);
            GroupStatus status =
                    pool.status().groups().stream()
                            .filter(group -> group.name().equals("query"))
                            .findFirst()
                            .orElseThrow();
            assertThat(status.cpuNanos()).isPositive();
            assertThat(status.runningContexts() + status.waitingContexts()).isZero();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void aReporterThatThrowsDoesNotTakeTheWorkerAway() throws Exception {
        AtomicInteger reported = new AtomicInteger();
        try (ContextPool pool =
                new ThreadedFairPool(
                        FairPoolOptions.of(1),
                        System::nanoTime,
                        task ->
                                Thread.ofPlatform()
                                        .uncaughtExceptionHandler(
                                                (thread, failure) -> reported.incrementAndGet())
                                        .unstarted(task),
                        failure -> {
                            throw new IllegalStateException(failure);
                        })) {
            ExecutionContext context =
                    pool.createContext("context", pool.createGroup("group", 1000, Urgency.NORMAL));
            context.execute(
                    () -> {
                        throw new IllegalStateException("broken");
                    });
            assertThat(context.submit(() -> "next").get(100, TimeUnit.SECONDS)).isEqualTo("next");
        }
        assertThat(reported).hasValue(1);
    }

    private ContextPool pool(int workers) {
        return new ThreadedFairPool(
                FairPoolOptions.of(workers).withQuantumNanos(100_000),
                System::nanoTime,
                Thread.ofPlatform().factory(),
                failures::add);
    }
}
