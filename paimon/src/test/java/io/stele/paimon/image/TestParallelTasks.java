package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
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
}
