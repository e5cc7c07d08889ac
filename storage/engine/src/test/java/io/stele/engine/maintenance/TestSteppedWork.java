package io.stele.engine.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever becomes of the steps, what they hold is let go once, and the future completes. */
final class TestSteppedWork {
    private static final int STEPS = 3;

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private int accepted = Integer.MAX_VALUE; // tasks, before the executor refuses
    private int failing = Integer.MAX_VALUE; // the step
    private boolean failsToEnd;
    private int steps;
    private int ends;

    private final class Counted implements SteppedWork.Steps {
        @Override
        public boolean step() throws IOException {
            assertThat(ends).isZero();
            if (steps == failing) {
                throw new IOException("no step " + steps);
            }
            return ++steps < STEPS;
        }

        @Override
        public void end() throws IOException {
            ends++;
            if (failsToEnd) {
                throw new IOException("no end");
            }
        }
    }

    private CompletableFuture<Void> run() {
        CompletableFuture<Void> done = SteppedWork.run(this::execute, new Counted());
        while (!tasks.isEmpty()) {
            assertThat(done).isNotDone();
            tasks.removeFirst().run();
        }
        return done;
    }

    private void execute(Runnable task) {
        if (accepted == 0) {
            throw new RejectedExecutionException("full");
        }
        accepted--;
        tasks.add(task);
    }

    @Test
    void itIsEndedBehindTheLastStep() {
        assertThat(run()).isCompleted();
        assertThat(steps).isEqualTo(STEPS);
        assertThat(ends).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void itIsEndedWhereTheExecutorRefuses(int after) {
        accepted = after;
        assertThatThrownBy(run()::join).hasRootCauseMessage("full");
        assertThat(steps).isEqualTo(after);
        assertThat(ends).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void itIsEndedBehindAStepThatFails(int step) {
        failing = step;
        failsToEnd = true;
        assertThatThrownBy(run()::join)
                .hasRootCauseMessage("no step " + step)
                .satisfies(
                        thrown ->
                                assertThat(thrown.getCause().getSuppressed())
                                        .singleElement()
                                        .satisfies(end -> assertThat(end).hasMessage("no end")));
        assertThat(ends).isEqualTo(1);
    }

    @Test
    void whatCannotBeEndedFails() {
        failsToEnd = true;
        assertThatThrownBy(run()::join).hasRootCauseMessage("no end");
        assertThat(ends).isEqualTo(1);
    }
}
