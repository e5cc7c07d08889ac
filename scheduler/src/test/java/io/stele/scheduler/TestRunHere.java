package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks on the threads of those who ask, in a time that the test moves. */
class TestRunHere {
    private static final long CHUNK_NANOS = 20_000;
    private static final long MILLISECOND = 1_000_000;

    private final List<Throwable> failures = new ArrayList<>();
    private long workerNanos;
    private long guestNanos; // runs beside the worker's
    private final FairPool pool =
            new FairPool(
                    FairPoolOptions.of(1),
                    () -> workerNanos + guestNanos,
                    unparked -> {},
                    failures::add);
    private final Worker worker = pool.workers().getFirst();
    private final SchedulingGroup query = pool.createGroup("query", 3000, Urgency.NORMAL);
    private final SchedulingGroup lookups = pool.createGroup("lookups", 1000, Urgency.LATENCY);
    private int ran;

    private boolean tryRunHere(SchedulingGroup group) {
        try {
            return pool.tryRunHere(
                    group,
                    () -> {
                        ran++;
                        guestNanos += CHUNK_NANOS;
                    });
        } finally {
            guestNanos = 0;
        }
    }

    private void compute(int contexts) {
        for (int i = 0; i < contexts; i++) {
            pool.createContext("query " + i, query)
                    .start(
                            signal -> {
                                workerNanos += CHUNK_NANOS;
                                return false;
                            });
        }
        assertThat(worker.step()).isTrue();
    }

    private static long cpu(SchedulingGroup group) {
        return group.status(any -> 0).cpuNanos();
    }

    @Test
    void anybodysTaskRunsWhereAWorkerIdles() {
        assertThat(worker.park()).isTrue();
        assertThat(tryRunHere(query)).isTrue();
        assertThat(tryRunHere(lookups)).isTrue();
        assertThat(ran).isEqualTo(2);
        assertThat(cpu(query)).isEqualTo(CHUNK_NANOS);
    }

    @Test
    void onlyTheLatencyClassGoesBeforeOthers() {
        compute(2);
        assertThat(tryRunHere(query)).isFalse();
        assertThat(ran).isZero();
        assertThat(tryRunHere(lookups)).isTrue();
        assertThat(ran).isEqualTo(1);
        assertThat(cpu(lookups)).isEqualTo(CHUNK_NANOS);
    }

    @Test
    void aClassThatWantsEverythingGetsItsShare() {
        compute(4);
        int refused = 0;
        while (workerNanos < 1000 * MILLISECOND) {
            refused += tryRunHere(lookups) ? 0 : 1;
            worker.step();
        }
        double share = (double) cpu(lookups) / (cpu(lookups) + cpu(query));
        assertThat(share).isBetween(0.23, 0.27);
        assertThat(refused).isPositive();
        assertThat(failures).isEmpty();
    }

    @Test
    void noMoreGuestsThanWorkersAtATime() {
        compute(1);
        List<Boolean> inside = new ArrayList<>();
        assertThat(pool.tryRunHere(lookups, () -> inside.add(tryRunHere(lookups)))).isTrue();
        assertThat(inside).containsExactly(false);
        assertThat(tryRunHere(lookups)).isTrue();
    }
}
