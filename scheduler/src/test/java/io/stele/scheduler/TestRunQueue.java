package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TestRunQueue {
    @Test
    void behavesLikeASortedList() {
        for (long seed = 0; seed < 50; seed++) {
            // around the overflow of a long, where only differences tell what is smaller
            long base = seed % 2 == 0 ? 0 : Long.MAX_VALUE - 500;
            SplittableRandom random = new SplittableRandom(seed);
            RunQueue queue = new RunQueue();
            List<ExecutionContext> oracle = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                if (oracle.isEmpty() || random.nextInt(5) < 3) {
                    ExecutionContext context = context(base + random.nextInt(1000));
                    queue.add(context);
                    oracle.add(context);
                } else if (random.nextBoolean()) {
                    ExecutionContext any = oracle.remove(random.nextInt(oracle.size()));
                    queue.remove(any);
                    assertThat(any.queueIndex).isEqualTo(-1);
                } else {
                    ExecutionContext smallest =
                            oracle.stream()
                                    .min(
                                            Comparator.comparingLong(
                                                            (ExecutionContext context) ->
                                                                    context.virtualRuntime - base)
                                                    .thenComparingLong(
                                                            context -> context.queueSequence))
                                    .orElseThrow();
                    assertThat(queue.removeFirst()).as("seed %d", seed).isSameAs(smallest);
                    oracle.remove(smallest);
                }
                assertThat(queue.size()).isEqualTo(oracle.size());
            }
        }
    }

    @Test
    void showsNoMoreThanItIsAskedFor() {
        RunQueue queue = new RunQueue();
        for (int i = 0; i < 1000; i++) {
            queue.add(context(i));
        }
        List<ExecutionContext> shown = new ArrayList<>();
        assertThat(queue.forEachOfFirst(128, shown::add)).isEqualTo(128);
        assertThat(shown).hasSize(128).contains(queue.first()).doesNotHaveDuplicates();
        assertThat(queue.forEachOfFirst(2000, context -> {})).isEqualTo(1000);
    }

    @Test
    void refusesAContextThatIsInAQueueAlready() {
        RunQueue queue = new RunQueue();
        ExecutionContext context = context(1);
        queue.add(context);
        assertThatThrownBy(() -> new RunQueue().add(context))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("to be in no run queue, found it at 0");
    }

    private static ExecutionContext context(long virtualRuntime) {
        SimulatedPool pool = new SimulatedPool(new SplittableRandom(0), TestSimulatedPool::fail);
        ExecutionContext context =
                pool.createContext("context", pool.createGroup("group", 1, Urgency.NORMAL));
        context.virtualRuntime = virtualRuntime;
        return context;
    }
}
