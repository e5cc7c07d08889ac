package io.stele.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.scheduler.SimulatedPool;
import io.stele.scheduler.Urgency;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestShardContext {
    private static final int TASKS = 10_000;

    private final List<Throwable> uncaught = new ArrayList<>();
    private final List<String> ran = new ArrayList<>();
    private SimulatedPool pool = new SimulatedPool(new SplittableRandom(1), uncaught::add);
    private int working; // groups that workers apply
    private int barriers;
    private ShardContext context = newContext();

    private ShardContext newContext() {
        return new ShardContext(
                pool.createContext("shard", pool.createGroup("group", 1, Urgency.NORMAL)),
                () -> working == 0,
                () -> barriers++);
    }

    private void run() {
        pool.runUntilIdle(TASKS);
    }

    private void groupEnds() {
        context.report(
                () -> {
                    working--;
                    context.proceed();
                });
    }

    @Test
    void tasksRunAtOnceWhileWorkersRest() {
        context.execute(() -> ran.add("a"));
        context.executeBeside(() -> ran.add("b"));
        run();
        assertThat(ran).containsExactly("a", "b");
        assertThat(barriers).isZero();
    }

    @Test
    void aTaskWaitsForTheWorkersAndAllThatComesLaterWaitsForIt() {
        context.executeBeside(() -> working++);
        context.executeBeside(() -> ran.add("beside the workers"));
        context.execute(() -> ran.add("alone"));
        context.executeBeside(() -> ran.add("behind"));
        CompletableFuture<String> result = context.submit(() -> "value");
        run();
        assertThat(ran).containsExactly("beside the workers");
        assertThat(barriers).isEqualTo(1);
        assertThat(result).isNotDone();
        groupEnds();
        run();
        assertThat(ran).containsExactly("beside the workers", "alone", "behind");
        assertThat(result).isCompletedWithValue("value");
    }

    @Test
    void whatIsNextGoesBeforeWhatWaits() {
        context.executeBeside(
                () -> {
                    working++;
                    context.executeNext(() -> ran.add("next"));
                });
        context.execute(() -> ran.add("alone"));
        run();
        assertThat(ran).isEmpty();
        groupEnds();
        run();
        assertThat(ran).containsExactly("next", "alone");
    }

    @Test
    void aTaskThatFailsDoesNotKeepTheOthers() {
        context.executeBeside(() -> working++);
        context.execute(
                () -> {
                    throw new IllegalStateException("fails");
                });
        CompletableFuture<String> failing =
                context.submit(
                        () -> {
                            throw new IllegalStateException("fails too");
                        });
        context.execute(() -> ran.add("last"));
        groupEnds();
        run();
        assertThat(ran).containsExactly("last");
        assertThat(uncaught).hasSize(1);
        assertThat(failing).isCompletedExceptionally();
    }

    /** Apply workers and tasks in any order: tasks run in order, alone, and all of them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void tasksRunInOrderAndAlone(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        pool = new SimulatedPool(random.split(), uncaught::add);
        context = newContext();
        List<Integer> order = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        for (int task = 0; task < 500; task++) {
            int number = task;
            expected.add(number);
            if (random.nextInt(3) > 0) {
                context.executeBeside(
                        () -> {
                            order.add(number);
                            working++;
                            pool.execute(this::groupEnds); // some time
                        });
            } else {
                context.execute(
                        () -> {
                            assertThat(working).isZero();
                            order.add(number);
                        });
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                pool.runOne();
            }
        }
        run();
        assertThat(uncaught).isEmpty();
        assertThat(order).isEqualTo(expected);
        assertThat(barriers).isPositive();
    }
}
