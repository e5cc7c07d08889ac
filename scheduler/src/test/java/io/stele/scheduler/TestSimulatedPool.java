package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TestSimulatedPool {
    @Test
    void theSeedDecidesTheOrder() {
        assertThat(order(42)).isEqualTo(order(42)).isNotEqualTo(order(43)).hasSize(50);
    }

    @Test
    void endlessWorkIsReported() {
        SimulatedPool pool = new SimulatedPool(new SplittableRandom(1), TestSimulatedPool::fail);
        pool.execute(() -> again(pool));
        assertThatThrownBy(() -> pool.runUntilIdle(100))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("found 1 waiting");
    }

    @Test
    void ticksUntilClosed() throws Exception {
        SimulatedPool pool = new SimulatedPool(new SplittableRandom(1), TestSimulatedPool::fail);
        List<String> ticks = new ArrayList<>();
        AutoCloseable periodic = pool.every(10, () -> ticks.add("tick"));
        pool.tick();
        pool.tick();
        periodic.close();
        pool.tick();
        assertThat(ticks).hasSize(2);
    }

    static void fail(Throwable failure) {
        throw new AssertionError(failure);
    }

    private static void again(SimulatedPool pool) {
        pool.execute(() -> again(pool));
    }

    private static List<Integer> order(long seed) {
        SimulatedPool pool = new SimulatedPool(new SplittableRandom(seed), TestSimulatedPool::fail);
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int number = i;
            pool.execute(() -> ran.add(number));
        }
        pool.runUntilIdle(100);
        return ran;
    }
}
