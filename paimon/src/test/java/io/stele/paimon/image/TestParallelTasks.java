package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TestParallelTasks {
    private static final List<Integer> INPUTS = IntStream.range(0, 100).boxed().toList();

    @Test
    void givesResultsInOrder() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(new ParallelTasks(threads, 8).map(INPUTS, input -> input * 2))
                    .isEqualTo(INPUTS.stream().map(input -> input * 2).toList());
        }
    }

    @Test
    void endsWithoutThreads() throws Exception {
        Executor busy = task -> {};
        Executor closed =
                task -> {
                    throw new RejectedExecutionException();
                };

        assertThat(new ParallelTasks(busy, 8).map(INPUTS, input -> input)).isEqualTo(INPUTS);
        assertThat(new ParallelTasks(closed, 8).map(INPUTS, input -> input)).isEqualTo(INPUTS);
    }

    @Test
    void startsNoMoreThreadsThanAllowed() throws Exception {
        AtomicInteger started = new AtomicInteger();

        new ParallelTasks(task -> started.incrementAndGet(), 3).map(INPUTS, input -> input);

        assertThat(started).hasValue(2);
    }

    @Test
    void failsWithTheFirstFailure() {
        ParallelTasks tasks = new ParallelTasks(Runnable::run, 4);

        assertThatThrownBy(
                        () ->
                                tasks.map(
                                        INPUTS,
                                        input -> {
                                            if (input >= 50) {
                                                throw new IOException("of " + input);
                                            }
                                            return input;
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("of 50");
        assertThatThrownBy(
                        () ->
                                tasks.map(
                                        INPUTS,
                                        input -> {
                                            throw new UncheckedIOException(
                                                    new IOException("unchecked"));
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("unchecked");
    }

    @Test
    void startsNothingAfterAFailure() {
        List<Integer> started = new ArrayList<>();
        ParallelTasks tasks = new ParallelTasks(_ -> {}, 4); // the caller's thread does all

        assertThatThrownBy(
                        () ->
                                tasks.map(
                                        INPUTS,
                                        input -> {
                                            started.add(input);
                                            if (input == 3) {
                                                throw new IOException("of " + input);
                                            }
                                            return input;
                                        }))
                .hasMessage("of 3");
        assertThat(started).containsExactly(0, 1, 2, 3);
    }

    @Test
    void waitsForTheStartedTasksAndReportsAllFailures() throws Exception {
        int parallelism = 3;
        CyclicBarrier allStarted = new CyclicBarrier(parallelism);
        CountDownLatch lastFailed = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ParallelTasks tasks = new ParallelTasks(threads, parallelism);
            assertThatThrownBy(
                            () ->
                                    tasks.map(
                                            INPUTS,
                                            input -> {
                                                await(allStarted);
                                                if (input == 2) {
                                                    ended.incrementAndGet();
                                                    lastFailed.countDown();
                                                    throw new IllegalStateException("of 2");
                                                }
                                                await(lastFailed);
                                                ended.incrementAndGet();
                                                throw new IOException("of " + input);
                                            }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("of 0")
                    .satisfies(
                            first ->
                                    assertThat(first.getSuppressed())
                                            .extracting(Throwable::getMessage)
                                            .containsExactly("of 1", "of 2"));
            assertThat(ended).hasValue(parallelism);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(120, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
