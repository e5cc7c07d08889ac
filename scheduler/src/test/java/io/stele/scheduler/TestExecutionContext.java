package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TestExecutionContext {
    private final List<Throwable> failures = new ArrayList<>();

    @Test
    void runsTasksInTheOrderOfSubmissionWhateverThePoolPicks() {
        SimulatedPool pool = pool(7);
        List<String> ran = new ArrayList<>();
        ExecutionContext first = context(pool, "first");
        ExecutionContext second = context(pool, "second");
        for (int i = 0; i < 200; i++) {
            int number = i;
            first.execute(() -> ran.add("first" + number));
            second.execute(() -> ran.add("second" + number));
        }
        pool.runUntilIdle(1000);

        for (String name : List.of("first", "second")) {
            List<String> own = ran.stream().filter(task -> task.startsWith(name)).toList();
            assertThat(own).hasSize(200);
            for (int i = 0; i < 200; i++) {
                assertThat(own.get(i)).isEqualTo(name + i);
            }
        }
        // 200 tasks are more than one quantum: neither context kept the pool to the end
        assertThat(ran.lastIndexOf("first199")).isNotEqualTo(199);
    }

    @Test
    void neverRunsTwoTasksAtOnceOnRealThreads() {
        try (ContextPool pool =
                new ThreadedFairPool(
                        FairPoolOptions.of(4),
                        System::nanoTime,
                        Thread.ofPlatform().factory(),
                        failures::add)) {
            ExecutionContext context = context(pool, "counter");
            int[] unguarded = new int[1];
            int submitters = 4;
            int each = 20_000;
            CountDownLatch submitted = new CountDownLatch(submitters);
            for (int i = 0; i < submitters; i++) {
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int task = 0; task < each; task++) {
                                        context.execute(() -> unguarded[0]++);
                                    }
                                    submitted.countDown();
                                });
            }
            CompletableFuture<Integer> result =
                    CompletableFuture.runAsync(() -> await(submitted))
                            .thenCompose(ignored -> context.submit(() -> unguarded[0]));
            assertThat(result.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(submitters * each);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void aFailingTaskIsReportedAndTheNextOneRuns() {
        SimulatedPool pool = pool(1);
        ExecutionContext context = context(pool, "failing");
        context.execute(
                () -> {
                    throw new IllegalStateException("broken");
                });
        CompletableFuture<String> failed =
                context.submit(
                        () -> {
                            throw new IllegalStateException("told to the caller");
                        });
        CompletableFuture<String> next = context.submit(() -> "next");
        pool.runUntilIdle(10);

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("broken"));
        assertThatThrownBy(failed::join).hasMessageContaining("told to the caller");
        assertThat(next.join()).isEqualTo("next");
    }

    @Test
    void cancelDropsWhatWaitsAndFailsItsFutures() {
        SimulatedPool pool = pool(1);
        ExecutionContext context = context(pool, "cancelled");
        CompletableFuture<String> waiting = context.submit(() -> "never");
        context.cancel();
        CompletableFuture<String> late = context.submit(() -> "never");
        pool.runUntilIdle(10);

        assertThatThrownBy(waiting::join).isInstanceOf(CancellationException.class);
        assertThatThrownBy(late::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void knowsWhetherItIsTheCurrentContext() {
        SimulatedPool pool = pool(1);
        ExecutionContext context = context(pool, "current");
        CompletableFuture<Boolean> inside = context.submit(context::isCurrent);
        pool.runUntilIdle(10);

        assertThat(inside.join()).isTrue();
        assertThat(context.isCurrent()).isFalse();
    }

    private SimulatedPool pool(long seed) {
        return new SimulatedPool(new SplittableRandom(seed), failures::add);
    }

    private static ExecutionContext context(ContextPool pool, String name) {
        return pool.createContext(name, pool.createGroup(name, 1000, Urgency.NORMAL));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
