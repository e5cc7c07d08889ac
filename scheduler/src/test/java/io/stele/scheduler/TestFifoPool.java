package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TestFifoPool {
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    private FifoPool pool(int workers) {
        return new FifoPool(
                workers, System::nanoTime, Thread.ofPlatform().daemon().factory(), failures::add);
    }

    @Test
    void whatComesFirstRunsToItsEndBeforeTheNext() throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch release = new CountDownLatch(1);
        try (FifoPool pool = pool(1)) {
            SchedulingGroup scans = pool.createGroup("scans", 1, Urgency.NORMAL);
            SchedulingGroup lookups = pool.createGroup("lookups", 1000, Urgency.LATENCY);
            ExecutionContext scan = pool.createContext("scan", scans);
            scan.execute(
                    () -> {
                        try {
                            release.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    });
            AtomicInteger steps = new AtomicInteger();
            scan.start(
                    signal -> {
                        assertThat(signal.shouldYield()).isFalse();
                        order.add("step");
                        return steps.incrementAndGet() == 3;
                    });
            CompletableFuture<?> looked =
                    pool.createContext("lookup", lookups).submit(() -> order.add("lookup"));
            release.countDown();
            looked.get();
            scan.fence().get();
            assertThat(pool.tryRunHere(lookups, () -> order.add("here"))).isFalse();
            assertThat(pool.status().groups()).hasSize(2);
        }
        assertThat(order.stream().filter("step"::equals)).hasSize(3);
        assertThat(failures).isEmpty();
    }

    @Test
    void everyTaskRunsOnce() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<?>> joined = new ArrayList<>();
        try (FifoPool pool = pool(3)) {
            SchedulingGroup group = pool.createGroup("g", 100, Urgency.NORMAL);
            for (int i = 0; i < 50; i++) {
                ExecutionContext context = pool.createContext("c" + i, group);
                for (int task = 0; task < 100; task++) {
                    context.execute(ran::incrementAndGet);
                }
                joined.add(context.join());
            }
            CompletableFuture.allOf(joined.toArray(CompletableFuture<?>[]::new)).get();
        }
        assertThat(ran).hasValue(5_000);
        assertThat(failures).isEmpty();
    }
}
